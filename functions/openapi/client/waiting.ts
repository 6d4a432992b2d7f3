import { errorResponse, wait } from './fetch.ts';
import type { Operations } from './groups.ts';
import { anySignal, type Connection, type RequestOptions, type Result, readResult } from './request.ts';
import type { BlockListImport, Document, Erasure, Website } from './types.ts';

export type WaitOptions<State> = RequestOptions & {
  /** The maximum time to wait, after which the result is an error `timeout`. Default: 600. */
  maxWaitSeconds?: number | undefined;
  /** Called with every state until the end. */
  onProgress?: ((state: State) => void) | undefined;
};

export interface DocumentWaits {
  /** Waits until the text of a document has been read and its status is `ready` or `failed`. The result does not contain the texts. */
  waitUntilReady(
    params: { uid?: string; agentId: string; documentId: string },
    options?: WaitOptions<Document>,
  ): Promise<Result<Document>>;
}

export interface WebsiteWaits {
  /** Waits until a website has been read and its status is `ready` or `failed`. The result does not contain the texts. */
  waitUntilReady(
    params: { uid?: string; agentId: string; websiteId: string },
    options?: WaitOptions<Website>,
  ): Promise<Result<Website>>;
}

export interface BlockListWaits {
  /** Waits until a file of numbers has been imported and the status of its import is `done` or `failed`. */
  waitUntilImported(
    params: { uid?: string; importId: string },
    options?: WaitOptions<BlockListImport>,
  ): Promise<Result<BlockListImport>>;
}

export interface ErasureWaits {
  /** Waits until a person has been erased and the status of the erasure is `done` or `failed`. */
  waitUntilDone(params: { uid?: string; erasureId: string }, options?: WaitOptions<Erasure>): Promise<Result<Erasure>>;
}

export const documentWaits = (connection: Connection, { documents }: Operations): DocumentWaits => ({
  waitUntilReady: ({ documentId, ...agent }, options = {}) =>
    waitForEnd(connection, options, () =>
      find(documents.list({ ...agent, content: false }, options).pages(), ({ documents }) =>
        documents.find(({ id }) => id === documentId),
      ).then((found) => found ?? notFound('document_not_found', `There is no document ${documentId}.`)),
    ),
});

export const websiteWaits = (connection: Connection, { websites }: Operations): WebsiteWaits => ({
  waitUntilReady: ({ websiteId, ...agent }, options = {}) =>
    waitForEnd(connection, options, () =>
      find(websites.list({ ...agent, content: false }, options).pages(), ({ websites }) =>
        websites.find(({ id }) => id === websiteId),
      ).then((found) => found ?? notFound('website_not_found', `There is no website ${websiteId}.`)),
    ),
});

export const blockListWaits = (connection: Connection, { blockList }: Operations): BlockListWaits => ({
  waitUntilImported: (params, options = {}) =>
    waitForEnd(connection, options, () => blockList.getImport(params, options)),
});

export const erasureWaits = (connection: Connection, { erasures }: Operations): ErasureWaits => ({
  waitUntilDone: (params, options = {}) => waitForEnd(connection, options, () => erasures.get(params, options)),
});

const notFound = (code: string, message: string): Promise<Result<never>> =>
  readResult(errorResponse(404, code, message));

/** Returns the first item that `choose` finds in the pages of a list, or the error of a page. */
const find = async <Page, Item>(
  pages: AsyncIterable<Result<Page>>,
  choose: (page: Page) => Item | undefined,
): Promise<Result<Item> | undefined> => {
  for await (const page of pages) {
    if (page.error) return page;
    const { data, response } = page;
    const found = choose(data);
    if (found) return { data: found, response };
  }
  return undefined;
};

const endStatuses = ['ready', 'done', 'failed'];

/** Reads a state repeatedly, at increasing intervals. */
const waitForEnd = async <State extends { status: string }>(
  connection: Connection,
  { maxWaitSeconds = 600, onProgress, signal }: WaitOptions<State>,
  read: () => Promise<Result<State>>,
): Promise<Result<State>> => {
  const startedAt = performance.now();
  for (let waitSeconds = 0.2; ; waitSeconds = Math.min(waitSeconds * 1.5, 3)) {
    const result = await read();
    if (!result.data || endStatuses.includes(result.data.status)) return result;
    onProgress?.(result.data);
    if ((performance.now() - startedAt) / 1000 + waitSeconds > maxWaitSeconds) {
      const { status } = result.data;
      return readResult(
        errorResponse(504, 'timeout', `The status is still ${status} after ${maxWaitSeconds} seconds.`),
      );
    }
    await wait(waitSeconds, anySignal(connection.signal, signal));
  }
};
