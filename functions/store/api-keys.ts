import {
  type ApiKey,
  hashApiKey,
  isUsable,
  newApiKey,
  type Scope,
  startOfApiKey,
  withEndOfParent,
} from '../domain/api-keys.ts';
import { now } from '../domain/date-time.ts';
import { ApiError, noSuchUser } from '../domain/errors.ts';
import { newIdentifier } from '../domain/identifiers.ts';
import { limits } from '../domain/limits.ts';
import { isListed, keyDeletionTime } from '../domain/listed-api-keys.ts';
import { readPage } from '../domain/paging.ts';
import { type Permission, service } from '../service.ts';
import { type Condition, exists, isAbsent, when } from './expressions.ts';
import { apiKeyKey, apiKeyListingCollection, apiKeyListingKey, userKey, withoutKey } from './keys.ts';
import { type Item, type QueryOptions, TableStore, type TransactionAction, table, untilWritten } from './table.ts';
import type { UserItem } from './users.ts';
import { failedConditions } from './write-failures.ts';

/** `parentHash` is there for a grant to an AI client. */
type ListingItem = Item & { keyId: string; hash: string; parentHash?: string; ttlSeconds?: number };
type KeyItem = Item & ApiKey & { ttlSeconds?: number };
type NewKey = { name: string; scopes?: Scope[]; expiresAt?: string; isOperators?: true };

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
      if (derived) await this.#checkNumber(uid, former?.keyId);
      const { creation, made: created } = this.creation(uid, options, user, derived);
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

  /** Throws if a user has the maximum number of keys, besides the rotated key. */
  async #checkNumber(uid: string, rotated: string | undefined): Promise<void> {
    const usable = (await this.list(uid)).filter((key) => isUsable(key) && !key.parentHash && key.keyId !== rotated);
    if (usable.length < limits.keys) return;
    throw new ApiError('too_many_keys', `A user can have at most ${limits.keys} keys that are not over. Revoke one.`);
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
          return item ? toApiKey(parentHash ? withEndOfParent(item, findKey(parentHash)) : item) : [];
        })
        .filter((key) => isListed(key));
      yield* keys.sort((a, b) => (a.keyId < b.keyId ? 1 : -1));
    }
  }

  async find(uid: string, keyId: string): Promise<ApiKey | undefined> {
    const item = await this.#getItem(uid, keyId);
    return item && toApiKey(item);
  }

  /** Changes fields of a key, if it exists. A null as its end removes the end. */
  async change(
    uid: string,
    keyId: string,
    change: Partial<Omit<NewKey, 'expiresAt'>> & { expiresAt?: string | null },
  ): Promise<ApiKey | undefined> {
    return untilWritten(async () => {
      const item = await this.#getItem(uid, keyId);
      if (!item) return undefined;
      const expiresAt = change.expiresAt === undefined ? item.expiresAt : (change.expiresAt ?? undefined);
      const ttlSeconds = keyDeletionTime({ expiresAt, revokedAt: item.revokedAt }) ?? null;
      const isUnchanged = item.revokedAt === undefined ? when`attribute_not_exists(revokedAt)` : exists;
      await this.table.transact([
        this.table.updateAction(
          withKey(item),
          { set: { ...change, ttlSeconds } },
          when`attribute_exists(pk) and ${isUnchanged}`,
        ),
        this.table.updateAction(apiKeyListingKey(uid, keyId), { set: { ttlSeconds } }, exists),
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

  /** Returns a new key, and the actions that create it for an unchanged user. */
  creation(
    uid: string,
    options: NewKey,
    user: Partial<UserItem> = {},
    derived?: DerivedKey,
  ): { made: MadeApiKey; creation: TransactionAction[] } {
    const kind = options.isOperators ? 'operator' : 'key';
    const { keyId, secret } = derived ?? { keyId: newIdentifier(kind), secret: newApiKey() };
    const hash = hashApiKey(secret);
    const { suspended, agentQuota, sourceQuota, revision, keyChanges } = user;
    const key: ApiKey = {
      keyId,
      uid,
      name: options.name,
      start: startOfApiKey(secret),
      scopes: options.scopes?.length ? [...new Set(options.scopes)] : undefined,
      createdAt: now(),
      expiresAt: options.expiresAt,
      isOperators: options.isOperators,
      // The operator acts for a suspended user, too.
      suspended: options.isOperators ? undefined : suspended,
      agentQuota,
      sourceQuota,
    };
    const ttlSeconds = keyDeletionTime(key);
    const hasSameMarks = revision === undefined ? when`attribute_not_exists(revision)` : when`revision = ${revision}`;
    const hasSameKeys =
      keyChanges === undefined ? when`attribute_not_exists(keyChanges)` : when`keyChanges = ${keyChanges}`;
    // Only the number of derived keys is limited.
    const isUnchanged = derived ? when`${hasSameMarks} and ${hasSameKeys}` : hasSameMarks;
    const creation = [
      this.table.updateAction(
        userKey(uid),
        { add: { keyChanges: 1 } },
        when`attribute_exists(pk) and attribute_not_exists(deletingAt) and ${isUnchanged}`,
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

const withKey = ({ pk, sk }: Item) => ({ pk, sk });

const toApiKey = (item: KeyItem): ApiKey => {
  const { ttlSeconds: _, ...key } = withoutKey(item);
  return key;
};

const makingActions: Permission[] = [
  'dynamodb:BatchGetItem',
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
  revoke: ['dynamodb:GetItem', 'dynamodb:UpdateItem', 'dynamodb:UpdateItem:apiKeys'],
});
