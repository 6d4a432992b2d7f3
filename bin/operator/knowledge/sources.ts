import { setTimeout as sleep } from 'node:timers/promises';
import { type Document, dataOf, type Website } from '../../../functions/openapi/client/client.ts';
import { describeError } from '../../command-line/describe-error.ts';
import { CommandError } from '../../command-line/exit-codes.ts';
import type { Service } from '../service.ts';

export const stoppedWaiting = 'Stopped. What was sent is processed all the same. See "knowledge list".';

/** Waits until documents are ready, failed or deleted. `problem` says why waiting ended earlier. */
export const waitForDocuments = async (
  service: Service,
  ids: string[],
  stop: AbortSignal,
  onEnd: (document: Document) => void,
): Promise<{ found: Map<string, Document>; problem?: string }> => {
  let found = new Map<string, Document>();
  const ended = new Set<string>();
  try {
    for (let waited = 300; ; waited = Math.min(waited * 1.5, 5000)) {
      const wanted = (await listDocuments(service)).filter(({ id }) => ids.includes(id));
      found = new Map(wanted.map((document) => [document.id, document]));
      for (const document of wanted) {
        if (ended.has(document.id) || !hasEnded(document)) continue;
        ended.add(document.id);
        onEnd(document);
      }
      if (wanted.every(hasEnded)) return { found };
      await sleep(waited, undefined, { signal: stop });
    }
  } catch (error) {
    const problem = stop.aborted ? stoppedWaiting : `${describeError(error)} What was sent is processed all the same.`;
    return { found, problem };
  }
};

const hasEnded = ({ status }: Document) => status === 'ready' || status === 'failed';

const listDocuments = ({ api, uid, agentId }: Service): Promise<Document[]> =>
  Array.fromAsync(api.documents.list({ uid, agentId, content: false }));

const listWebsites = ({ api, uid, agentId }: Service): Promise<Website[]> =>
  Array.fromAsync(api.websites.list({ uid, agentId, content: false }));

/** Finds a website or document by its id, or fails. */
export const existingSource = async (service: Service, id: string): Promise<Website | Document> => {
  const sources = isWebsite(id) ? await listWebsites(service) : await listDocuments(service);
  const found = sources.find((one) => one.id === id);
  if (!found) throw new CommandError(`Agent ${service.agentId} has no website or document ${id}.`);
  return found;
};

/** Yields the text of a website or document, plain or as Markdown, in pieces. */
export async function* readText(
  { api, uid, agentId }: Service,
  id: string,
  field: 'content' | 'contentMD',
): AsyncGenerator<string> {
  const pieces = isWebsite(id)
    ? api.websites.getContent({ uid, agentId, websiteId: id })
    : api.documents.getContent({ uid, agentId, documentId: id });
  for await (const piece of pieces.pages()) yield dataOf<Record<typeof field, string>>(piece)[field];
}

const isWebsite = (id: string) => id.startsWith('web_');
