import type { AttributeValue } from '@aws-sdk/client-dynamodb';
import { unmarshall } from '@aws-sdk/util-dynamodb';
import { userKey } from '../../../../functions/store/keys.ts';
import type { Table } from '../../../../functions/store/table.ts';
import type { User } from '../../../../functions/store/users.ts';
import { print, table } from '../../../command-line/output.ts';
import { examples, type Group } from '../../program.ts';
import { scan } from '../../scan.ts';
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

/** Scans the table for users, since it has no list of them. */
const allUsers = async (table: Table): Promise<User[]> => {
  const users: User[] = [];
  const found = {
    FilterExpression: 'sk = :user',
    ExpressionAttributeValues: { ':user': { S: userKey('').sk } as AttributeValue },
  };
  await scan(table, table.name, found, async (items) => {
    for (const item of items) {
      const { pk: _pk, sk: _sk, ...user } = unmarshall(item);
      users.push(user as User);
    }
  });
  return users.sort((a, b) => (a.uid < b.uid ? -1 : 1));
};
