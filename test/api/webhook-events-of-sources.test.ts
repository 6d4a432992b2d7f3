import { describe, expect, inject, it } from 'vitest';
import { type File, upload } from '../support/uploads.ts';
import { blockManyNumbers, listEvents, listening } from '../support/webhook-events.ts';
import { makeWebsites } from '../support/websites.ts';

describe.concurrent('events of block lists', () => {
  it('a request on a block list makes events whose counts add up, for an agent and for a user', async () => {
    const world = await listening({ events: ['block_list.*'], countsRequests: false });
    const { call, uid, agentId, block, unblock, until, all } = world;
    const { events, numbers } = await blockManyNumbers(world);
    await call('POST', '/block-list', { body: { uid, numbers: ['+14155550142'] } });
    const ofUser = (await until('block_list.updated', events.length + 1)).find(({ data }) => data.scope === 'user');
    expect(ofUser?.data).toEqual({
      ...{ uid, scope: 'user', requestId: expect.any(String), removed: { count: 0, numbers: [] } },
      added: { count: 1, numbers: ['+14155550142'] },
    });
    // Nothing changes.
    await block([numbers[1]]);
    await unblock(['+14155559999']);
    await block(['nonsense']);
    expect(await all()).toHaveLength(events.length + 1);
    expect((await listEvents({ agentId })).sort()).toEqual(events.map(({ id }) => id).sort());
  });
});

describe.concurrent('events of knowledge', () => {
  it('a website has events when it is ready with a new text, failed and deleted', async () => {
    const { call, uid, agentId, until, all } = await listening({ events: ['website.*'], countsRequests: false });
    const site = inject('siteOrigin');
    const put = (text: string) =>
      fetch(`${site}/webhooks-page`, {
        method: 'PUT',
        body: JSON.stringify({ body: `<title>Hours</title><p>${text}` }),
      });
    await put('Open.');
    const add = async (url: string) =>
      (await call('POST', '/agent-websites', { body: { uid, agentId, url } })).body.websiteId;
    const good = await add(`${site}/webhooks-page`);
    const bad = await add(`${site}/webhooks-page-that-is-not-there`);
    const [ready] = await until('website.ready');
    expect(ready?.data).toMatchObject({ uid, agentId, websiteId: good, url: `${site}/webhooks-page`, pages: 1 });
    const [failed] = await until('website.failed');
    expect(failed?.data).toMatchObject({ uid, agentId, websiteId: bad, error: expect.any(String) });
    const { refresh, settled } = makeWebsites({ uid, agentId, call });
    await refresh(good);
    await settled(good);
    await put('Closed.');
    await refresh(good);
    await until('website.ready', 2);
    await call('PATCH', '/agent-websites', { body: { uid, agentId, websiteId: good, active: false } });
    await call('DELETE', '/agent-websites', { query: { uid, agentId, websiteId: good } });
    await until('website.deleted');
    expect((await all()).map(({ type }) => type).sort()).toEqual([
      'website.deleted',
      'website.failed',
      'website.ready',
      'website.ready',
    ]);
  });

  it('a document has events when it is ready, failed and deleted', async () => {
    const world = await listening({ events: ['document.*'], countsRequests: false });
    const { call, uid, agentId, until, all } = world;
    const files: File[] = [
      ['notes.txt', 'Opening hours'],
      ['broken.pdf', '%PDF-1.4 broken'],
    ];
    const { documentIds } = (await upload(world, files)).body;
    const [ready] = await until('document.ready');
    expect(ready?.data).toMatchObject({ uid, agentId, documentId: documentIds[0], name: 'notes.txt', size: 13 });
    const [failed] = await until('document.failed');
    expect(failed?.data).toMatchObject({ documentId: documentIds[1], error: expect.any(String) });
    await call('DELETE', '/agent-documents', { query: { uid, agentId, documentId: documentIds[0] } });
    await until('document.deleted');
    expect((await all()).map(({ type }) => type).sort()).toEqual([
      'document.deleted',
      'document.failed',
      'document.ready',
    ]);
  });
});
