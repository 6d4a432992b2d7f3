import { now } from '../domain/date-time.ts';
import type { ListedPlatformKey } from '../domain/platform-keys.ts';
import type { PlatformName } from '../domain/voice-platforms.ts';
import { service } from '../service.ts';
import { when } from '../store/expressions.ts';
import { platformKeyCollection, platformKeyKey, withoutKey } from '../store/keys.ts';
import { type Item, TableStore, table } from '../store/table.ts';

/** The key of a user's platform, encrypted. */
export type SealedPlatformKey = ListedPlatformKey & { platform: PlatformName; sealed: string };
/** `deletedAt`: it is deleted, although its item is still there. */
type PlatformKeyItem = Item & SealedPlatformKey & { deletedAt?: string };

/** The minimum interval between updates of `lastUsedAt`, each of which costs a write. */
const useMilliseconds = 60 * 60 * 1000;

/** The encryption context, which binds a key to its user and platform. */
export const platformKeyOwner = (uid: string, platform: PlatformName) => `platform-key:${uid}:${platform}`;

/** The keys with which the service reads platforms' lists of calls: an item for each platform of a user. */
export class PlatformKeys extends TableStore {
  /** Sets a key, which replaces the former one at once. */
  async set(uid: string, key: SealedPlatformKey): Promise<void> {
    await this.table.put({ ...platformKeyKey(uid, key.platform), ...key });
  }

  async find(uid: string, platform: PlatformName): Promise<SealedPlatformKey | undefined> {
    const item = await this.table.get<PlatformKeyItem>(platformKeyKey(uid, platform));
    return item?.deletedAt === undefined ? item && withoutKey(item) : undefined;
  }

  /** Yields a user's keys by platform without their values, after `after`. */
  async *list(uid: string, after?: string): AsyncGenerator<ListedPlatformKey> {
    for await (const item of this.table.query<PlatformKeyItem>(platformKeyCollection(uid), { after })) {
      const { sealed: _, deletedAt, ...listed } = withoutKey(item);
      if (deletedAt === undefined) yield listed;
    }
  }

  /** Returns false when there is none. */
  async remove(uid: string, platform: PlatformName): Promise<boolean> {
    return this.table.deleteMarked(platformKeyKey(uid, platform));
  }

  /** Notes that the platform accepted the key, at most once an hour. */
  async noteUse(uid: string, { platform, sealed, lastUsedAt }: SealedPlatformKey): Promise<void> {
    const isNoted = lastUsedAt !== undefined && Date.parse(lastUsedAt) > Date.now() - useMilliseconds;
    if (!isNoted) await this.#note(uid, platform, sealed, { lastUsedAt: now() });
  }

  /** Notes that the platform refused the key. */
  async noteRefusal(uid: string, { platform, sealed }: SealedPlatformKey, status: number): Promise<void> {
    await this.#note(uid, platform, sealed, { lastRefused: { at: now(), status } });
  }

  /** Notes something about a key, unless another one has replaced it. */
  async #note(uid: string, platform: PlatformName, sealed: string, set: Record<string, unknown>): Promise<void> {
    await this.table.change(platformKeyKey(uid, platform), { set }, when`sealed = ${sealed}`);
  }
}

export const platformKeys = /* @__PURE__ */ service(() => new PlatformKeys(table.get()), {
  set: ['dynamodb:PutItem'],
  find: ['dynamodb:GetItem'],
  list: ['dynamodb:Query'],
  remove: ['dynamodb:DeleteItem', 'dynamodb:UpdateItem'],
  noteUse: ['dynamodb:UpdateItem'],
  noteRefusal: ['dynamodb:UpdateItem'],
});
