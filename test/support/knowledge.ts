import { textPieceCollection } from '../../functions/store/keys.ts';
import { documentReads, documents } from '../../functions/store/sources/documents.ts';
import { websiteReads } from '../../functions/store/sources/website-reads.ts';
import { websites } from '../../functions/store/sources/websites.ts';
import { table } from '../../functions/store/table.ts';
import { until } from './until.ts';
import { upload as sendFiles } from './uploads.ts';
import type { World } from './world.ts';

/** The stores of both kinds of source, as jobs use them. */
export const stores = () => ({
  website: { reads: websiteReads.get(), writes: websites.get() },
  document: { reads: documentReads.get(), writes: documents.get() },
});

/** Searches the knowledge of a world's agent, as the holder of its key. */
export const search = (world: World, query: string, more: object = {}) =>
  world.call('POST', '/agent-knowledge/search', {
    body: { uid: world.uid, agentId: world.agentId, query, ...more },
  });

export type Found = {
  text: string;
  score: number;
  kind: string;
  sourceId: string;
  name: string;
  start: number;
  url?: string;
  title?: string;
};
export const found = async (world: World, query: string, more: object = {}): Promise<Found[]> =>
  (await search(world, query, more)).body.passages;
export const textsFound = async (world: World, query: string, more: object = {}) =>
  (await found(world, query, more)).map(({ text }) => text);

/** Uploads files to a world's agent, and waits until all its documents are ready. */
export const upload = async (world: World, files: Record<string, string | Uint8Array>): Promise<string[]> => {
  const { body } = await sendFiles(world, Object.entries(files));
  const query = { uid: world.uid, agentId: world.agentId, content: 'false' };
  await until(async () => {
    const listed = await world.call('GET', '/agent-documents', { query });
    return listed.body.documents.every(({ status }: { status: string }) => status === 'ready');
  });
  return body.documentIds;
};

export const change = (world: World, documentId: string, body: object) =>
  world.call('PATCH', '/agent-documents', { body: { uid: world.uid, agentId: world.agentId, documentId, ...body } });

export const remove = (world: World, documentId: string) =>
  world.call('DELETE', '/agent-documents', { query: { uid: world.uid, agentId: world.agentId, documentId } });

/** The keys of the pieces that are stored of a source's text. */
export const readPieces = async (sourceId: string) => {
  const keys: string[] = [];
  for await (const { sk } of table.get().query(textPieceCollection(sourceId), { keysOnly: true })) keys.push(sk);
  return keys;
};

export const setLanguage = (world: World, language: string | null) =>
  world.call('PATCH', `/agents/${world.agentId}`, { body: { configuration: { language } } });
