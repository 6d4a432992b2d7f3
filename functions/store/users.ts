import { now } from '../domain/date-time.ts';
import { wholeService } from '../service.ts';
import { userKey } from './keys.ts';
import { conflictingItem, type Item, refusalOf, type Table, table } from './table.ts';

export type User = { uid: string; name?: string; createdAt: string };

/** The users keys and agents belong to. */
export class Users {
  readonly #table: Table;

  constructor(table: Table) {
    this.#table = table;
  }

  async find(uid: string): Promise<User | undefined> {
    const item = await this.#table.get<Item & User>(userKey(uid));
    if (!item) return undefined;
    const { pk: _pk, sk: _sk, ...user } = item;
    return user;
  }

  /** Makes a user; undefined when there is one of that id already. */
  async create(uid: string, name?: string): Promise<User | undefined> {
    const user: User = { uid, ...(name !== undefined && { name }), createdAt: now() };
    try {
      await this.#table.put(
        { ...userKey(uid), ...user },
        { ConditionExpression: 'attribute_not_exists(pk)', ReturnValuesOnConditionCheckFailure: 'ALL_OLD' },
      );
      return user;
    } catch (error) {
      if (refusalOf(error) !== 'condition') throw error;
      // This very write, if its response was lost on the way and the SDK sent it again.
      const found = conflictingItem<User>(error);
      return found?.createdAt === user.createdAt && found.name === name ? user : undefined;
    }
  }

  /** Renames an existing user. */
  async rename(uid: string, name: string): Promise<User> {
    const item = await this.#table.update(userKey(uid), {
      UpdateExpression: 'set #name = :name',
      ConditionExpression: 'attribute_exists(pk)',
      ExpressionAttributeNames: { '#name': 'name' },
      ExpressionAttributeValues: { ':name': name },
      ReturnValues: 'ALL_NEW',
    });
    const { pk: _pk, sk: _sk, ...user } = item as Item & User;
    return user;
  }
}

export const users = wholeService(() => new Users(table.get()));
