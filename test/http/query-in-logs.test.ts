import { createServer } from 'node:http';
import { afterAll, beforeAll, expect, it, vi } from 'vitest';
import { gateway } from '../../bin/local/gateway.ts';
import { listen } from '../../bin/local/listen.ts';
import { newApiKey } from '../../functions/domain/api-keys.ts';
import { apiKeys } from '../../functions/store/api-keys.ts';
import { injectFaults, noFaults } from '../support/faults.ts';
import { newWorld } from '../support/world.ts';

const lines: string[] = [];
let service: Awaited<ReturnType<typeof listen>>;
beforeAll(async () => {
  process.env.PUBLIC_URL = 'http://127.0.0.1';
  const pages = { folder: '', facts: {} } as unknown as Parameters<typeof gateway>[0]['pages'];
  service = await listen(createServer(gateway({ origins: [], pages, report: (line) => lines.push(line) })));
});
afterAll(() => service.stop());

it('no log contains any part of a query string, with any outcome of the request', async () => {
  const { uid, agentId } = await newWorld();
  const { secret } = await apiKeys.get().create(uid, { name: 'hooks', scopes: ['hooks'] });
  const heard = vi.spyOn(process.stderr, 'write').mockImplementation((chunk) => lines.push(String(chunk)) > 0);
  const errors = vi.spyOn(console, 'error').mockImplementation((...words) => void lines.push(words.join(' ')));
  const ask = async (path: string, query: Record<string, string>, body = '{}') => {
    const marked = new URLSearchParams({ uid, agentId, ...query, marker: 'zebra' });
    return (await fetch(`${service.endpoint}${path}?${marked}`, { method: 'POST', body })).status;
  };
  const start = '{"caller_id":"+14155550100","call_sid":"CA1"}';
  const end = '{"event":"call_ended","call":{"call_id":"r1"}}';
  const statuses = [
    await ask('/hooks/elevenlabs', { key: secret }, start),
    await ask('/hooks/retell', { key: newApiKey() }, end),
    await ask('/hooks/retell', { key: 'vap_zebra' }, end),
    await ask('/hooks/retell', { key: secret, unsure: 'zebra' }, end),
    await ask('/hooks/zebra', { key: secret }),
    await ask('/nowhere', { key: secret }),
  ];
  injectFaults(() => 'kill');
  statuses.push(
    await ask('/hooks/retell', { key: secret }, end),
    await ask('/hooks/elevenlabs', { key: secret }, start),
  );
  noFaults();
  for (const spy of [heard, errors]) spy.mockRestore();
  expect(statuses).toEqual([200, 401, 401, 400, 404, 404, 500, 200]);
  const logged = lines.join('\n');
  expect(logged.match(/"operation":"receiveHook"/g)?.length).toBeGreaterThanOrEqual(7);
  expect(logged).toContain('POST /hooks/… 200');
  for (const part of ['zebra', 'marker', secret.slice(4), 'key=', agentId]) expect(logged).not.toContain(part);
});
