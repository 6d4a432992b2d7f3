import { beforeAll, expect, it } from 'vitest';
import { receiveHook } from '../../functions/api/receive-hook.ts';
import { table } from '../../functions/store/table.ts';
import { invoke } from '../support/events.ts';
import '../support/quiet-logs.ts';
import { caller, starts } from '../support/voice-platforms.ts';
import { newWorld, type World } from '../support/world.ts';

let world: World;
/** The faults of the read and the write of a record. */
let fault: 'none' | 'refused' | 'silent' = 'none';
let seen: string[] = [];

beforeAll(async () => {
  world = await newWorld();
  await world.block([caller]);
  type Next = (args: object) => Promise<object>;
  const middleware =
    (next: Next, { commandName = '' }: { commandName?: string }) =>
    async (args: object) => {
      seen.push(commandName.replace(/Command$/, ''));
      if (commandName === 'BatchGetItemCommand' || fault === 'none') return next(args);
      if (fault === 'silent') return new Promise<never>(() => {});
      throw Object.assign(new Error('refused'), { name: 'AccessDeniedException', $fault: 'client', $metadata: {} });
    };
  table.get().client.middlewareStack.add(middleware as never, { step: 'deserialize', name: 'fault', priority: 'high' });
});

const receive = async (callId: string) => {
  seen = [];
  const { query, body } = starts.vapi as { query: Record<string, string>; body: { message: object } };
  const began = performance.now();
  const answer = await invoke(receiveHook, {
    ...{ apiKey: world.apiKey, params: { platform: 'vapi' } },
    query: { ...query, uid: world.uid, agentId: world.agentId },
    body: { message: { ...body.message, call: { id: callId, customer: { number: caller } } } },
  });
  return { ...answer, milliseconds: performance.now() - began };
};

it.each(['refused', 'silent'] as const)(
  'a call is rejected before the platform’s patience ends although its record is %s',
  async (kind) => {
    fault = kind;
    const { status, body, milliseconds } = await receive(`v-${kind}`);
    fault = 'none';
    expect([status, body]).toEqual([200, { error: 'This caller cannot be connected.' }]);
    expect(milliseconds).toBeLessThan(1900);
    expect((await world.call('GET', `/calls/${world.agentId}/vapi:v-${kind}`)).status).toBe(404);
  },
);

it('a rejected call costs one read and one write in addition to the decision, and an accepted one costs nothing more', async () => {
  await receive('v-1');
  const decision = seen.filter((operation) => operation === 'BatchGetItem');
  expect(seen).toEqual([...decision, 'GetItem', 'TransactWriteItems']);
  await world.unblock([caller]);
  await receive('v-2');
  expect(seen).toEqual(decision);
  await world.block([caller]);
});
