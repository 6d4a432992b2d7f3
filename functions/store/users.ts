import { now } from '../domain/date-time.ts';
import { wholeService } from '../service.ts';
import { fetchedDeliveriesOf, idempotencyOf, itemsOfUser, userKey, webhookDeliveriesOf } from './keys.ts';
import { type Item, type Table, table } from './table.ts';
import { conflictingItem, writeFailure } from './write-failures.ts';

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
      if (writeFailure(error) !== 'condition') throw error;
      // This very write, if its response was lost on the way and the SDK sent it again.
      const found = conflictingItem<User>(error);
      return found?.createdAt === user.createdAt && found.name === name ? user : undefined;
    }
  }

  /** Deletes what is kept of a user beside agents, keys and the block list, and the user last. */
  async remove(uid: string): Promise<void> {
    const user = userKey(uid);
    const deliveries = [webhookDeliveriesOf(uid), fetchedDeliveriesOf(uid)];
    for (const collection of [...idempotencyOf(uid), ...deliveries, itemsOfUser(uid)]) {
      for await (const keys of this.#table.pages(collection, { keysOnly: true })) {
        await this.#table.deleteMany(keys.filter(({ pk, sk }) => pk !== user.pk || sk !== user.sk));
      }
    }
    await this.#table.delete(user);
  }

  /** Renames an existing user. */
  async rename(uid: string, name: string): Promise<User> {
    const exists = { expression: 'attribute_exists(pk)' };
    const item = await this.#table.change<Item & User>(userKey(uid), { set: { name } }, exists);
    if (!item) throw new Error(`There is no user ${uid}.`);
    const { pk: _pk, sk: _sk, ...user } = item;
    return user;
  }
}

export const users = /* @__PURE__ */ wholeService(() => new Users(table.get()));
