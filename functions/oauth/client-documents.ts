import { fetch, type Response } from 'undici';
import { connectionProblem, listCauses } from '../clients/public-web/connection-problem.ts';
import { type FetchPolicy, openPublicConnections } from '../clients/public-web/public-connections.ts';
import { isJsonObject } from '../domain/json.ts';
import { limits } from '../domain/limits.ts';
import { environment } from '../environment.ts';
import { toNetwork } from '../http/address.ts';
import { wholeService } from '../service.ts';
import { ClientError, type OAuthClient, readClientName } from './client.ts';
import { isRedirectUri } from './redirects.ts';

const timeoutMilliseconds = limits.clientDocumentSeconds * 1000;
const shortestMilliseconds = 5 * 60 * 1000;
const longestMilliseconds = 24 * 60 * 60 * 1000;
/** A failure is remembered, so that a reload does not fetch again. */
const failureMilliseconds = 30 * 1000;
const maxDocuments = 500;
const minuteMilliseconds = 60 * 1000;

type Kept = { until: number; document: Promise<OAuthClient> };

/**
 * Reads Client ID Metadata Documents (draft-ietf-oauth-client-id-metadata-document): the https URL of the document is the id of
 * the client. Documents are kept in the process for 5 minutes to 24 hours, as their headers say.
 */
export class ClientDocuments {
  readonly #policy: FetchPolicy;
  readonly #kept = new Map<string, Kept>();
  /** The times of the fetches of each network in the last minute. */
  readonly #fetches = new Map<string, number[]>();

  constructor(policy: FetchPolicy) {
    this.#policy = policy;
  }

  /** Returns the client of an id. Throws a `ClientError` with the reason. `address` is whose request it is. */
  async find(clientId: string, address: string): Promise<OAuthClient> {
    const kept = this.#kept.get(clientId);
    if (kept && kept.until > Date.now()) return kept.document;
    this.#countFetch(address);
    const document = this.#fetch(clientId);
    // It is asked for once, also by several requests at the same time.
    const entry: Kept = { until: Date.now() + failureMilliseconds, document: document.then(({ client }) => client) };
    this.#keep(clientId, entry);
    const { client, milliseconds } = await document;
    entry.until = Date.now() + milliseconds;
    return client;
  }

  #keep(clientId: string, entry: Kept) {
    entry.document.catch(() => {});
    this.#kept.delete(clientId);
    this.#kept.set(clientId, entry);
    if (this.#kept.size > maxDocuments) this.#kept.delete(this.#kept.keys().next().value as string);
  }

  /** Bounds the requests to strangers' servers that one address can cause. */
  #countFetch(address: string) {
    const now = Date.now();
    const network = toNetwork(address);
    const recent = (this.#fetches.get(network) ?? []).filter((at) => at > now - minuteMilliseconds);
    if (recent.length >= limits.clientDocumentsPerMinute)
      throw new ClientError('Too many clients were looked up from your address. Try again in a minute.', 429);
    this.#fetches.delete(network);
    this.#fetches.set(network, [...recent, now]);
    if (this.#fetches.size > maxDocuments) this.#fetches.delete(this.#fetches.keys().next().value as string);
  }

  async #fetch(clientId: string): Promise<{ client: OAuthClient; milliseconds: number }> {
    const connections = openPublicConnections(this.#policy, timeoutMilliseconds);
    try {
      const response = await fetch(clientId, {
        dispatcher: connections,
        headers: { accept: 'application/json' },
        redirect: 'manual',
        signal: AbortSignal.timeout(timeoutMilliseconds),
      });
      if (response.status !== 200) throw new ClientError(`Its document answered with status ${response.status}.`);
      const client = readDocument(clientId, await readText(response));
      return { client, milliseconds: findLifetime(response.headers.get('cache-control') ?? '') };
    } catch (error) {
      if (error instanceof ClientError) throw error;
      const isLate = (error as Error).name === 'TimeoutError';
      const reason = isLate
        ? `Its document took longer than ${limits.clientDocumentSeconds} seconds.`
        : (connectionProblem(listCauses(error)) ?? 'Its document cannot be read.');
      throw new ClientError(reason);
    } finally {
      await connections.destroy();
    }
  }
}

/** Reads the body up to its maximum size, decoded: a bomb is never inflated. */
const readText = async (response: Response): Promise<string> => {
  const chunks: Uint8Array[] = [];
  let size = 0;
  for await (const chunk of response.body ?? []) {
    size += chunk.length;
    if (size > limits.clientDocumentBytes)
      throw new ClientError(`Its document is larger than ${limits.clientDocumentBytes / 1024} KB.`);
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString();
};

const findLifetime = (cacheControl: string): number => {
  const [, seconds] = /(?:^|[\s,])max-age="?(\d{1,9})/i.exec(cacheControl) ?? [];
  const isKept = seconds !== undefined && !/\bno-(?:store|cache)\b/i.test(cacheControl);
  return Math.min(longestMilliseconds, Math.max(shortestMilliseconds, isKept ? Number(seconds) * 1000 : 0));
};

/** A client with a key of its own is served as a public one: the metadata offer no other way. */
const publicMethods: ReadonlySet<unknown> = new Set([undefined, 'none', 'private_key_jwt']);

const readDocument = (clientId: string, text: string): OAuthClient => {
  const document = parse(text);
  if (!isJsonObject(document)) throw new ClientError('Its document is not a JSON object.');
  if (document.client_id !== clientId) throw new ClientError('Its document is of another client.');
  if ('client_secret' in document || 'client_secret_expires_at' in document)
    throw new ClientError('Its document has a secret, which everybody can read.');
  if (!publicMethods.has(document.token_endpoint_auth_method))
    throw new ClientError('Its document asks for a shared secret, which it cannot have.');
  const uris = document.redirect_uris;
  if (!Array.isArray(uris) || uris.length === 0) throw new ClientError('Its document has no redirect_uris.');
  return { name: readClientName(document.client_name), redirectUris: uris.filter(isRedirectUri) };
};

const parse = (text: string): unknown => {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
};

export const clientDocuments = /* @__PURE__ */ wholeService(
  () => new ClientDocuments({ trustedOrigins: environment.crawlTrustedOrigins }),
);
