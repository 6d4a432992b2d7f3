import { randomBytes } from 'node:crypto';
import diagnosticsChannel from 'node:diagnostics_channel';
import { once } from 'node:events';
import { type AddressInfo, createServer, type Socket } from 'node:net';
import { promisify } from 'node:util';
import zlib from 'node:zlib';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { isPublicAddress } from '../../../functions/clients/public-web/addresses.ts';
import { PageFetchError } from '../../../functions/clients/public-web/page-fetch-error.ts';
import type { FetchPolicy } from '../../../functions/clients/public-web/public-connections.ts';
import { type PageReader, type WebPage, WebPages } from '../../../functions/clients/public-web/web-pages.ts';
import { insideHosts, publicAddresses } from '../../support/addresses.ts';
import { type Names, startNameServer } from '../../support/dns-stub.ts';
import { type Reply, type Site, startSite } from '../../support/site.ts';

const signal = new AbortController().signal;
const catchFailure = (reading: Promise<unknown>): Promise<string> =>
  reading.then(
    () => 'It was read.',
    (error: Error) => {
      if (error instanceof PageFetchError) return error.message;
      throw error;
    },
  );

const decodeText = ({ bytes }: WebPage) => Buffer.from(bytes).toString();

const open: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  for (const close of open.splice(0).reverse()) await close();
});
const makeReader = (policy: FetchPolicy): PageReader => {
  const reader = new WebPages(policy).open();
  open.push(() => reader.close());
  return reader;
};

const notPublic = 'The address is not a public one.';

describe('an address that is not public', () => {
  /** Listens on every address of this machine. `reached` counts the connections. */
  let port: string;
  let reached = 0;
  const listener = createServer((socket) => {
    reached += 1;
    socket.destroy();
  });
  /** Every address to which this process tried to connect. */
  let attempts: string[] = [];
  const watch = (message: unknown) => {
    (message as { socket: Socket }).socket.on('connectionAttempt', (ip) => attempts.push(ip));
  };
  beforeAll(async () => {
    diagnosticsChannel.subscribe('net.client.socket', watch);
    listener.listen(0, '::');
    await once(listener, 'listening');
    port = String((listener.address() as AddressInfo).port);
  });
  afterAll(() => {
    diagnosticsChannel.unsubscribe('net.client.socket', watch);
    listener.close();
  });
  afterEach(() => {
    expect(reached).toBe(0);
    attempts = [];
  });
  const ports = () => new Set([port]);
  const hosts = insideHosts();

  it('an address that is not public is distinguished from the public ones next to it', () => {
    expect(publicAddresses.filter((address) => !isPublicAddress(address))).toEqual([]);
    expect(['', 'example.com', '1.2.3', '1.2.3.4.5', '::g'].filter(isPublicAddress)).toEqual([]);
  });

  it('an address that is not public is never connected to, in any of 250 spellings', async () => {
    expect(hosts.length).toBeGreaterThanOrEqual(250);
    const reader = makeReader({ ports: ports() });
    const outcomes = new Map<string, string>();
    for (const host of hosts) {
      outcomes.set(host, await catchFailure(reader.read(new URL(`http://${host}:${port}/`), { signal })));
    }
    expect([...outcomes].filter(([, outcome]) => outcome !== notPublic)).toEqual([]);
    expect(attempts).toEqual([]);
  });

  it('an address that is not public is never the target of a followed redirect, in any spelling', async () => {
    const pages: Record<string, Reply> = {};
    for (const [index, host] of hosts.entries()) {
      pages[`/${index}`] = { status: 302, headers: { location: `http://${host}:${port}/secret` } };
    }
    const site = await startSite(pages);
    open.push(site.stop);
    const reader = makeReader({ ports: new Set([port]), trustedOrigins: new Set([site.origin]) });
    for (const [index, host] of hosts.entries()) {
      const outcome = await catchFailure(reader.read(new URL(`${site.origin}/${index}`), { signal }));
      expect([host, outcome]).toEqual([host, notPublic]);
    }
    expect(attempts.filter((address) => address !== '127.0.0.1')).toEqual([]);
  }, 60_000);

  it('a name that resolves to an address that is not public is never connected to, even with other addresses', async () => {
    const names: Names = {
      'loopback.test': () => ['127.0.0.1'],
      'private.test': () => ['10.1.2.3'],
      'metadata.test': () => ['169.254.169.254'],
      'six.test': () => ['::1'],
      'local.test': () => ['fd00:ec2::254'],
      'mapped.test': () => ['::ffff:127.0.0.1'],
      'mixed.test': () => ['8.8.8.8', '127.0.0.1'],
      'both.test': () => ['2606:4700:4700::1111', '10.0.0.1'],
    };
    const server = await startNameServer(names);
    open.push(server.stop);
    const reader = makeReader({ ports: ports(), resolve: server.resolve });
    for (const name of Object.keys(names)) {
      expect([name, await catchFailure(reader.read(new URL(`http://${name}:${port}/`), { signal }))]).toEqual([
        name,
        notPublic,
      ]);
    }
    expect(await catchFailure(reader.read(new URL(`http://unknown.test:${port}/`), { signal }))).toBe(
      'The host was not found.',
    );
    expect(attempts).toEqual([]);
  });

  it('an address that is not public is never connected to by a name that resolves differently the second time', async () => {
    const outside = '192.0.1.77';
    const server = await startNameServer({ 'rebinding.test': (asked) => [asked === 1 ? outside : '127.0.0.1'] });
    open.push(server.stop);
    const reader = makeReader({ ports: ports(), resolve: server.resolve });
    const read = () => catchFailure(reader.read(new URL(`http://rebinding.test:${port}/`), { signal }));
    // The connection goes to the address that was checked, where nothing listens.
    expect(await read()).toBe('The connection to the site failed.');
    expect(attempts).toEqual([outside]);
    expect(server.queries.filter((query) => query === 'rebinding.test A').length).toBe(1);
    expect(await read()).toBe(notPublic);
    expect(attempts).toEqual([outside]);
  });

  it('an address that is not public is read when its very origin is trusted, and no other is', async () => {
    const site = await startSite({ '/': '<p>inside</p>' });
    open.push(site.stop);
    const reader = makeReader({ trustedOrigins: new Set([site.origin]) });
    expect(decodeText(await reader.read(new URL(`${site.origin}/`), { signal }))).toBe('<p>inside</p>');
    expect(await catchFailure(reader.read(new URL(`http://localhost:${site.port}/`), { signal }))).toBe(
      'Only the ports 80 and 443 are read.',
    );
    expect(await catchFailure(reader.read(new URL(`http://127.0.0.1:${port}/`), { signal }))).toBe(
      'Only the ports 80 and 443 are read.',
    );
  });
});

it('a port that is not the web’s is not connected to, public or not', async () => {
  const reader = makeReader({});
  for (const url of [
    'http://1.1.1.1:22/',
    'https://example.com:8443/',
    'http://example.com:443/',
    'http://[2606:4700::1]:6379/',
  ]) {
    const outcome = await catchFailure(
      reader.read(new URL(url), { signal: AbortSignal.timeout(50) }).catch((error) => {
        throw error.name === 'TimeoutError' ? new PageFetchError('It was tried.') : error;
      }),
    );
    expect([url, outcome]).toEqual([
      url,
      url.includes(':443') ? expect.any(String) : expect.stringMatching(/^Only the ports 80 and 443 are read\./),
    ]);
  }
});

describe('a page', () => {
  let site: Site;
  let reader: PageReader;
  beforeAll(async () => {
    site = await startSite();
    reader = new WebPages({ trustedOrigins: new Set([site.origin]) }).open();
  });
  afterAll(async () => {
    await reader.close();
    await site.stop();
  });
  let count = 0;
  const serve = (reply: Reply) => {
    const path = `/${count++}`;
    site.pages[path] = reply;
    return new URL(site.origin + path);
  };
  const read = (reply: Reply) => reader.read(serve(reply), { signal });
  const failure = (reply: Reply) => catchFailure(read(reply));

  it('a page is requested under the crawler’s name', async () => {
    await read('<p>x</p>');
    expect(site.requests.at(-1)?.headers).toMatchObject({
      'user-agent': 'VoiceAgentPlatformBot/1.0',
      'accept-encoding': 'gzip, deflate, br',
    });
  });

  it.each([204, 301, 404, 403, 500, 503])(
    'a page that responds with %i is rejected with the status',
    async (status) => {
      const outcome = status === 204 ? 'It was read.' : `The page answered with status ${status}.`;
      expect(await failure({ status })).toBe(outcome);
    },
  );

  describe('compressed', () => {
    const html = `<p>${'word '.repeat(5000)}</p>`;
    const send = (coding: string, body: Uint8Array): Reply => ({ body, headers: { 'content-encoding': coding } });

    it.each([
      ['gzip', zlib.gzipSync(html)],
      ['x-gzip', zlib.gzipSync(html)],
      ['GZIP', zlib.gzipSync(html)],
      ['br', zlib.brotliCompressSync(html)],
      ['deflate', zlib.deflateSync(html)],
      ['deflate', zlib.deflateRawSync(html)],
      ['zstd', zlib.zstdCompressSync(html)],
      ['deflate, gzip', zlib.gzipSync(zlib.deflateSync(html))],
      ['identity', Buffer.from(html)],
    ])('a page compressed by %s is inflated', async (coding, body) => {
      expect(decodeText(await read(send(coding, body)))).toBe(html);
    });

    it.each([
      ['gzip', zlib.gzipSync(html + Math.random()).subarray(0, -8)],
      ['deflate', zlib.deflateSync(html + Math.random()).subarray(0, -8)],
      ['deflate', zlib.deflateRawSync(html + Math.random()).subarray(0, -8)],
      ['br', zlib.brotliCompressSync(randomBytes(40_000).toString('hex')).subarray(0, -9_000)],
      ['gzip, gzip', zlib.gzipSync(zlib.gzipSync(html).subarray(0, -8))],
    ])('a page compressed by %s that is cut off is read as far as it arrived, and says so', async (coding, body) => {
      const page = await read(send(coding, body));
      expect(page.isCutOff).toBe(true);
      expect(page.bytes.length).toBeGreaterThan(1000);
    });

    it('a compressed page with something behind it is read', async () => {
      const page = await read(send('gzip', Buffer.concat([zlib.gzipSync(html), Buffer.from('\0\0')])));
      expect([decodeText(page), page.isCutOff]).toEqual([html, false]);
    });

    it.each([
      ['gzip', Buffer.from('not gzip at all'), 'The page is not compressed as it says.'],
      ['compress', Buffer.from('x'), 'The page is compressed in a way that is not known (compress).'],
      ['gzip, gzip, gzip', Buffer.from('x'), 'The page is compressed too many times.'],
    ])('a page that is compressed invalidly by %s is rejected', async (coding, body, reason) => {
      expect(await failure(send(coding, body))).toBe(reason);
    });

    const quick = { params: { [zlib.constants.BROTLI_PARAM_QUALITY]: 2 } };
    const bombs: Record<string, (zeros: Buffer) => Promise<Buffer>> = {
      gzip: promisify(zlib.gzip),
      deflate: promisify(zlib.deflate),
      br: (zeros) => promisify<Buffer, object, Buffer>(zlib.brotliCompress)(zeros, quick),
    };
    it.each(Object.keys(bombs))(
      'a page that is a bomb by %s is rejected before it is inflated',
      { tags: 'heavy' },
      async (coding) => {
        const zeros = Buffer.alloc(200 * 1024 * 1024);
        const bomb = (await bombs[coding]?.(zeros)) as Buffer;
        expect(bomb.length).toBeLessThan(300_000);
        const before = process.memoryUsage().rss;
        expect(await failure(send(coding, bomb))).toBe('The page is larger than 5 MB.');
        expect(process.memoryUsage().rss - before).toBeLessThan(100 * 1024 * 1024);
      },
    );

    it('a page that is a bomb within a bomb is rejected', { tags: 'heavy' }, async () => {
      const bomb = zlib.gzipSync(zlib.gzipSync(Buffer.alloc(100 * 1024 * 1024)));
      expect(await failure(send('gzip, gzip', bomb))).toBe('The page is larger than 5 MB.');
    });
  });

  it('a page of 5 MB is read, and rejected with a byte more', async () => {
    const most = 5 * 1024 * 1024;
    expect((await read({ body: 'x'.repeat(most) })).bytes.length).toBe(most);
    expect(await failure({ body: 'x'.repeat(most + 1) })).toBe('The page is larger than 5 MB.');
  });

  it('a page that never ends is aborted at 5 MB', async () => {
    let closed = false;
    const outcome = await failure((_, response) => {
      response.writeHead(200, { 'content-type': 'text/html' });
      const more = () => {
        while (!closed && response.write('x'.repeat(65_536)));
      };
      response.on('drain', more).on('close', () => {
        closed = true;
      });
      more();
    });
    expect(outcome).toBe('The page is larger than 5 MB.');
    await expect.poll(() => closed).toBe(true);
  });

  it.each<[string, Reply]>([
    ['never answers', () => {}],
    [
      'sends a byte every second',
      (_, response) => {
        response.writeHead(200, { 'content-type': 'text/html' });
        const timer = setInterval(() => response.write('x'), 1000);
        response.on('close', () => clearInterval(timer));
      },
    ],
  ])('a page that %s times out', async (_, reply) => {
    const impatient = new WebPages({ trustedOrigins: new Set([site.origin]), timeoutMilliseconds: 1500 }).open();
    open.push(() => impatient.close());
    const started = Date.now();
    expect(await catchFailure(impatient.read(serve(reply), { signal }))).toBe('The page took longer than 1.5 seconds.');
    expect(Date.now() - started).toBeLessThan(15_000);
  });

  it.each<[string, Reply]>([
    ['hangs up', (request) => request.socket.destroy()],
    ['answers in another language', (request) => void request.socket.end('SSH-2.0-OpenSSH_9.6\r\n')],
    [
      'has endless headers',
      (_, response) => {
        response.writeHead(
          200,
          Object.fromEntries(Array.from({ length: 2000 }, (_, n) => [`x-header-${n}`, 'value'.repeat(20)])),
        );
        response.end('x');
      },
    ],
  ])('a page of a site that %s is rejected', async (_, reply) => {
    expect(await failure(reply)).toMatch(/^(The connection to the site failed|The site does not answer in HTTP)\.$/);
  });

  it('a page is found through five redirects, and no sixth', async () => {
    const chain = (length: number) => {
      let target = serve('<p>the end</p>').pathname;
      for (let n = 0; n < length; n++) {
        const status = [301, 302, 303, 307, 308][n % 5] as number;
        target = serve({ status, headers: { location: target } }).pathname;
      }
      return reader.read(new URL(target, site.origin), { signal });
    };
    expect(decodeText(await chain(5))).toBe('<p>the end</p>');
    expect(await catchFailure(chain(6))).toBe('The page redirects too often.');
  });

  it('a page that redirects to itself, or to no web address, is rejected', async () => {
    site.pages['/loop'] = { status: 302, headers: { location: '/loop' } };
    expect(await catchFailure(reader.read(new URL(`${site.origin}/loop`), { signal }))).toBe(
      'The page redirects too often.',
    );
    for (const location of [
      'file:///etc/passwd',
      'ftp://x/',
      'javascript:1',
      'http://user:pass@127.0.0.1/',
      'http://[',
      'data:text/html,x',
    ]) {
      const outcome = await failure({ status: 302, headers: { location } });
      expect([location, outcome]).toEqual([location, 'The page redirects to something that is no web page.']);
    }
  });

  it('a page has the address where it was found, and a redirect is checked before it is followed', async () => {
    const end = serve('<p>x</p>');
    const start = serve({ status: 302, headers: { location: `${end.href}#part` } });
    expect((await reader.read(start, { signal })).url).toBe(end.href);
    const asked: string[] = [];
    const mayFollow = (url: URL) => {
      asked.push(url.href);
      throw new PageFetchError('Not there.');
    };
    expect(await catchFailure(reader.read(start, { signal, mayFollow }))).toBe('Not there.');
    expect(asked).toEqual([end.href]);
  });

  it.each<[string, Reply, string | undefined]>([
    ['is read as it is', { body: 'User-agent: *' }, 'User-agent: *'],
    ['in UTF-16 is read', { body: Buffer.from('\ufeffUser-agent: *', 'utf16le') }, 'User-agent: *'],
    [
      'in UTF-16 of the other order is read',
      { body: Buffer.from('\ufeffUser-agent: *', 'utf16le').swap16() },
      'User-agent: *',
    ],
    ['that is missing allows everything', { status: 404 }, 'everything'],
    ['that is forbidden allows everything', { status: 403 }, 'everything'],
    ['that fails allows nothing', { status: 500 }, 'nothing'],
    ['that is busy allows nothing', { status: 429 }, 'nothing'],
  ])('robots.txt %s', async (_, reply, expected) => {
    site.pages['/robots.txt'] = reply;
    expect(await reader.readRobots(site.origin, { signal })).toBe(expected);
  });

  it('no more than half a megabyte of robots.txt is read', async () => {
    site.pages['/robots.txt'] = { body: '#'.repeat(600 * 1024) };
    expect((await reader.readRobots(site.origin, { signal })).length).toBe(500 * 1024);
  });
});
