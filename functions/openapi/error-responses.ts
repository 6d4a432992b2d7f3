import * as z from 'zod/mini';
import { component, describe } from '../domain/describe.ts';
import { type ErrorCode, errorStatuses } from '../domain/errors.ts';
import { limits } from '../domain/limits.ts';
import type { AnyEndpoint } from '../http/endpoint.ts';
import { always, headerReference } from './headers.ts';

/** All error responses of an operation: its own, and those that every operation of its kind has. */
export const errorResponses = (endpoint: AnyEndpoint) => {
  const codes = codesOf(endpoint);
  const statuses = [...new Set(codes.map((code) => errorStatuses[code]))].sort();
  for (const status of Object.keys(endpoint.errors).map(Number)) {
    if (!statuses.includes(status as never))
      throw new Error(`${endpoint.name} answers ${status} and names no code for it in \`refusals\`.`);
  }
  return Object.fromEntries(
    statuses.map((status) => {
      const meaning = endpoint.errors[status as keyof typeof endpoint.errors] ?? meaningsOfStatuses[status];
      if (!meaning)
        throw new Error(`${endpoint.name} answers ${status} and does not say in \`errors\` what that means.`);
      const own = codes.filter((code) => errorStatuses[code] === status);
      return [status, errorResponse(meaning, own)];
    }),
  );
};

/** Whether a request may carry a key without having to. */
export const takesOptionalKey = ({ caller }: AnyEndpoint) => caller.kind === 'anyone' && caller.key !== undefined;

const codesOf = (endpoint: AnyEndpoint): ErrorCode[] => {
  const { caller, idempotent, body, query, codes = {}, refusals = [] } = endpoint;
  return [
    ...new Set<ErrorCode>([
      ...(body || query ? (['invalid_request'] as const) : []),
      ...(caller.kind === 'key' ? (['missing_api_key', 'invalid_api_key', 'insufficient_permissions'] as const) : []),
      ...(takesOptionalKey(endpoint) ? (['invalid_api_key'] as const) : []),
      ...(caller.kind === 'application' ? (['unauthorized_origin'] as const) : []),
      ...(idempotent ? (['idempotency_conflict', 'idempotency_in_progress'] as const) : []),
      ...(body ? (['payload_too_large'] as const) : []),
      'rate_limited',
      'internal_error',
      ...Object.values(codes),
      ...refusals,
    ]),
  ];
};

const errorResponse = (meaning: string, codes: ErrorCode[]) => ({
  description: `${meaning}\n\n\`error\` is ${oneOf(codes.map((code) => `\`${code}\``))}.`,
  headers: { ...always, ...(codes.some(hasRetryAfter) && { 'retry-after': headerReference('retry-after') }) },
  content: {
    'application/json': {
      schema: ErrorBody,
      examples: Object.fromEntries(codes.map((code) => [code, { $ref: `#/components/examples/${code}` }])),
    },
  },
});

const oneOf = (items: string[]) => items.join(', ').replace(/, ([^,]*)$/, ' or $1');

const hasRetryAfter = (code: ErrorCode) => errorStatuses[code] === 429 || code === 'idempotency_in_progress';

export const errorCodes = Object.keys(errorStatuses) as ErrorCode[];

/** An example of each error, by its code. */
export const errorExamples = () =>
  Object.fromEntries(
    errorCodes.map((code) => {
      const details = [{ path: 'agentId', message: 'must be 1 to 128 of A-Z a-z 0-9 _ . : -' }];
      const value = { error: code, message: meanings[code], ...(errorStatuses[code] === 400 && { details }) };
      return [code, { summary: meanings[code], value }];
    }),
  );

/** What a status means in every operation that does not say more. */
const meaningsOfStatuses: Record<number, string> = {
  400: 'The request is invalid; `details` names each bad field.',
  401: 'The key is missing or not valid, or it may not do this.',
  403: 'The request does not come from the platform’s own web application.',
  409: 'The Idempotency-Key was used before: with another request, or with one that is still running.',
  413: 'The body is too large.',
  429: 'Too many requests at once. Send it again after the seconds in `retry-after`, or after a while where there are none.',
  500: 'The request could not be carried out. The cause is in the service’s log under the `x-request-id`. Send it again later.',
};

/** What each code means, for those who switch on it. */
export const meanings: Record<ErrorCode, string> = {
  invalid_request: 'The request is invalid.',
  too_many_numbers: `There are more than ${limits.numbersPerRequest.toLocaleString('en')} numbers in the request.`,
  too_many_files: 'There are too many files in the request.',
  file_too_large: 'A file is too large.',
  unsupported_file_type: 'A file is of no kind that is read.',
  empty_file: 'A file is empty.',
  customer_id_required: 'The customer’s identifier is missing or malformed.',
  missing_api_key: 'There is no API key in the X-Authorization header.',
  invalid_api_key: 'The API key is malformed, unknown, revoked or expired.',
  insufficient_permissions: 'The API key may not do this, or there is no such agent.',
  unauthorized_origin: 'The request does not come from the platform’s own web application.',
  call_not_found: 'The agent has no such call.',
  website_not_found: 'The agent has no such website.',
  document_not_found: 'The agent has no such document.',
  invoices_not_found: 'The customer is unknown or has no invoices.',
  not_found: 'There is no such thing.',
  idempotency_conflict: 'The Idempotency-Key was used with another request.',
  idempotency_in_progress: 'The first request with this Idempotency-Key is still running.',
  crawl_in_progress: 'The website is being read at the moment.',
  not_failed: 'There is nothing to try again: it did not fail.',
  payload_too_large: 'The body is too large.',
  rate_limited: 'There were too many requests in a short time.',
  chat_budget_exhausted: 'The chat’s budget for today is spent.',
  internal_error: 'The request could not be completed. Try again later.',
  chat_failed: 'The assistant could not answer.',
};

/** The body of every error (contract 2.9). */
const ErrorBody = component(
  'Error',
  'An error. What API Gateway answers by itself, such as to an unknown path, has a `message` alone.',
  z.object({
    error: z
      .enum(errorCodes as [ErrorCode, ...ErrorCode[]])
      .check(describe('The cause, as a code to switch on: one of a closed list.', 'invalid_request')),
    message: z
      .string()
      .check(describe('The cause, in a sentence for a person.', 'numbers: must have at least 1 number')),
    details: z.optional(
      z
        .array(
          z.object({
            path: z.string().check(describe('The field: `numbers.3`; empty for the whole request.', 'numbers')),
            message: z.string().check(describe('What is wrong with it.', 'must have at least 1 number')),
          }),
        )
        .check(z.describe('Each bad field, when the status is 400.')),
    ),
  }),
);
