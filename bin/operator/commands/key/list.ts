import { judgeKeyStatus } from '../../../../functions/domain/api-keys.ts';
import { Identifier } from '../../../../functions/domain/identifiers.ts';
import { as } from '../../../command-line/arguments.ts';
import { print, table } from '../../../command-line/output.ts';
import { existingUser } from '../../existing.ts';
import { describeExpiry, joinScopes } from '../../keys/describe-key.ts';
import { examples, type Group } from '../../program.ts';
import { openStores } from '../../stores.ts';

export const listKeys = (key: Group) =>
  key
    .command('list')
    .description('List the keys of a user')
    .requiredOption('--uid <uid>', 'the user', as(Identifier))
    .addHelpText('after', examples('key list --uid acme', 'key list --uid acme --json'))
    .action(async (_, command) => {
      const options = command.optsWithGlobals();
      const { users, apiKeys } = await openStores(options);
      await existingUser(users, options.uid);
      const keys = (await apiKeys.list(options.uid)).map((one) => ({ ...one, status: judgeKeyStatus(one) }));
      print(options, { keys }, () =>
        table(
          keys,
          {
            KEY: 'keyId',
            NAME: 'name',
            START: ({ start }) => `${start}…`,
            SCOPES: joinScopes,
            CREATED: 'createdAt',
            EXPIRES: describeExpiry,
            STATUS: 'status',
          },
          `User ${options.uid} has no keys.`,
        ),
      );
    });
