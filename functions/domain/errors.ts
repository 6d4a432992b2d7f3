/** Every code of an error response, with its status and its meaning. A closed list: clients switch on it. */
export const errors = {
  invalid_request: { status: 400, meaning: 'The request is invalid.' },
  too_many_numbers: { status: 400, meaning: 'The request has more than 10,000 numbers.' },
  too_many_files: { status: 400, meaning: 'The request has more than 10 files.' },
  file_too_large: { status: 400, meaning: 'A file is larger than 10 MB.' },
  unsupported_file_type: { status: 400, meaning: 'A file is not a PDF, DOCX, TXT or Markdown file.' },
  empty_file: { status: 400, meaning: 'A file is empty.' },
  customer_id_required: { status: 400, meaning: 'The customer’s identifier is missing or malformed.' },
  missing_api_key: { status: 401, meaning: 'The X-Authorization header with the API key is missing.' },
  invalid_api_key: { status: 401, meaning: 'The API key is malformed, unknown, revoked or expired.' },
  insufficient_permissions: {
    status: 401,
    meaning: 'The API key lacks the scope, or its user cannot access the agent.',
  },
  unauthorized_origin: { status: 403, meaning: 'The request does not come from the platform’s own web application.' },
  call_rejected: { status: 403, meaning: 'The call is rejected (the response to ElevenLabs).' },
  call_not_found: { status: 404, meaning: 'The agent has no such call.' },
  website_not_found: { status: 404, meaning: 'The agent has no such website.' },
  document_not_found: { status: 404, meaning: 'The agent has no such document.' },
  invoices_not_found: { status: 404, meaning: 'The customer is unknown or has no invoices.' },
  agent_not_found: { status: 404, meaning: 'No agent of the user has the number of the call.' },
  not_found: { status: 404, meaning: 'The path does not exist.' },
  idempotency_conflict: { status: 409, meaning: 'The Idempotency-Key was used with another request.' },
  idempotency_in_progress: { status: 409, meaning: 'The first request with this Idempotency-Key is still running.' },
  crawl_in_progress: { status: 409, meaning: 'The website is being crawled.' },
  not_failed: { status: 409, meaning: 'The document did not fail.' },
  phone_number_in_use: { status: 409, meaning: 'Another agent of the user has this phone number.' },
  quota_exceeded: {
    status: 409,
    meaning: 'The user has too many agents, or the agent too many websites and documents.',
  },
  payload_too_large: { status: 413, meaning: 'The body is too large.' },
  rate_limited: { status: 429, meaning: 'Too many requests in a short time.' },
  chat_budget_exhausted: { status: 429, meaning: 'The token budget of the chat for today is used up.' },
  internal_error: { status: 500, meaning: 'The request could not be completed. Try again later.' },
  chat_failed: { status: 500, meaning: 'The assistant could not answer.' },
} as const satisfies Record<string, { status: number; meaning: string }>;

export type ErrorCode = keyof typeof errors;

/** An invalid field of a request: its path (`numbers.3`) and what is wrong with it. */
export type ErrorDetail = { path: string; message: string };

/** An error that is reported to the caller. Anything else that is thrown is logged and answered with 500, without details. */
export class ApiError extends Error {
  override readonly name = 'ApiError';
  readonly code: ErrorCode;
  readonly details: ErrorDetail[] | undefined;
  /** Seconds after which the same request may succeed; sent as `Retry-After`. */
  readonly retryAfterSeconds: number | undefined;

  constructor(code: ErrorCode, message: string, more: { details?: ErrorDetail[]; retryAfterSeconds?: number } = {}) {
    super(message);
    this.code = code;
    this.details = more.details;
    this.retryAfterSeconds = more.retryAfterSeconds;
  }

  get status(): number {
    return errors[this.code].status;
  }
}

/** 400 that names the fields. The message has the first error and the number of the others. */
export const invalidRequest = (details: ErrorDetail[], code: ErrorCode = 'invalid_request') => {
  const [first, ...others] = details;
  if (!first) return new ApiError(code, 'The request is invalid.', { details });
  const more =
    others.length === 0 ? '' : ` (and ${others.length} more ${others.length === 1 ? 'error' : 'errors'} in details)`;
  return new ApiError(code, sentence(first) + more, { details });
};

/** 400 for one field. */
export const invalidField = (path: string, message: string) => invalidRequest([{ path, message }]);

export const missingApiKey = () => new ApiError('missing_api_key', 'Send your API key in the X-Authorization header.');

/** The same for malformed, unknown, revoked and expired keys, so that a response reveals nothing about a key. */
export const invalidApiKey = () => new ApiError('invalid_api_key', 'The API key is not valid.');

/** The same, byte for byte, for a foreign agent, a missing agent and a foreign `uid`, so that nobody can enumerate agents. */
export const insufficientPermissions = () =>
  new ApiError('insufficient_permissions', 'This API key may not do this, or there is no such agent.');

/** The scope depends on the key alone, so that naming it says nothing about any agent. */
export const missingScope = (scope: string) =>
  new ApiError('insufficient_permissions', `This API key lacks the scope "${scope}".`);

export const phoneNumberInUse = () =>
  new ApiError('phone_number_in_use', 'Another agent of this user has this phone number.');

/** `what` is what is limited: `A user can have at most 1,000 agents`. */
export const quotaExceeded = (what: string) =>
  new ApiError('quota_exceeded', `${what}. The operator of the service can raise this limit.`);

export const unauthorizedOrigin = () =>
  new ApiError('unauthorized_origin', 'This operation may only be called from the platform’s own application.');

/** Bare digits are most likely a phone number that lost its `+`: the message says so. */
export const noSuchCall = (callIdOrPhone: string) =>
  new ApiError(
    'call_not_found',
    /^\d{7,15}$/.test(callIdOrPhone)
      ? 'This agent has no call of that id. A phone number needs its leading +, also in a path.'
      : 'This agent has no such call.',
  );

export const noAgentWithNumber = () =>
  new ApiError('agent_not_found', 'No agent of this user has the number of this call. Name one by `agentId`.');

export const noSuchDocument = () => new ApiError('document_not_found', 'This agent has no such document.');
export const noSuchWebsite = () => new ApiError('website_not_found', 'This agent has no such website.');

export const payloadTooLarge = (limitBytes: number) =>
  new ApiError('payload_too_large', `The request body is larger than ${limitBytes.toLocaleString('en')} bytes.`);

const sentence = ({ path, message }: ErrorDetail) => (path ? `${path}: ${message}` : message);
