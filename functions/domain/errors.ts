import { formatWhole } from './format-whole.ts';
import type { RequestAllowance } from './request-window.ts';

/** The status of every code of an error response. A closed list: clients switch on it. */
export const errorStatuses = {
  invalid_request: 400,
  unknown_outcome: 400,
  too_many_numbers: 400,
  too_many_files: 400,
  file_too_large: 400,
  unsupported_file_type: 400,
  empty_file: 400,
  customer_id_required: 400,
  missing_api_key: 401,
  invalid_api_key: 401,
  insufficient_permissions: 401,
  invalid_signature: 401,
  unauthorized_origin: 403,
  call_rejected: 403,
  user_suspended: 403,
  call_not_found: 404,
  website_not_found: 404,
  document_not_found: 404,
  invoices_not_found: 404,
  agent_not_found: 404,
  erasure_not_found: 404,
  endpoint_not_found: 404,
  delivery_not_found: 404,
  import_not_found: 404,
  version_not_found: 404,
  user_not_found: 404,
  key_not_found: 404,
  not_found: 404,
  idempotency_conflict: 409,
  idempotency_in_progress: 409,
  crawl_in_progress: 409,
  not_failed: 409,
  phone_number_in_use: 409,
  key_in_use: 409,
  import_in_progress: 409,
  reconciliation_in_progress: 409,
  export_in_progress: 409,
  quota_exceeded: 409,
  too_many_endpoints: 409,
  uid_taken: 409,
  too_many_keys: 409,
  suspended_by_operator: 409,
  version_conflict: 412,
  payload_too_large: 413,
  unsupported_media_type: 415,
  rate_limited: 429,
  chat_budget_exhausted: 429,
  internal_error: 500,
  chat_failed: 500,
  overloaded: 503,
} as const;

export type ErrorCode = keyof typeof errorStatuses;

/** An invalid field of a request: its path (`numbers.3`) and the problem. */
export type ErrorDetail = { path: string; message: string };

/** An error that is reported to the caller. Anything else that is thrown is logged, and is a 500 without details. */
export class ApiError extends Error {
  override readonly name = 'ApiError';
  readonly code: ErrorCode;
  readonly details: ErrorDetail[] | undefined;
  /** Seconds after which the same request may succeed; sent as `Retry-After`. */
  readonly retryAfterSeconds: number | undefined;
  /** The current version of the resource that the request would have changed. */
  readonly version: number | undefined;
  /** What a limited key has left. */
  readonly allowance: RequestAllowance | undefined;
  /** Facts that appear only in the log. */
  readonly logged: Record<string, string> | undefined;

  constructor(
    code: ErrorCode,
    message: string,
    more: Partial<Pick<ApiError, 'details' | 'retryAfterSeconds' | 'version' | 'allowance' | 'logged'>> = {},
  ) {
    super(message);
    this.code = code;
    this.details = more.details;
    this.retryAfterSeconds = more.retryAfterSeconds;
    this.version = more.version;
    this.allowance = more.allowance;
    this.logged = more.logged;
  }

  get status(): number {
    return errorStatuses[this.code];
  }
}

/** Creates a 400 that names the invalid fields. The message has the first error and the number of the others. */
export const invalidRequest = (details: ErrorDetail[], code: ErrorCode = 'invalid_request') => {
  const [first, ...others] = details;
  if (!first) return new ApiError(code, 'The request is invalid.', { details });
  const more =
    others.length === 0 ? '' : ` (and ${others.length} more ${others.length === 1 ? 'error' : 'errors'} in details)`;
  return new ApiError(code, sentence(first) + more, { details });
};

/** Creates a 400 for one field. */
export const invalidField = (path: string, message: string) => invalidRequest([{ path, message }]);

export const missingApiKey = () => new ApiError('missing_api_key', 'Send your API key in the X-Authorization header.');

/** Creates the same error for malformed, unknown, revoked and expired keys, so that it reveals nothing about a key. */
export const invalidApiKey = () => new ApiError('invalid_api_key', 'The API key is not valid.');

/** Creates a 401 for the access token of an AI client at any other operation than its own. */
export const accessTokenElsewhere = () =>
  new ApiError('insufficient_permissions', 'An access token is valid at POST /mcp only. Send an API key here.');

/** Creates the same error for a foreign agent, a missing agent and a foreign `uid`, so that agents cannot be enumerated. */
export const insufficientPermissions = () =>
  new ApiError('insufficient_permissions', 'This API key may not do this, or there is no such agent.');

/** Creates the same error for every cause. Only the log shows the cause. */
export const invalidSignature = (logged: Record<string, string>) =>
  new ApiError('invalid_signature', 'The signature of this request is not valid.', { logged });

export const noSuchTranscript = () => new ApiError('not_found', 'No transcript of this call is kept.');

export const noSuchPlatform = () => new ApiError('not_found', 'There is no such voice platform.');

/** Creates a 401 that names the scope, which depends only on the key and reveals nothing about an agent. The key needs one of them. */
export const missingScope = (...scopes: string[]) =>
  new ApiError(
    'insufficient_permissions',
    `This API key lacks the scope ${scopes.map((one) => `"${one}"`).join(' or ')}.`,
  );

/** Creates a 401 for a key that would give another key more than it may. */
export const mayNotGive = () =>
  new ApiError(
    'insufficient_permissions',
    'This API key may not give these scopes to a key of this user, or not for so long.',
  );

/** Creates a 401 for a key that would give itself, or another key, a higher limit than its own. */
export const mayNotRaise = () =>
  new ApiError('insufficient_permissions', 'This API key may not raise or end its own limit, nor give a higher one.');

/** Creates the error of a limited key that has no request left. Nothing was done. */
export const tooManyRequests = (allowance: RequestAllowance) => {
  const { limit, waitSeconds } = allowance;
  const limitText = `${formatWhole(limit)} ${limit === 1 ? 'request' : 'requests'} per minute`;
  const waitText = waitSeconds === 1 ? 'a second' : `${waitSeconds} seconds`;
  const message = `This API key is limited to ${limitText}. Try again in ${waitText}.`;
  return new ApiError('rate_limited', message, { retryAfterSeconds: waitSeconds, allowance });
};

/** Creates a 401 for a key that would end a stronger key, or, as the weakest, itself. */
export const mayNotEnd = () =>
  new ApiError(
    'insufficient_permissions',
    'This API key may not end this key. It may end keys that it might give, and itself unless its only scope is "hooks".',
  );

export const phoneNumberInUse = () =>
  new ApiError('phone_number_in_use', 'Another agent of this user has this phone number.');
export const agentKeyInUse = () => new ApiError('key_in_use', 'Another agent of this user has this key.');

/** `limit` is the beginning of the message: `A user can have at most 1,000 agents`. */
export const quotaExceeded = (limit: string, raisedBy = 'The operator of the service') =>
  new ApiError('quota_exceeded', `${limit}. ${raisedBy} can raise this limit.`);

/** Creates a 409 for a limit that every user has. */
export const limitExceeded = (limit: string) => new ApiError('quota_exceeded', `${limit}.`);

/** Creates a 503: nothing was written, or only a part of a request that can be repeated. */
export const overloaded = () =>
  new ApiError('overloaded', 'Too many requests for the same agent or key at once. Send the request again.', {
    retryAfterSeconds: 1,
  });

export const unauthorizedOrigin = () =>
  new ApiError('unauthorized_origin', 'This operation may only be called from the platform’s own application.');

/** Creates a 404. If a call is named by bare digits, it adds the hint that a number needs its `+`. */
export const noSuchCall = (callIdOrPhone: string) =>
  new ApiError(
    'call_not_found',
    /^\d{7,15}$/.test(callIdOrPhone)
      ? 'This agent has no call of that id. A phone number needs its leading +, also in a path.'
      : 'This agent has no such call.',
  );

/** Creates a 400 that names the declared outcomes, in its message as far as a batch has room. */
export const unknownOutcome = (names: string[]) => {
  const list = names.map((name) => JSON.stringify(name)).join(', ');
  const shown = list.length > maxNamesUnits ? `${list.slice(0, maxNamesUnits).toWellFormed()}…` : list;
  const [message, detail] =
    names.length === 0
      ? ['The agent declares that its calls have no outcome.', 'must be absent or null']
      : [`The agent declares no such outcome, only ${shown}.`, `must be one of ${list}`];
  return new ApiError('unknown_outcome', message, { details: [{ path: 'custom_call_outcome', message: detail }] });
};

/** A response may have a thousand of these messages. */
const maxNamesUnits = 300;

export const noAgentWithNumber = () =>
  new ApiError('agent_not_found', 'No agent of this user has the number of this call. Name one by `agentId`.');

/** Creates the error that only the holder of a valid key or signature gets. */
export const userSuspended = () =>
  new ApiError(
    'user_suspended',
    'The user of this request is suspended. Who suspended it can end this: its creator, or the operator of the service.',
  );

export const suspendedByOperator = () =>
  new ApiError('suspended_by_operator', 'The operator of the service has suspended this user, and alone can end this.');

export const noSuchUser = () => new ApiError('user_not_found', 'You have no such client.');
export const noSuchGuest = () =>
  new ApiError('user_not_found', 'There is no such user with whom the owner can share an agent.');
export const noSuchKey = () => new ApiError('key_not_found', 'This user has no such API key.');

export const keyIsOver = () =>
  new ApiError('key_not_found', 'This API key was rotated, revoked or deleted, or has expired.');

export const noSuchErasure = () => new ApiError('erasure_not_found', 'This user has no such erasure.');
export const noSuchDocument = () => new ApiError('document_not_found', 'This agent has no such document.');
export const noSuchWebsite = () => new ApiError('website_not_found', 'This agent has no such website.');

export const noSuchEndpoint = () => new ApiError('endpoint_not_found', 'This user has no such webhook endpoint.');
export const noSuchDelivery = () => new ApiError('delivery_not_found', 'This user has no such webhook delivery.');

export const payloadTooLarge = (limitBytes: number) =>
  new ApiError('payload_too_large', `The request body is larger than ${formatWhole(limitBytes)} bytes.`);

export const unsupportedCoding = (coding: string) =>
  new ApiError(
    'unsupported_media_type',
    `The body is compressed (${coding.slice(0, 40)}). Send it without compression and without Content-Encoding.`,
  );

const sentence = ({ path, message }: ErrorDetail) => (path ? `${path}: ${message}` : message);
