import fc from 'fast-check';
import { beforeAll, expect, it } from 'vitest';
import type { Table } from '../../functions/store/table.ts';
import { itInAnyHistory } from '../support/any-history.ts';
import { History, openHistoryTable, step } from '../support/call-history.ts';

let table: Table;
beforeAll(async () => {
  table = await openHistoryTable();
});

itInAnyHistory(
  'figures are those of a recount in six time zones, after any faults of the calls, the reader and the counts',
  [1, 60],
  async (runs) => {
    await fc.assert(
      fc.asyncProperty(fc.array(step, { minLength: 10, maxLength: 40 }), async (steps) => {
        const history = new History(table);
        await history.begin();
        for (const one of steps) {
          await history.take(one);
          if (await history.isExact())
            for (const { figures, recounted } of await history.compare()) expect(figures).toEqual(recounted);
        }
        await history.end();
        expect(await history.isExact()).toBe(true);
        for (const { figures, recounted } of await history.compare()) expect(figures).toEqual(recounted);
      }),
      { numRuns: runs, endOnFailure: true, ...(process.env.SEED && { seed: Number(process.env.SEED) }) },
    );
  },
);

it('changes of a day queue one count until it begins, and the first change after that queues the next', async () => {
  const history = new History(table);
  await history.begin();
  const never = { at: Number.POSITIVE_INFINITY, isAfter: false };
  const record = async (callId: string, time: string) => {
    const startedAt = `2026-03-08T${time}:00.000Z`;
    const facts = {
      startedAt,
      phone: '+14155550141',
      direction: 'inbound',
      status: undefined,
      durationSeconds: 60,
      details: undefined,
    } as const;
    await history.take({ kind: 'record', callId, facts });
    await history.take({ kind: 'read', count: 1, how: 'once', death: never });
  };
  await record('a', '00:00');
  await record('b', '00:15');
  await record('c', '23:45');
  expect(history.messages).toHaveLength(1);
  await history.take({ kind: 'stall' });
  await record('d', '12:00');
  await record('e', '12:15');
  expect(history.messages).toHaveLength(1);
  await history.end();
  expect(await history.isExact()).toBe(true);
  await record('f', '18:00');
  expect(history.messages).toHaveLength(1);
});
