import { createServer } from 'node:http';
import { afterAll, beforeAll, expect, it, onTestFinished } from 'vitest';
import { watchDisk } from '../../../bin/local/disk.ts';
import { gateway } from '../../../bin/local/gateway.ts';
import { type Listening, listen } from '../../../bin/local/listen.ts';
import { newWorld, type World } from '../../support/world.ts';

const megabyte = 1024 * 1024;
const disk = { isFull: false };
let service: Listening;
let world: World;
beforeAll(async () => {
  world = await newWorld();
  const pages = { files: () => new Map(), demo: {} };
  service = await listen(createServer(gateway({ origins: [], pages, disk })));
});
afterAll(() => service.stop());

const send = (method: string, path: string, body?: object) =>
  fetch(service.endpoint + path, {
    method,
    headers: { 'x-authorization': world.apiKey },
    ...(body && { body: JSON.stringify(body) }),
  });

it('a service whose disk is full refuses what writes with 503, does nothing, and answers what reads', async () => {
  const { uid, agentId } = world;
  const numbers = ['+14155550100'];
  disk.isFull = true;
  onTestFinished(() => {
    disk.isFull = false;
  });
  const refused = await send('POST', '/agent-block-list', { uid, agentId, numbers });
  expect([
    refused.status,
    refused.headers.get('retry-after'),
    ((await refused.json()) as { error: string }).error,
  ]).toEqual([503, '10', 'overloaded']);
  expect(
    (await send('PUT', `/calls/${agentId}/c1`, { direction: 'inbound', startedAt: '2026-03-01T10:00:00Z' })).status,
  ).toBe(503);
  expect((await send('GET', `/agent-block-list?uid=${uid}&agentId=${agentId}`)).status).toBe(200);
  expect((await send('POST', '/agent-block-list/check', { uid, agentId, numbers })).status).toBe(200);
  disk.isFull = false;
  const added = await send('POST', '/agent-block-list', { uid, agentId, numbers });
  expect(((await added.json()) as { added: string[] }).added).toEqual(numbers);
});

it('a disk that fills up and has room again is reported with one line each', async () => {
  const lines: string[] = [];
  let free = 300 * megabyte;
  const watched = watchDisk(
    '/data',
    (line) => lines.push(line),
    () => free,
  );
  onTestFinished(() => watched.stop());
  expect(watched.isFull).toBe(false);
  free = 100 * megabyte;
  await expect.poll(() => watched.isFull, { timeout: 20_000 }).toBe(true);
  free = 300 * megabyte;
  await expect.poll(() => watched.isFull, { timeout: 20_000 }).toBe(false);
  expect(lines).toEqual([
    'The disk of /data has less than 200 MB left: writes are refused until there is room.',
    'The disk of /data has room again: writes are accepted.',
  ]);
});

it('a run does not start on a disk that is full', () => {
  expect(() =>
    watchDisk(
      '/data',
      () => {},
      () => 0,
    ),
  ).toThrow('The disk of /data has less than 200 MB left: free some space');
});
