import { isJsonObject, parseJson } from '../domain/json.ts';

/** Why a platform did not respond with what was asked for. */
export class PlatformError extends Error {
  override readonly name = 'PlatformError';
  /** The status of the response; undefined when there was none. */
  readonly status: number | undefined;
  /** When the platform wants to be asked again, if it says so. */
  readonly retryAfterSeconds: number | undefined;
  readonly isTooLarge: boolean;

  constructor(message: string, more: { status?: number; retryAfterSeconds?: number; isTooLarge?: boolean } = {}) {
    super(message);
    this.status = more.status;
    this.retryAfterSeconds = more.retryAfterSeconds;
    this.isTooLarge = more.isTooLarge ?? false;
  }

  /** The platform does not accept the API key. */
  get isRefusal(): boolean {
    return this.status === 401 || this.status === 403;
  }

  /** The same request may succeed later. */
  get isPassing(): boolean {
    const { status, isTooLarge } = this;
    return !isTooLarge && (status === undefined || status === 408 || status === 429 || status >= 500);
  }
}

const timeoutMilliseconds = 30_000;
/** The maximum size of a response. A page of calls with their transcripts is several megabytes. */
const maxBytes = 48 * 1024 * 1024;

/** Sends requests to the API of a voice platform. */
export class PlatformRequests {
  readonly #base: string;
  readonly #headers: Record<string, string>;

  /** `base` is an origin; the headers authenticate. */
  constructor(base: string, headers: Record<string, string>) {
    this.#base = base;
    this.#headers = headers;
  }

  /** Returns the JSON of a response. A path stays on the platform's origin. */
  async send(path: string, { query = {}, body }: { query?: Query; body?: object } = {}): Promise<unknown> {
    const address = new URL(path, this.#base);
    if (address.origin !== new URL(this.#base).origin)
      throw new PlatformError('The next page is at another address.', { status: 400 });
    for (const [name, value] of Object.entries(query))
      if (value !== undefined) address.searchParams.set(name, String(value));
    const response = await this.#fetch(address, body);
    const { status, headers } = response;
    if (!response.ok) {
      await response.body?.cancel();
      throw new PlatformError(`The response has the status ${status}.`, {
        status,
        retryAfterSeconds: readRetryAfter(headers),
      });
    }
    try {
      return parseJson(await readBody(response));
    } catch (error) {
      if (error instanceof PlatformError) throw error;
      throw new PlatformError('The response is not JSON.');
    }
  }

  /** Returns the JSON object of a response. Undefined: the platform has no such resource. */
  async find(path: string): Promise<Record<string, unknown> | undefined> {
    try {
      const found = await this.send(path);
      return isJsonObject(found) ? found : undefined;
    } catch (error) {
      if (error instanceof PlatformError && error.status === 404) return undefined;
      throw error;
    }
  }

  async #fetch(address: URL, body: object | undefined): Promise<Response> {
    try {
      return await fetch(address, {
        method: body ? 'POST' : 'GET',
        headers: { accept: 'application/json', ...this.#headers, ...(body && { 'content-type': 'application/json' }) },
        body: body && JSON.stringify(body),
        redirect: 'manual',
        signal: AbortSignal.timeout(timeoutMilliseconds),
      });
    } catch {
      throw new PlatformError('There is no response.');
    }
  }
}

type Query = Record<string, string | number | undefined>;

/** Returns a body of at most `maxBytes`. */
const readBody = async (response: Response): Promise<Buffer> => {
  const chunks: Uint8Array[] = [];
  let bytes = 0;
  for await (const chunk of response.body ?? []) {
    bytes += chunk.length;
    if (bytes > maxBytes) throw new PlatformError('The response is too large.', { status: 200, isTooLarge: true });
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
};

/** Returns the seconds of a Retry-After, which has seconds or a date. */
const readRetryAfter = (headers: Headers): number | undefined => {
  const value = headers.get('retry-after') ?? '';
  const seconds = /^\d{1,9}(\.\d+)?$/.test(value) ? Number(value) : (Date.parse(value) - Date.now()) / 1000;
  return Number.isFinite(seconds) ? Math.max(0, Math.ceil(seconds)) : undefined;
};
