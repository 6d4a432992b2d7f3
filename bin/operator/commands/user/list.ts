import { print, table } from '../../../command-line/output.ts';
import { allUsers } from '../../all-users.ts';
import { examples, type Group } from '../../program.ts';
import { openStores } from '../../stores.ts';

export const listUsers = (user: Group) =>
  user
    .command('list')
    .description('List all users, by reading the whole table')
    .addHelpText('after', examples('user list', 'user list --json'))
    .action(async (_, command) => {
      const options = command.optsWithGlobals();
      const stores = await openStores(options);
      const users = await allUsers(stores.table);
      print(options, { users }, () =>
        table(users, { USER: 'uid', NAME: 'name', CREATED: 'createdAt' }, 'There are no users.'),
      );
    });
