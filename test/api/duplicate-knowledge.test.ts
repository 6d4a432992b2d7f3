import { afterEach, expect, it } from 'vitest';
import { duplicateAgent } from '../../functions/api/duplicate-agent.ts';
import { finishDuplication } from '../../functions/jobs/finish-duplication.ts';
import { duplicationKey } from '../../functions/store/keys.ts';
import { deliverMessage } from '../support/deliver-message.ts';
import { invoke } from '../support/events.ts';
import { injectFaults, noFaults } from '../support/faults.ts';
import { page } from '../support/site.ts';
import { upload } from '../support/uploads.ts';
import { makeWebsites, newFolder } from '../support/websites.ts';
import { newWorld, type World } from '../support/world.ts';

afterEach(noFaults);

type Listed = { id: string; name: string; status: string; content: string; contentMD: string; fileUrl: string };

const listSources = async (world: World, agentId: string, kind: 'websites' | 'documents'): Promise<Listed[]> => {
  const { body } = await world.call('GET', `/agent-${kind}`, { query: { uid: world.uid, agentId } });
  return body[kind];
};

const areReady = (world: World, agentId: string, kind: 'websites' | 'documents') =>
  expect
    .poll(async () => (await listSources(world, agentId, kind)).every(({ status }) => status === 'ready'))
    .toBe(true);

/** An agent with two websites and three documents, all ready. */
const knowingWorld = async () => {
  const world = await newWorld();
  const { add, settled, change } = makeWebsites(world);
  const ids: string[] = [];
  for (const name of ['One', 'Two']) {
    const { url, put } = newFolder();
    await put('', page(name));
    ids.push((await add(url, { name })).body.websiteId);
  }
  for (const id of ids) await settled(id);
  await change(ids[1] as string, { active: false });
  const uploaded = await upload(world, Object.entries({ 'c.txt': 'See', 'a.txt': 'Ay', 'b.md': '# Bee' }));
  expect(uploaded.body.documentIds.length).toBe(3);
  await areReady(world, world.agentId, 'documents');
  return world;
};

const duplicate = async (world: World) =>
  (await world.call('POST', '/duplicate-agent', { body: { uid: world.uid, agentId: world.agentId } })).body;

/** Returns the fields that a source and its copy have in common. */
const likeness = ({ id: _, agentId: __, lastUpdatedAt: ___, fileUrl: ____, ...rest }: Record<string, unknown>) => rest;

it('the knowledge of an agent is copied whole, with its texts and files, and belongs to the copy from then on', async () => {
  const world = await knowingWorld();
  const copy = await duplicate(world);
  expect(copy.copied).toEqual({ configuration: true, websites: 2, documents: 3, blockedNumbers: 0 });
  for (const kind of ['websites', 'documents'] as const) {
    const [sources, copies] = [
      await listSources(world, world.agentId, kind),
      await listSources(world, copy.agentId, kind),
    ];
    expect(copies.map(likeness)).toEqual(sources.map(likeness));
    const ids = [...sources, ...copies].map(({ id }) => id);
    expect(new Set(ids).size).toBe(ids.length);
  }
  for (const document of await listSources(world, world.agentId, 'documents')) {
    const query = { uid: world.uid, agentId: world.agentId, documentId: document.id };
    expect((await world.call('DELETE', '/agent-documents', { query })).status).toBe(200);
  }
  for (const { id } of await listSources(world, world.agentId, 'websites')) await makeWebsites(world).remove(id);
  const documents = await listSources(world, copy.agentId, 'documents');
  expect(documents.map(({ content }) => content)).toEqual(['See', 'Ay', '# Bee']);
  expect(await Promise.all(documents.map(async ({ fileUrl }) => (await fetch(fileUrl)).text()))).toEqual([
    'See',
    'Ay',
    '# Bee',
  ]);
  expect((await listSources(world, copy.agentId, 'websites')).map(({ name }) => name)).toEqual(['One', 'Two']);
  // A job that a copied file had started would come before the job of a later file.
  await upload({ ...world, agentId: copy.agentId }, Object.entries({ 'd.txt': 'Dee' }));
  await areReady(world, copy.agentId, 'documents');
  expect((await listSources(world, copy.agentId, 'documents')).map(({ content }) => content)).toEqual([
    'See',
    'Ay',
    '# Bee',
    'Dee',
  ]);
}, 60_000);

it('knowledge that was still to be read is read for the copy too, and an unused upload form is not copied', async () => {
  const world = await newWorld();
  const { url, put } = newFolder();
  await put('', { held: true });
  await makeWebsites(world).add(url);
  const { uid, agentId } = world;
  await world.call('POST', '/agent-documents/uploads', {
    body: { uid, agentId, files: [{ name: 'x.txt', size: 3 }] },
  });
  const copy = await duplicate(world);
  expect(copy.copied).toMatchObject({ websites: 1, documents: 0 });
  expect((await listSources(world, copy.agentId, 'websites'))[0]?.status).toMatch(/^(pending|crawling)$/);
  await put('', page('slow'));
  await areReady(world, copy.agentId, 'websites');
  await areReady(world, agentId, 'websites');
  for (const id of [agentId, copy.agentId]) {
    expect((await listSources(world, id, 'websites'))[0]).toMatchObject({
      status: 'ready',
      contentMD: expect.stringContaining('slow'),
    });
  }
  expect(await listSources(world, copy.agentId, 'documents')).toEqual([]);
}, 60_000);

it('the knowledge of a copied agent is whole or absent when the function is killed after any call, and completed once by the job', {
  tags: ['heavy', 'local-only'],
}, async () => {
  const world = await knowingWorld();
  const request = { apiKey: world.apiKey, body: { uid: world.uid, agentId: world.agentId } };
  const prefix = duplicationKey('').pk;
  let kills = 0;
  for (let fatal = 6; ; fatal += 3) {
    let calls = 0;
    let agentId = '';
    injectFaults(
      () => (calls++ >= fatal ? 'kill' : undefined),
      () => {},
      (input) => {
        const { TransactItems = [] } = input as { TransactItems?: { Put?: { Item: { pk: { S: string } } } }[] };
        const pk = TransactItems[0]?.Put?.Item.pk.S ?? '';
        if (pk.startsWith(prefix)) agentId = pk.slice(prefix.length);
      },
    );
    const answer = await invoke(duplicateAgent, request);
    noFaults();
    if (answer.status === 200) break;
    if (!agentId) continue;
    kills += 1;
    for (let delivery = 0; delivery < 2; delivery++) {
      const message = { job: 'finishDuplication', uid: 'somebody', agentId };
      expect(await deliverMessage(finishDuplication, message)).toBe(true);
    }
    for (const kind of ['websites', 'documents'] as const) {
      const [sources, copies] = [
        await listSources(world, world.agentId, kind),
        await listSources(world, agentId, kind),
      ];
      expect(copies.map(likeness), `killed at call ${fatal}`).toEqual(sources.map(likeness));
    }
  }
  expect(kills).toBeGreaterThan(5);
});
