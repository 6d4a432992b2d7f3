import { randomUUID } from 'node:crypto';
import { isDeepStrictEqual } from 'node:util';
import type { UserMarks } from '../domain/api-keys.ts';
import {
  type BudgetFields,
  type BudgetMark,
  type GivenBudget,
  replaceBudget,
  type Spending,
  type ToldShares,
} from '../domain/budgets.ts';
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
import { formatWhole } from '../domain/format-whole.ts';
import { isIdentifier, newUlid } from '../domain/identifiers.ts';
import { withoutUndefined } from '../domain/json.ts';
import { limits } from '../domain/limits.ts';
import { isCertainlyOver } from '../domain/listed-api-keys.ts';
import { idempotencyClaimSeconds, jobRescueDelaySeconds } from '../domain/timeouts.ts';
import { service } from '../service.ts';
import { type Condition, exists, type Fields, isAbsent, when } from './expressions.ts';
import {
  apiKeyKey,
  apiKeyListingCollection,
  changeCollection,
  chatUserTokensKey,
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
  parseClient,
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

/** A user. `maker` created it over HTTP; the operator creates users without it. */
export type User = { uid: string; name?: string; createdAt: string; maker?: string } & UserMarks & BudgetFields;

/** A client, with the number of its agents. */
export type Client = User & { agents: number };

type ClientChange = { name?: string; suspended?: boolean; budget?: GivenBudget | null } & {
  [Mark in 'agentQuota' | 'sourceQuota']?: number | undefined;
};

/** A user's budget as it was read, with the number of its checks. */
export type KnownBudget = { uid: string; checks: number } & Pick<BudgetFields, 'budget' | 'told'>;

/**
 * `revision` counts changed marks, `keyChanges` new keys, `checks` what was noted of a budget. `markedRevision` is the one that keys
 * are known to have. The user is being deleted since `deletingAt`. Only the
 * operator ends a suspension `byOperator`.
 */
export type UserItem = Item &
  User & { revision?: number; markedRevision?: number; keyChanges?: number; checks?: number } & {
    clients?: number;
    byOperator?: true;
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
    { uid, budget, ...given }: { uid: string } & Omit<ClientChange, 'suspended'>,
  ): Promise<Client> {
    if (uid === maker) throw uidTaken(uid);
    const fields = budget ? withoutNull(replaceBudget({}, budget, newUlid())) : {};
    const user: User = { uid, ...withoutUndefined(given), ...fields, createdAt: now(), maker };
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
        page.map(({ sk }) => parseClient(sk)),
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
    { suspended, budget, ...others }: ClientChange,
    condition: Condition,
    more: { byOperator?: true | null } = {},
  ): Promise<User | undefined> {
    if (!isIdentifier(uid)) return undefined;
    const { name, ...quotas } = others;
    const hasMarks = [suspended, budget, ...Object.values(quotas)].some((mark) => mark !== undefined);
    if (!hasMarks && name === undefined) return this.find(uid);
    const set = { ...others, ...more, suspended: suspended === false ? null : suspended };
    const item =
      budget === undefined
        ? await this.table.change<UserItem>(
            userKey(uid),
            { set, add: hasMarks ? { revision: 1 } : undefined },
            condition,
          )
        : await this.#changeBudget(uid, budget, set, condition);
    if (item && hasMarks) await this.#mark(item);
    return item && toUser(item);
  }

  /** Replaces the budget of a user, together with other fields, unless it changes meanwhile. */
  async #changeBudget(
    uid: string,
    budget: GivenBudget | null,
    others: Fields,
    condition: Condition,
  ): Promise<UserItem | undefined> {
    const budgetId = newUlid();
    for (let attempt = 0; attempt < maxMarkAttempts; attempt++) {
      if (attempt > 0) await backOff(attempt);
      const known = await this.table.get<UserItem>(userKey(uid));
      const set = { ...others, ...replaceBudget(known ?? {}, budget, budgetId) };
      const change = { set, add: { revision: 1, checks: 1 } };
      const unchanged = hasChecks(known?.checks);
      const item = await this.table.change<UserItem>(userKey(uid), change, when`${condition} and ${unchanged}`);
      if (item) return item;
      // Otherwise there is no such user, or a condition of the other fields fails.
      const found = await this.table.get<UserItem>(userKey(uid));
      if (found?.checks === known?.checks) return undefined;
    }
    throw new Error(`The budget of user ${uid} kept changing.`);
  }

  /** Returns the budget of a user; undefined for a user who has none. */
  async findBudget(uid: string): Promise<KnownBudget | undefined> {
    const item = await this.table.get<UserItem>(userKey(uid));
    if (!item?.budget || item.deletingAt !== undefined) return undefined;
    const { budget, told, checks = 0 } = item;
    return { uid, budget, told, checks };
  }

  /** Notes what the calls of a user have cost, and repeats in its keys whether they are refused. False: the budget has changed. */
  async noteSpending(
    { uid, checks }: KnownBudget,
    { spending, told, mark }: { spending: Spending; told?: ToldShares; mark: BudgetMark },
  ): Promise<boolean> {
    const known = await this.table.get<UserItem>(userKey(uid));
    if (!known || (known.checks ?? 0) !== checks) return false;
    const isMarked = isDeepStrictEqual(known.budgetMark, mark) && known.markedRevision === known.revision;
    const isNoted = isDeepStrictEqual([known.spending, known.told], [withoutUndefined(spending), told]);
    if (isMarked && isNoted) return true;
    const item = await this.table.change<UserItem>(
      userKey(uid),
      { set: { spending, told, budgetMark: mark }, add: { checks: 1, revision: isMarked ? 0 : 1 } },
      when`attribute_exists(budget) and attribute_not_exists(deletingAt) and ${hasChecks(known.checks)}`,
    );
    if (!item) return false;
    if (isMarked) return true;
    await this.#mark(item);
    // After a crash before this, the next check marks them again.
    const { revision } = item;
    await this.table.change(userKey(uid), { set: { markedRevision: revision } }, when`revision = ${revision}`);
    return true;
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
    const { suspended = null, agentQuota = null, sourceQuota = null, budgetMark = null } = user;
    const [keys, secrets, endpoints] = await Promise.all([
      this.#listUsableKeys(uid),
      Array.fromAsync(this.table.query(hookSecretCollection(uid))),
      this.table.get(webhookEndpointsKey(uid)),
    ]);
    // Another version: writers that have read the former one read again.
    const version = randomUUID();
    const actions = [
      ...keys.map((key) => this.#update(key, { suspended, agentQuota, sourceQuota, budgetMark })),
      ...secrets.map((item) => this.#update(item, { suspended, budgetMark, version })),
      ...(endpoints ? [this.#update(endpoints, { suspended, version })] : []),
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

/** The condition that nothing was noted of a user's budget since. */
const hasChecks = (checks: number | undefined): Condition =>
  checks === undefined ? when`attribute_not_exists(checks)` : when`checks = ${checks}`;

const withoutNull = <T extends object>(fields: T): { [Name in keyof T]?: NonNullable<T[Name]> } =>
  Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== null)) as never;

const uidTaken = (uid: string) => new ApiError('uid_taken', `The id ${uid} is taken.`);

export const toUser = ({ uid, name, createdAt, maker, ...item }: UserItem): User => {
  const { suspended, agentQuota, sourceQuota, budget, spending, budgetMark } = item;
  const marks = { suspended, agentQuota, sourceQuota, budget, spending, budgetMark };
  return { uid, createdAt, ...withoutUndefined({ name, maker, ...marks }) };
};

/** Writes a first item, which a suspension and a budget find, or not at all. */
export const putFirst = async (table: Table, uid: string, item: Item): Promise<void> => {
  const user = await table.get<UserItem>(userKey(uid));
  if (user?.suspended) throw userSuspended();
  const marked = { ...item, budgetMark: user?.budgetMark };
  await table.transact([
    table.putAction(marked, isAbsent),
    table.checkAction(userKey(uid), hasSameMarks(user?.revision)),
  ]);
};

/** The condition that the marks of a user have not changed. */
export const hasSameMarks = (revision: number | undefined): Condition =>
  revision === undefined ? when`attribute_not_exists(revision)` : when`revision = ${revision}`;

export const users = /* @__PURE__ */ service(() => new Users(table.get()), {
  find: ['dynamodb:GetItem'],
  findMany: ['dynamodb:BatchGetItem'],
  findBudget: ['dynamodb:GetItem'],
  noteSpending: [
    'dynamodb:ConditionCheckItem',
    'dynamodb:BatchGetItem',
    'dynamodb:GetItem',
    'dynamodb:Query',
    'dynamodb:UpdateItem',
    'dynamodb:UpdateItem:apiKeys',
  ],
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
