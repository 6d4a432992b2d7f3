import { createHmac, timingSafeEqual } from 'node:crypto';
import type { HmacAlgorithm, Refusal } from '../domain/hook-secrets.ts';
import { parseJson } from '../domain/json.ts';

/** A request of a voice platform as it was received. */
export type SignedRequest = {
  /** The public origin of the deployment, which no header of the request changes. */
  origin: string;
  path: string;
  /** The query as it was sent, without its question mark. */
  query: string;
  headers: Record<string, string | undefined>;
  body: Buffer;
};

/** The secret of a platform: the key of its signatures, or a public key. */
export type HookSecret = { secret: string; header?: string | undefined; algorithm?: HmacAlgorithm | undefined };

/** Returns why a request is not one that the holder of the secret signed; undefined for one that is. */
export type VerifySignature = (request: SignedRequest, secret: HookSecret) => Refusal | undefined;

const maxAgeMilliseconds = 5 * 60 * 1000;

export const isRecent = (timeMilliseconds: number) => Math.abs(Date.now() - timeMilliseconds) <= maxAgeMilliseconds;

/** Compares two texts in constant time; only their lengths show. */
export const isSame = (one: string, other: string) => {
  const [a, b] = [Buffer.from(one), Buffer.from(other)];
  return a.length === b.length && timingSafeEqual(a, b);
};

export const hmac = (algorithm: HmacAlgorithm, secret: string, ...parts: (string | Buffer)[]) => {
  const mac = createHmac(algorithm, secret);
  for (const part of parts) mac.update(part);
  return mac;
};

/**
 * Returns why a signature does not match the body. A proxy that parses JSON and writes it again changes the bytes. The signature
 * then matches the body in its shortest form.
 */
export const refusalOf = ({ body }: SignedRequest, fits: (body: Buffer) => boolean): Refusal | undefined => {
  if (fits(body)) return undefined;
  const rewritten = body.length <= maxRewrittenBytes && shortestJson(body);
  return rewritten && fits(Buffer.from(rewritten)) ? 'body' : 'secret';
};

const maxRewrittenBytes = 64 * 1024;

const shortestJson = (body: Buffer): string | undefined => {
  try {
    return JSON.stringify(parseJson(body));
  } catch {
    return undefined;
  }
};

/** Returns true if a request has the secret itself in one of these headers, or as `Authorization: Bearer`. */
export const hasBearer = ({ headers }: SignedRequest, { secret }: HookSecret, names: string[]) =>
  ['authorization', ...names].some((name) => isSame((headers[name] ?? '').replace(/^Bearer\s+/i, ''), secret));

/** Returns true if a request has a header in which some platform sends a signature. */
export const mayBeSigned = (headers: SignedRequest['headers']) =>
  Object.keys(headers).some((name) => /signature|secret|^authorization$/.test(name));
