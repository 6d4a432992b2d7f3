import { Scope } from '../../../../functions/domain/api-keys.ts';
import { Identifier } from '../../../../functions/domain/identifiers.ts';
import { as } from '../../../command-line/arguments.ts';
import { print } from '../../../command-line/output.ts';
import { future } from '../../../command-line/times.ts';
import { DisplayName } from '../../display-name.ts';
import { existingUser } from '../../existing.ts';
import { describeCreated, scopesUnlessNamed, withSecret } from '../../keys/describe-key.ts';
import { requireScopesTogether, toScopes } from '../../keys/scopes.ts';
import { examples, type Group } from '../../program.ts';
import { openStores } from '../../stores.ts';

export const createKey = (key: Group) =>
  key
    .command('create')
    .description('Create a key and print it')
    .requiredOption('--uid <uid>', 'the user of the key', as(Identifier))
    .requiredOption('--name <name>', 'what the key is for', as(DisplayName))
    .option(
      '--scope <scope...>',
      `what the key may do: ${Scope.options.join(', ')} (default: ${scopesUnlessNamed})`,
      toScopes,
    )
    .option('--expires <when>', 'a date, a date-time or a duration such as 30d (default: never)', future)
    .addHelpText(
      'after',
      examples(
        'key create --uid acme --name website',
        'key create --uid acme --name batch --scope calls --expires 30d',
        'key create --uid agency --name sign-up --scope users',
        'key create --uid acme --name partner --scope agents knowledge --expires 2027-12-31',
      ),
    )
    .action(async (_, command) => {
      const options = command.optsWithGlobals();
      const { users, apiKeys } = await openStores(options);
      await existingUser(users, options.uid);
      const { name, scope, expires } = options;
      requireScopesTogether(scope);
      const created = await apiKeys.create(options.uid, { name, scopes: scope, expiresAt: expires });
      print(options, withSecret(created), () => describeCreated(created));
    });
