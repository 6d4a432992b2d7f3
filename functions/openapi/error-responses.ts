import * as z from 'zod/mini';
import { choiceField, component, integerField, listField, textField } from '../domain/describe.ts';
import { type ErrorCode, errorStatuses } from '../domain/errors.ts';
import { identifierError } from '../domain/identifiers.ts';
import { type AnyEndpoint, takesIdempotencyKey } from '../http/endpoint.ts';
import { errorMeanings } from './error-meanings.ts';
import { describeHeaders, headerReference } from './headers.ts';

/** Returns the responses of an operation other than its success: its own, and the errors of every operation of its kind. */
export const errorResponses = (endpoint: AnyEndpoint) => {
  const { errorDescriptions = {}, raw: { otherResponses = {} } = {} } = endpoint;
  const all = listErrorCodes(endpoint);
  const codes = all.filter((code) => !(errorStatuses[code] in otherResponses));
  const statuses = [...new Set(codes.map((code) => errorStatuses[code]))].sort();
  for (const status of Object.keys(errorDescriptions).map(Number)) {
    if (!statuses.includes(status as never)) {
      throw new Error(`${endpoint.name} describes ${status}, and has no error with that status.`);
    }
  }
  const isErrorToo = (status: string) => all.some((code) => errorStatuses[code] === Number(status));
  const own = Object.entries(otherResponses).map(
    ([status, other]) => [status, otherResponse(endpoint, other, isErrorToo(status))] as const,
  );
  const described = statuses.map((status) => {
    const codesOfStatus = codes.filter((code) => errorStatuses[code] === status);
    const meaning =
      errorDescriptions[status as keyof typeof errorDescriptions] ??
      meaningsOfStatuses[status] ??
      codesOfStatus.map((code) => errorMeanings[code]).join(' ');
    return [status, errorResponse(endpoint, meaning, codesOfStatus)] as const;
  });
  return Object.fromEntries([...described, ...own]);
};

/** Describes a response of an operation's own. A request may also be refused with an error of every operation before. */
const otherResponse = (
  endpoint: AnyEndpoint,
  { description, schema }: { description: string; schema?: z.core.$ZodType },
  isErrorToo: boolean,
) => ({
  description,
  headers: describeHeaders(endpoint),
  ...(schema && { content: { 'application/json': { schema: isErrorToo ? z.union([schema, ErrorBody]) : schema } } }),
});

/** Returns true if a request may carry a key but does not need one. */
export const takesOptionalKey = ({ caller }: AnyEndpoint) => caller.kind === 'anyone' && caller.key !== undefined;

const listErrorCodes = (endpoint: AnyEndpoint): ErrorCode[] => {
  const { caller, body, query, takesIfMatch, raw: { errorCodes = {} } = {}, errors: own = [] } = endpoint;
  return [
    ...new Set<ErrorCode>([
      ...(body || query ? (['invalid_request'] as const) : []),
      ...(caller.kind === 'key' ? (['missing_api_key', 'invalid_api_key'] as const) : []),
      ...(caller.kind === 'key' && !caller.forwarded ? (['insufficient_permissions'] as const) : []),
      ...(caller.kind === 'key' || takesOptionalKey(endpoint) ? (['user_suspended'] as const) : []),
      ...(takesOptionalKey(endpoint) ? (['invalid_api_key', 'unauthorized_origin'] as const) : []),
      ...(caller.kind === 'application' ? (['unauthorized_origin'] as const) : []),
      ...(takesIdempotencyKey(endpoint) ? (['idempotency_conflict', 'idempotency_in_progress'] as const) : []),
      ...(takesIfMatch ? (['version_conflict'] as const) : []),
      ...(body ? (['payload_too_large', 'unsupported_media_type'] as const) : []),
      'rate_limited',
      'internal_error',
      ...(caller.kind === 'key' && !caller.forwarded ? (['overloaded'] as const) : []),
      ...Object.values(errorCodes),
      ...own,
    ]),
  ];
};

const errorResponse = (endpoint: AnyEndpoint, meaning: string, codes: ErrorCode[]) => ({
  description: `${meaning}\n\n\`error\` is ${joinWithOr(codes.map((code) => `\`${code}\``))}.`,
  headers: {
    ...describeHeaders(endpoint),
    ...(codes.some(hasRetryAfter) && { 'retry-after': headerReference('retry-after') }),
  },
  content: {
    'application/json': {
      schema: ErrorBody,
      examples: Object.fromEntries(codes.map((code) => [code, { $ref: `#/components/examples/${code}` }])),
    },
  },
});

const joinWithOr = (items: string[]) => items.join(', ').replace(/, ([^,]*)$/, ' or $1');

const hasRetryAfter = (code: ErrorCode) =>
  [429, 503].includes(errorStatuses[code]) || code === 'idempotency_in_progress';

export const errorCodes = Object.keys(errorStatuses) as ErrorCode[];

/** Returns an example of each error, by code. */
export const errorExamples = () =>
  Object.fromEntries(
    errorCodes.map((code) => {
      const value = { error: code, message: errorMeanings[code], ...exampleDetails(code) };
      return [code, { summary: errorMeanings[code], value }];
    }),
  );

const exampleDetails = (code: ErrorCode) => {
  if (errorStatuses[code] === 400) {
    return { details: [{ path: 'agentId', message: identifierError }] };
  }
  if (code !== 'version_conflict') return {};
  return { version: 8, details: [{ path: 'configuration.greeting', message: 'was changed in version 8' }] };
};

/** Meanings of statuses, for operations that do not describe them. */
const meaningsOfStatuses: Record<number, string> = {
  400: 'The request is invalid; `details` names each bad field.',
  401: 'The API key is missing or not valid, lacks the scope, or its user cannot access the agent.',
  413: 'The body is too large.',
  429: 'Too many requests in a short time. Send the request again after the seconds in `retry-after`, or with exponential backoff when there are none.',
  500: 'The request could not be completed. The log of the service has the cause under the `x-request-id`. Send the request again later.',
  503: 'Too many requests for the same agent or key at once. Send the request again after the seconds in `retry-after`.',
};

/** The body of every error. */
const ErrorBody = component(
  'Error',
  'An error. The gateway itself responds to some requests, such as one to an unknown path, with only a `message`.',
  z.object({
    error: choiceField(
      errorCodes as [ErrorCode, ...ErrorCode[]],
      'The cause, as a code of a closed list: switch on it.',
      'invalid_request',
    ),
    message: textField('The cause, in a sentence for a person.', 'numbers: must have at least 1 number'),
    version: z.optional(integerField('The newest version, when the status is 412.', 8)),
    details: z.optional(
      listField(
        z.object({
          path: textField('The field: `numbers.3`; empty for the whole request.', 'numbers'),
          message: textField('What is wrong with it.', 'must have at least 1 number'),
        }),
        'Each bad field when the status is 400, each field that was changed since when it is 412.',
      ),
    ),
  }),
);
