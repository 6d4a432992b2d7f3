import { GetSecretValueCommand, SecretsManagerClient } from '@aws-sdk/client-secrets-manager';
import { CommandError, exitCodes } from '../command-line/exit-codes.ts';
import { outputsOf } from './stack.ts';
import { type GlobalOptions, localRun } from './stores.ts';

/** The secret with which the service signs, and hashes the numbers of people who are erased. */
export const signingSecretOf = async ({ stack, table, region, runFile }: GlobalOptions): Promise<string> => {
  const given = process.env.CHAT_SIGNING_SECRET;
  if (given) return given;
  if (stack) {
    const { ChatSigningSecretName } = await outputsOf(stack, region);
    const client = new SecretsManagerClient(region ? { region } : {});
    const { SecretString } = await client.send(new GetSecretValueCommand({ SecretId: ChatSigningSecretName }));
    if (SecretString) return SecretString.trim();
  } else if (!table && !process.env.TABLE_NAME) return (await localRun(runFile)).chatSigningSecret;
  throw new CommandError(
    'Erasures that ended since must be repeated. Set CHAT_SIGNING_SECRET to the secret of the service.',
    exitCodes.usage,
  );
};
