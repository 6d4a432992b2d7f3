import { createHash } from 'node:crypto';
import { expect, it } from 'vitest';
import { files } from '../../functions/clients/files.ts';
import { fileKey } from '../../functions/domain/documents.ts';
import { makePdf } from '../support/documents.ts';
import { countPieces, type Listed, list, named, settled, upload } from '../support/uploads.ts';
import { newWorld, type World } from '../support/world.ts';

const one = async (world: World, content: Uint8Array | string = 'Notes', name = 'notes.txt') => {
  const { body } = await upload(world, [[name, content]]);
  await settled(world);
  return body.documentIds[0] as string;
};

it.concurrent('documents are switched and renamed, and downloaded under the new name', async () => {
  const world = await newWorld();
  const id = await one(world);
  const answer = await world.call('PATCH', '/agent-documents', {
    body: { ...named(world, id), active: false, name: 'Neue Größen.txt' },
  });
  expect([answer.status, answer.body]).toEqual([
    200,
    expect.objectContaining({
      id,
      active: false,
      name: 'Neue Größen.txt',
      status: 'ready',
      lastUpdatedBy: world.uid,
      md5: createHash('md5').update('Notes').digest('hex'),
    }),
  ]);
  expect(answer.body).not.toHaveProperty('content');
  expect(answer.body).not.toHaveProperty('attempt');
  const disposition = new URL(answer.body.fileUrl).searchParams.get('response-content-disposition');
  expect(disposition).toContain("filename*=UTF-8''Neue%20Gr%C3%B6%C3%9Fen.txt");
  expect(await (await fetch(answer.body.fileUrl)).text()).toBe('Notes');
  expect((await list(world)).documents[0]).toMatchObject({
    active: false,
    name: 'Neue Größen.txt',
    content: 'Notes',
  });
});

it.concurrent('a text is added as a document, with its type by its name, and found by a search', async () => {
  const world = await newWorld();
  const add = (name: string, content: string) =>
    world.call('POST', '/agent-documents/text', { body: { uid: world.uid, agentId: world.agentId, name, content } });
  const { status, body } = await add('opening-hours.md', '# Opening hours\n\nWe open at nine. Grüße 🙂');
  const documentId = expect.stringMatching(/^doc_/);
  expect([status, body]).toEqual([
    200,
    { documentId, name: 'opening-hours.md', message: 'Document added successfully', status: 'pending' },
  ]);
  await add('Prices', 'A haircut is 30 euros.');
  const documents = await settled(world);
  expect(documents.map(({ id, name, type, status }) => [id === body.documentId, name, type, status])).toEqual([
    [true, 'opening-hours.md', 'md', 'ready'],
    [false, 'Prices', 'txt', 'ready'],
  ]);
  const query = { uid: world.uid, agentId: world.agentId, query: 'haircut' };
  const found = await world.call('POST', '/agent-knowledge/search', { body: query });
  expect(found.body.passages[0]).toMatchObject({ name: 'Prices', text: 'A haircut is 30 euros.' });
});

it.concurrent('a text that is empty, too long or not valid Unicode is rejected, and nothing is added', async () => {
  const world = await newWorld();
  for (const content of ['', ' \n', 'ä'.repeat(460_801), 'half \ud83d']) {
    const body = { uid: world.uid, agentId: world.agentId, name: 'notes.txt', content };
    const { status, body: error } = await world.call('POST', '/agent-documents/text', { body });
    expect([status, error.details[0].path]).toEqual([400, 'content']);
  }
  expect((await list(world)).documents).toEqual([]);
});

it.concurrent('only documents that failed can be tried again', async () => {
  const world = await newWorld();
  const [ready, failed] = [await one(world), await one(world, '%PDF-1.7 and no more'.padEnd(20_000))];
  const retry = (id: string) => world.call('POST', '/agent-documents/retry', { body: named(world, id) });
  const refused = await retry(ready);
  expect([refused.status, refused.body.error]).toEqual([409, 'not_failed']);
  const begun = await retry(failed);
  expect([begun.status, begun.body]).toEqual([
    200,
    { documentId: failed, message: 'Document will be tried again', status: 'pending' },
  ]);
  const [, again] = await settled(world);
  expect(again).toMatchObject({ status: 'failed', error: expect.stringContaining('damaged') });
  // The cause of its failure may have passed meanwhile.
  await files.get().put(fileKey({ agentId: world.agentId, id: failed }), await makePdf('Whole again'));
  const healed = await settled(world, ([, other]) => other?.status === 'ready');
  expect(healed[1]).toMatchObject({ content: 'Whole again' });
  expect(healed[1]).not.toHaveProperty('error');
});

it.concurrent('documents are deleted with file and text before the response, and then are not found', async () => {
  const world = await newWorld();
  const id = await one(world);
  const [{ fileUrl }] = (await list(world)).documents;
  const remove = () => world.call('DELETE', '/agent-documents', { query: named(world, id) });
  const answer = await remove();
  expect([answer.status, answer.body]).toEqual([200, { message: 'Document deleted successfully' }]);
  expect((await fetch(fileUrl)).status).toBe(404);
  expect(await countPieces(id)).toBe(0);
  expect((await list(world)).documents).toEqual([]);
  const again = await remove();
  expect([again.status, again.body.error]).toEqual([404, 'document_not_found']);
});

it.concurrent('documents are listed page by page, without texts on request', async () => {
  const world = await newWorld();
  const { body } = await upload(world, [
    ['a.txt', 'A'],
    ['b.txt', 'B'],
    ['c.txt', 'C'],
  ]);
  await settled(world);
  const first = await list(world, { limit: 2 });
  const second = await list(world, { limit: 2, cursor: first.nextCursor });
  expect([...first.documents, ...second.documents].map(({ id }: Listed) => id)).toEqual(body.documentIds);
  expect(second).not.toHaveProperty('nextCursor');
  for (const document of (await list(world, { content: 'false' })).documents) {
    expect(document).not.toHaveProperty('content');
    expect(document).not.toHaveProperty('contentMD');
  }
  const query = { uid: world.uid, agentId: world.agentId };
  for (const wrong of [{ limit: 101 }, { content: 'false', limit: 1001 }]) {
    const answer = await world.call('GET', '/agent-documents', { query: { ...query, ...wrong } });
    expect([answer.status, answer.body.error]).toEqual([400, 'invalid_request']);
  }
  expect((await list(world, { content: 'false', limit: 1000 })).documents.length).toBe(3);
});
