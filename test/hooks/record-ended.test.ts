import { beforeAll, expect, it, vi } from 'vitest';
import { receiveHook } from '../../functions/api/receive-hook.ts';
import { apiKeys } from '../../functions/store/api-keys.ts';
import { invoke } from '../support/events.ts';
import { injectFaults } from '../support/faults.ts';
import '../support/quiet-logs.ts';
import { caller, own } from '../support/voice-platforms.ts';
import { newWorld, type World } from '../support/world.ts';

let world: World;
let seen: string[] = [];
beforeAll(async () => {
  world = await newWorld();
  injectFaults(
    () => undefined,
    (operation) => seen.push(operation),
  );
});

const receive = (callId: string, analysis?: object) =>
  send('call_analyzed', { call_id: callId, ...(analysis && { call_analysis: { custom_analysis_data: analysis } }) });

const send = (event: string, call: object, more: object = { apiKey: world.apiKey }) => {
  seen = [];
  return invoke(receiveHook, {
    ...{ params: { platform: 'retell' }, query: { uid: world.uid, agentId: world.agentId }, ...more },
    body: { event, call: { from_number: caller, to_number: own, ...call } },
  });
};

it('an end with an outcome that is set, held or refused takes as many round trips as one without, and two more if it blocks the caller', async () => {
  await receive('r1');
  const without = seen;
  expect(without).toEqual(['BatchGetItem', 'GetItem', 'TransactWriteItems']);
  await receive('r2', { custom_call_outcome: 'booked' });
  expect(seen).toEqual(without);
  const outcomes = [
    { name: 'stop', blocks: 'found' },
    { name: 'sold', found: { minCallerWords: 1 } },
  ];
  await world.call('PATCH', `/agents/${world.agentId}`, { body: { configuration: { outcomes } } });
  await receive('r3', { custom_call_outcome: 'stop' });
  expect(seen).toEqual([...without, 'BatchGetItem', 'TransactWriteItems']);
  await receive('r3', { custom_call_outcome: 'stop' });
  expect(seen).toEqual(without.slice(0, 2));
  for (const notSet of ['sold', 'interested']) {
    await receive(notSet, { custom_call_outcome: notSet });
    expect(seen).toEqual(without);
  }
});

it('a field that cannot be an outcome is in the log, without its value', async () => {
  const logged = vi.spyOn(process.stderr, 'write').mockReturnValue(true);
  await receive('r4', { custom_call_outcome: ['secret'], custom_call_outcome_value: 'secret' });
  const lines = logged.mock.calls.map(([line]) => String(line));
  logged.mockRestore();
  const line = lines.find((text) => text.includes('leftOut'));
  expect(JSON.parse(line ?? '')).toMatchObject({
    ...{ level: 'warn', operation: 'receiveHook', callId: 'retell:r4', requestId: expect.any(String) },
    leftOut: ['custom_call_outcome: must be a string', 'custom_call_outcome_value: must be a number'],
  });
  expect(lines.join('')).not.toContain('secret');
});

it('a value that would be rounded is left out', async () => {
  const logged = vi.spyOn(process.stderr, 'write').mockReturnValue(true);
  const event =
    '{"event":"call_analyzed","call":{"call_id":"r6","call_analysis":{"custom_analysis_data":{"custom_call_outcome":"stop","custom_call_outcome_value":VALUE}}}}';
  const query = { uid: world.uid, agentId: world.agentId };
  const body = event.replace('VALUE', '9007199254740993');
  await invoke(receiveHook, { apiKey: world.apiKey, params: { platform: 'retell' }, query, body });
  logged.mockRestore();
  const call = (await world.call('GET', `/calls/${world.agentId}/retell:r6`)).body;
  expect([call.custom_call_outcome, call.custom_call_outcome_value]).toEqual(['stop', undefined]);
});

it('a cost that is reported after the end replaces it with a key in a header, and not with one in the address', async () => {
  const { uid, agentId } = world;
  const { secret: key } = await apiKeys.get().create(uid, { name: 'hooks', scopes: ['hooks'] });
  const report = async (event: string, cents: number, more?: object) => {
    await send(event, { call_id: 'r5', call_cost: { combined_cost: cents } }, more);
    return (await world.call('GET', `/calls/${agentId}/retell:r5`)).body.details.cost.amount;
  };
  expect(await report('call_ended', 20)).toBe(0.2);
  expect(await report('call_analyzed', 5000, { query: { uid, agentId, key } })).toBe(0.2);
  expect(await report('call_analyzed', 22.5)).toBe(0.225);
  expect(await report('transfer_ended', 122.5)).toBe(1.225);
  expect(await report('call_ended', 20)).toBe(1.225);
  expect(seen.filter((operation) => operation.includes('Write'))).toEqual([]);
});
