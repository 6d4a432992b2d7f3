import { Scope } from '../../../../functions/domain/api-keys.ts';
import { KeyName } from '../../../../functions/domain/listed-api-keys.ts';
import { as, identifier } from '../../../command-line/arguments.ts';
import { print } from '../../../command-line/output.ts';
import { future } from '../../../command-line/times.ts';
import { existingUser } from '../../existing.ts';
import { describeCreated, scopesUnlessNamed, withSecret } from '../../keys/describe-key.ts';
import { requestsPerMinute } from '../../keys/requests-per-minute.ts';
import { requireScopesTogether, toScopes } from '../../keys/scopes.ts';
import { addCommand, type Group } from '../../program.ts';
import { openStores } from '../../stores.ts';

export const createKey = (key: Group) =>
  addCommand(key, 'key create', 'Create a key and print it', [
    '--uid acme --name website',
    '--uid acme --name batch --scope calls --expires 30d',
    '--uid agency --name sign-up --scope users',
    '--uid acme --name nightly --scope calls --requests-per-minute 600',
    '--uid acme --name partner --scope agents knowledge --expires 2027-12-31',
  ])
    .requiredOption('--uid <uid>', 'the user of the key', identifier)
    .requiredOption('--name <name>', 'what the key is for', as(KeyName))
    .option(
      '--scope <scope...>',
      `what the key may do: ${Scope.options.join(', ')} (default: ${scopesUnlessNamed})`,
      toScopes,
    )
    .option('--expires <when>', 'a date, a date-time or a duration such as 30d (default: never)', future)
    .option('--requests-per-minute <number>', 'the limit of the key (default: none)', requestsPerMinute)
    .action(async (_, command) => {
      const options = command.optsWithGlobals();
      const { users, apiKeys } = await openStores(options);
      await existingUser(users, options.uid);
      const { name, scope, expires, requestsPerMinute } = options;
      requireScopesTogether(scope);
      const created = await apiKeys.create(options.uid, { name, scopes: scope, expiresAt: expires, requestsPerMinute });
      print(options, withSecret(created), () => describeCreated(created));
    });
