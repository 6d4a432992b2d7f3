import { createHash, randomInt } from 'node:crypto';
import { crc32 } from 'node:zlib';
import * as z from 'zod/mini';

/** The purposes of a key. A key without scopes has all except `privacy`, which must be named. */
export const Scope = z.enum(['agents', 'knowledge', 'calls', 'block-list', 'hooks', 'webhooks', 'privacy']);
export type Scope = z.infer<typeof Scope>;
/** The scopes that a key has only if they are named. */
export const namedScopes: ReadonlySet<Scope> = new Set(['privacy']);

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
};

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

export type ApiKeyStatus = 'active' | 'ending' | 'revoked' | 'expired';

/** Returns the status of a key. An `ending` key was rotated and stays valid until its `revokedAt`. */
export const statusOf = (key: ApiKey): ApiKeyStatus => {
  if (isUsable(key)) return key.revokedAt ? 'ending' : 'active';
  return isUsable({ revokedAt: key.revokedAt }) ? 'expired' : 'revoked';
};
