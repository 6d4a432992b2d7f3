import { createServer, request } from 'node:http';
import { text } from 'node:stream/consumers';
import { request as undici } from 'undici';
import { expect, it, onTestFinished } from 'vitest';
import { gateway } from '../../../bin/local/gateway.ts';
import { listen } from '../../../bin/local/listen.ts';

process.env.APP_ORIGIN = 'http://app.example';

/** Starts a local run without pages and settings. Returns a function that sends a request and returns the status. */
const startGateway = async () => {
  const service = await listen(
    createServer(gateway({ origins: ['http://app.example'], pages: { files: () => new Map(), demo: {} } })),
  );
  onTestFinished(() => service.stop());
  const { host } = new URL(service.endpoint);
  const send = async (path: string, headers: Record<string, string>) => {
    const { promise, resolve, reject } = Promise.withResolvers<number | undefined>();
    request(service.endpoint, { method: 'POST', path, headers }, (response) => {
      response.resume();
      resolve(response.statusCode);
    })
      .on('error', reject)
      .end('{}');
    return promise;
  };
  return { host, send };
};

it('the address of a local run is an origin of the application, and no other spelling of it', async () => {
  const { host, send } = await startGateway();
  const [name, port] = host.split(':');
  const spellings = [
    `http://${host}/`,
    `http://${host}/app`,
    `https://${host}`,
    `ws://${host}`,
    `http://user@${host}`,
    `HTTP://${host}`,
    `http://${name}.:${port}`,
    `http://2130706433:${port}`,
    `http://localhost:${port}`,
  ];
  for (const origin of spellings) expect([origin, await send('/get-invoices', { origin })]).toEqual([origin, 403]);
  expect(await send('/get-invoices', { origin: `http://${host}` })).toBe(400);
});

it('a local run refuses a request for a host that is neither its own nor the application’s', async () => {
  const { host, send } = await startGateway();
  const names = ['evil.example', `evil.example:80@${host}`, `user@${host}`, 'evil.example@localhost'];
  const parts = [`${host}/evil`, `${host}\\@evil.example`, `${host}?evil`, `${host}#evil`];
  for (const strange of [...names, ...parts])
    expect([strange, await send('/get-invoices', { host: strange, origin: `http://${strange}` })]).toEqual([
      strange,
      403,
    ]);
  const origin = 'http://app.example';
  expect(await send('/get-invoices', { host: 'app.example', origin })).toBe(400);
});

it('a local run says how to allow a host that it refuses', async () => {
  const lines: string[] = [];
  const pages = { files: () => new Map(), demo: {} };
  const service = await listen(createServer(gateway({ origins: [], pages, report: (line) => lines.push(line) })));
  onTestFinished(() => service.stop());
  const { promise, resolve } = Promise.withResolvers<string>();
  request(`${service.endpoint}/key`, { headers: { host: 'host.docker.internal:3000' } }, async (response) =>
    resolve(`${response.statusCode} ${await text(response)}`),
  ).end();
  const reason =
    'host.docker.internal:3000 is not a host of this service. Start it with APP_ORIGIN=http://host.docker.internal:3000 to allow it.';
  expect(await promise).toBe(`403 ${JSON.stringify({ message: reason })}`);
  expect(lines).toContain(reason);
});

it('a local run answers the absolute form of a request target, whose host replaces the header', async () => {
  const { host, send } = await startGateway();
  const origin = 'http://app.example';
  for (const target of [`http://${host}/get-invoices`, `HTTP://${host.toUpperCase()}/get-invoices?a=b`])
    expect([target, await send(target, { origin, host: 'proxy.example' })]).toEqual([target, 400]);
  expect(await send(`http://${host}`, { origin })).toBe(404);
  expect(await send('http://evil.example/get-invoices', { origin, host })).toBe(403);
});

it('the log of a local run names an origin that may not call from a browser, and those that may', async () => {
  const lines: string[] = [];
  const origins = ['http://localhost:3000', 'http://localhost:5173'];
  const pages = { files: () => new Map(), demo: {} };
  const service = await listen(createServer(gateway({ origins, pages, report: (line) => lines.push(line) })));
  onTestFinished(() => service.stop());
  for (const origin of ['http://localhost:5173', 'http://localhost:9999']) {
    const headers = { origin, 'access-control-request-method': 'GET' };
    await fetch(`${service.endpoint}/agents`, { method: 'OPTIONS', headers });
  }
  expect(lines).toEqual([
    'http://localhost:9999 may not call from a browser. APP_ORIGIN allows http://localhost:3000, http://localhost:5173',
  ]);
});

it('a page of any site may read the metadata of OAuth with the headers of the protocol, and nothing else', async () => {
  const { host } = await startGateway();
  const ask = async (path: string) => {
    const asked = { 'access-control-request-method': 'GET', 'access-control-request-headers': 'mcp-protocol-version' };
    const headers = { origin: 'https://elsewhere.example.com', ...asked };
    const answer = await undici(`http://${host}${path}`, { method: 'OPTIONS', headers });
    await answer.body.dump();
    expect(answer.headers['access-control-allow-headers']).toContain('mcp-protocol-version');
    return [answer.statusCode, answer.headers['access-control-allow-origin']];
  };
  for (const path of ['oauth-authorization-server', 'oauth-authorization-server/mcp', 'openid-configuration'])
    expect(await ask(`/.well-known/${path}`)).toEqual([204, '*']);
  for (const path of ['/token', '/mcp', '/agents']) expect(await ask(path)).toEqual([204, 'http://app.example']);
});
