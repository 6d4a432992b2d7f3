import { createHash } from 'node:crypto';
import type { SignatureFault } from '../../domain/hook-secrets.ts';
import { limits } from '../../domain/limits.ts';
import { isSameSecret } from '../../domain/same-secret.ts';
import { hmac, type SignedRequest, type VerifySignature } from '../secrets/signatures.ts';
import { type Fields, findStrangeField } from './twilio-fields.ts';

/**
 * Twilio signs the address with a form's sorted fields or a body's SHA-256.
 * https://www.twilio.com/docs/usage/webhooks/webhooks-security
 */
export const verifyTwilio: VerifySignature = (request) => {
  const signature = request.headers['x-twilio-signature'];
  if (!signature) return () => 'secret';
  const bodyHash = new URLSearchParams(request.query).get('bodySHA256');
  const form = bodyHash === null ? parseForm(request.body) : [];
  if (!Array.isArray(form)) return () => form;
  const target = requestTarget(request);
  const signed = toSignedText(form);
  return ({ secret, parameters }) => {
    const field = bodyHash === null ? findStrangeField(form, target, parameters) : undefined;
    if (field !== undefined) return { field };
    const isSigned = (address: string, text = signed) =>
      isSameSecret(hmac('sha1', secret, address, text).digest('base64'), signature);
    const addresses = withAndWithoutPort(request.origin, target);
    if (addresses.some((address) => isSigned(address))) {
      const isBodySigned =
        bodyHash === null || isSameSecret(createHash('sha256').update(request.body).digest('hex'), bodyHash);
      return isBodySigned ? undefined : 'body';
    }
    const unattested = withoutAttestation(form);
    const isClear = bodyHash === null && findStrangeField(unattested, target, parameters) === undefined;
    if (isClear && addresses.some((address) => isSigned(address, toSignedText(unattested)))) return 'unattested';
    return explainFault(request, (address) => isSigned(address));
  };
};

/** Returns a form without SHAKEN/STIR's fields, which a signature may not cover. */
const withoutAttestation = (fields: Fields) =>
  fields.filter(([name]) => name !== 'StirVerstat' && name !== 'CallToken');

const requestTarget = ({ path, query }: Pick<SignedRequest, 'path' | 'query'>) => (query ? `${path}?${query}` : path);

/** Twilio signs some addresses with the port that they leave out. */
const withAndWithoutPort = (origin: string, target: string) => {
  const port = origin.startsWith('https:') ? ':443' : ':80';
  return [origin + target, ...(URL.parse(origin)?.port === '' ? [origin + port + target] : [])];
};

/** Returns a form's fields, or the field that is repeated or has no value. */
const parseForm = (body: Buffer): Fields | { field?: string } => {
  const text = body.length <= limits.hookFormBytes ? decodeBody(body) : undefined;
  // What the service would read as JSON is no form.
  if (text === undefined || /^[^=&]*[[{]/.test(text)) return {};
  const odd = text.split('&').find((part) => !/^[^=]+=[^=]*$/.test(part));
  if (odd !== undefined) return { field: odd.split('=', 1)[0] };
  const fields = [...new URLSearchParams(text)];
  const names = new Set<string>();
  const repeated = fields.find(([name]) => names.size === names.add(name).size);
  return repeated ? { field: repeated[0] } : fields;
};

/** Returns fields as they are signed: by name, without separators. */
const toSignedText = (fields: Fields): string =>
  fields
    .toSorted(([one], [other]) => (one < other ? -1 : 1))
    .flat()
    .join('');

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
