import { type ApiKey, hashApiKey, isApiKey, isUsable } from '../domain/api-keys.ts';
import { limits } from '../domain/limits.ts';
import { toNetwork } from '../http/address.ts';
import { service } from '../service.ts';
import { when } from '../store/expressions.ts';
import { apiKeyKey, findItem, refusedKeysKey } from '../store/keys.ts';
import { type Item, TableStore, table } from '../store/table.ts';

type CountItem = Item & { refused: number };

/** A key that a person gave, or the seconds until another one is read. */
export type JudgedKey = { key: ApiKey } | 'refused' | { retryAfterSeconds: number };

const minuteMilliseconds = 60 * 1000;

/** Reads the keys that people give to the page, and bounds the guesses of an address: ten refused keys a minute. */
export class RefusedKeys extends TableStore {
  /** Judges a key in one read. Only a refused one is counted, so that good keys never wait for each other. */
  async judge(secret: string, address: string, now = Date.now()): Promise<JudgedKey> {
    const minute = Math.floor(now / minuteMilliseconds);
    const countKey = refusedKeysKey(toNetwork(address), minute);
    const keyKey = isApiKey(secret) ? apiKeyKey(hashApiKey(secret)) : undefined;
    const items = await this.table.getMany<Item>(keyKey ? [countKey, keyKey] : [countKey]);
    const wait = { retryAfterSeconds: Math.max(1, Math.ceil(((minute + 1) * minuteMilliseconds - now) / 1000)) };
    const refused = (findItem(items, countKey) as CountItem | undefined)?.refused ?? 0;
    if (refused >= limits.refusedKeysPerMinute) return wait;
    const key = findItem(items, keyKey) as (Item & ApiKey) | undefined;
    if (key && mayGrant(key)) return { key };
    const counted = await this.table.change(
      countKey,
      { add: { refused: 1 }, set: { ttlSeconds: (minute + 3) * 60 } },
      when`attribute_not_exists(refused) or refused < ${limits.refusedKeysPerMinute}`,
    );
    return counted ? 'refused' : wait;
  }
}

/** A key with `users` has no scope to give; a grant gives none on. */
const mayGrant = (key: ApiKey): boolean =>
  isUsable(key) && !key.suspended && !key.parentKeyId && !key.isOperators && !key.scopes?.includes('users');

export const refusedKeys = /* @__PURE__ */ service(() => new RefusedKeys(table.get()), {
  judge: ['dynamodb:BatchGetItem', 'dynamodb:UpdateItem'],
});
