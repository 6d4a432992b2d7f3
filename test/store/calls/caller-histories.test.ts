import { randomUUID } from 'node:crypto';
import fc from 'fast-check';
import { afterEach, beforeAll, expect, it } from 'vitest';
import { chooseForm } from '../../../functions/domain/number-forms.ts';
import { CallRecords } from '../../../functions/store/calls/call-records.ts';
import { Calls } from '../../../functions/store/calls/calls.ts';
import { callHistoryCollection } from '../../../functions/store/keys.ts';
import { table } from '../../../functions/store/table.ts';
import { itInAnyHistory } from '../../support/any-history.ts';
import { injectFaults, noFaults, tenPercent } from '../../support/faults.ts';
import { untilAnswered } from '../../support/until.ts';
import { useTargetInThisProcess } from '../../support/world.ts';

beforeAll(useTargetInThisProcess);
afterEach(noFaults);

const begun = Date.now();
const daysAgo = (days: number) => new Date(begun - days * 24 * 60 * 60 * 1000).toISOString();

/** Two forms of a number, another number, and a withheld one. */
const phones = ['+525512345678', '+5215512345678', '+14155550177', null] as const;
const called = phones.filter((phone) => phone !== null);

type Facts = { startedAt: string; phone: string | undefined; direction: 'inbound' | 'outbound'; summary: string };
type Kept = Facts & { outcome?: string };
type Model = Map<string, Kept>;

const callId = fc.constantFrom('a', 'b', 'c', 'd');
const facts: fc.Arbitrary<Facts> = fc.record({
  startedAt: fc.constantFrom(...[1, 2, 5, 20].map(daysAgo)),
  phone: fc.constantFrom(...phones).map((phone) => phone ?? undefined),
  direction: fc.constantFrom('inbound', 'outbound'),
  summary: fc.constantFrom('Asked.', 'Ada called.'),
});
const outcome = fc.constantFrom('booked', 'ill');
const hasHistory = fc.boolean();
const step = fc.oneof(
  { weight: 5, arbitrary: fc.record({ verb: fc.constant('record' as const), callId, facts, hasHistory }) },
  {
    weight: 3,
    arbitrary: fc.record({
      verb: fc.constant('recordMany' as const),
      items: fc.uniqueArray(fc.record({ callId, facts, outcome }), {
        selector: (item) => item.callId,
        minLength: 1,
        maxLength: 4,
      }),
      hasHistory,
    }),
  },
  { weight: 4, arbitrary: fc.record({ verb: fc.constant('setOutcome' as const), callId, outcome }) },
  { weight: 2, arbitrary: fc.record({ verb: fc.constant('remove' as const), callId }) },
  { weight: 1, arbitrary: fc.record({ verb: fc.constant('erase' as const), phone: fc.constantFrom(...called) }) },
);
type Step = typeof step extends fc.Arbitrary<infer T> ? T : never;

const apply = (model: Model, one: Step): void => {
  const put = (id: string, sent: Facts, more: object = {}) => model.set(id, { ...model.get(id), ...sent, ...more });
  if (one.verb === 'record') put(one.callId, one.facts);
  else if (one.verb === 'recordMany')
    for (const item of one.items) put(item.callId, item.facts, { outcome: item.outcome });
  else if (one.verb === 'setOutcome') {
    const former = model.get(one.callId);
    if (former) model.set(one.callId, { ...former, outcome: one.outcome });
  } else if (one.verb === 'remove') model.delete(one.callId);
  else for (const [id, { phone }] of model) if (phone === one.phone) model.delete(id);
};

const perform = async (calls: Calls, agentId: string, one: Step): Promise<void> => {
  const until = Date.now() + 30_000;
  const toFacts = ({ summary, ...sent }: Facts) => ({ ...sent, details: { summary } });
  const setTo = (custom_call_outcome: string) => ({
    change: <C extends object>(call: C) => ({ ...call, custom_call_outcome }),
  });
  if (one.verb === 'record')
    await calls.record(agentId, one.callId, toFacts(one.facts), { hasHistory: one.hasHistory || undefined });
  else if (one.verb === 'recordMany') {
    const items = one.items.map((item) => ({
      agentId,
      callId: item.callId,
      facts: toFacts(item.facts),
      outcome: setTo(item.outcome),
      hasHistory: one.hasHistory || undefined,
    }));
    for (const result of await calls.recordMany(items as never, until)) if (result instanceof Error) throw result;
  } else if (one.verb === 'setOutcome')
    await calls.setOutcome({ agentId, reference: { callId: one.callId }, ...setTo(one.outcome) } as never);
  else if (one.verb === 'remove') await calls.remove(agentId, one.callId);
  else expect(await calls.erase(agentId, one.phone, { until, alongside: () => [] })).toBe(true);
};

/** Returns what a history says by the model. */
const tell = (
  model: Model,
  phone: string,
  { calls, days, except }: { calls: number; days: number; except?: string },
) => {
  const before = [...model]
    .filter(([id, call]) => id !== except && call.phone && chooseForm(call.phone) === chooseForm(phone))
    .filter(([, call]) => call.startedAt >= daysAgo(days))
    .sort(([one, a], [other, b]) => (`${a.startedAt}#${one}` < `${b.startedAt}#${other}` ? 1 : -1));
  const latest = before.slice(0, calls).map(([, { phone: _, ...told }]) => told);
  return { count: before.length, latest };
};

itInAnyHistory(
  'the history of a caller is what a plain model of the calls says, and entries of other calls are never left',
  [5, 200],
  (runs) =>
    fc.assert(
      fc.asyncProperty(fc.array(step, { minLength: 1, maxLength: 12 }), fc.nat(), async (steps, seed) => {
        const agentId = `agent-${randomUUID()}`;
        const [calls, records] = [new Calls(table.get()), new CallRecords(table.get())];
        const model: Model = new Map();
        injectFaults(tenPercent(seed));
        for (const one of steps) {
          await untilAnswered(() => perform(calls, agentId, one), 20);
          apply(model, one);
        }
        noFaults();
        for (const phone of called) {
          for (const asked of [
            { calls: 1, days: 10 },
            { calls: 5, days: 30, except: 'a' },
          ])
            expect(await records.readHistory(agentId, phone, asked)).toEqual(tell(model, phone, asked));
          const entries = await Array.fromAsync(table.get().query(callHistoryCollection(agentId, phone)));
          const there = new Set(
            [...model].filter(([, call]) => call.phone === phone).map(([id, call]) => `${call.startedAt}#${id}`),
          );
          expect(entries.filter(({ sk }) => !there.has(sk))).toEqual([]);
        }
      }),
      { numRuns: runs, endOnFailure: false },
    ),
);

it('a call that is in a history stays there when it is recorded again after its agent has none', async () => {
  const agentId = `agent-${randomUUID()}`;
  const calls = new Calls(table.get());
  const [phone] = phones;
  const direction = 'inbound';
  for (const [summary, hasHistory] of [['Asked.', true] as const, ['Called.', undefined] as const])
    await calls.record(agentId, 'a', { startedAt: daysAgo(1), phone, direction, details: { summary } }, { hasHistory });
  const entries = await Array.fromAsync(table.get().query(callHistoryCollection(agentId, phone)));
  expect(entries).toMatchObject([{ summary: 'Called.' }]);
});
