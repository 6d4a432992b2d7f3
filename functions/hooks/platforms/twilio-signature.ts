import { createHash } from 'node:crypto';
import type { SignatureFault } from '../../domain/hook-secrets.ts';
import { limits } from '../../domain/limits.ts';
import { isSameSecret } from '../../domain/same-secret.ts';
import { hmac, type SignedRequest, type VerifySignature } from '../secrets/signatures.ts';
import { areTwilios } from './twilio-fields.ts';

/**
 * Twilio signs the address with a form's sorted fields or a body's SHA-256.
 * https://www.twilio.com/docs/usage/webhooks/webhooks-security
 */
export const verifyTwilio: VerifySignature = (request) => {
  const signature = request.headers['x-twilio-signature'];
  if (!signature) return () => 'secret';
  const bodyHash = new URLSearchParams(request.query).get('bodySHA256');
  const form = bodyHash === null ? parseForm(request.body) : undefined;
  const target = requestTarget(request);
  const fields = bodyHash === null ? form && signedText(form, target) : '';
  if (fields === undefined) return () => 'body';
  const unattested = form && signedText(withoutAttestation(form), target);
  return ({ secret }) => {
    const isSigned = (address: string, text = fields) =>
      isSameSecret(hmac('sha1', secret, address, text).digest('base64'), signature);
    const addresses = withAndWithoutPort(request.origin, target);
    if (addresses.some((address) => isSigned(address))) {
      const isBodySigned =
        bodyHash === null || isSameSecret(createHash('sha256').update(request.body).digest('hex'), bodyHash);
      return isBodySigned ? undefined : 'body';
    }
    if (addresses.some((address) => isSigned(address, unattested))) return 'unattested';
    return explainFault(request, (address) => isSigned(address));
  };
};

type Fields = [name: string, value: string][];

/** Returns a form without SHAKEN/STIR's fields, which a signature may not cover. */
const withoutAttestation = (fields: Fields) =>
  fields.filter(([name]) => name !== 'StirVerstat' && name !== 'CallToken');

const requestTarget = ({ path, query }: Pick<SignedRequest, 'path' | 'query'>) => (query ? `${path}?${query}` : path);

/** Twilio signs some addresses with the port that they leave out. */
const withAndWithoutPort = (origin: string, target: string) => {
  const port = origin.startsWith('https:') ? ':443' : ':80';
  return [origin + target, ...(URL.parse(origin)?.port === '' ? [origin + port + target] : [])];
};

/** Returns a form's fields, unless a name is repeated or has no value. */
const parseForm = (body: Buffer): Fields | undefined => {
  const text = body.length <= limits.hookFormBytes ? decodeBody(body) : undefined;
  if (text === undefined || !/^[^=&[{]+=[^=&]*(&[^=&]+=[^=&]*)*$/.test(text)) return undefined;
  const fields = [...new URLSearchParams(text)];
  return new Set(fields.map(([name]) => name)).size === fields.length ? fields : undefined;
};

/** Returns fields as signed: by name, without separators. Undefined if any is not Twilio's. */
const signedText = (fields: Fields, address: string): string | undefined =>
  areTwilios(fields, address)
    ? fields
        .sort(([one], [other]) => (one < other ? -1 : 1))
        .flat()
        .join('')
    : undefined;

const exactUtf8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });

const decodeBody = (body: Buffer): string | undefined => {
  try {
    return exactUtf8.decode(body);
  } catch {
    return undefined;
  }
};

/** Returns why a signature fails: perhaps a proxy or a typing error changed the address. */
const explainFault = (request: SignedRequest, isSigned: (address: string) => boolean): SignatureFault => {
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
    queries.flatMap((search) => withAndWithoutPort(one, requestTarget({ ...request, path, query: search }))),
  );
  return addresses.some(isSigned) ? 'address' : 'secret';
};
