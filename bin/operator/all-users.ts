import type { AttributeValue } from '@aws-sdk/client-dynamodb';
import { unmarshall } from '@aws-sdk/util-dynamodb';
import { userKey } from '../../functions/store/keys.ts';
import type { Table } from '../../functions/store/table.ts';
import { toUser, type User, type UserItem } from '../../functions/store/users.ts';
import { scan } from './scan.ts';
import type { Stores } from './stores.ts';

/** Scans the table for users, since it has no list of them. */
export const allUsers = async (table: Table): Promise<User[]> => {
  const users: User[] = [];
  const found = {
    FilterExpression: 'sk = :user',
    ExpressionAttributeValues: { ':user': { S: userKey('').sk } as AttributeValue },
  };
  await scan(table, table.name, found, async (items) => {
    for (const item of items) users.push(toUser(unmarshall(item) as UserItem));
  });
  return users.sort((a, b) => (a.uid < b.uid ? -1 : 1));
};

/** Yields the agents of all users, by their owners. */
export async function* allAgents({ table, agents }: Stores) {
  for (const { uid } of await allUsers(table)) {
    for await (const agent of agents.list(uid)) if (agent.uid === uid) yield agent;
  }
}
