import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, expect, it } from 'vitest';
import { recordCalls } from '../../functions/api/record-calls.ts';
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
afterEach(speedUp);

type Answer = { body: { failed: { index: number; error: string }[] } & Record<string, { index: number }[]> };

const indexesOf = (items: { index: number }[] = []) => items.map(({ index }) => index);

const ids = Array.from({ length: 250 }, (_, n) => `c${n}`);
const callOf = (agentId: string, callId: string) => ({
  agentId,
  callId,
  direction: 'inbound',
  startedAt: '2026-03-01T10:00:00Z',
});

it.each(['calls', 'outcomes'] as const)(
  'a request of many items to a slow table reports the %s that were not tried as temporarily_unavailable',
  async (kind) => {
    const { agentId, apiKey } = await newWorld();
    const calls = { items: ids.map((callId) => callOf(agentId, callId)) };
    if (kind === 'outcomes') await invoke(recordCalls, { apiKey, body: calls });
    const outcomes = { items: ids.map((id) => ({ agentId, callIdOrPhone: id, custom_call_outcome: 'x' })) };
    const send = async () =>
      kind === 'calls'
        ? invoke(recordCalls, { apiKey, body: calls })
        : invoke(updateCallOutcomes, { apiKey, body: outcomes });

    slowDown();
    const first = (await send()) as Answer & { status: number };
    expect(first.status).toBe(200);
    const done = indexesOf(first.body[kind === 'calls' ? 'recorded' : 'updated']);
    expect(done.length).toBeGreaterThan(0);
    expect(first.body.failed.length).toBeGreaterThan(0);
    expect(new Set(first.body.failed.map(({ error }) => error))).toEqual(new Set(['temporarily_unavailable']));
    expect([...done, ...indexesOf(first.body.failed)].sort((a, b) => a - b)).toEqual(ids.map((_, index) => index));

    speedUp();
    const again = (await send()) as Answer;
    expect(again.body.failed).toEqual([]);
  },
);
