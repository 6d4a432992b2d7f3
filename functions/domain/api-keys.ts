import { createHash, randomInt } from 'node:crypto';
import { crc32 } from 'node:zlib';
import * as z from 'zod/mini';

/** What a key may be used for. A key without scopes may do everything but `privacy`, which must be named. */
export const Scope = z.enum(['agents', 'knowledge', 'calls', 'block-list', 'hooks', 'webhooks', 'privacy']);
export type Scope = z.infer<typeof Scope>;
/** The scopes that a key has only if they are named. */
export const namedScopes: ReadonlySet<Scope> = new Set(['privacy']);

/** A key's record. The key itself is shown once and never kept: only its SHA-256 and its first characters are. */
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

/** A new key: `vap_`, 142 random bits, and a checksum by which secret scanners and the service tell a key from noise. */
export const newApiKey = () => {
  const random = Array.from({ length: randomLength }, () => alphabet[randomInt(62)]).join('');
  return prefix + random + checksum(random);
};

/** Whether a text could be one of our keys: prefix, length, alphabet and checksum. Costs no read. */
export const isApiKey = (text: string) => {
  if (!form.test(text)) return false;
  const random = text.slice(prefix.length, -checksumLength);
  return text.slice(-checksumLength) === checksum(random);
};

export const hashApiKey = (key: string) => createHash('sha256').update(key).digest('hex');

/** What may be shown of a key after it was made. */
export const startOfApiKey = (key: string) => key.slice(0, prefix.length + 4);

/** Whether a key that exists may still be used. */
export const isUsable = (key: Pick<ApiKey, 'expiresAt' | 'revokedAt'>, at = Date.now()) =>
  !(key.revokedAt && Date.parse(key.revokedAt) <= at) && !(key.expiresAt && Date.parse(key.expiresAt) <= at);

export type ApiKeyStatus = 'active' | 'ending' | 'revoked' | 'expired';

/** An `ending` key was rotated, and stays valid until its `revokedAt`. */
export const statusOf = (key: ApiKey): ApiKeyStatus => {
  if (isUsable(key)) return key.revokedAt ? 'ending' : 'active';
  return isUsable({ revokedAt: key.revokedAt }) ? 'expired' : 'revoked';
};
