import { createHash, createHmac, randomInt } from 'node:crypto';
import { crc32 } from 'node:zlib';
import * as z from 'zod/mini';
import type { BudgetMark } from './budgets.ts';

/** The purposes of a key. A key without scopes has all except those that must be named. */
export const Scope = z.enum([
  'agents',
  'knowledge',
  'calls',
  'block-list',
  'hooks',
  'webhooks',
  'privacy',
  'users',
  'keys',
  'changes',
]);
export type Scope = z.infer<typeof Scope>;
/** The scopes that a key has only if they are named. */
export const namedScopes: ReadonlySet<Scope> = new Set(['privacy', 'users', 'keys', 'changes']);

/** Checks for the weakest key, which platforms get in addresses: it decides calls and ends no way in. */
export const isForHooksOnly = ({ scopes = [] }: { scopes?: Scope[] }): boolean =>
  scopes.length > 0 && scopes.every((scope) => scope === 'hooks');

/** The part of a user's record that each of its keys repeats, so that a request needs no further read. */
export type UserMarks = { suspended?: true; agentQuota?: number; sourceQuota?: number; budgetMark?: BudgetMark };

/** The record of a key. The key itself is shown once: only its SHA-256 and its first characters are stored. */
export type ApiKey = {
  keyId: string;
  uid: string;
  name: string;
  /** The first characters of the key, to recognize it by. */
  start: string;
  scopes?: Scope[];
  createdAt: string;
  expiresAt?: string;
  revokedAt?: string;
  /** A grant has the present limit of its parent. */
  requestsPerMinute?: number;
  /** The operator's commands use it for a while: what it does, the operator does. */
  isOperators?: true;
  /** It is a grant of another key to an AI client, and is valid no longer than that key. */
  via?: 'oauth';
  clientHost?: string;
  parentKeyId?: string;
  parentHash?: string;
  lastUsedAt?: string;
} & UserMarks;

const alphabet = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';
const prefix = 'vap_';
const randomLength = 24; // 142 bits
const checksumLength = 6; // a CRC-32 in base 62
const form = new RegExp(`^${prefix}[0-9A-Za-z]{${randomLength + checksumLength}}$`);

const checksum = (random: string) => {
  let rest = crc32(prefix + random);
  let digits = '';
  for (let place = 0; place < checksumLength; place++) {
    digits = alphabet[rest % 62] + digits;
    rest = Math.floor(rest / 62);
  }
  return digits;
};

/** Creates a key: `vap_`, 142 random bits, and a checksum by which secret scanners and the service recognize keys. */
export const newApiKey = () => {
  const random = Array.from({ length: randomLength }, () => alphabet[randomInt(62)]).join('');
  return prefix + random + checksum(random);
};

/** Derives a key from texts with a secret of the deployment. Without the secret, it is as random as any other. */
export const deriveApiKey = (secret: string, texts: string[]) => {
  const bytes = createHmac('sha256', secret)
    .update(JSON.stringify(['API key', ...texts]))
    .digest('hex');
  let rest = BigInt(`0x${bytes}`);
  let random = '';
  while (random.length < randomLength) {
    random += alphabet[Number(rest % 62n)];
    rest /= 62n;
  }
  return prefix + random + checksum(random);
};

/** Checks that a text is well-formed as a key: prefix, length, alphabet and checksum. Needs no read. */
export const isApiKey = (text: string) => {
  if (!form.test(text)) return false;
  const random = text.slice(prefix.length, -checksumLength);
  return text.slice(-checksumLength) === checksum(random);
};

export const hashApiKey = (key: string) => createHash('sha256').update(key).digest('hex');

/** Returns the part of a key that is shown after its creation. */
export const startOfApiKey = (key: string) => key.slice(0, prefix.length + 4);

/** Checks that an existing key is neither revoked nor expired. */
export const isUsable = (key: Pick<ApiKey, 'expiresAt' | 'revokedAt'>, at = Date.now()) =>
  !(key.revokedAt && Date.parse(key.revokedAt) <= at) && !(key.expiresAt && Date.parse(key.expiresAt) <= at);

/** Returns a grant with the ends and the marks of the key that a person gave for it: it is valid no longer, and may do no more. */
export const underParent = <Key extends ApiKey>(grant: Key, parent: ApiKey | undefined): Key => {
  const { expiresAt, revokedAt, ...marks }: Partial<ApiKey> = parent ?? { revokedAt: grant.createdAt };
  const { suspended, agentQuota, sourceQuota, budgetMark, requestsPerMinute } = marks;
  return {
    ...grant,
    expiresAt: findEarliest(grant.expiresAt, expiresAt),
    revokedAt: findEarliest(grant.revokedAt, revokedAt),
    suspended,
    agentQuota,
    sourceQuota,
    budgetMark,
    requestsPerMinute,
  };
};

/** Returns when a key ends; undefined for a key that does not end. */
export const findKeyEnd = ({ expiresAt, revokedAt }: Pick<ApiKey, 'expiresAt' | 'revokedAt'>): string | undefined =>
  findEarliest(expiresAt, revokedAt);

const findEarliest = (...times: (string | undefined)[]): string | undefined =>
  times.filter((time) => time !== undefined).sort()[0];

export const ApiKeyStatus = z.enum(['active', 'ending', 'expired', 'revoked']);
export type ApiKeyStatus = z.infer<typeof ApiKeyStatus>;

/** Returns the status of a key. An `ending` key was rotated and stays valid until its `revokedAt`. */
export const judgeKeyStatus = (key: ApiKey): ApiKeyStatus => {
  if (isUsable(key)) return key.revokedAt ? 'ending' : 'active';
  return isUsable({ revokedAt: key.revokedAt }) ? 'expired' : 'revoked';
};
