import { describe, expect, it } from 'vitest';
import { page } from '../support/site.ts';
import { makeWebsites, newFolder } from '../support/websites.ts';
import { newGuest, newWorld } from '../support/world.ts';

const isoTime = expect.stringMatching(/^\d{4}-\d\d-\d\dT[\d:.]+Z$/);

describe.concurrent('a website', () => {
  it('a website that is added is read in the background, and its status ends as ready', async () => {
    const world = await newWorld();
    const { add, settled, list } = makeWebsites(world);
    const { url, put, at } = newFolder();
    await put('', page('home', 'a', 'b', 'gone'));
    await put('a', page('a'));
    await put('b', { body: page('b'), delayMilliseconds: 300 });
    const added = await add(url);
    expect(added.body).toEqual({
      websiteId: expect.stringMatching(/^web_[0-9A-Z]{26}$/),
      message: 'Website added successfully',
      status: 'pending',
      limit: 5,
      maxDepth: 1,
    });
    const { websiteId } = added.body;
    const website = await settled(websiteId);
    const { content, contentMD, ...rest } = website;
    expect(rest).toEqual({
      id: websiteId,
      agentId: world.agentId,
      name: new URL(url).host,
      url,
      active: true,
      lastUpdatedBy: world.uid,
      lastUpdatedAt: isoTime,
      status: 'ready',
      pages: 3,
      failedPages: [{ url: at('gone'), reason: 'The page answered with status 404.' }],
      limit: 5,
      maxDepth: 1,
      includePaths: [],
      excludePaths: [],
      lastCrawledAt: isoTime,
    });
    expect(JSON.parse(content)).toEqual([
      { url, title: 'home', text: 'This is home.\n\nto a to b to gone' },
      { url: at('a'), title: 'a', text: 'This is a.' },
      { url: at('b'), title: 'b', text: 'This is b.' },
    ]);
    expect(contentMD).toContain(`# a\n\n<${at('a')}>\n\nThis is a.`);
    expect(contentMD).not.toContain('<title>');
    const [short] = (await list({ content: 'false' })).body.websites;
    expect(short).toEqual(rest);
  });

  it('a website of ten pages is read up to its limit, and a limit above ten counts as ten', async () => {
    const { add, settled } = makeWebsites(await newWorld());
    const { url, put } = newFolder();
    await put('', page('home', ...Array.from({ length: 14 }, (_, n) => `p${n}`)));
    for (let n = 0; n < 14; n++) await put(`p${n}`, page(`page ${n}`));
    const answer = await add(url, { limit: 1000, maxDepth: 77, name: 'Ten pages' });
    expect(answer.body).toMatchObject({ limit: 10, maxDepth: 10 });
    expect(await settled(answer.body.websiteId)).toMatchObject({ status: 'ready', pages: 10, name: 'Ten pages' });
  });

  it('a website that is pending has texts without a page in them', async () => {
    const { add, list, content } = makeWebsites(await newWorld());
    const { url, put } = newFolder();
    await put('', { held: true });
    const { websiteId } = (await add(url)).body;
    const [website] = (await list()).body.websites;
    expect(website).toMatchObject({ id: websiteId, content: '[]', contentMD: '', pages: 0, failedPages: [] });
    expect(website.status).toMatch(/^(pending|crawling)$/);
    expect(website).not.toHaveProperty('lastCrawledAt');
    expect((await content(websiteId)).body).toEqual({ content: '[]', contentMD: '' });
    await put('', page('home'));
  });

  it.each([
    ['http://169.254.169.254/latest/meta-data/', 'The address is not a public one.'],
    ['http://1.1.1.1:8080/', 'Only the ports 80 and 443 are read.'],
  ])('a website at %s fails with the reason, and nothing is read', async (url, error) => {
    const { add, settled } = makeWebsites(await newWorld());
    const { websiteId } = (await add(url)).body;
    expect(await settled(websiteId)).toMatchObject({
      url,
      status: 'failed',
      error,
      pages: 0,
      failedPages: [{ url: new URL(url).href, reason: error }],
      content: '[]',
      contentMD: '',
    });
  });

  it.each<[string, object, string]>([
    ['an invalid address', { url: 'not a url' }, 'url'],
    ['another kind of address', { url: 'ftp://example.com/' }, 'url'],
    ['a script', { url: 'javascript:alert(1)' }, 'url'],
    ['a file', { url: 'file:///etc/passwd' }, 'url'],
    ['an address with a password', { url: 'http://me:secret@example.com/' }, 'url'],
  ])('a website is not added with %s', async (_, more, path) => {
    const { add, list } = makeWebsites(await newWorld());
    const answer = await add('http://example.com/', more);
    expect([answer.status, answer.body.error]).toEqual([400, 'invalid_request']);
    expect(answer.body.details.map((detail: { path: string }) => detail.path)).toEqual([path]);
    expect((await list()).body.websites).toEqual([]);
  });

  it.each(['(a', '[z-a]', '(?=look)ahead', '(?<!be)hind', '(back)\\1reference', 'a{1,5000}', '((a{99}){99}){99}'])(
    'a website is not added with the pattern %j, which the response names',
    async (pattern) => {
      const { add } = makeWebsites(await newWorld());
      const answer = await add('http://example.com/', { includePaths: ['^/fine/'], excludePaths: ['/a', pattern] });
      expect(answer.status).toBe(400);
      expect(answer.body.details).toEqual([
        { path: 'excludePaths.1', message: expect.stringContaining(JSON.stringify(pattern)) },
      ]);
    },
  );

  it('a website is activated, deactivated and renamed by a user with access, and shows by whom', async () => {
    const world = await newWorld();
    const { add, settled, change, find } = makeWebsites(world);
    const { url, put } = newFolder();
    await put('', page('home'));
    const { websiteId } = (await add(url)).body;
    const before = await settled(websiteId);
    const guest = await newGuest(world);
    const answer = await world.call('PATCH', '/agent-websites', {
      apiKey: guest.apiKey,
      body: { uid: guest.uid, agentId: world.agentId, websiteId, active: false, name: 'Renamed' },
    });
    const { content: _, contentMD: __, ...summary } = before;
    expect(answer.body).toEqual({
      ...summary,
      active: false,
      name: 'Renamed',
      lastUpdatedBy: guest.uid,
      lastUpdatedAt: isoTime,
    });
    expect(answer.body.lastUpdatedAt > before.lastUpdatedAt).toBe(true);
    expect((await change(websiteId, { active: true })).body).toMatchObject({ active: true, name: 'Renamed' });
    expect(await find(websiteId)).toMatchObject({ content: before.content });
    expect((await change(websiteId, { active: 'yes' })).status).toBe(400);
    expect((await change('web_none', { active: true })).body.error).toBe('website_not_found');
  });

  it('a website that can no longer be read fails, and keeps the text it had', async () => {
    const { add, settled, refresh } = makeWebsites(await newWorld());
    const { url, put } = newFolder();
    await put('', page('home'));
    const { websiteId } = (await add(url)).body;
    const before = await settled(websiteId);
    await put('', { status: 500 });
    await refresh(websiteId);
    expect(await settled(websiteId)).toMatchObject({
      status: 'failed',
      error: 'The page answered with status 500.',
      content: before.content,
      contentMD: before.contentMD,
      pages: 1,
      lastCrawledAt: before.lastCrawledAt,
    });
    await put('', page('back'));
    expect((await refresh(websiteId)).status).toBe(200);
    const after = await settled(websiteId);
    expect(after.status).toBe('ready');
    expect(after).not.toHaveProperty('error');
  });
});
