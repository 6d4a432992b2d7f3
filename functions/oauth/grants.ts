import { listGrantableScopes } from '../domain/access-tokens.ts';
import { type ApiKey, findKeyEnd, hashApiKey, isUsable, type Scope } from '../domain/api-keys.ts';
import { now } from '../domain/date-time.ts';
import { limits } from '../domain/limits.ts';
import { isCertainlyOver, keyDeletionTime } from '../domain/listed-api-keys.ts';
import { type Permission, service } from '../service.ts';
import { exists, isAbsent, when } from '../store/expressions.ts';
import { apiKeyKey, apiKeyListingCollection, apiKeyListingKey, findItem, userKey } from '../store/keys.ts';
import { type Item, TableStore, table, untilWritten } from '../store/table.ts';
import type { UserItem } from '../store/users.ts';
import { failedConditions } from '../store/write-failures.ts';

/** A grant of a key to an AI client, before it has a record. Its secret never leaves the service unsealed. */
export type NewGrant = {
  uid: string;
  keyId: string;
  secret: string;
  parentKeyId: string;
  parentHash: string;
  scopes: Scope[];
  clientHost: string;
  name: string;
  /** The hash of the client's id. */
  client: string;
  /** When its code is over (Unix milliseconds). */
  until: number;
};

/** Which tokens of a grant are in force: the present generation, and those that it replaced in the last minute. */
type Generations = { generation: number; supersededAt: number[] };

type GrantItem = Item & ApiKey & NewGrantFields & Generations & { ttlSeconds?: number };
type NewGrantFields = Pick<NewGrant, 'parentHash' | 'client'>;
type ListingItem = Item & { keyId: string; hash: string; parentHash?: string; ttlSeconds?: number };

/** A grant that counts now: its scopes, when it ends at the latest, and its generation of tokens. */
export type LiveGrant = { scopes: Scope[]; endsAt: string | undefined; generation: number };

const unusedMilliseconds = 90 * 24 * 60 * 60 * 1000;
const overlapMilliseconds = 60 * 1000;
/** The generations of a minute that are remembered. */
const maxSuperseded = 100;

/** The grants of keys to AI clients. A grant is the record of an API key: what holds for keys holds for it. */
export class Grants extends TableStore {
  /** Makes the grant of a code, once. */
  async make(grant: NewGrant): Promise<LiveGrant | 'used' | 'over' | 'too many'> {
    return untilWritten(async () => {
      const parentKey = apiKeyKey(grant.parentHash);
      const listingKey = apiKeyListingKey(grant.uid, grant.keyId);
      const [user, items] = await Promise.all([
        this.table.get<UserItem>(userKey(grant.uid)),
        this.table.getMany([parentKey, listingKey]),
      ]);
      // Nothing else that is wrong keeps a grant whose code is used again.
      if (findItem(items, listingKey)) return 'used';
      const parent = findItem(items, parentKey) as (Item & ApiKey) | undefined;
      if (grant.until < Date.now() || !user || user.deletingAt !== undefined || !counts(parent)) return 'over';
      const scopes = listGrantableScopes(parent).filter((scope) => grant.scopes.includes(scope));
      if ((await this.#countGrants(grant)) >= limits.grantsOfKey) return 'too many';
      const hash = hashApiKey(grant.secret);
      const { uid, keyId, parentHash, parentKeyId, clientHost, name, client } = grant;
      const times = usedNow();
      const key: ApiKey & NewGrantFields & Generations = {
        keyId,
        uid,
        name,
        start: 'voa_',
        scopes,
        createdAt: times.lastUsedAt,
        via: 'oauth',
        clientHost,
        parentKeyId,
        parentHash,
        client,
        generation: 1,
        supersededAt: [],
        ...times,
      };
      const { keyChanges } = user;
      // Two grants that are made at the same time are both counted.
      const hasSameKeys =
        keyChanges === undefined ? when`attribute_not_exists(keyChanges)` : when`keyChanges = ${keyChanges}`;
      const ttlSeconds = keyDeletionTime(key);
      try {
        await this.table.transact([
          this.table.updateAction(
            userKey(uid),
            { add: { keyChanges: 1 } },
            when`attribute_exists(pk) and attribute_not_exists(deletingAt) and ${hasSameKeys}`,
          ),
          this.table.putAction({ ...apiKeyKey(hash), ...key, ttlSeconds } as GrantItem),
          this.table.putAction({ ...listingKey, keyId, hash, parentHash, ttlSeconds } as ListingItem, isAbsent),
        ]);
      } catch (error) {
        if (failedConditions(error).has(2)) return 'used';
        throw error;
      }
      return { scopes, endsAt: findKeyEnd(parent), generation: key.generation };
    });
  }

  /** Returns the next generation of a grant's tokens. A client that has lost an answer asks twice. */
  async refresh(token: {
    uid: string;
    secret: string;
    parentHash: string;
    generation: number;
  }): Promise<LiveGrant | 'over' | 'reused'> {
    return untilWritten(async () => {
      const found = await this.find(token);
      if (!found) return 'over';
      const { item, live } = found;
      const { generation, supersededAt } = item;
      const age = generation - token.generation;
      if (age !== 0) {
        const at = supersededAt[age - 1];
        return at !== undefined && at > Date.now() - overlapMilliseconds ? live : 'reused';
      }
      const times = usedNow();
      const ttlSeconds = keyDeletionTime({ expiresAt: times.expiresAt }) ?? null;
      const next = {
        ...times,
        ttlSeconds,
        generation: generation + 1,
        supersededAt: [Date.now(), ...supersededAt].slice(0, maxSuperseded),
      };
      await this.table.transact([
        this.table.updateAction(
          apiKeyKey(hashApiKey(token.secret)),
          { set: next },
          when`generation = ${generation} and attribute_not_exists(revokedAt)`,
        ),
        this.table.updateAction(apiKeyListingKey(item.uid, item.keyId), { set: { ttlSeconds } }, exists),
      ]);
      return { ...live, generation: next.generation };
    });
  }

  /** Finds a grant that counts, with its record. */
  async find({
    secret,
    parentHash,
  }: {
    secret: string;
    parentHash: string;
  }): Promise<{ item: GrantItem; live: LiveGrant } | undefined> {
    const [key, parentKey] = [apiKeyKey(hashApiKey(secret)), apiKeyKey(parentHash)];
    const items = await this.table.getMany<GrantItem>([key, parentKey]);
    const [item, parent] = [findItem(items, key), findItem(items, parentKey)];
    if (!item || !isUsable(item) || !counts(parent)) return undefined;
    return { item, live: { scopes: item.scopes ?? [], endsAt: findKeyEnd(parent), generation: item.generation } };
  }

  /** Counts the grants of a key that are not over. Each has an end, and its listing the time after it. */
  async #countGrants({ uid, parentHash }: NewGrant): Promise<number> {
    const listings = await Array.fromAsync(this.table.query<ListingItem>(apiKeyListingCollection(uid)));
    // The time of a listing is rounded up to the second.
    const isOver = ({ ttlSeconds }: ListingItem) => isCertainlyOver(ttlSeconds, Date.now() + 1000);
    return listings.filter((listing) => listing.parentHash === parentHash && !isOver(listing)).length;
  }
}

/** Checks that a key can be used now, and with it its grants. */
const counts = (key: (Item & ApiKey) | undefined): key is Item & ApiKey =>
  key !== undefined && isUsable(key) && !key.suspended;

/** A grant that is not used for a time ends. */
const usedNow = () => ({
  lastUsedAt: now(),
  expiresAt: new Date(Date.now() + unusedMilliseconds).toISOString(),
});

const reads: Permission[] = ['dynamodb:BatchGetItem'];

export const grants = /* @__PURE__ */ service(() => new Grants(table.get()), {
  make: [
    ...reads,
    'dynamodb:GetItem',
    'dynamodb:Query',
    'dynamodb:PutItem',
    'dynamodb:PutItem:apiKeys',
    'dynamodb:UpdateItem',
  ],
  refresh: [...reads, 'dynamodb:UpdateItem', 'dynamodb:UpdateItem:apiKeys'],
  find: reads,
});
