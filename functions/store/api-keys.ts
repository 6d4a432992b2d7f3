import { type ApiKey, hashApiKey, newApiKey, type Scope, startOfApiKey, underParent } from '../domain/api-keys.ts';
import { now } from '../domain/date-time.ts';
import { ApiError, noSuchUser } from '../domain/errors.ts';
import { newIdentifier } from '../domain/identifiers.ts';
import { limits } from '../domain/limits.ts';
import { isCertainlyOver, isListed, keyDeletionTime } from '../domain/listed-api-keys.ts';
import { readPage } from '../domain/paging.ts';
import { type Permission, service } from '../service.ts';
import { type Condition, exists, isAbsent, when } from './expressions.ts';
import { apiKeyKey, apiKeyListingCollection, apiKeyListingKey, userKey, withoutKey } from './keys.ts';
import { type Item, type QueryOptions, TableStore, type TransactionAction, table, untilWritten } from './table.ts';
import { hasSameMarks, type UserItem } from './users.ts';
import { failedConditions } from './write-failures.ts';

/** `parentHash` is there for a grant to an AI client. */
type ListingItem = Item & { keyId: string; hash: string; parentHash?: string; ttlSeconds?: number };
type KeyItem = Item & ApiKey & { ttlSeconds?: number };
type NewKey = { name: string; scopes?: Scope[]; expiresAt?: string; requestsPerMinute?: number; isOperators?: true };
type KeyChange = Partial<Omit<NewKey, 'expiresAt' | 'requestsPerMinute'>> & {
  expiresAt?: string | null;
  requestsPerMinute?: number | null;
};

/** The id and secret of a request's key, the same for a repetition. */
export type DerivedKey = { keyId: string; secret: string };

/** A new key. `secret` is the key itself, which is returned only here. */
export type MadeApiKey = ApiKey & { secret: string };

/** API keys as they are administered. Requests read them with `Credentials`. */
export class ApiKeys extends TableStore {
  /** Creates a key, or returns the derived key. Only derived keys are limited in number. */
  async create(uid: string, options: NewKey, derived?: DerivedKey): Promise<MadeApiKey> {
    return (await this.#make(uid, options, derived)) as MadeApiKey;
  }

  /** Replaces a key in one transaction. Undefined if it is missing or ends already. */
  async rotate(
    uid: string,
    keyId: string,
    { endsAt, ...options }: NewKey & { endsAt: string },
    derived?: DerivedKey,
  ): Promise<MadeApiKey | undefined> {
    const former = await this.#getItem(uid, keyId);
    if (!former) return undefined;
    const isUnended = when`attribute_exists(pk) and attribute_not_exists(revokedAt)`;
    return this.#make(uid, options, derived, { keyId, actions: this.#endActions(former, endsAt, isUnended) });
  }

  async #make(
    uid: string,
    options: NewKey,
    derived: DerivedKey | undefined,
    former?: { keyId: string; actions: TransactionAction[] },
  ): Promise<MadeApiKey | undefined> {
    return untilWritten(async () => {
      const user = await this.table.get<UserItem>(userKey(uid));
      if (!user || user.deletingAt !== undefined) throw noSuchUser();
      const made = derived && (await this.#madeBefore(uid, derived));
      if (made) return made;
      const room = derived && (await this.#makeRoom(uid, former?.keyId));
      const { creation, made: created } = this.creation(uid, options, user, derived, room);
      try {
        await this.table.transact([...creation, ...(former?.actions ?? [])]);
        return created;
      } catch (error) {
        // Otherwise the user changed, or an earlier attempt made the key.
        if (former && failedConditions(error).has(creation.length)) return undefined;
        throw error;
      }
    });
  }

  /** Returns the key that an earlier attempt made. Throws if another request did. */
  async #madeBefore(uid: string, { keyId, secret }: DerivedKey): Promise<MadeApiKey | undefined> {
    const item = await this.#getItem(uid, keyId);
    if (!item) return undefined;
    if (item.pk === apiKeyKey(hashApiKey(secret)).pk) return { ...toApiKey(item), secret };
    throw new ApiError(
      'idempotency_conflict',
      'The key that the first request with this Idempotency-Key made is returned only to the API key of that request.',
    );
  }

  /** Returns how many more keys a user may have, besides the rotated key. Deletes the oldest keys that are over, if many. */
  async #makeRoom(uid: string, rotated: string | undefined): Promise<number> {
    const listings = await Array.fromAsync(this.table.query<ListingItem>(apiKeyListingCollection(uid)));
    // The time of a listing is rounded up to the second.
    const [over, usable] = partition(listings, ({ ttlSeconds }) => isCertainlyOver(ttlSeconds, Date.now() + 1000));
    const keys = usable.filter(({ parentHash }) => !parentHash);
    const room = limits.keys - keys.filter(({ keyId }) => keyId !== rotated).length;
    if (room <= 0)
      throw new ApiError('too_many_keys', `A user can have at most ${limits.keys} active keys. Revoke one.`);
    const excess = over.length + keys.length + 1 - limits.listedKeys;
    if (excess > 0) {
      const oldest = over.sort((a, b) => (a.ttlSeconds ?? 0) - (b.ttlSeconds ?? 0)).slice(0, excess);
      // The listings are deleted last: interrupted between the two, deleting again completes it.
      await this.table.deleteMany(oldest.map(({ hash }) => apiKeyKey(hash)));
      await this.table.deleteMany(oldest.map(withKey));
    }
    return room;
  }

  /** Returns all keys of a user that are listed, the oldest first. */
  async list(uid: string): Promise<ApiKey[]> {
    return (await Array.fromAsync(this.#newestFirst(uid))).reverse();
  }

  /** Returns a page of a user's keys, the newest first. */
  async page(
    uid: string,
    { limit, cursor }: { limit?: number; cursor?: string },
  ): Promise<{ items: ApiKey[]; nextCursor?: string }> {
    const page = { collection: `keys:${uid}`, limit, cursor, getPosition: ({ keyId }: ApiKey) => keyId };
    return readPage((options) => this.#newestFirst(uid, options), page);
  }

  async *#newestFirst(uid: string, options: QueryOptions = {}): AsyncGenerator<ApiKey> {
    const newest = { ...options, descending: true };
    for await (const listings of this.table.pages<ListingItem>(apiKeyListingCollection(uid), newest)) {
      const parentHashes = listings.flatMap(({ parentHash }) => parentHash ?? []);
      const hashes = new Set([...listings.map(({ hash }) => hash), ...parentHashes]);
      const items = new Map(
        (await this.table.getMany<KeyItem>([...hashes].map(apiKeyKey))).map((item) => [item.pk, item]),
      );
      const findKey = (hash: string) => items.get(apiKeyKey(hash).pk);
      const keys = listings
        .flatMap(({ hash, parentHash }) => {
          const item = findKey(hash);
          return item ? toApiKey(parentHash ? underParent(item, findKey(parentHash)) : item) : [];
        })
        .filter((key) => isListed(key));
      yield* keys.sort((a, b) => (a.keyId < b.keyId ? 1 : -1));
    }
  }

  async find(uid: string, keyId: string): Promise<ApiKey | undefined> {
    const item = await this.#getItem(uid, keyId);
    return item && toApiKey(item);
  }

  /** Changes fields of a key, if it exists. A null removes its end or its limit. */
  async change(uid: string, keyId: string, change: KeyChange): Promise<ApiKey | undefined> {
    return untilWritten(async () => {
      const item = await this.#getItem(uid, keyId);
      if (!item) return undefined;
      const expiresAt = change.expiresAt === undefined ? item.expiresAt : (change.expiresAt ?? undefined);
      const ttlSeconds = keyDeletionTime({ expiresAt, revokedAt: item.revokedAt }) ?? null;
      const isUnchanged = item.revokedAt === undefined ? when`attribute_not_exists(revokedAt)` : exists;
      // A key that was over has missed the marks of its user.
      const user = await this.table.get<UserItem>(userKey(uid));
      const marks = {
        suspended: user?.suspended ?? null,
        agentQuota: user?.agentQuota ?? null,
        sourceQuota: user?.sourceQuota ?? null,
        budgetMark: user?.budgetMark ?? null,
      };
      await this.table.transact([
        this.table.updateAction(
          withKey(item),
          { set: { ...change, ...marks, ttlSeconds } },
          when`attribute_exists(pk) and ${isUnchanged}`,
        ),
        this.table.updateAction(apiKeyListingKey(uid, keyId), { set: { ttlSeconds } }, exists),
        this.table.checkAction(userKey(uid), hasSameMarks(user?.revision)),
      ]);
      return this.find(uid, keyId);
    });
  }

  /** Ends a key at a time, unless it ends earlier. False: there is no such key. */
  async revoke(uid: string, keyId: string, at = now()): Promise<boolean> {
    const item = await this.#getItem(uid, keyId);
    if (!item) return false;
    const endsLater = when`attribute_exists(pk) and (attribute_not_exists(revokedAt) or revokedAt > ${at})`;
    await this.table.tryTransact(this.#endActions(item, at, endsLater));
    return true;
  }

  /** Returns the actions that end a key, and delete it some time after. */
  #endActions(item: KeyItem, revokedAt: string, condition: Condition): TransactionAction[] {
    const { uid, keyId, expiresAt } = item;
    const ttlSeconds = keyDeletionTime({ expiresAt, revokedAt });
    return [
      this.table.updateAction(withKey(item), { set: { revokedAt, ttlSeconds } }, condition),
      this.table.updateAction(apiKeyListingKey(uid, keyId), { set: { ttlSeconds } }, exists),
    ];
  }

  /** Deletes a key whose secret was never handed out. */
  async delete(uid: string, keyId: string): Promise<void> {
    const item = await this.#getItem(uid, keyId);
    // The listing is deleted last: interrupted between the two, deleting again completes it.
    if (item) await this.table.delete(withKey(item));
    await this.table.delete(apiKeyListingKey(uid, keyId));
  }

  /** Ends a key after some seconds, in which its upload forms deliver files. */
  async deleteAfter(uid: string, keyId: string, seconds: number): Promise<void> {
    const item = await this.#getItem(uid, keyId);
    if (!item) return;
    const endsAt = Date.now() + seconds * 1000;
    const ttlSeconds = Math.ceil(endsAt / 1000);
    const end = { set: { expiresAt: new Date(endsAt).toISOString(), ttlSeconds } };
    await this.table.change(withKey(item), end, exists);
    await this.table.change(apiKeyListingKey(uid, keyId), { set: { ttlSeconds } }, exists);
  }

  /** Returns a new key, and the actions that create it for an unchanged user: a derived key only within the room. */
  creation(
    uid: string,
    options: NewKey,
    user: Partial<UserItem> = {},
    derived?: DerivedKey,
    room = 0,
  ): { made: MadeApiKey; creation: TransactionAction[] } {
    const kind = options.isOperators ? 'operator' : 'key';
    const { keyId, secret } = derived ?? { keyId: newIdentifier(kind), secret: newApiKey() };
    const hash = hashApiKey(secret);
    const { suspended, agentQuota, sourceQuota, budgetMark, revision, keyChanges } = user;
    const key: ApiKey = {
      keyId,
      uid,
      name: options.name,
      start: startOfApiKey(secret),
      scopes: options.scopes?.length ? [...new Set(options.scopes)] : undefined,
      createdAt: now(),
      expiresAt: options.expiresAt,
      requestsPerMinute: options.requestsPerMinute,
      isOperators: options.isOperators,
      // The operator acts for a suspended user, too.
      suspended: options.isOperators ? undefined : suspended,
      agentQuota,
      sourceQuota,
      budgetMark,
    };
    const ttlSeconds = keyDeletionTime(key);
    // Each key that others have made meanwhile takes some of the room.
    const hasRoom = when`attribute_not_exists(keyChanges) or keyChanges < ${(keyChanges ?? 0) + room}`;
    const isPermitted = derived ? when`${hasSameMarks(revision)} and (${hasRoom})` : hasSameMarks(revision);
    const creation = [
      this.table.updateAction(
        userKey(uid),
        { add: { keyChanges: 1 } },
        when`attribute_exists(pk) and attribute_not_exists(deletingAt) and ${isPermitted}`,
      ),
      this.table.putAction({ ...apiKeyKey(hash), ...key, ttlSeconds } as KeyItem),
      this.table.putAction({ ...apiKeyListingKey(uid, keyId), keyId, hash, ttlSeconds } as ListingItem, isAbsent),
    ];
    return { made: { ...key, secret }, creation };
  }

  async #getItem(uid: string, keyId: string): Promise<KeyItem | undefined> {
    const listing = await this.table.get<ListingItem>(apiKeyListingKey(uid, keyId));
    return listing && this.table.get<KeyItem>(apiKeyKey(listing.hash));
  }
}

const partition = <T>(items: T[], isFirst: (item: T) => boolean): [T[], T[]] => [
  items.filter(isFirst),
  items.filter((item) => !isFirst(item)),
];

const withKey = ({ pk, sk }: Item) => ({ pk, sk });

const toApiKey = (item: KeyItem): ApiKey => {
  const { ttlSeconds: _, ...key } = withoutKey(item);
  return key;
};

const makingActions: Permission[] = [
  'dynamodb:BatchWriteItem',
  'dynamodb:BatchWriteItem:apiKeys',
  'dynamodb:GetItem',
  'dynamodb:PutItem',
  'dynamodb:PutItem:apiKeys',
  'dynamodb:Query',
  'dynamodb:UpdateItem',
];

export const apiKeys = /* @__PURE__ */ service(() => new ApiKeys(table.get()), {
  create: makingActions,
  rotate: [...makingActions, 'dynamodb:UpdateItem:apiKeys'],
  page: ['dynamodb:BatchGetItem', 'dynamodb:Query'],
  find: ['dynamodb:GetItem'],
  change: ['dynamodb:ConditionCheckItem', 'dynamodb:GetItem', 'dynamodb:UpdateItem', 'dynamodb:UpdateItem:apiKeys'],
  revoke: ['dynamodb:GetItem', 'dynamodb:UpdateItem', 'dynamodb:UpdateItem:apiKeys'],
});
