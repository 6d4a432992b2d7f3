import { createHash } from 'node:crypto';
import type { Refusal } from '../domain/hook-secrets.ts';
import { limits } from '../domain/limits.ts';
import { hmac, isSame, type SignedRequest, type VerifySignature } from './signatures.ts';
import { areTwilios } from './twilio-fields.ts';

/**
 * Twilio signs the address followed by the fields of a form, sorted by name. For any other body, the address contains its
 * SHA-256. https://www.twilio.com/docs/usage/webhooks/webhooks-security
 */
export const verifyTwilio: VerifySignature = (request) => {
  const signature = request.headers['x-twilio-signature'];
  if (!signature) return () => 'secret';
  const bodyHash = new URLSearchParams(request.query).get('bodySHA256');
  const fields = bodyHash === null ? signedFields(request) : '';
  if (fields === undefined) return () => 'body';
  return ({ secret }) => {
    const isSigned = (address: string) => isSame(hmac('sha1', secret, address, fields).digest('base64'), signature);
    if (!withAndWithoutPort(request.origin, targetOf(request)).some(isSigned)) return refusalOf(request, isSigned);
    const isBodySigned = bodyHash === null || isSame(createHash('sha256').update(request.body).digest('hex'), bodyHash);
    return isBodySigned ? undefined : 'body';
  };
};

const targetOf = ({ path, query }: Pick<SignedRequest, 'path' | 'query'>) => (query ? `${path}?${query}` : path);

/** Twilio signs some addresses with the port that they leave out. */
const withAndWithoutPort = (origin: string, target: string) => {
  const port = origin.startsWith('https:') ? ':443' : ':80';
  return [origin + target, ...(URL.parse(origin)?.port === '' ? [origin + port + target] : [])];
};

/**
 * Returns the fields of a form as they are signed; undefined for a body that is not a form, repeats a name, or has a name without
 * a value or one that is not Twilio's. The signed text has no separators between names and values.
 */
const signedFields = ({ body, ...request }: SignedRequest): string | undefined => {
  const text = body.length <= limits.hookFormBytes ? textOf(body) : undefined;
  if (text === undefined || !/^[^=&[{]+=[^=&]*(&[^=&]+=[^=&]*)*$/.test(text)) return undefined;
  const fields = [...new URLSearchParams(text)];
  if (new Set(fields.map(([name]) => name)).size !== fields.length) return undefined;
  if (!areTwilios(fields, targetOf(request))) return undefined;
  return fields
    .sort(([one], [other]) => (one < other ? -1 : 1))
    .flat()
    .join('');
};

const exactUtf8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });

const textOf = (body: Buffer): string | undefined => {
  try {
    return exactUtf8.decode(body);
  } catch {
    return undefined;
  }
};

/** Returns why a signature does not match. The signed address may have been entered differently, or changed by a proxy. */
const refusalOf = (request: SignedRequest, isSigned: (address: string) => boolean): Refusal => {
  const { origin, path, query, headers } = request;
  const hosts = [headers['x-forwarded-host'], headers.host].flatMap((host) => (host ? [host] : []));
  const origins = [origin, ...hosts.map((host) => `https://${host}`)].flatMap((one) => [
    one,
    one.replace(/^https:/, 'http:'),
  ]);
  const queries = [
    query,
    new URLSearchParams(query).toString(),
    query.replaceAll('+', '%20'),
    query.replaceAll('%20', '+'),
    query.split('&').sort().join('&'),
    query.replace(/(^|&)key=[^&]*/, ''),
    '',
  ];
  const addresses = origins.flatMap((one) =>
    queries.flatMap((search) => withAndWithoutPort(one, targetOf({ ...request, path, query: search }))),
  );
  return addresses.some(isSigned) ? 'address' : 'secret';
};
