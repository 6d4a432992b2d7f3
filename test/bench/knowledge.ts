import { newIdentifier } from '../../functions/domain/identifiers.ts';
import { buildIndex } from '../../functions/search/source-index.ts';
import { documents } from '../../functions/store/sources/documents.ts';
import { websites } from '../../functions/store/sources/websites.ts';

const attempt = 'first';
const changed = () => ({ lastUpdatedBy: 'bench-user', lastUpdatedAt: new Date().toISOString() });
const crawl = { limit: 5, maxDepth: 1, pages: 0, failedPages: [], includePaths: [], excludePaths: [] };
const texts = {
  content: { whole: 'A page of text. '.repeat(500) },
  contentMD: { whole: '# A page of text\n'.repeat(500) },
};

/** A website of an agent, with its text. */
export const newWebsite = async (agentId: string): Promise<string> => {
  const id = newIdentifier('web');
  const site = { name: 'example.com', url: 'https://example.com/', ...crawl };
  const store = websites.get();
  await store.add({ id, agentId, ...site, active: true, status: 'pending', attempt, ...changed() });
  const run = await store.start({ agentId, id }, attempt);
  if (run) await store.finish({ agentId, id }, { attempt, revision: run.revision }, texts, {});
  return id;
};

/** A document of an agent, with its text. */
export const newDocument = async (agentId: string): Promise<string> => {
  const id = newIdentifier('doc');
  const store = documents.get();
  const file = { name: 'notes.txt', size: 8000 };
  await store.add({ id, agentId, ...file, active: true, status: 'pending', attempt, ...changed() });
  const run = await store.start({ agentId, id }, attempt);
  const index = await buildIndex('document', texts.content.whole, texts.contentMD.whole, undefined);
  if (run) await store.finish({ agentId, id }, { attempt, revision: run.revision }, { ...texts, index }, {});
  return id;
};
