import { randomUUID } from 'node:crypto';
import type { UserMarks } from '../domain/api-keys.ts';
import { chunks } from '../domain/chunks.ts';
import { now } from '../domain/date-time.ts';
import {
  ApiError,
  invalidApiKey,
  invalidField,
  limitExceeded,
  suspendedByOperator,
  userSuspended,
} from '../domain/errors.ts';
import { isIdentifier } from '../domain/identifiers.ts';
import { withoutUndefined } from '../domain/json.ts';
import { limits } from '../domain/limits.ts';
import { isCertainlyOver } from '../domain/listed-api-keys.ts';
import { formatWhole } from '../domain/text.ts';
import { idempotencyClaimSeconds, jobRescueDelaySeconds } from '../domain/timeouts.ts';
import { service } from '../service.ts';
import { type Condition, exists, isAbsent, when } from './expressions.ts';
import {
  apiKeyKey,
  apiKeyListingCollection,
  changeCollection,
  chatUserTokensKey,
  clientAt,
  clientCollection,
  clientKey,
  countKey,
  fetchedDeliveryCollection,
  findItem,
  hookSecretCollection,
  type ItemKey,
  idempotencyCollections,
  isSameKey,
  itemsOfUser,
  parkedDeliveryCollections,
  runningImportKey,
  userKey,
  webhookDeliveryCollections,
  webhookEndpointsKey,
} from './keys.ts';
import type { Counter } from './quotas.ts';
import {
  backOff,
  type Item,
  type QueryOptions,
  type Table,
  TableStore,
  type TransactionAction,
  table,
} from './table.ts';
import { failedConditions } from './write-failures.ts';

/** A user. `maker` created it over HTTP; the operator creates users without it. */
export type User = { uid: string; name?: string; createdAt: string; maker?: string } & UserMarks;

/** A client, with the number of its agents. */
export type Client = User & { agents: number };

type ClientChange = { name?: string; suspended?: boolean } & {
  [Mark in 'agentQuota' | 'sourceQuota']?: number | undefined;
};

/**
 * `revision` counts changed marks, `keyChanges` new keys. The user is being deleted since `deletingAt`. Only the
 * operator ends a suspension `byOperator`.
 */
export type UserItem = Item &
  User & { revision?: number; keyChanges?: number; clients?: number; byOperator?: true } & {
    deletingAt?: number;
    deletionRunAt?: number;
  };

/** A transaction has at most 100 actions. One of them checks the user. */
const marksPerTransaction = 99;
const maxMarkAttempts = 20;

/** The users that keys and agents belong to. */
export class Users extends TableStore {
  async find(uid: string): Promise<User | undefined> {
    const item = await this.table.get<UserItem>(userKey(uid));
    return item && toUser(item);
  }

  /** Creates a user; undefined when the id is taken. */
  async create(uid: string, name?: string): Promise<User | undefined> {
    const user: User = { uid, name, createdAt: now() };
    const { isNew } = await this.table.putNew({ ...userKey(uid), ...user });
    return isNew ? user : undefined;
  }

  /** Creates a client, or returns the maker's own with this id. */
  async createClient(
    maker: string,
    { uid, ...given }: { uid: string } & Omit<ClientChange, 'suspended'>,
  ): Promise<Client> {
    if (uid === maker) throw uidTaken(uid);
    const user: User = { uid, ...withoutUndefined(given), createdAt: now(), maker };
    const mayHaveMore = when`attribute_exists(pk) and attribute_not_exists(deletingAt) and (attribute_not_exists(clients) or clients < ${limits.clients})`;
    const failed = await this.table.tryTransact<UserItem>([
      this.table.putAction({ ...userKey(uid), ...user }, isAbsent),
      this.table.putAction(clientKey(maker, uid)),
      this.table.updateAction(userKey(maker), { add: { clients: 1 } }, mayHaveMore),
    ]);
    if (!failed) return { ...user, agents: 0 };
    if (!failed.has(0)) {
      const isFull = (failed.get(2)?.clients ?? 0) >= limits.clients;
      // Otherwise the maker is being deleted, with its key.
      throw isFull ? limitExceeded(`A user can have at most ${formatWhole(limits.clients)} clients`) : invalidApiKey();
    }
    const found = await this.findClient(maker, uid);
    if (!found) throw uidTaken(uid);
    return found;
  }

  /** Returns users by their ids, without those that are being deleted. */
  async findMany(uids: string[]): Promise<Map<string, User>> {
    const known = [...new Set(uids)].filter(isIdentifier);
    const items = await this.table.getMany<UserItem>(known.map(userKey));
    return new Map(items.filter(({ deletingAt }) => deletingAt === undefined).map((item) => [item.uid, toUser(item)]));
  }

  /** Returns a user's client, or any user without a maker, unless it is being deleted. One round trip. */
  async findClient(maker: string | undefined, uid: string): Promise<Client | undefined> {
    if (!isIdentifier(uid)) return undefined;
    const [client] = await this.#clientsAmong(maker, [uid]);
    return client;
  }

  /** Yields a user's clients by id, in two round trips a page. */
  async *clients(maker: string, options: QueryOptions = {}): AsyncGenerator<Client> {
    for await (const page of this.table.pages(clientCollection(maker), { ...options, keysOnly: true }))
      yield* await this.#clientsAmong(
        maker,
        page.map(({ sk }) => clientAt(sk)),
      );
  }

  async #clientsAmong(maker: string | undefined, uids: string[]): Promise<Client[]> {
    const items = await this.table.getMany(uids.flatMap((uid) => [userKey(uid), countKey({ uid })]));
    return uids.flatMap((uid) => {
      const user = findItem(items, userKey(uid)) as UserItem | undefined;
      const counter = findItem(items, countKey({ uid })) as Counter | undefined;
      if (!user || user.deletingAt !== undefined || (maker !== undefined && user.maker !== maker)) return [];
      return [{ ...toUser(user), agents: counter?.count ?? 0 }];
    });
  }

  /** Changes a client, whose keys and secrets get the marks; without a maker, any user. Undefined: there is no such client. */
  async changeClient(maker: string | undefined, uid: string, change: ClientChange): Promise<Client | undefined> {
    if (maker === undefined) return (await this.change(uid, change)) && this.findClient(undefined, uid);
    const isClient = when`maker = ${maker} and attribute_not_exists(deletingAt)`;
    const isResumed = change.suspended === false;
    const changed = await this.#change(uid, change, isResumed ? when`${isClient} and ${isNotByOperator}` : isClient);
    const client = await this.findClient(maker, uid);
    if (client && !changed && isResumed) throw suspendedByOperator();
    return changed && client;
  }

  /** Changes any user, as the operator may. Undefined: there is no such user. */
  async change(uid: string, change: ClientChange): Promise<User | undefined> {
    const byOperator = change.suspended === undefined ? undefined : change.suspended || null;
    return this.#change(uid, change, when`attribute_exists(pk) and attribute_not_exists(deletingAt)`, { byOperator });
  }

  async #change(
    uid: string,
    { suspended, ...others }: ClientChange,
    condition: Condition,
    more: { byOperator?: true | null } = {},
  ): Promise<User | undefined> {
    if (!isIdentifier(uid)) return undefined;
    const { name, ...quotas } = others;
    const hasMarks = [suspended, ...Object.values(quotas)].some((mark) => mark !== undefined);
    const set = { ...others, ...more, suspended: suspended === false ? null : suspended };
    const change = { set, ...(hasMarks && { add: { revision: 1 } }) };
    if (!hasMarks && name === undefined) return this.find(uid);
    const item = await this.table.change<UserItem>(userKey(uid), change, condition);
    if (item && hasMarks) await this.#mark(item);
    return item && toUser(item);
  }

  /** Repeats a user's marks in keys, secrets and endpoints, until nobody changes them meanwhile. */
  async #mark(user: UserItem): Promise<void> {
    let current: UserItem | undefined = user;
    for (let attempt = 0; current && !(await this.#writeMarks(current)); attempt++) {
      if (attempt === maxMarkAttempts) throw new Error(`The keys of user ${user.uid} kept changing.`);
      await backOff(attempt);
      current = await this.table.get<UserItem>(userKey(user.uid));
    }
  }

  /** Returns false when marks or their items changed meanwhile. */
  async #writeMarks({ uid, revision, ...user }: UserItem): Promise<boolean> {
    const [suspended, agentQuota, sourceQuota] = [user.suspended, user.agentQuota, user.sourceQuota].map(
      (mark) => mark ?? null,
    );
    const [keys, secrets, endpoints] = await Promise.all([
      this.#listUsableKeys(uid),
      Array.fromAsync(this.table.query(hookSecretCollection(uid))),
      this.table.get(webhookEndpointsKey(uid)),
    ]);
    // Another version: writers that have read the former one read again.
    const version = randomUUID();
    const others = [...secrets, ...(endpoints ? [endpoints] : [])];
    const actions = [
      ...keys.map((key) => this.#update(key, { suspended, agentQuota, sourceQuota })),
      ...others.map((item) => this.#update(item, { suspended, version })),
    ];
    const check = this.table.checkAction(userKey(uid), when`revision = ${revision}`);
    for (const some of chunks(actions, marksPerTransaction))
      if (await this.table.tryTransact([check, ...some])) return false;
    return true;
  }

  #update({ pk, sk }: ItemKey, set: Record<string, unknown>): TransactionAction {
    return this.table.updateAction({ pk, sk }, { set }, exists);
  }

  /** Returns the keys of the records of API keys that are not over, the newest first. A grant has the marks of its parent. */
  async #listUsableKeys(uid: string): Promise<ItemKey[]> {
    const listings = await Array.fromAsync(
      this.table.query<Item & { hash: string; parentHash?: string; ttlSeconds?: number }>(
        apiKeyListingCollection(uid),
        {
          descending: true,
        },
      ),
    );
    const usable = listings
      .filter(({ parentHash, ttlSeconds }) => !parentHash && !isCertainlyOver(ttlSeconds))
      .map(({ hash }) => apiKeyKey(hash));
    const existing = new Set((await this.table.getMany(usable)).map(({ pk }) => pk));
    return usable.filter(({ pk }) => existing.has(pk));
  }

  /** Returns the keys of a user's API keys: records, then listings. */
  async #listApiKeyKeys(uid: string): Promise<ItemKey[]> {
    const listings = await Array.fromAsync(this.table.query<Item & { hash: string }>(apiKeyListingCollection(uid)));
    return [...listings.map(({ hash }) => apiKeyKey(hash)), ...listings.map(({ pk, sk }) => ({ pk, sk }))];
  }

  /** Begins the deletion of a client: its keys are not accepted. False: there is no such client. */
  async beginDeletion(maker: string, uid: string): Promise<boolean> {
    if (uid === maker) return false;
    const deletingAt = Date.now();
    const failed = await this.table.tryTransact<UserItem>([
      this.table.updateAction(
        userKey(uid),
        { set: { deletingAt, suspended: true }, add: { revision: 1 } },
        when`maker = ${maker} and attribute_not_exists(deletingAt) and ${isNotByOperator} and (attribute_not_exists(clients) or clients = ${0})`,
      ),
      this.table.deleteAction(clientKey(maker, uid)),
      this.table.updateAction(userKey(maker), { add: { clients: -1 } }),
    ]);
    const found = failed?.get(0);
    const isOwn = !failed || found?.maker === maker;
    if (isOwn && found?.deletingAt === undefined && found?.byOperator) throw suspendedByOperator();
    if (isOwn && found?.deletingAt === undefined && failed)
      throw invalidField('uid', 'has clients of its own: the operator of the service deletes it after them');
    if (isOwn) await this.endAccess(uid);
    return !failed;
  }

  /** Returns whether a user's deletion runs, and whether earlier requests still write. */
  async findDeletion(uid: string): Promise<{ isQuiet: boolean; isUnderWay: boolean } | undefined> {
    const { deletingAt, deletionRunAt = 0 } = (await this.table.get<UserItem>(userKey(uid))) ?? {};
    if (deletingAt === undefined) return undefined;
    return {
      isQuiet: deletingAt + idempotencyClaimSeconds * 1000 < Date.now(),
      isUnderWay: deletionRunAt + jobRescueDelaySeconds * 1000 > Date.now(),
    };
  }

  /** Notes that a run of the job that deletes a user begins. */
  async noteDeletionRun(uid: string): Promise<void> {
    await this.table.change(userKey(uid), { set: { deletionRunAt: Date.now() } }, exists);
  }

  /** Deletes a user's keys, platform secrets and webhook endpoints. */
  async endAccess(uid: string): Promise<void> {
    // The listings are deleted last: interrupted between the two, deleting again completes it.
    await this.table.deleteMany(await this.#listApiKeyKeys(uid));
    await this.table.deleteAll(hookSecretCollection(uid));
    await this.table.deleteMany([webhookEndpointsKey(uid)]);
  }

  /** Deletes a user and all else than agents and the block list. */
  async remove(uid: string): Promise<void> {
    // No key is made from here on, also for the operator's deletion.
    const isFirst = when`attribute_exists(pk) and attribute_not_exists(deletingAt)`;
    await this.table.change(userKey(uid), { set: { deletingAt: Date.now() } }, isFirst);
    await this.endAccess(uid);
    await this.#removeItems(uid);
    const item = await this.table.get<UserItem>(userKey(uid));
    // While the user is there, nobody creates another client with this id.
    if (item?.maker !== undefined) await this.#forgetClient(item.maker, uid);
    await this.table.delete(userKey(uid));
    // A request that was authorized earlier may have written in the meantime.
    await this.#removeItems(uid);
  }

  /** A client whose deletion a request began is forgotten already. */
  async #forgetClient(maker: string, uid: string): Promise<void> {
    await this.table.tryTransact([
      this.table.deleteAction(clientKey(maker, uid), exists),
      this.table.updateAction(userKey(maker), { add: { clients: -1 } }, exists),
    ]);
  }

  async #removeItems(uid: string): Promise<void> {
    const user = userKey(uid);
    const deliveries = [
      ...webhookDeliveryCollections(uid),
      ...parkedDeliveryCollections(uid),
      fetchedDeliveryCollection(uid),
    ];
    for (const collection of [...idempotencyCollections(uid), ...deliveries, changeCollection(uid), itemsOfUser(uid)]) {
      for await (const keys of this.table.pages(collection, { keysOnly: true })) {
        await this.table.deleteMany(keys.filter((key) => !isSameKey(key, user)));
      }
    }
    const days = [0, 1, 2, 3].map((ago) => new Date(Date.now() - ago * 86_400_000).toISOString().slice(0, 10));
    const tokens = days.map((day) => chatUserTokensKey(day, uid));
    await this.table.deleteMany([runningImportKey({ uid }), ...tokens]);
  }
}

const isNotByOperator = when`attribute_not_exists(byOperator)`;

const uidTaken = (uid: string) => new ApiError('uid_taken', `The id ${uid} is taken.`);

export const toUser = ({ uid, name, createdAt, maker, suspended, agentQuota, sourceQuota }: UserItem): User => ({
  uid,
  createdAt,
  ...withoutUndefined({ name, maker, suspended, agentQuota, sourceQuota }),
});

/** Writes a first item, which a suspension finds, or not at all. */
export const putFirst = async (table: Table, uid: string, item: Item): Promise<void> => {
  const isNotSuspended = when`attribute_not_exists(suspended)`;
  try {
    await table.transact([table.putAction(item, isAbsent), table.checkAction(userKey(uid), isNotSuspended)]);
  } catch (error) {
    if (failedConditions(error).has(1)) throw userSuspended();
    throw error;
  }
};

export const users = /* @__PURE__ */ service(() => new Users(table.get()), {
  find: ['dynamodb:GetItem'],
  findMany: ['dynamodb:BatchGetItem'],
  findClient: ['dynamodb:BatchGetItem'],
  clients: ['dynamodb:BatchGetItem', 'dynamodb:Query'],
  createClient: ['dynamodb:BatchGetItem', 'dynamodb:PutItem', 'dynamodb:UpdateItem'],
  changeClient: [
    'dynamodb:BatchGetItem',
    'dynamodb:ConditionCheckItem',
    'dynamodb:GetItem',
    'dynamodb:Query',
    'dynamodb:UpdateItem',
    'dynamodb:UpdateItem:apiKeys',
  ],
  beginDeletion: [
    'dynamodb:BatchWriteItem',
    'dynamodb:BatchWriteItem:apiKeys',
    'dynamodb:DeleteItem',
    'dynamodb:Query',
    'dynamodb:UpdateItem',
  ],
  findDeletion: ['dynamodb:GetItem'],
  noteDeletionRun: ['dynamodb:UpdateItem'],
  endAccess: ['dynamodb:BatchWriteItem', 'dynamodb:BatchWriteItem:apiKeys', 'dynamodb:Query'],
  remove: [
    'dynamodb:BatchWriteItem',
    'dynamodb:BatchWriteItem:apiKeys',
    'dynamodb:BatchWriteItem:changes',
    'dynamodb:DeleteItem',
    'dynamodb:GetItem',
    'dynamodb:Query',
    'dynamodb:UpdateItem',
  ],
});
