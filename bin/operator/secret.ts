import { text } from 'node:stream/consumers';
import { PutSecretValueCommand, SecretsManagerClient } from '@aws-sdk/client-secrets-manager';
import password from '@inquirer/password';
import { print } from './output.ts';
import { examples, type Operator } from './program.ts';
import { outputsOf } from './stack.ts';
import { UsageError } from './usage-error.ts';

export const addSecretCommands = (program: Operator) => {
  const secret = program
    .command('secret')
    .description('What the deployment must be told and no template may know')
    .addHelpText('after', examples('secret stripe --stack voice-agents-prod'));

  secret
    .command('stripe')
    .description('Give a deployment the key of its Stripe account; it is asked for, or read from standard input')
    .addHelpText(
      'after',
      examples('secret stripe --stack voice-agents-prod', 'secret stripe --stack voice-agents-prod < key.txt'),
    )
    .action(async (_, command) => {
      const options = command.optsWithGlobals();
      const { stack, region } = options;
      if (!stack) throw new UsageError('Name a deployment with --stack: the secret is kept with it.');
      const { StripeSecretName } = await outputsOf(stack, region);
      if (!StripeSecretName) throw new UsageError(`The stack ${stack} keeps no Stripe key.`);
      const SecretString = (await askFor('The secret or restricted key of the Stripe account:')).trim();
      if (!/^[sr]k_(test|live)_\w{10,}$/.test(SecretString)) {
        throw new UsageError(
          'That is no secret key of Stripe’s: it begins with sk_live_, sk_test_, rk_live_ or rk_test_.',
        );
      }
      const client = new SecretsManagerClient(region ? { region } : {});
      await client.send(new PutSecretValueCommand({ SecretId: StripeSecretName, SecretString }));
      print(options, { stack, secret: 'stripe' }, () => `${stack} has its Stripe key. It is used within five minutes.`);
    });
};

/** Never by an option: it would stay in the shell's history. */
const askFor = (message: string): Promise<string> =>
  process.stdin.isTTY ? password({ message, mask: '•' }, { output: process.stderr }) : text(process.stdin);
