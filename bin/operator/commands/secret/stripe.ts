import { text } from 'node:stream/consumers';
import { PutSecretValueCommand, SecretsManagerClient } from '@aws-sdk/client-secrets-manager';
import password from '@inquirer/password';
import { CommandError, exitCodes } from '../../../command-line/exit-codes.ts';
import { print } from '../../../command-line/output.ts';
import { addCommand, type Group } from '../../program.ts';
import { readOutputs } from '../../stack.ts';

export const setStripeKey = (secret: Group) =>
  addCommand(
    secret,
    'secret stripe',
    'Set the Stripe key of a deployment, which is prompted for or read from standard input',
    ['--stack voice-agents-prod', '--stack voice-agents-prod < key.txt'],
  ).action(async (_, command) => {
    const options = command.optsWithGlobals();
    const { stack, region } = options;
    if (!stack) throw new CommandError('--stack is required: the secret belongs to a deployment.', exitCodes.usage);
    const { StripeSecretName } = await readOutputs(stack, region);
    if (!StripeSecretName) throw new CommandError(`The stack ${stack} has no secret for a Stripe key.`);
    const SecretString = (await prompt('Secret or restricted key of the Stripe account:')).trim();
    if (!/^[sr]k_(test|live)_\w{10,}$/.test(SecretString)) {
      throw new CommandError(
        'This is not a whole secret Stripe key: sk_live_, sk_test_, rk_live_ or rk_test_, and at least ten letters and digits.',
        exitCodes.usage,
      );
    }
    const client = new SecretsManagerClient(region ? { region } : {});
    await client.send(new PutSecretValueCommand({ SecretId: StripeSecretName, SecretString }));
    print(
      options,
      { stack, secret: 'stripe' },
      () => `The Stripe key of ${stack} is set, and used within five minutes.`,
    );
  });

/** Reads a secret. It is never an option: the shell's history would keep it. */
const prompt = (message: string): Promise<string> =>
  process.stdin.isTTY ? password({ message, mask: '•' }, { output: process.stderr }) : text(process.stdin);
