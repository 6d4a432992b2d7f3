import { afterEach, expect, it } from 'vitest';
import { WorkerAbortedError } from '../../functions/extraction/sandboxed-worker.ts';
import { buildIndex, indexingFailure, indexNewText, indexSources } from '../../functions/search/source-index.ts';
import { agents } from '../../functions/store/agents/agents.ts';
import { documentKey } from '../../functions/store/keys.ts';
import type { SourceRecord } from '../../functions/store/sources/source-reads.ts';
import type { TextReference } from '../../functions/store/sources/source-texts.ts';
import { type Item, table } from '../../functions/store/table.ts';
import { injectFaults, noFaults } from '../support/faults.ts';
import { readPieces, remove, search, stores, textsFound, upload } from '../support/knowledge.ts';
import { newWorld } from '../support/world.ts';

afterEach(noFaults);

type DocumentItem = Item & { text: TextReference };

it.concurrent('the index of an agent’s knowledge lacks an unindexed source until it is indexed', async () => {
  const world = await newWorld();
  const [id] = (await upload(world, { 'a.txt': 'Open at nine.', 'b.txt': 'Open at ten.' })) as [string];
  const key = documentKey(world.agentId, id);
  const { text } = (await table.get().get<DocumentItem>(key)) as DocumentItem;
  const { index: _, ...withoutIndex } = text;
  await table.get().change(key, { set: { text: withoutIndex } });
  expect((await search(world, 'open')).body).toMatchObject({
    passages: [{ text: 'Open at ten.' }],
    searched: { sources: 1, passages: 1, unindexed: 1 },
  });
  const { indexed, isDone } = await indexSources(world.agentId, stores(), agents.get());
  expect([indexed, isDone]).toEqual([1, true]);
  expect((await search(world, 'open')).body.searched).toEqual({ sources: 2, passages: 2 });
  expect(await indexSources(world.agentId, stores(), agents.get())).toMatchObject({ indexed: 0, isDone: true });
});

it('the index of a source is found wherever a job that indexes it again is killed, and the next one leaves no superfluous piece', async () => {
  const world = await newWorld();
  const [id] = (await upload(world, { 'a.txt': 'Die Häuser sind offen.' })) as [string];
  const before = await readPieces(id);
  const languages = ['de', 'en'];
  let kills = 0;
  for (let fatal = 0; ; fatal++) {
    const language = languages[fatal % 2] as string;
    const agents = { findLanguage: async () => language };
    let calls = 0;
    injectFaults(() => (calls++ === fatal ? 'kill' : undefined));
    const outcome = await indexSources(world.agentId, stores(), agents).catch(({ name }: Error) => name);
    noFaults();
    expect(await textsFound(world, 'Hauser')).toHaveLength(1);
    if (typeof outcome === 'object') break;
    expect(outcome).toBe('Killed');
    kills += 1;
    expect(await indexSources(world.agentId, stores(), agents)).toMatchObject({ isDone: true });
    expect(await textsFound(world, 'Haus')).toHaveLength(language === 'de' ? 1 : 0);
    expect(await readPieces(id)).toHaveLength(before.length);
  }
  expect(kills).toBeGreaterThanOrEqual(6);
  await remove(world, id);
  expect(await readPieces(id)).toEqual([]);
});

it.each([
  ['time', 'The text was not prepared for the search within 60 seconds. Try it again, or split it.'],
  ['CPU time', 'The text is too large or too complicated to be searched. Split it into several sources.'],
  ['memory', 'The text is too large or too complicated to be searched. Split it into several sources.'],
] as const)(
  'the index of a text on which the indexer would take too much %s is given up with a sentence',
  async (reason, failure) => {
    const indexer = { run: () => Promise.reject(new WorkerAbortedError(reason)) };
    const outcome = await buildIndex('document', 'A text.', 'A text.', 'en', indexer).catch(indexingFailure);
    expect(outcome).toEqual({ failure });
    expect(await buildIndex('document', 'A text.', 'A text.', 'en')).toMatchObject({ language: 'en' });
  },
);

it('the index of a new text is not made where the texts of the agent would be too large together', async () => {
  const text = { whole: 'A text.' };
  const source = { agentId: 'agent', id: 'new' };
  const piece = { pieces: 800, listedBytes: 100, excerpt: { length: 1, end: '' } };
  const listed = (...ids: string[]) => ({
    async *list() {
      for (const id of ids)
        yield { id, text: { revision: 'r', content: piece, contentMD: piece } } as unknown as SourceRecord;
    },
  });
  const indexed = (...ids: string[]) =>
    indexNewText(source, 'document', { content: text, contentMD: text }, 'en', [listed(...ids), listed()]);
  expect(await indexed('other')).toMatchObject({ language: 'en' });
  // Its own former text is replaced.
  expect(await indexed('other', 'new')).toMatchObject({ language: 'en' });
  expect(await indexed('other', 'another')).toEqual({
    failure: 'The texts of an agent’s websites and documents can have 200 MB together. Delete some, and try again.',
  });
});
