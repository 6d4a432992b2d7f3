export type RetryOptions = {
  /** The maximum number of retries of a failed request. Default: 3. */
  retries?: number | undefined;
  /** The timeout of one attempt, including the body of its response. Default: 60, slightly longer than the service may take. */
  timeoutSeconds?: number | undefined;
  /** Called after every attempt, as in `log: console.log`. */
  log?: ((attempt: LogEntry) => void) | undefined;
  /** Sends the requests instead of the platform's own `fetch`. */
  fetch?: ((request: Request) => Promise<Response>) | undefined;
};

/** One attempt to send a request. It contains no key, phone number or other parameter. */
export type LogEntry = {
  /** The name of the operation, such as `calls.list`. */
  operation: string;
  attempt: number;
  status: number;
  milliseconds: number;
  /** The id of the request in the service's log. */
  requestId?: string | undefined;
  /** The delay in seconds before the request is sent again. */
  retryAfterSeconds?: number;
  /** Fields and parameters of the request that the service does not know. */
  ignoredFields?: string | undefined;
};

export type SendOptions = Pick<RetryOptions, 'retries' | 'timeoutSeconds' | 'fetch'> & {
  operation: string;
  /** Returns the response as soon as its headers have arrived. */
  stream?: true | undefined;
};

export type PersistentFetch = (request: Request, options: SendOptions) => Promise<Response>;

/** The client does not wait for a service that asks for a longer pause than this. */
const maxRetryAfterSeconds = 60;

/**
 * A `fetch` that sends a request again when that may help: after a lost connection, a timeout, 429, 5xx, or 409 with
 * `Retry-After`. A request that gets no response, or one from a proxy or gateway, results in a response with a code as well.
 */
export const persistentFetch = (client: RetryOptions): PersistentFetch => {
  return async (request, { operation, stream, ...options }) => {
    const fetch = options.fetch ?? client.fetch ?? ((request) => globalThis.fetch(request));
    const retries = options.retries ?? client.retries ?? 3;
    const timeoutSeconds = options.timeoutSeconds ?? client.timeoutSeconds ?? 60;
    for (let attempt = 1; ; attempt++) {
      const isLast = attempt > retries;
      const startedAt = performance.now();
      const response = await send(isLast ? request : request.clone());
      const milliseconds = Math.round(performance.now() - startedAt);
      const waitSeconds = secondsToWait(response, attempt);
      const willRetry = !isLast && isWorthRepeating(response) && waitSeconds <= maxRetryAfterSeconds;
      client.log?.({
        operation,
        attempt,
        status: response.status,
        milliseconds,
        requestId: response.headers.get('x-request-id') ?? undefined,
        ignoredFields: response.headers.get('x-ignored-fields') ?? undefined,
        ...(willRetry && { retryAfterSeconds: waitSeconds }),
      });
      if (!willRetry) return response.ok ? response : withCode(response);
      await response.body?.cancel();
      await wait(waitSeconds, request.signal);
    }

    async function send(attempt: Request): Promise<Response> {
      try {
        const signal = AbortSignal.any([request.signal, AbortSignal.timeout(timerMilliseconds(timeoutSeconds))]);
        const sent = new Request(attempt, { signal });
        const response = await fetch(sent).finally(() => sent);
        if (isRedirect(response)) return refusedRedirect(response, new URL(request.url).origin);
        if (response.body) requestsOf.set(response.body, [request, sent]);
        return stream ? response : await whole(response);
      } catch (error) {
        request.signal.throwIfAborted();
        return withoutResponse(error as Error, new URL(request.url).origin, timeoutSeconds);
      }
    }
  };
};

/**
 * Node aborts by way of `Request` objects. The map keeps them until the body of the response has been read; until the response
 * arrives, a callback keeps the one that `send` makes.
 */
const requestsOf = new WeakMap<ReadableStream, Request[]>();

/** A browser hides the status and the target of a redirect. */
const isRedirect = ({ type, status }: Response) => type === 'opaqueredirect' || (status >= 300 && status < 400);

/** Returns the client's own response for a redirect, which would take the API key to another address. */
const refusedRedirect = async ({ body, headers }: Response, origin: string): Promise<Response> => {
  await body?.cancel();
  const target = URL.parse(headers.get('location') ?? '', origin)?.origin;
  const place = target && target !== origin ? target : 'another address';
  const message = `${origin} redirects to ${place}, where the API key was not sent. Is baseUrl the address of the service?`;
  return errorResponse(400, 'misconfigured', message);
};

/** Timers take whole milliseconds, and no more than 31 bits. */
const timerMilliseconds = (seconds: number) => Math.min(Math.round(seconds * 1000), 2 ** 31 - 1);

/** A response whose body has arrived. */
const whole = async (response: Response): Promise<Response> => {
  const { status, statusText, headers } = response;
  const hasNoBody = status === 204 || status === 304;
  return new Response(hasNoBody ? null : await response.arrayBuffer(), { status, statusText, headers });
};

const isWorthRepeating = ({ status, headers }: Response) =>
  status === 429 || status >= 500 || (status === 409 && headers.has('retry-after'));

/** Returns true if an error means that a request got no response. The service may have performed the request. */
export const hasNoResponse = <E extends { error: string }>(
  error: E | undefined,
): error is E & { error: 'unreachable' | 'timeout' } => error?.error === 'unreachable' || error?.error === 'timeout';

/** Returns the wait in seconds that a response requests. `Retry-After` is a number of seconds or a date. */
export const retryAfterSeconds = ({ headers }: Response): number => {
  const after = headers.get('retry-after') ?? '';
  return /^\d+$/.test(after) ? Number(after) : Math.max(0, (Date.parse(after) - Date.now()) / 1000) || 0;
};

/** `Retry-After` and exponential backoff, with jitter. */
const secondsToWait = (response: Response, attempt: number): number =>
  retryAfterSeconds(response) + Math.min(8, 0.25 * 2 ** (attempt - 1)) * (0.5 + Math.random() / 2);

export const wait = (seconds: number, signal: AbortSignal) =>
  new Promise<void>((resolve, reject) => {
    const stop = () => {
      clearTimeout(timer);
      reject(signal.reason);
    };
    const timer = setTimeout(() => {
      signal.removeEventListener('abort', stop);
      resolve();
    }, seconds * 1000);
    signal.addEventListener('abort', stop, { once: true });
    if (signal.aborted) stop();
  });

/** Returns the client's own response for a request that got none. */
const withoutResponse = (error: Error & { cause?: unknown }, origin: string, timeoutSeconds: number): Response => {
  if (error.name === 'TimeoutError') {
    return errorResponse(504, 'timeout', `${origin} did not respond within ${timeoutSeconds} seconds.`);
  }
  if (error instanceof RangeError) return errorResponse(400, 'misconfigured', `timeoutSeconds: ${error.message}`);
  const { code, message } = (error.cause ?? error) as { code?: string; message: string };
  // A message about a header can have the API key in it.
  const reason = code ?? (/header/i.test(message) ? 'a header cannot be sent' : message);
  return errorResponse(503, 'unreachable', `${origin} cannot be reached (${reason}).${corsHint(origin)}`);
};

/** Returns a hint for a failed connection: a browser does not report that it blocked a request to another origin. */
const corsHint = (origin: string) => {
  const { location } = globalThis as { location?: { origin: string } };
  return location && location.origin !== origin
    ? ` Does the service's setting APP_ORIGIN name the origin of this page, ${location.origin}?`
    : '';
};

/** An error of the service carries a code; one of the gateway before it, of a proxy or of the file store gets the code of its status. */
const withCode = async (response: Response): Promise<Response> => {
  const text = await response.text();
  const body = parse(text);
  if (typeof body?.error === 'string') return new Response(text, response);
  const { status, headers } = response;
  const message = body?.message ?? /<Message>([^<]+)</.exec(text)?.[1] ?? `The gateway responded ${status}.`;
  return errorResponse(status, fallbackCode(status), message, headers);
};

const fallbackCode = (status: number) =>
  ({ 404: 'not_found', 413: 'payload_too_large', 429: 'rate_limited', 504: 'timeout' })[status] ??
  (status >= 500 ? 'internal_error' : 'invalid_request');

const parse = (text: string): { error?: unknown; message?: string } | undefined => {
  try {
    const body: unknown = JSON.parse(text);
    return typeof body === 'object' && body !== null ? body : undefined;
  } catch {
    return undefined;
  }
};

/** Returns a response that the client itself creates. */
export const errorResponse = (status: number, error: string, message: string, headers = new Headers()): Response => {
  const kept = new Headers([...headers].filter(([name]) => !/^content-/.test(name)));
  kept.set('content-type', 'application/json');
  return new Response(JSON.stringify({ error, message }), { status, headers: kept });
};
