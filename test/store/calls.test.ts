import { randomUUID } from 'node:crypto';
import fc from 'fast-check';
import { beforeAll, describe, expect, it } from 'vitest';
import { type Call, type CallOutcomeChange, type MetadataMode, withOutcome } from '../../functions/domain/calls.ts';
import { Calls } from '../../functions/store/calls.ts';
import { table } from '../../functions/store/table.ts';
import { injectFaults, tenPercent } from '../support/faults.ts';
import { useTargetInThisProcess } from '../support/world.ts';

let calls: Calls;
beforeAll(() => {
  useTargetInThisProcess();
  calls = new Calls(table.get());
});

const ids = ['a', 'b', 'c', 'd'];
const phones = ['+14155550100', '+442071838750'];
const times = ['2026-01-01T00:00:00.000Z', '2026-01-02T00:00:00.000Z', '2026-01-03T00:00:00.000Z'];

const id = fc.constantFrom(...ids);
const reference = fc.oneof(
  fc.record({ callId: id }),
  fc.record({ phone: fc.constantFrom(...phones), preference: fc.constantFrom('first' as const, 'last' as const) }),
);
const change = fc.record(
  {
    custom_call_outcome: fc.option(fc.string({ maxLength: 20, unit: 'grapheme' })),
    custom_call_outcome_value: fc.option(fc.double({ noNaN: true, noDefaultInfinity: true }).map((value) => value + 0)),
    custom_call_metadata: fc.option(fc.dictionary(fc.string(), fc.jsonValue({ maxDepth: 3 }), { maxKeys: 4 })),
  },
  { requiredKeys: [] },
);
const mode = fc.constantFrom('replace' as const, 'merge' as const);
const setting = fc.record({ reference, change, mode });
const step = fc.oneof(
  fc.record({
    verb: fc.constant('record' as const),
    callId: id,
    phone: fc.constantFrom(...phones),
    startedAt: fc.constantFrom(...times),
  }),
  fc.record({ verb: fc.constant('set' as const), settings: fc.array(setting, { minLength: 1, maxLength: 1 }) }),
  fc.record({ verb: fc.constant('set many' as const), settings: fc.array(setting, { minLength: 1, maxLength: 12 }) }),
);

type Setting = {
  reference: { callId: string } | { phone: string; preference: 'first' | 'last' };
  change: CallOutcomeChange;
  mode: MetadataMode;
};

/** The calls as they should be, with the plainest code there is. */
class Model {
  readonly calls = new Map<string, Call>();

  find(wanted: Setting['reference']): Call | undefined {
    if ('callId' in wanted) return this.calls.get(wanted.callId);
    const found = this.newestFirst().filter(({ phone }) => phone === wanted.phone);
    return wanted.preference === 'last' ? found[0] : found.at(-1);
  }

  newestFirst(): Call[] {
    const place = ({ startedAt, callId }: Call) => `${startedAt} ${callId}`;
    return [...this.calls.values()].sort((a, b) => (place(a) < place(b) ? 1 : -1));
  }
}

const at = '2026-06-01T00:00:00.000Z';
const withoutHistory = (call: Call | undefined) => {
  if (!call) return undefined;
  const { outcomeHistory: _, ...rest } = call;
  return JSON.parse(JSON.stringify(rest)) as Call;
};

describe('calls under faults', () => {
  it('are as a plain model says after any history, with one call in ten going wrong', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(step, { minLength: 1, maxLength: 12 }), fc.integer(), async (history, seed) => {
        injectFaults(table.get().client, tenPercent(seed));
        const agentId = `agent-${randomUUID()}`;
        const model = new Model();
        for (const action of history) {
          if (action.verb === 'record') {
            const { callId, phone, startedAt } = action;
            const facts = { agentId, callId, phone, direction: 'inbound' as const, startedAt };
            await untilDone(() =>
              calls.change({ agentId, reference: { callId } }, (found) => ({ ...found, ...facts })),
            );
            model.calls.set(callId, { ...model.calls.get(callId), ...facts });
            continue;
          }
          const settings = action.settings as Setting[];
          // A batch names its calls by what was there before it.
          const named = settings.map((one) => model.find(one.reference)?.callId);
          const expected = settings.map((one, index) => {
            const found = named[index] === undefined ? undefined : model.calls.get(named[index]);
            if (!found) return undefined;
            const changed = withOutcome(found, one.change, one.mode, 'key', at);
            model.calls.set(found.callId, changed);
            return withoutHistory(changed);
          });
          const targets = settings.map((one) => ({
            agentId,
            reference: one.reference,
            change: (call: Call | undefined) => call && withOutcome(call, one.change, one.mode, 'key', at),
          }));
          const results =
            action.verb === 'set'
              ? [
                  await untilDone(() =>
                    calls.change(targets[0] as (typeof targets)[0], (targets[0] as (typeof targets)[0]).change),
                  ),
                ]
              : await untilDone(() => calls.changeMany(targets).then(noErrors));
          for (const [index, result] of results.entries()) {
            expect(result?.callId).toBe(expected[index]?.callId);
            if (action.verb === 'set') expect(withoutHistory(result)).toEqual(expected[index]);
          }
        }
        injectFaults(table.get().client, () => undefined);
        const all = model.newestFirst();
        const listed: Call[] = [];
        for await (const call of calls.list(agentId)) listed.push(call);
        expect(listed.map(withoutHistory)).toEqual(all.map(withoutHistory));
        for (const phone of phones) {
          const withPhone: Call[] = [];
          for await (const call of calls.list(agentId, { phone })) withPhone.push(call);
          expect(withPhone).toEqual(listed.filter((call) => call.phone === phone));
        }
        for (const call of listed) expect(await calls.find(agentId, { callId: call.callId })).toEqual(call);
      }),
      { numRuns: 60 },
    );
  }, 180_000);

  it('record a lost transaction once', async () => {
    const agentId = `agent-${randomUUID()}`;
    const facts = {
      agentId,
      callId: 'a',
      phone: '+14155550100',
      direction: 'inbound' as const,
      startedAt: times[0] as string,
    };
    await calls.change({ agentId, reference: { callId: 'a' } }, () => facts);
    let lost = 0;
    injectFaults(table.get().client, (operation) =>
      operation === 'TransactWriteItems' && lost++ < 1 ? 'lost response' : undefined,
    );
    const change = (call: Call | undefined) =>
      call && withOutcome(call, { custom_call_outcome: 'x' }, 'replace', 'key', at);
    const changed = await calls.change({ agentId, reference: { callId: 'a' } }, change);
    injectFaults(table.get().client, () => undefined);
    expect(changed?.outcomeHistory?.length).toBe(1);
    expect(await calls.find(agentId, { callId: 'a' })).toEqual(changed);
  });
});

/** A caller whose request failed sends it again: every one of these may be repeated. */
const untilDone = async <T>(work: () => Promise<T>): Promise<T> => {
  for (let attempt = 0; ; attempt++) {
    try {
      return await work();
    } catch (error) {
      if (attempt === 5) throw error;
    }
  }
};

const noErrors = (results: (Call | undefined | Error)[]) => {
  const error = results.find((result) => result instanceof Error);
  if (error) throw error;
  return results as (Call | undefined)[];
};
