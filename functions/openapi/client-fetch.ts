export type RetryOptions = {
  /** How often a failed request is sent again; 3 by default. */
  retries?: number;
  /** How long one attempt may take, with its response's body; 60 by default, slightly longer than the service may take. */
  timeoutSeconds?: number;
  /** Sends the requests instead of the platform's own `fetch`. */
  fetch?: ((request: Request) => Promise<Response>) | undefined;
};

/** A service that asks to be left alone for longer than this is not waited for. */
const maxRetryAfterSeconds = 60;

/**
 * A `fetch` that sends a request again when that may help: after a lost connection, a timeout, 429, 5xx, or 409 with
 * `Retry-After`. Every POST and PATCH carries an Idempotency-Key, so that it is carried out at most once. What fails
 * without a response, or with one that is not the service's own, becomes a response with a code as well.
 */
export const persistentFetch =
  ({ retries = 3, timeoutSeconds = 60, fetch = (request) => globalThis.fetch(request) }: RetryOptions) =>
  async (request: Request): Promise<Response> => {
    const isChat = new URL(request.url).pathname.endsWith('/chat/build');
    const isKeyed = request.headers.has('x-authorization') && !isChat;
    if (isKeyed && /^(POST|PATCH)$/.test(request.method) && !request.headers.has('idempotency-key')) {
      request.headers.set('idempotency-key', randomKey());
    }
    for (let retriesLeft = isChat ? 0 : retries; ; retriesLeft--) {
      const signal = AbortSignal.any([request.signal, AbortSignal.timeout(timeoutSeconds * 1000)]);
      const attempt = new Request(retriesLeft > 0 ? request.clone() : request, { signal });
      const response = await fetch(attempt).catch((error: Error) => {
        request.signal.throwIfAborted();
        return withoutResponse(error, new URL(request.url).origin, timeoutSeconds);
      });
      const waitSeconds = secondsToWait(response, retries - retriesLeft);
      if (retriesLeft <= 0 || !isWorthRepeating(response) || waitSeconds > maxRetryAfterSeconds)
        return withCode(response);
      await response.body?.cancel();
      await wait(waitSeconds, request.signal);
    }
  };

const isWorthRepeating = ({ status, headers }: Response) =>
  status === 429 || status >= 500 || (status === 409 && headers.has('retry-after'));

/** Whether an error stands for a request without a response, which may have been carried out. */
export const hasNoResponse = <E extends { error: string }>(
  error: E | undefined,
): error is E & { error: 'unreachable' | 'timeout' } => error?.error === 'unreachable' || error?.error === 'timeout';

/** The seconds that a response asks to wait. `Retry-After` is a number of seconds or a date. */
export const retryAfterSeconds = ({ headers }: Response): number => {
  const after = headers.get('retry-after') ?? '';
  return /^\d+$/.test(after) ? Number(after) : Math.max(0, (Date.parse(after) - Date.now()) / 1000) || 0;
};

/** `Retry-After` and exponential backoff, with jitter. */
const secondsToWait = (response: Response, attempt: number): number =>
  retryAfterSeconds(response) + Math.min(8, 0.25 * 2 ** attempt) * (0.5 + Math.random() / 2);

const wait = (seconds: number, signal: AbortSignal) =>
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

/** The response to a request that got none. */
const withoutResponse = (error: Error & { cause?: unknown }, origin: string, timeoutSeconds: number): Response => {
  if (error.name === 'TimeoutError') {
    return errorResponse(504, 'timeout', `${origin} did not respond within ${timeoutSeconds} seconds.`);
  }
  if (!(error instanceof TypeError)) throw error;
  const { code, message } = (error.cause ?? error) as { code?: string; message: string };
  return errorResponse(503, 'unreachable', `${origin} cannot be reached (${code ?? message}).`);
};

/** An error of the service carries a code; one of the gateway before it, of a proxy or of the file store gets the code of its status. */
const withCode = async (response: Response): Promise<Response> => {
  if (response.ok) return response;
  const text = await response.text();
  const body = parse(text);
  if (typeof body?.error === 'string') return new Response(text, response);
  const { status, headers } = response;
  const message = body?.message ?? /<Message>([^<]+)</.exec(text)?.[1] ?? `The gateway responded ${status}.`;
  return errorResponse(status, codeOf(status), message, headers);
};

const codeOf = (status: number) =>
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

const errorResponse = (status: number, error: string, message: string, headers = new Headers()) => {
  const kept = new Headers([...headers].filter(([name]) => !/^content-/.test(name)));
  kept.set('content-type', 'application/json');
  return new Response(JSON.stringify({ error, message }), { status, headers: kept });
};

/** Browsers have `crypto.randomUUID` on secure origins alone. */
const randomKey = () =>
  Array.from(crypto.getRandomValues(new Uint8Array(16)), (byte) => byte.toString(16).padStart(2, '0')).join('');
