import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { gzipSync } from 'node:zlib';
import { afterEach, expect, it, onTestFinished, vi } from 'vitest';
import { listen } from '../../bin/local/listen.ts';
import { ClientDocuments } from '../../functions/oauth/client-documents.ts';

afterEach(() => {
  vi.useRealTimers();
});

const redirect_uris = ['https://client.example.com/callback', 'cursor://callback'];

/** A site with a document, and how often it was read. `answer` may replace the response. */
const openSite = async (
  more: object = {},
  answer?: (request: IncomingMessage, response: ServerResponse, clientId: string) => void,
  headers: Record<string, string> = {},
) => {
  const site = { reads: 0, document: { redirect_uris, ...more } as object };
  const server = createServer((request, response) => {
    site.reads += 1;
    const clientId = `${started.endpoint}${request.url}`;
    if (answer) answer(request, response, clientId);
    else response.writeHead(200, headers).end(JSON.stringify({ client_id: clientId, ...site.document }));
  });
  const started = await listen(server);
  onTestFinished(started.stop);
  const documents = new ClientDocuments({ trustedOrigins: new Set([started.endpoint]) });
  const find = (path = '/oauth.json', address = '198.51.100.1') =>
    documents.find(`${started.endpoint}${path}`, address);
  return { site, find, documents };
};

it('a document says where its client returns to, and what it calls itself', async () => {
  const { find } = await openSite({ client_name: ' Example\u0007 ', token_endpoint_auth_method: 'private_key_jwt' });
  expect(await find()).toEqual({ name: 'Example', redirectUris: ['https://client.example.com/callback'] });
});

it.each([
  ['of another client', { client_id: 'https://other.example.com/oauth.json' }],
  ['without redirect_uris', { redirect_uris: undefined }],
  ['with an empty list of them', { redirect_uris: [] }],
  ['with a secret', { client_secret: 'secret' }],
  ['with the end of a secret', { client_secret_expires_at: 0 }],
  ['that asks for a shared secret', { token_endpoint_auth_method: 'client_secret_post' }],
  ['over 5 KB', { padding: 'a'.repeat(5 * 1024) }],
])('a document %s is refused', async (_, more) => {
  const { find } = await openSite(more);
  await expect(find()).rejects.toThrow(/^Its document /);
});

it.each([
  [
    'a redirect',
    (_: IncomingMessage, response: ServerResponse) => response.writeHead(302, { location: '/other' }).end(),
  ],
  ['an error', (_: IncomingMessage, response: ServerResponse) => response.writeHead(404).end()],
  ['no JSON', (_: IncomingMessage, response: ServerResponse) => response.writeHead(200).end('<html>')],
  ['a list', (_: IncomingMessage, response: ServerResponse) => response.writeHead(200).end('[]')],
])('a site that answers with %s has no client', async (_, answer) => {
  const { find, site } = await openSite({}, answer);
  await expect(find()).rejects.toThrow(/^Its document /);
  await expect(find()).rejects.toThrow(/^Its document /);
  expect(site.reads).toBe(1);
});

it('a document of 5 MB, one that is a bomb and one that never ends are not read to their end', async () => {
  const sent = { bytes: 0 };
  const chunk = Buffer.alloc(64 * 1024, ' ');
  const pour = (response: ServerResponse, bytes: number) => {
    response.on('error', () => {});
    const write = () => {
      while (sent.bytes < bytes && !response.destroyed) {
        sent.bytes += chunk.length;
        if (!response.write(chunk)) return void response.once('drain', write);
      }
      response.end();
    };
    write();
  };
  for (const bytes of [5 * 2 ** 20, Number.POSITIVE_INFINITY]) {
    sent.bytes = 0;
    const { find } = await openSite({}, (_, response) => pour(response.writeHead(200), bytes));
    await expect(find()).rejects.toThrow('Its document is larger than 5 KB.');
    expect(sent.bytes).toBeLessThan(16 * 2 ** 20);
  }
  const bomb = gzipSync(Buffer.alloc(50 * 2 ** 20, ' '));
  const { find } = await openSite({}, (_, response) =>
    response.writeHead(200, { 'content-encoding': 'gzip' }).end(bomb),
  );
  const before = process.memoryUsage().arrayBuffers;
  await expect(find()).rejects.toThrow('Its document is larger than 5 KB.');
  expect(process.memoryUsage().arrayBuffers - before).toBeLessThan(20 * 2 ** 20);
});

it('a site that sends its document a byte at a time is given up after five seconds', { tags: 'heavy' }, async () => {
  const { find } = await openSite({}, (_, response) => {
    response.writeHead(200);
    const timer = setInterval(() => response.write(' '), 200);
    response.on('close', () => clearInterval(timer));
  });
  await expect(find()).rejects.toThrow('Its document took longer than 5 seconds.');
});

it('a document that changes is shown anew after its time, and one that is gone leaves nobody connected by an old one', async () => {
  vi.useFakeTimers({ toFake: ['Date'] });
  let isGone = false;
  const { find, site } = await openSite({}, (_, response, clientId) =>
    isGone
      ? response.writeHead(404).end()
      : response.writeHead(200).end(JSON.stringify({ client_id: clientId, ...site.document })),
  );
  expect((await find()).redirectUris).toEqual(['https://client.example.com/callback']);
  site.document = { redirect_uris: ['https://evil.example/callback'] };
  expect((await find()).redirectUris).toEqual(['https://client.example.com/callback']);
  vi.setSystemTime(Date.now() + 6 * 60_000);
  expect((await find()).redirectUris).toEqual(['https://evil.example/callback']);
  isGone = true;
  vi.setSystemTime(Date.now() + 6 * 60_000);
  await expect(find()).rejects.toThrow('Its document answered with status 404.');
});

it('a site at a private address has no client', async () => {
  const { site } = await openSite();
  await expect(new ClientDocuments({}).find('https://127.0.0.1/oauth.json', 'a')).rejects.toThrow(
    'The address is not a public one.',
  );
  expect(site.reads).toBe(0);
});

it.each([
  ['no header', {}, 5 * 60],
  ['no-store', { 'cache-control': 'no-store, max-age=7200' }, 5 * 60],
  ['an hour', { 'cache-control': 'public, max-age=3600' }, 60 * 60],
  ['a year', { 'cache-control': 'max-age=31536000' }, 24 * 60 * 60],
])('a document with %s is kept for as long as that, between five minutes and a day', async (_, headers, seconds) => {
  vi.useFakeTimers({ toFake: ['Date'] });
  const { find, site } = await openSite({}, undefined, headers as Record<string, string>);
  await Promise.all([find(), find()]);
  vi.setSystemTime(Date.now() + seconds * 1000 - 2000);
  await find();
  expect(site.reads).toBe(1);
  vi.setSystemTime(Date.now() + 4000);
  site.document = { redirect_uris, client_name: 'New' };
  expect((await find()).name).toBe('New');
});

it('a failure is forgotten within a minute', async () => {
  vi.useFakeTimers({ toFake: ['Date'] });
  const { find, site } = await openSite({ redirect_uris: [] });
  await expect(find()).rejects.toThrow();
  site.document = { redirect_uris };
  vi.setSystemTime(Date.now() + 60_000);
  expect((await find()).redirectUris).toHaveLength(1);
});

it('an address makes the service fetch at most thirty documents a minute, and others are not held up', async () => {
  const { find, site } = await openSite();
  for (let n = 0; n < 30; n++) await find(`/${n}.json`);
  await expect(find('/30.json')).rejects.toMatchObject({ status: 429 });
  await find('/31.json', '198.51.100.2');
  await find('/0.json');
  expect(site.reads).toBe(31);
  // A caller chooses any address of its IPv6 network.
  for (let n = 0; n < 30; n++) await find(`/v6-${n}.json`, `2001:db8::${n}`);
  await expect(find('/v6-30.json', '2001:db8::ffff')).rejects.toMatchObject({ status: 429 });
});
