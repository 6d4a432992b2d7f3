import { now } from '../domain/date-time.ts';
import { wholeService } from '../service.ts';
import { exists } from './expressions.ts';
import {
  fetchedDeliveriesOf,
  idempotencyOf,
  isSameKey,
  itemsOfUser,
  restingDeliveriesOf,
  runningImportKey,
  userKey,
  webhookDeliveriesOf,
  withoutKey,
} from './keys.ts';
import { type Item, type Table, table } from './table.ts';

export type User = { uid: string; name?: string; createdAt: string };

/** The users that keys and agents belong to. */
export class Users {
  readonly #table: Table;

  constructor(table: Table) {
    this.#table = table;
  }

  async find(uid: string): Promise<User | undefined> {
    const item = await this.#table.get<Item & User>(userKey(uid));
    return item && withoutKey(item);
  }

  /** Creates a user; undefined when the id is taken. */
  async create(uid: string, name?: string): Promise<User | undefined> {
    const user: User = { uid, ...(name !== undefined && { name }), createdAt: now() };
    const { isNew } = await this.#table.putNew({ ...userKey(uid), ...user });
    return isNew ? user : undefined;
  }

  /** Deletes a user after everything that belongs to the user, except agents, keys and the block list. */
  async remove(uid: string): Promise<void> {
    await this.#removeItems(uid);
    await this.#table.delete(userKey(uid));
    // A request that was authorized earlier may have written in the meantime.
    await this.#removeItems(uid);
  }

  async #removeItems(uid: string): Promise<void> {
    const user = userKey(uid);
    const deliveries = [...webhookDeliveriesOf(uid), ...restingDeliveriesOf(uid), fetchedDeliveriesOf(uid)];
    for (const collection of [...idempotencyOf(uid), ...deliveries, itemsOfUser(uid)]) {
      for await (const keys of this.#table.pages(collection, { keysOnly: true })) {
        await this.#table.deleteMany(keys.filter((key) => !isSameKey(key, user)));
      }
    }
    await this.#table.deleteMany([runningImportKey({ uid })]);
  }

  /** Renames an existing user. */
  async rename(uid: string, name: string): Promise<User> {
    const item = await this.#table.change<Item & User>(userKey(uid), { set: { name } }, exists);
    if (!item) throw new Error(`There is no user ${uid}.`);
    return withoutKey(item);
  }
}

export const users = /* @__PURE__ */ wholeService(() => new Users(table.get()));
