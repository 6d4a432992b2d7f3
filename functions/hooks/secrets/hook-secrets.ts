import { randomUUID } from 'node:crypto';
import { isDeepStrictEqual } from 'node:util';
import type { Scope } from '../../domain/api-keys.ts';
import type { BudgetMark } from '../../domain/budgets.ts';
import { now } from '../../domain/date-time.ts';
import { ApiError } from '../../domain/errors.ts';
import { formatLimit } from '../../domain/format-limit.ts';
import type { HmacAlgorithm, ListedHookSecret, SignatureRefusal } from '../../domain/hook-secrets.ts';
import { activeSecrets, maxSecrets, replacedSecrets } from '../../domain/rotating-secrets.ts';
import type { PlatformName } from '../../domain/voice-platforms.ts';
import { service } from '../../service.ts';
import { exists, isDeleted, when } from '../../store/expressions.ts';
import { findItem, hookSecretCollection, hookSecretKey } from '../../store/keys.ts';
import { type Item, type Lookup, TableStore, table, untilWritten } from '../../store/table.ts';
import { putFirst } from '../../store/users.ts';

/** An encrypted secret with the scopes that it gives (`hooks`), accepted until `endsAt` (Unix milliseconds). */
export type SealedHookSecret = {
  sealed: string;
  scopes?: Scope[];
  header?: string;
  algorithm?: HmacAlgorithm;
  /** The user's own names of fields in a form. */
  parameters?: string[];
  createdAt: string;
  keyId: string;
  keyName?: string;
  endsAt?: number;
};

/**
 * A platform's secrets, the newest first. `deletedAt`: they are deleted, although their item is still there. `lastUsedAt` is
 * up to an hour late.
 */
export type HookSecretItem = Item & {
  platform: PlatformName;
  secrets: SealedHookSecret[];
  version: string;
  deletedAt?: string;
  /** A mark of the user: no signature is accepted. */
  suspended?: true;
  /** What its budget does to calls. */
  budgetMark?: BudgetMark;
  lastUsedAt?: string;
  lastRefused?: SignatureRefusal & { at: string };
  /** The number of refusals stored since `since`, which starts an interval of five seconds. */
  refusals?: { since: string; stored: number };
};

/** The secret of a platform without its value. */
type SecretOfPlatform = ListedHookSecret & { platform: PlatformName };

/** The minimum interval between updates, each of which costs a write. */
const useMilliseconds = 60 * 60 * 1000;
const refusalMilliseconds = 5 * 1000;
const maxRefusals = 5;

/** The encryption context, which binds a secret to its user and platform. */
export const hookSecretOwner = (uid: string, platform: PlatformName) => `hook-secret:${uid}:${platform}`;

/** Looks up a platform's secrets in the round trip of a request. */
export const hookSecretLookup = (uid: string, platform: PlatformName): Lookup<HookSecretItem | undefined> => {
  const key = hookSecretKey(uid, platform);
  return { keys: [key], read: (items) => unlessDeleted(findItem(items, key) as HookSecretItem | undefined) };
};

const unlessDeleted = (item: HookSecretItem | undefined) => (item?.deletedAt === undefined ? item : undefined);

/** The secrets with which platforms sign: an item for each platform of a user. */
export class HookSecrets extends TableStore {
  /**
   * Sets a secret, unless `isSame` knows it as the newest, which gets the parameters of this one. The others of at most five end a
   * day later; one of them that is set again is the newest.
   */
  async set(
    uid: string,
    platform: PlatformName,
    secret: SealedHookSecret,
    isSame: (known: SealedHookSecret) => Promise<boolean>,
  ): Promise<SealedHookSecret> {
    const key = hookSecretKey(uid, platform);
    const version = randomUUID();
    return untilWritten(async () => {
      const stored = await this.table.get<HookSecretItem>(key);
      const found = unlessDeleted(stored);
      const [newest, ...others] = found?.secrets ?? [];
      const isKnown = newest && (found?.version === version || (await isSame(newest)));
      if (isKnown && isDeepStrictEqual(newest.parameters, secret.parameters)) return newest;
      const areSame = await Promise.all(activeSecrets(others).map(isSame));
      const kept = activeSecrets(others).filter((_, index) => !areSame[index]);
      const former = isKnown ? others : replacedSecrets(newest ? [newest, ...kept] : []);
      if (former.length === maxSecrets) throw tooManySecrets(former);
      const written = isKnown ? { ...newest, parameters: secret.parameters } : secret;
      const secrets = [written, ...former];
      const item: HookSecretItem = { ...found, ...key, platform, secrets, version };
      if (found) await this.table.put(item, when`version = ${found.version}`);
      else {
        if (stored) await this.table.delete(key, isDeleted);
        await putFirst(this.table, uid, item);
      }
      return written;
    });
  }

  /** Yields a user's secrets by platform without their values, after `after`. */
  async *list(uid: string, after?: string): AsyncGenerator<SecretOfPlatform> {
    for await (const item of this.table.query<HookSecretItem>(hookSecretCollection(uid), { after }))
      if (unlessDeleted(item)) yield listedSecret(item);
  }

  async find(uid: string, platform: PlatformName): Promise<SecretOfPlatform | undefined> {
    const item = unlessDeleted(await this.table.get<HookSecretItem>(hookSecretKey(uid, platform)));
    return item && listedSecret(item);
  }

  /** Returns false when there is none. */
  async remove(uid: string, platform: PlatformName): Promise<boolean> {
    return this.table.deleteMarked(hookSecretKey(uid, platform));
  }

  /** Notes that a signed request was accepted, at most once an hour. */
  async noteUse({ pk, sk, lastUsedAt }: HookSecretItem): Promise<void> {
    if (isOlder(lastUsedAt, useMilliseconds))
      await this.table.change({ pk, sk }, { set: { lastUsedAt: now() } }, exists);
  }

  /** Stores why a request was refused: the same reason at most once in five seconds, and at most five reasons. */
  async noteRefusal({ pk, sk, lastRefused, refusals }: HookSecretItem, refusal: SignatureRefusal): Promise<void> {
    const isNew = isOlder(refusals?.since ?? lastRefused?.at, refusalMilliseconds);
    const isSame = lastRefused?.reason === refusal.reason && lastRefused.field === refusal.field;
    const { since, stored } = isNew || !refusals ? { since: now(), stored: 0 } : refusals;
    if (!isNew && (isSame || stored >= maxRefusals)) return;
    const set = { lastRefused: { at: now(), ...refusal }, refusals: { since, stored: stored + 1 } };
    await this.table.change({ pk, sk }, { set }, exists);
  }
}

const tooManySecrets = (secrets: SealedHookSecret[]) => {
  const next = Math.min(...secrets.map(({ endsAt = Number.POSITIVE_INFINITY }) => endsAt));
  return new ApiError(
    'quota_exceeded',
    `${maxSecrets} secrets of this platform are in force: the present one, and those that it replaced in the last ${formatLimit('replacedSecretSeconds')}. The next one ends at ${new Date(next).toISOString()}. DELETE ends all of them at once.`,
  );
};

const isOlder = (time: string | undefined, milliseconds: number) =>
  time === undefined || Date.parse(time) < Date.now() - milliseconds;

const listedSecret = (item: HookSecretItem): SecretOfPlatform => {
  const { platform, lastUsedAt, lastRefused } = item;
  const [newest, ...former] = activeSecrets(item.secrets) as [SealedHookSecret, ...SealedHookSecret[]];
  const last = Math.max(...former.map(({ endsAt = 0 }) => endsAt));
  return {
    platform,
    createdAt: newest.createdAt,
    keyId: newest.keyId,
    keyName: newest.keyName,
    parameters: newest.parameters,
    formerUntil: former.length > 0 ? new Date(last).toISOString() : undefined,
    lastUsedAt,
    lastRefused,
  };
};

export const hookSecrets = /* @__PURE__ */ service(() => new HookSecrets(table.get()), {
  set: ['dynamodb:ConditionCheckItem', 'dynamodb:DeleteItem', 'dynamodb:GetItem', 'dynamodb:PutItem'],
  list: ['dynamodb:Query'],
  find: ['dynamodb:GetItem'],
  remove: ['dynamodb:DeleteItem', 'dynamodb:UpdateItem'],
  noteUse: ['dynamodb:UpdateItem'],
  noteRefusal: ['dynamodb:UpdateItem'],
});
