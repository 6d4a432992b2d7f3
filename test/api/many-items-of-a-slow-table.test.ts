import { setTimeout as sleep } from 'node:timers/promises';
import { beforeAll, expect, it } from 'vitest';
import { recordCalls } from '../../functions/api/record-calls.ts';
import { recordConsents } from '../../functions/api/record-consents.ts';
import { updateCallOutcomes } from '../../functions/api/update-call-outcomes.ts';
import { table } from '../../functions/store/table.ts';
import { invoke } from '../support/events.ts';
import { newWorld, useTargetInThisProcess } from '../support/world.ts';

useTargetInThisProcess();

/** Delays the writes of this process for more than the three seconds that are left for beginning them: those begin that are made at once. */
const slowDown = () => {
  process.env.TABLE_TIMEOUT_SECONDS = '25';
  table.get().client.middlewareStack.add(
    (next, { commandName = '' }) =>
      async (args) => {
        if (/^(BatchExecute|TransactWrite)/.test(commandName)) await sleep(3100);
        return next(args);
      },
    { step: 'deserialize', name: 'slow' },
  );
};
const speedUp = () => {
  table.get().client.middlewareStack.remove('slow');
  process.env.TABLE_TIMEOUT_SECONDS = '20';
};

const listIndexes = (items: { index: number }[] = []) => items.map(({ index }) => index);

const ids = Array.from({ length: 250 }, (_, n) => `c${n}`);
const makeCall = (agentId: string, callId: string) => ({
  agentId,
  callId,
  direction: 'inbound',
  startedAt: '2026-03-01T10:00:00Z',
});

/** A transaction has a hundred people, and four begin at once. */
const people = Array.from({ length: 600 }, (_, n) => ({
  ...{ number: `+1415555${1000 + n}`, purpose: 'marketing', state: 'given', at: '2026-03-01T10:00:00.000Z' },
}));

type Sent = Record<'calls' | 'outcomes' | 'consents', Awaited<ReturnType<typeof invoke>>>;
let [first, again]: Sent[] = [];

// Two requests wait at the same time.
beforeAll(async () => {
  const [recording, setting, consenting] = [await newWorld(), await newWorld(), await newWorld()];
  const toCalls = (agentId: string) => ({ items: ids.map((callId) => makeCall(agentId, callId)) });
  const outcomes = ids.map((id) => ({ agentId: setting.agentId, callIdOrPhone: id, custom_call_outcome: 'x' }));
  await invoke(recordCalls, { apiKey: setting.apiKey, body: toCalls(setting.agentId) });
  const send = async (): Promise<Sent> => {
    const [calls, changed] = await Promise.all([
      invoke(recordCalls, { apiKey: recording.apiKey, body: toCalls(recording.agentId) }),
      invoke(updateCallOutcomes, { apiKey: setting.apiKey, body: { items: outcomes } }),
    ]);
    const body = { uid: consenting.uid, consents: people };
    return { calls, outcomes: changed, consents: await invoke(recordConsents, { apiKey: consenting.apiKey, body }) };
  };
  slowDown();
  first = await send();
  speedUp();
  again = await send();
});

it.each(['calls', 'outcomes'] as const)(
  'a request of many items to a slow table reports the %s that were not tried as temporarily_unavailable',
  (kind) => {
    const { status, body } = (first as Sent)[kind];
    expect(status).toBe(200);
    const failed: { index: number; error: string }[] = body.failed;
    const done = listIndexes(body[kind === 'calls' ? 'recorded' : 'updated']);
    expect(done.length).toBeGreaterThan(0);
    expect(failed.length).toBeGreaterThan(0);
    expect(new Set(failed.map(({ error }) => error))).toEqual(new Set(['temporarily_unavailable']));
    expect([...done, ...listIndexes(failed)].sort((a, b) => a - b)).toEqual(ids.map((_, index) => index));
    expect(again?.[kind].body.failed).toEqual([]);
  },
);

it('a request of many consents to a slow table reports those that were not tried as temporarily_unavailable', () => {
  const [{ status, body }, { body: repeated }] = [first?.consents, again?.consents] as [
    Sent['consents'],
    Sent['consents'],
  ];
  expect(status).toBe(200);
  const { recorded, failed }: Record<string, { number: string; code?: string }[]> = body;
  expect([recorded?.length, failed?.length]).not.toContain(0);
  expect(new Set(failed?.map(({ code }) => code))).toEqual(new Set(['temporarily_unavailable']));
  const numbers = [...(recorded ?? []), ...(failed ?? [])].map(({ number }) => number);
  expect(numbers.sort()).toEqual(people.map(({ number }) => number));
  expect(repeated.failed).toEqual([]);
});
