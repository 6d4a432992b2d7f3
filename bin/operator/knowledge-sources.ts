import { setTimeout as sleep } from 'node:timers/promises';
import type { Schema } from '../../functions/openapi/client.ts';
import { refusedBy, type Service } from './service.ts';
import { sentenceOf } from './usage-error.ts';

export type DocumentSummary = Schema<'Document'>;
export type WebsiteSummary = Schema<'Website'>;

type Source = { id: string; status: string };

/** Watches sources until each has come to an end, or is gone. When they can no longer be watched, `fault` says why. */
export const settled = async <S extends Source>(
  read: () => Promise<S[]>,
  ids: string[],
  stop: AbortSignal,
  onEnd: (source: S) => void = () => {},
): Promise<{ found: Map<string, S>; fault?: string }> => {
  let found = new Map<string, S>();
  const ended = new Set<string>();
  try {
    for (let waited = 300; ; waited = Math.min(waited * 1.5, 5000)) {
      const wanted = (await read()).filter(({ id }) => ids.includes(id));
      found = new Map(wanted.map((source) => [source.id, source]));
      for (const source of wanted) {
        if (ended.has(source.id) || !hasEnded(source)) continue;
        ended.add(source.id);
        onEnd(source);
      }
      if (wanted.every(hasEnded)) return { found };
      await sleep(waited, undefined, { signal: stop });
    }
  } catch (error) {
    return {
      found,
      fault: stop.aborted ? stoppedMeanwhile : `${sentenceOf(error)} What was sent is read all the same.`,
    };
  }
};

/** What is told to an operator who no longer waits. */
export const stoppedMeanwhile = 'Stopped. What was sent is read all the same: "knowledge list" tells of it.';

const hasEnded = ({ status }: Source) => status === 'ready' || status === 'failed';

export const documentsOf = ({ api, uid, agentId }: Service): Promise<DocumentSummary[]> =>
  all(async (cursor) => {
    const query = { uid, agentId, content: 'false' as const, ...(cursor && { cursor }) };
    const { data, error, response } = await api.GET('/agent-documents', { params: { query } });
    if (!data) throw refusedBy(response, error);
    return { items: data.documents, nextCursor: data.nextCursor };
  });

export const websitesOf = ({ api, uid, agentId }: Service): Promise<WebsiteSummary[]> =>
  all(async (cursor) => {
    const query = { uid, agentId, content: 'false' as const, ...(cursor && { cursor }) };
    const { data, error, response } = await api.GET('/agent-websites', { params: { query } });
    if (!data) throw refusedBy(response, error);
    return { items: data.websites, nextCursor: data.nextCursor };
  });

const all = async <T>(page: (cursor?: string) => Promise<{ items: T[]; nextCursor?: string | undefined }>) => {
  const found: T[] = [];
  for (let cursor: string | undefined; ; ) {
    const { items, nextCursor } = await page(cursor);
    found.push(...items);
    if (!nextCursor) return found;
    cursor = nextCursor;
  }
};
