import { GetSecretValueCommand, SecretsManagerClient } from '@aws-sdk/client-secrets-manager';
import { CommandError, exitCodes } from '../command-line/exit-codes.ts';
import { readOutputs } from './stack.ts';
import { type GlobalOptions, localRun } from './stores.ts';

/** Returns the secret that keys the hashes of erased numbers. */
export const readErasureSecret = async ({ stack, table, region, runFile }: GlobalOptions): Promise<string> => {
  const given = process.env.ERASURE_SECRET;
  if (given) return given;
  if (stack) {
    const { ErasureSecretName } = await readOutputs(stack, region);
    const client = new SecretsManagerClient(region ? { region } : {});
    const { SecretString } = await client.send(new GetSecretValueCommand({ SecretId: ErasureSecretName }));
    if (SecretString) return SecretString.trim();
  } else if (!table && !process.env.TABLE_NAME) {
    const { erasureSecret } = await localRun(runFile);
    if (erasureSecret) return erasureSecret;
  }
  throw new CommandError(
    'Erasures that ended since must be repeated. Set ERASURE_SECRET to the secret of the service.',
    exitCodes.usage,
  );
};
