import { claimCount, currentRequestId, noteRateLimit } from '../cause.ts';
import type { Scope } from '../domain/api-keys.ts';
import { callerMark, callerMarkHeader, type InnerCaller } from '../domain/caller-mark.ts';
import { ApiError, type ErrorCode, type ErrorDetail, errorStatuses } from '../domain/errors.ts';
import { isJsonObject, parseJson, withoutUndefined } from '../domain/json.ts';
import { ownRequestTimeoutSeconds } from '../domain/timeouts.ts';
import { newSpanId, readTrace, toRequestId, traceHeaders } from '../domain/trace.ts';
import { edgeSecretHeader, environment } from '../environment.ts';
import { wholeService } from '../service.ts';

/** A request to an operation of this service. */
export type OwnRequest = {
  method: string;
  /** With the query. */
  path: string;
  body?: string;
  headers?: Record<string, string>;
  timeoutMilliseconds?: number;
};

/** The response of an operation: its status, and its body as a JSON object. An error always has a code and a message. */
export type OwnResponse = { status: number; body: Record<string, unknown>; retryAfterSeconds?: number };

/** The owner of a request's key, and its scopes. */
export type KeyOwner = { keyId: string; uid: string; scopes: Scope[] };

const ownerTimeoutMilliseconds = 8000;

/** Sends requests to the own API with a caller's key. Throws only if there is no response. */
export class OwnApi {
  readonly #caller: InnerCaller;
  readonly #scopes: Scope[] | undefined;

  /** The requests are marked as sent by this part of the service, for the request that it handles. */
  constructor(caller: InnerCaller, scopes?: Scope[]) {
    this.#caller = caller;
    this.#scopes = scopes;
  }

  /** Returns a client whose requests may do no more than these scopes, whatever the key may. */
  narrow(scopes: Scope[] | undefined): OwnApi {
    return scopes ? new OwnApi(this.#caller, scopes) : this;
  }

  async send({ method, path, body, headers, ...more }: OwnRequest, apiKey: string): Promise<OwnResponse> {
    const [edgeSecret] = environment.edgeSecrets;
    const [markSecret] = environment.callerMarkSecrets;
    const reference = currentRequestId() ?? '';
    const call = {
      caller: this.#caller,
      requestId: toRequestId(reference),
      scopes: this.#scopes,
      counts: claimCount(),
    };
    const response = await fetch(environment.apiUrl + path, {
      method,
      redirect: 'error',
      signal: AbortSignal.timeout(more.timeoutMilliseconds ?? ownRequestTimeoutSeconds * 1000),
      headers: {
        ...headers,
        // Without a caller's trace, that of an inner request follows from the same id.
        ...(reference.includes(' ') && continueTrace(reference)),
        'x-authorization': apiKey,
        ...(markSecret && { [callerMarkHeader]: callerMark(call, markSecret, apiKey) }),
        ...(edgeSecret && { [edgeSecretHeader]: edgeSecret }),
        ...(body !== undefined && { 'content-type': 'application/json' }),
      },
      body,
    });
    const { status } = response;
    if (call.counts) noteRateLimit(pickRateLimit(response.headers));
    const sent = parseObject(await response.text());
    if (status < 400) return { status, body: sent };
    const retryAfterSeconds = Number(response.headers.get('retry-after')) || undefined;
    return { status, body: errorBody(status, sent), retryAfterSeconds };
  }

  /** Returns the owner of a key. Throws a 401 for an invalid key. */
  async findKeyOwner(apiKey: string): Promise<KeyOwner> {
    const request = { method: 'GET', path: '/key', timeoutMilliseconds: ownerTimeoutMilliseconds };
    return requireSuccess(await this.send(request, apiKey)) as KeyOwner;
  }
}

/** Returns the body of a successful response. Throws the error of any other response. */
export const requireSuccess = ({ status, body, retryAfterSeconds }: OwnResponse): Record<string, unknown> => {
  if (status < 400) return body;
  const { error, message, details, version } = body as {
    error: ErrorCode;
    message: string;
    details?: ErrorDetail[];
    version?: number;
  };
  if (status >= 500 || error === 'internal_error') throw new Error(`The API responded with ${status}.`);
  throw new ApiError(error, message, withoutUndefined({ details, version, retryAfterSeconds }));
};

/** Returns the headers of the caller's trace as they came. */
const continueTrace = (reference: string): Record<string, string> => {
  const trace = readTrace(reference);
  return traceHeaders(trace, trace.parentId ?? newSpanId());
};

/** Returns the headers about the limit of the key, if it has one. */
const pickRateLimit = (headers: Headers): Record<string, string> =>
  Object.fromEntries([...headers].filter(([name]) => name.startsWith('ratelimit')));

const parseObject = (text: string): Record<string, unknown> => {
  try {
    const value = parseJson(text);
    return isJsonObject(value) ? value : {};
  } catch {
    return {};
  }
};

/** The body of API Gateway's own responses, which has only a `message`. */
const errorBody = (status: number, body: Record<string, unknown>) => {
  if (Object.hasOwn(errorStatuses, String(body.error)) && typeof body.message === 'string') return body;
  const error = status === 429 ? 'rate_limited' : status === 413 ? 'payload_too_large' : 'internal_error';
  return { error, message: `The API responded with ${status}. Try again later.` };
};

export const ownApiOfChat = /* @__PURE__ */ wholeService(() => new OwnApi('chat'));
export const ownApiOfMcp = /* @__PURE__ */ wholeService(() => new OwnApi('mcp'));
