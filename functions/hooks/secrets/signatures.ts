import { createHmac } from 'node:crypto';
import type { HmacAlgorithm, SignatureFault } from '../../domain/hook-secrets.ts';
import { parseJson } from '../../domain/json.ts';
import { isSameSecret } from '../../domain/same-secret.ts';

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

/** A platform's secret: the key of its signatures, or a public key. */
export type HookSecret = { secret: string; header?: string; algorithm?: HmacAlgorithm; parameters?: string[] };

/**
 * Returns a check against a secret, with its fault, which may be a field of the body. `unattested`: the signature does not cover the
 * attestation.
 */
export type VerifySignature = (
  request: SignedRequest,
) => (secret: HookSecret) => SignatureFault | { field?: string } | 'unattested' | undefined;

const maxAgeMilliseconds = 5 * 60 * 1000;

export const isRecent = (timeMilliseconds: number) => Math.abs(Date.now() - timeMilliseconds) <= maxAgeMilliseconds;

export const hmac = (algorithm: HmacAlgorithm, secret: string, ...parts: (string | Buffer)[]) => {
  const mac = createHmac(algorithm, secret);
  for (const part of parts) mac.update(part);
  return mac;
};

/** Explains a wrong signature. If the shortest body matches, a proxy has rewritten the JSON. */
export const explainFaults = ({ body }: SignedRequest) => {
  let shortest: Buffer | undefined;
  return (fits: (body: Buffer) => boolean): SignatureFault | undefined => {
    if (fits(body)) return undefined;
    shortest ??= shortestJson(body);
    return fits(shortest) ? 'body' : 'secret';
  };
};

const maxRewrittenBytes = 16 * 1024;

/** Returns a body in its shortest form, unless it is large or no JSON. */
const shortestJson = (body: Buffer): Buffer => {
  if (body.length > maxRewrittenBytes) return body;
  try {
    return Buffer.from(JSON.stringify(parseJson(body)));
  } catch {
    return body;
  }
};

/** Checks for the secret itself in these headers, or as `Authorization: Bearer`. */
export const hasBearer = ({ headers }: SignedRequest, { secret }: HookSecret, names: string[]) =>
  ['authorization', ...names].some((name) => isSameSecret((headers[name] ?? '').replace(/^Bearer\s+/i, ''), secret));
