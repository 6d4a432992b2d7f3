import { type ApiKey, hashApiKey, newApiKey, type Scope, startOfApiKey } from '../domain/api-keys.ts';
import { now } from '../domain/date-time.ts';
import { newIdentifier } from '../domain/identifiers.ts';
import { wholeService } from '../service.ts';
import { exists, when } from './expressions.ts';
import { apiKeyKey, apiKeyListingKey, apiKeyListingsOf, userKey, withoutKey } from './keys.ts';
import { type Item, type Table, type TransactionAction, table } from './table.ts';

type ListingItem = Item & { keyId: string; hash: string };
type NewKey = { name: string; scopes?: Scope[] | undefined; expiresAt?: string | undefined };

/** A new key. `secret` is the key itself, which is returned only here. */
export type MadeApiKey = ApiKey & { secret: string };

/** API keys as the operator handles them. Requests read them with `Credentials`. */
export class ApiKeys {
  readonly #table: Table;

  constructor(table: Table) {
    this.#table = table;
  }

  /** Creates a key of an existing user. */
  async create(uid: string, options: NewKey): Promise<MadeApiKey> {
    const { made, creation } = this.creation(uid, options);
    await this.#table.transact(creation);
    return made;
  }

  /**
   * Creates a key that replaces another, which ends at `endsAt`. Both changes are made, or neither. Returns undefined when the
   * other key does not exist or its end is already set, so that only one of two concurrent rotations creates a key.
   */
  async rotate(uid: string, keyId: string, options: NewKey & { endsAt: string }): Promise<MadeApiKey | undefined> {
    const hash = await this.#hashOf(uid, keyId);
    if (!hash) return undefined;
    const { made, creation } = this.creation(uid, options);
    const end = this.#table.updateAction(
      apiKeyKey(hash),
      { set: { revokedAt: options.endsAt } },
      when`attribute_exists(pk) and attribute_not_exists(revokedAt)`,
    );
    const failed = await this.#table.tryTransact([...creation, end]);
    return failed ? undefined : made;
  }

  async list(uid: string): Promise<ApiKey[]> {
    const hashes: string[] = [];
    for await (const { hash } of this.#table.query<ListingItem>(apiKeyListingsOf(uid))) hashes.push(hash);
    const items = await this.#table.getMany<Item & ApiKey>(hashes.map(apiKeyKey));
    return items.map(withoutKey).sort((a, b) => (a.keyId < b.keyId ? -1 : 1));
  }

  async find(uid: string, keyId: string): Promise<ApiKey | undefined> {
    const hash = await this.#hashOf(uid, keyId);
    const item = hash && (await this.#table.get<Item & ApiKey>(apiKeyKey(hash)));
    return item ? withoutKey(item) : undefined;
  }

  /** Changes the given fields of a key; with null as its end, the key never expires. Returns undefined when there is no such key. */
  async change(
    uid: string,
    keyId: string,
    change: Partial<Omit<NewKey, 'expiresAt'>> & { expiresAt?: string | null | undefined },
  ): Promise<ApiKey | undefined> {
    const hash = await this.#hashOf(uid, keyId);
    if (!hash) return undefined;
    const item = await this.#table.change<Item & ApiKey>(apiKeyKey(hash), { set: change }, exists);
    return item && withoutKey(item);
  }

  /** Ends a key now or at a time in the future. A key that already ends earlier keeps its end. Returns false when there is no such key. */
  async revoke(uid: string, keyId: string, at = now()): Promise<boolean> {
    const hash = await this.#hashOf(uid, keyId);
    if (!hash) return false;
    await this.#table.change(
      apiKeyKey(hash),
      { set: { revokedAt: at } },
      when`attribute_exists(pk) and (attribute_not_exists(revokedAt) or revokedAt > ${at})`,
    );
    return true;
  }

  /** Deletes a key whose secret was never handed out, so that lists do not fill with them. */
  async delete(uid: string, keyId: string): Promise<void> {
    const hash = await this.#hashOf(uid, keyId);
    // The listing is deleted last: interrupted between the two, deleting again completes it.
    if (hash) await this.#table.delete(apiKeyKey(hash));
    await this.#table.delete(apiKeyListingKey(uid, keyId));
  }

  /** Ends a key after some seconds, and lets DynamoDB delete it then: for a key whose upload forms may still deliver files. */
  async deleteAfter(uid: string, keyId: string, seconds: number): Promise<void> {
    const hash = await this.#hashOf(uid, keyId);
    if (!hash) return;
    const endsAt = Date.now() + seconds * 1000;
    const ttlSeconds = Math.ceil(endsAt / 1000);
    const end = { set: { expiresAt: new Date(endsAt).toISOString(), ttlSeconds } };
    await this.#table.change(apiKeyKey(hash), end, exists);
    await this.#table.change(apiKeyListingKey(uid, keyId), { set: { ttlSeconds } }, exists);
  }

  /** Returns a new key of an existing user, and the actions that create it. */
  creation(uid: string, options: NewKey): { made: MadeApiKey; creation: TransactionAction[] } {
    const secret = newApiKey();
    const hash = hashApiKey(secret);
    const key: ApiKey = {
      keyId: newIdentifier('key'),
      uid,
      name: options.name,
      start: startOfApiKey(secret),
      ...(options.scopes?.length && { scopes: options.scopes }),
      createdAt: now(),
      ...(options.expiresAt && { expiresAt: options.expiresAt }),
    };
    const creation = [
      this.#table.checkAction(userKey(uid), exists),
      this.#table.putAction({ ...apiKeyKey(hash), ...key }),
      this.#table.putAction({ ...apiKeyListingKey(uid, key.keyId), keyId: key.keyId, hash } as ListingItem),
    ];
    return { made: { ...key, secret }, creation };
  }

  async #hashOf(uid: string, keyId: string): Promise<string | undefined> {
    return (await this.#table.get<ListingItem>(apiKeyListingKey(uid, keyId)))?.hash;
  }
}

export const apiKeys = /* @__PURE__ */ wholeService(() => new ApiKeys(table.get()));
