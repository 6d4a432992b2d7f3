import { judgeKeyStatus } from '../../../../functions/domain/api-keys.ts';
import { identifier } from '../../../command-line/arguments.ts';
import { print, table } from '../../../command-line/output.ts';
import { existingUser } from '../../existing.ts';
import { describeExpiry, joinScopes } from '../../keys/describe-key.ts';
import { addCommand, type Group } from '../../program.ts';
import { openStores } from '../../stores.ts';

export const listKeys = (key: Group) =>
  addCommand(key, 'key list', 'List the keys of a user', ['--uid acme', '--uid acme --json'])
    .requiredOption('--uid <uid>', 'the user', identifier)
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
