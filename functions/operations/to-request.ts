import type { OwnRequest } from '../clients/own-api.ts';
import { type ErrorDetail, invalidRequest } from '../domain/errors.ts';
import type { CallableOperation } from '../openapi/operations.ts';

export type Arguments = Record<string, unknown>;

/**
 * Returns the request of an operation. Refuses only what no request can express: the operation validates. `wider` is the name of
 * the operation without the last argument of the path.
 */
export const toRequest = (
  operation: CallableOperation,
  given: Arguments,
  uid: string | undefined,
  wider?: string,
): OwnRequest => {
  const { idempotencyKey, ifMatch, ...rest } = given;
  const args = new Map(Object.entries(rest));
  if (operation.uid) args.delete('uid');
  const errors: ErrorDetail[] = [];
  const take = (name: string, isValid: (value: unknown) => boolean, message: string): string => {
    const value = args.get(name);
    args.delete(name);
    if (!isValid(value)) errors.push({ path: name, message });
    return String(value);
  };

  const path = operation.path.replace(/\{(\w+)\}/g, (match, name: string, at: number) => {
    const isLast = at + match.length === operation.path.length;
    const missing = wider && isLast ? `is required; ${wider} takes none` : 'is required';
    const segment = take(name, isSegment, args.has(name) ? 'must be a text without /, and not empty' : missing);
    return encodeURIComponent(segment.toWellFormed());
  });
  const query = new URLSearchParams();
  for (const name of operation.query) {
    if (args.get(name) === undefined || args.get(name) === null) args.delete(name);
    else query.set(name, take(name, isPlain, 'must be a text, a number or a boolean'));
  }
  const headers: Record<string, string> = {};
  if (operation.takesIdempotencyKey && idempotencyKey !== undefined) {
    if (isHeaderValue(idempotencyKey)) headers['idempotency-key'] = idempotencyKey;
    else errors.push({ path: 'idempotencyKey', message: 'must be 1 to 255 visible ASCII characters' });
  }
  if (operation.takesIfMatch && ifMatch !== undefined) {
    if (Number.isSafeInteger(ifMatch)) headers['if-match'] = `"${ifMatch}"`;
    else errors.push({ path: 'ifMatch', message: 'must be the number of a version' });
  }
  if (errors.length > 0) throw invalidRequest(errors);

  if (operation.uid === 'query') query.set('uid', uid ?? '');
  const user = operation.uid === 'body' && { uid };
  const body = operation.hasBody ? JSON.stringify({ ...Object.fromEntries(args), ...user }) : undefined;
  return { method: operation.method, path: query.size > 0 ? `${path}?${query}` : path, body, headers };
};

/** Checks that a value names one segment. Proxies normalize paths: `.`, `..` and a slash, however encoded, would name another path. */
const isSegment = (value: unknown) =>
  Number.isSafeInteger(value) ||
  (typeof value === 'string' && value !== '' && value !== '.' && value !== '..' && !/[/\\]/.test(value));

const isPlain = (value: unknown) => ['string', 'number', 'boolean'].includes(typeof value);

const isHeaderValue = (value: unknown): value is string =>
  typeof value === 'string' && /^[\x21-\x7e]{1,255}$/.test(value);
