import { type ApiKey, hashApiKey, newApiKey, type Scope, startOfApiKey } from '../domain/api-keys.ts';
import { now } from '../domain/date-time.ts';
import { newIdentifier } from '../domain/identifiers.ts';
import { wholeService } from '../service.ts';
import { apiKeyKey, apiKeyListingKey, apiKeyListingsOf, userKey } from './keys.ts';
import { type Item, refusalOf, type Table, type TransactionAction, table } from './table.ts';

type ListingItem = Item & { keyId: string; hash: string };
type NewKey = { name: string; scopes?: Scope[] | undefined; expiresAt?: string | undefined };

/** A key just made. `secret` is the key itself, told this once. */
export type MadeApiKey = ApiKey & { secret: string };

/** Keys as the operator handles them: made, listed, rotated and revoked. Requests read them by `Keyring`. */
export class ApiKeys {
  readonly #table: Table;

  constructor(table: Table) {
    this.#table = table;
  }

  /** Makes a key of an existing user. */
  async create(uid: string, options: NewKey): Promise<MadeApiKey> {
    const { made, creation } = this.#newKey(uid, options);
    await this.#table.transact(creation);
    return made;
  }

  /**
   * Makes a key that takes the place of another, which ends at `endsAt`. Both or neither: undefined when the other key
   * is not there or its end was set already, so that of two rotations at once only one makes a key.
   */
  async rotate(uid: string, keyId: string, options: NewKey & { endsAt: string }): Promise<MadeApiKey | undefined> {
    const hash = await this.#hashOf(uid, keyId);
    if (!hash) return undefined;
    const { made, creation } = this.#newKey(uid, options);
    const end = {
      TableName: this.#table.name,
      Key: apiKeyKey(hash),
      UpdateExpression: 'set revokedAt = :at',
      ConditionExpression: 'attribute_exists(pk) and attribute_not_exists(revokedAt)',
      ExpressionAttributeValues: { ':at': options.endsAt },
    };
    try {
      await this.#table.transact([...creation, { Update: end }]);
      return made;
    } catch (error) {
      if (refusalOf(error) === 'condition') return undefined;
      throw error;
    }
  }

  async list(uid: string): Promise<ApiKey[]> {
    const hashes: string[] = [];
    for await (const { hash } of this.#table.query<ListingItem>(apiKeyListingsOf(uid))) hashes.push(hash);
    const items = await this.#table.getMany<Item & ApiKey>(hashes.map(apiKeyKey));
    return items.map(keyOf).sort((a, b) => (a.keyId < b.keyId ? -1 : 1));
  }

  async find(uid: string, keyId: string): Promise<ApiKey | undefined> {
    const hash = await this.#hashOf(uid, keyId);
    const item = hash && (await this.#table.get<Item & ApiKey>(apiKeyKey(hash)));
    return item ? keyOf(item) : undefined;
  }

  /** Changes what is given of a key; undefined when there is no such key. */
  async change(uid: string, keyId: string, change: Partial<NewKey>): Promise<ApiKey | undefined> {
    const hash = await this.#hashOf(uid, keyId);
    if (!hash) return undefined;
    const fields = Object.entries(change).filter(([, value]) => value !== undefined);
    const item = await this.#table.update(apiKeyKey(hash), {
      UpdateExpression: `set ${fields.map(([field]) => `#${field} = :${field}`).join(', ')}`,
      ConditionExpression: 'attribute_exists(pk)',
      ExpressionAttributeNames: Object.fromEntries(fields.map(([field]) => [`#${field}`, field])),
      ExpressionAttributeValues: Object.fromEntries(fields.map(([field, value]) => [`:${field}`, value])),
      ReturnValues: 'ALL_NEW',
    });
    return keyOf(item as Item & ApiKey);
  }

  /** Ends a key at a time, now or in the future; a key that ends earlier anyway keeps its end. False when there is no such key. */
  async revoke(uid: string, keyId: string, at = now()): Promise<boolean> {
    const hash = await this.#hashOf(uid, keyId);
    if (!hash) return false;
    try {
      await this.#table.update(apiKeyKey(hash), {
        UpdateExpression: 'set revokedAt = :at',
        ConditionExpression: 'attribute_exists(pk) and (attribute_not_exists(revokedAt) or revokedAt > :at)',
        ExpressionAttributeValues: { ':at': at },
      });
    } catch (error) {
      if (refusalOf(error) !== 'condition') throw error;
    }
    return true;
  }

  /** Deletes a key that nobody was told, so that no list is full of them. */
  async delete(uid: string, keyId: string): Promise<void> {
    const hash = await this.#hashOf(uid, keyId);
    // The listing goes last: killed between the two, deleting again completes it.
    if (hash) await this.#table.delete(apiKeyKey(hash));
    await this.#table.delete(apiKeyListingKey(uid, keyId));
  }

  #newKey(uid: string, options: NewKey): { made: MadeApiKey; creation: TransactionAction[] } {
    const TableName = this.#table.name;
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
      { ConditionCheck: { TableName, Key: userKey(uid), ConditionExpression: 'attribute_exists(pk)' } },
      { Put: { TableName, Item: { ...apiKeyKey(hash), ...key } } },
      { Put: { TableName, Item: { ...apiKeyListingKey(uid, key.keyId), keyId: key.keyId, hash } } },
    ];
    return { made: { ...key, secret }, creation };
  }

  async #hashOf(uid: string, keyId: string): Promise<string | undefined> {
    return (await this.#table.get<ListingItem>(apiKeyListingKey(uid, keyId)))?.hash;
  }
}

const keyOf = ({ pk: _pk, sk: _sk, ...key }: Item & ApiKey): ApiKey => key;

export const apiKeys = wholeService(() => new ApiKeys(table.get()));
