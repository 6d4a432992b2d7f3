import { identifier } from '../../../command-line/arguments.ts';
import { print, table } from '../../../command-line/output.ts';
import { allUsers } from '../../all-users.ts';
import { addCommand, type Group } from '../../program.ts';
import { openStores } from '../../stores.ts';

export const listUsers = (user: Group) =>
  addCommand(user, 'user list', 'List users', ['', '--of agency --json'])
    .option('--of <uid>', 'only the clients of this user (default: all users, which reads the whole table)', identifier)
    .action(async (_, command) => {
      const options = command.optsWithGlobals();
      const stores = await openStores(options);
      const { of: maker } = options;
      const users =
        maker === undefined ? await allUsers(stores.table) : await Array.fromAsync(stores.users.clients(maker));
      print(options, { users }, () =>
        table(
          users,
          { USER: 'uid', NAME: 'name', CREATED: 'createdAt', SUSPENDED: ({ suspended }) => (suspended ? 'yes' : '') },
          'There are no users.',
        ),
      );
    });
