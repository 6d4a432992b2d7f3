import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, expect, it } from 'vitest';
import { type Agent, withChange } from '../../functions/domain/agents.ts';
import { pagesText, proseText } from '../../functions/domain/sources.ts';
import { indexKnowledge } from '../../functions/jobs/index-knowledge.ts';
import { indexingFailure, indexNewText, indexOf, indexSources } from '../../functions/search/source-index.ts';
import { agents } from '../../functions/store/agents/agents.ts';
import { documentKey } from '../../functions/store/keys.ts';
import type { SourceRecord } from '../../functions/store/sources/source-reads.ts';
import type { TextReference } from '../../functions/store/sources/source-texts.ts';
import { websites } from '../../functions/store/sources/websites.ts';
import { type Item, table } from '../../functions/store/table.ts';
import { deliverMessage } from '../support/deliver-message.ts';
import { injectFaults, noFaults } from '../support/faults.ts';
import {
  found,
  inGerman,
  piecesOf,
  remove,
  search,
  setLanguage,
  stores,
  textsFound,
  upload,
} from '../support/knowledge.ts';
import { misbehave } from '../support/misbehaving-worker.ts';
import { websiteRecord } from '../support/websites.ts';
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

it.concurrent('an index of another format is replaced, and no piece of it is left', async () => {
  const world = await newWorld();
  const [id] = (await upload(world, { 'a.txt': 'Open at nine.' })) as [string];
  const key = documentKey(world.agentId, id);
  const { text } = (await table.get().get<DocumentItem>(key)) as DocumentItem;
  await table.get().change(key, { set: { text: { ...text, index: { ...text.index, format: 0 } } } });
  expect((await search(world, 'open')).body.searched).toEqual({ sources: 0, passages: 0, unindexed: 1 });
  const before = await piecesOf(id);
  expect(await deliverMessage(indexKnowledge, { job: 'indexKnowledge', uid: world.uid, agentId: world.agentId })).toBe(
    true,
  );
  expect(await textsFound(world, 'open')).toHaveLength(1);
  const after = await piecesOf(id);
  expect(after).toHaveLength(before.length);
  expect(after).not.toEqual(before);
});

it.concurrent('the index of an agent’s knowledge ends in the language that was set last, also while the sources are indexed for another', async () => {
  const world = await newWorld();
  await upload(world, { 'a.txt': 'Die Häuser sind offen.' });
  const set = ['es', 'de', 'de'];
  const agents = { languageOf: async () => set.shift() };
  expect(await indexSources(world.agentId, stores(), agents)).toMatchObject({ indexed: 2, isDone: true });
  expect(set).toEqual([]);
  expect(await textsFound(world, 'Haus')).toHaveLength(1);
});

it('an index is kept that was written by a request whose response was lost', async () => {
  const world = await newWorld();
  const [id] = (await upload(world, { 'a.txt': 'Die Häuser sind offen.' })) as [string];
  const before = await piecesOf(id);
  let lost = 0;
  injectFaults((operation) => (operation === 'TransactWriteItems' && lost++ === 0 ? 'lost response' : undefined));
  expect(await indexSources(world.agentId, stores(), inGerman)).toMatchObject({ indexed: 1, isDone: true });
  expect(lost).toBeGreaterThan(1);
  noFaults();
  expect(await textsFound(world, 'Haus')).toHaveLength(1);
  expect(await piecesOf(id)).toHaveLength(before.length);
});

it('the index of a source is found wherever a job that indexes it again is killed, and the next one leaves no superfluous piece', async () => {
  const world = await newWorld();
  const [id] = (await upload(world, { 'a.txt': 'Die Häuser sind offen.' })) as [string];
  const before = await piecesOf(id);
  const languages = ['de', 'en'];
  let kills = 0;
  for (let fatal = 0; ; fatal++) {
    const language = languages[fatal % 2] as string;
    const agents = { languageOf: async () => language };
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
    expect(await piecesOf(id)).toHaveLength(before.length);
  }
  expect(kills).toBeGreaterThanOrEqual(6);
  await remove(world, id);
  expect(await piecesOf(id)).toEqual([]);
});

it.each(['spin', 'hoard'])(
  'the index of a text on which the indexer would %s is given up with a sentence',
  async (how) => {
    const indexer = { run: () => misbehave.run(how) as Promise<never> };
    const failure = await indexOf('document', 'A text.', 'A text.', 'en', indexer).catch(indexingFailure);
    expect(failure).toEqual({
      failure: 'The text is too large or too complicated to be searched. Split it into several sources.',
    });
    expect(await indexOf('document', 'A text.', 'A text.', 'en')).toMatchObject({ language: 'en' });
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

it('the index of a source is made again when the language was changed while the source was read', {
  tags: 'heavy',
}, async () => {
  const world = await newWorld();
  const source = await websites.get().add(websiteRecord(world));
  const run = await websites.get().start(source, 'first');
  expect((await setLanguage(world, 'de')).status).toBe(200);
  // The sources that are there have been indexed by now.
  await sleep(3000);
  const text = 'Die Häuser sind offen.';
  const texts = { content: pagesText([{ url: source.url, title: '', text }]), contentMD: proseText(text) };
  const index = await indexOf('website', texts.content.whole, text, 'en');
  await websites.get().finish(source, { attempt: 'first', revision: run?.revision as string }, { ...texts, index }, {});
  // An index for English does not find it.
  await expect.poll(() => textsFound(world, 'Haus')).toEqual([text]);
});

it('the index of a source is made again in a copied agent, too, when the copy was made before its source was', {
  tags: 'heavy',
}, async () => {
  const world = await newWorld();
  await upload(world, { 'a.txt': 'Die Häuser sind offen.' });
  // Without the job that a request queues: the source stays as it is.
  const toGerman = (agent: Agent) => withChange(agent, { configuration: { language: 'de' } });
  await agents.get().change(world.uid, world.agentId, toGerman);
  const body = { uid: world.uid, agentId: world.agentId };
  const copy = { ...world, agentId: (await world.call('POST', '/duplicate-agent', { body })).body.agentId };
  await expect.poll(() => textsFound(copy, 'Haus')).toHaveLength(1);
  expect(await found(world, 'Haus')).toEqual([]);
});
