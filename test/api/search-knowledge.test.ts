import { afterEach, expect, it, vi } from 'vitest';
import { searchKnowledge } from '../../functions/api/search-knowledge.ts';
import { KnowledgeSearch } from '../../functions/search/knowledge-search.ts';
import { documentKey, textPieceCollection } from '../../functions/store/keys.ts';
import { documentReads } from '../../functions/store/sources/documents.ts';
import { sourceChanges } from '../../functions/store/sources/source-changes.ts';
import { sourceTexts } from '../../functions/store/sources/source-texts.ts';
import { websiteReads } from '../../functions/store/sources/website-reads.ts';
import { table } from '../../functions/store/table.ts';
import { invoke } from '../support/events.ts';
import { injectFaults, noFaults } from '../support/faults.ts';
import {
  change,
  type Found,
  found,
  readPieces,
  remove,
  search,
  setLanguage,
  textsFound,
  upload,
} from '../support/knowledge.ts';
import { patienceSeconds } from '../support/patience.ts';
import { makeWebsites, newFolder } from '../support/websites.ts';
import { newWorld } from '../support/world.ts';

afterEach(noFaults);

it.concurrent('a search of knowledge finds passages of documents, and their positions in the text', async () => {
  const world = await newWorld();
  const [id] = await upload(world, {
    'hours.md': '# Opening hours\n\nWe open at nine on weekdays.\n\n# Prices\n\nA room costs $49.90 a night.',
    'other.txt': 'Nothing to see here.',
  });
  const { status, body } = await search(world, 'What does a room cost?');
  expect(status).toBe(200);
  expect(body.searched).toEqual({ sources: 2, passages: 3 });
  expect(body.passages).toEqual([
    {
      text: '# Prices\n\nA room costs $49.90 a night.',
      score: expect.any(Number),
      kind: 'document',
      sourceId: id,
      name: 'hours.md',
      start: 47,
      readAt: expect.stringMatching(/^\d{4}-\d\d-\d\dT.*Z$/),
    },
  ]);
  const { body: listed } = await world.call('GET', '/agent-documents', {
    query: { uid: world.uid, agentId: world.agentId },
  });
  const { content } = listed.documents.find((one: { id: string }) => one.id === id);
  const [{ text, start }] = body.passages;
  expect(content.slice(start, start + text.length)).toBe(text);
});

it.concurrent('a search of knowledge reports how many sources it omitted because their indexes are too large for one search', async () => {
  const world = await newWorld();
  await upload(world, { 'a.txt': 'We open at nine.', 'b.txt': 'We open at ten.' });
  const [first] = await Array.fromAsync(documentReads.get().list(world.agentId));
  const maxBytes = first?.text?.index?.bytes;
  const [texts, changes] = [sourceTexts.get(), sourceChanges.get()];
  const small = new KnowledgeSearch(websiteReads.get(), documentReads.get(), texts, changes, maxBytes);
  const found = await small.search(world.agentId, 'open', { limit: 5 });
  expect(found.searched).toEqual({ sources: 1, passages: 1, omitted: 1 });
  expect(found.passages).toHaveLength(1);
});

it.concurrent('a search of knowledge finds passages of websites, their pages, and their positions in the text of the page', async () => {
  const world = await newWorld();
  const { add, settled } = makeWebsites(world);
  const { url, put } = newFolder();
  await put(
    '',
    '<title>Clinic</title><h1>Clinic</h1><p>We treat everybody.</p><h2>Parking “here”</h2><p>Park behind the\nhouse.</p>',
  );
  const id = (await add(url)).body.websiteId;
  await settled(id);
  const [passage] = await found(world, 'where to park');
  expect(passage).toMatchObject({ kind: 'website', sourceId: id, url, title: 'Clinic' });
  const { body } = await world.call('GET', '/agent-websites', { query: { uid: world.uid, agentId: world.agentId } });
  const [{ text }] = JSON.parse(body.websites[0].content);
  expect(text.slice(passage?.start, (passage?.start ?? 0) + (passage?.text.length ?? 0))).toBe(passage?.text);
  expect(passage?.text).toMatch(/^Parking “here”/);
});

it.concurrent('a search of knowledge covers only sources that are active, chosen and ready, from the next request on', async () => {
  const world = await newWorld();
  const [one, other] = (await upload(world, { 'a.txt': 'Open at nine.', 'b.txt': 'Open at ten.' })) as [string, string];
  expect(await textsFound(world, 'open')).toHaveLength(2);
  expect(await textsFound(world, 'open', { sourceIds: [other, 'doc_unknown'] })).toEqual(['Open at ten.']);
  await change(world, one, { active: false });
  expect((await search(world, 'open')).body).toMatchObject({
    passages: [{ text: 'Open at ten.' }],
    searched: { sources: 1, passages: 1 },
  });
  await change(world, one, { active: true });
  expect(await textsFound(world, 'open')).toHaveLength(2);
  await remove(world, other);
  expect(await textsFound(world, 'open')).toEqual(['Open at nine.']);
  expect(await readPieces(other)).toEqual([]);
});

it.concurrent('a search of knowledge finds words as the agent’s language forms them, also after a change of the language', async () => {
  const world = await newWorld();
  await upload(world, { 'a.txt': 'Die Häuser sind geöffnet.', 'b.txt': 'Autos und Preise' });
  expect(await found(world, 'Haus')).toEqual([]);
  // Words are found in every language in their written form.
  expect(await found(world, 'HAUSER')).toHaveLength(1);
  expect((await setLanguage(world, 'de-DE')).status).toBe(200);
  const finds = (texts: string[]) => async () => expect(await textsFound(world, 'Haus')).toEqual(texts);
  await vi.waitFor(finds(['Die Häuser sind geöffnet.']), { timeout: patienceSeconds * 1000, interval: 200 });
  await setLanguage(world, null);
  await vi.waitFor(finds([]), { timeout: patienceSeconds * 1000, interval: 200 });
});

it.concurrent('a search of a copied agent finds the knowledge at the time of the copy, and nothing that came later', async () => {
  const world = await newWorld();
  const [id] = await upload(world, { 'a.txt': 'Open at nine.' });
  const copy = (await world.call('POST', '/duplicate-agent', { body: { uid: world.uid, agentId: world.agentId } }))
    .body;
  await upload(world, { 'b.txt': 'Open at ten.' });
  const inCopy = { ...world, agentId: copy.agentId };
  const [passage, ...more] = await found(inCopy, 'open');
  expect(more).toEqual([]);
  expect(passage?.sourceId).not.toBe(id);
  await remove(world, id as string);
  expect(await textsFound(inCopy, 'open')).toEqual(['Open at nine.']);
});

it('a search of knowledge takes three round trips at first, and the one of every request while its sources stay the same', async () => {
  const world = await newWorld();
  await upload(world, { 'a.txt': 'Open at nine.', 'b.txt': 'Open at ten.' });
  const ask = async () => {
    const operations: string[] = [];
    injectFaults(
      () => undefined,
      (operation) => operations.push(operation),
    );
    const result = await invoke(searchKnowledge, {
      apiKey: world.apiKey,
      body: { uid: world.uid, agentId: world.agentId, query: 'open' },
    });
    expect(result.status).toBe(200);
    return operations;
  };
  // Websites and documents are listed at once.
  expect(await ask()).toEqual(['BatchGetItem', 'Query', 'Query', 'BatchGetItem']);
  expect(await ask()).toEqual(['BatchGetItem']);
});

it('a search of a thousand sources returns a passage that they have in common once', { tags: 'heavy' }, async () => {
  const world = await newWorld();
  const [id] = (await upload(world, { 'a.txt': 'Open at nine.', 'b.txt': 'Open at ten.' })) as [string];
  const record = await table.get().get(documentKey(world.agentId, id));
  const pieces = await Array.fromAsync(table.get().query(textPieceCollection(id)));
  const copies = Array.from({ length: 998 }, (_, index) => `doc_${index}`).flatMap((copy) => [
    { ...record, ...documentKey(world.agentId, copy), id: copy },
    ...pieces.map((piece) => ({ ...piece, ...textPieceCollection(copy) })),
  ]);
  await table.get().putMany(copies);
  const events: string[] = [];
  injectFaults(
    (operation) => void events.push(`${operation} begins`),
    (operation) => events.push(`${operation} ends`),
  );
  const { status, body } = await invoke(searchKnowledge, {
    apiKey: world.apiKey,
    body: { uid: world.uid, agentId: world.agentId, query: 'open' },
  });
  expect(status).toBe(200);
  expect(body.searched).toEqual({ sources: 1000, passages: 1000 });
  // All reads of a round trip are sent at once, however many there are.
  const rounds = events
    .join(', ')
    .match(/(\w+ begins(, )?)+(\w+ ends(, )?)+/g)
    ?.map((round) => [...new Set(round.match(/\w+(?= begins)/g))]);
  expect(rounds).toEqual([['BatchGetItem'], ['Query'], ['BatchGetItem']]);
  expect(body.passages.map(({ text }: Found) => text).sort()).toEqual(['Open at nine.', 'Open at ten.']);
});

it.concurrent('a search of knowledge accepts any query, and finds nothing for one without a word', async () => {
  const world = await newWorld();
  expect((await search(world, 'word')).body).toEqual({ passages: [], searched: { sources: 0, passages: 0 } });
  await upload(world, { 'a.txt': 'Some text' });
  for (const query of [
    '?!',
    ' ',
    '🙂',
    '\u0000',
    'a'.repeat(1000),
    '営業時間は？',
    'ด'.repeat(1000),
    '"; drop table',
    '.*',
  ]) {
    const { status, body } = await search(world, query);
    expect([query, status, body.passages]).toEqual([query, 200, []]);
  }
  expect((await search(world, '🙂'.repeat(1000))).status).toBe(200);
});
