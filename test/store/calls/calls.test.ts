import { randomUUID } from 'node:crypto';
import fc from 'fast-check';
import { beforeAll, expect, it } from 'vitest';
import { withOutcome } from '../../../functions/domain/call-outcomes.ts';
import { type Call, type CallOutcomeChange, type MetadataMode, withFacts } from '../../../functions/domain/calls.ts';
import { chooseForm, listForms } from '../../../functions/domain/number-forms.ts';
import { blockList } from '../../../functions/store/block-list/block-list.ts';
import { Calls } from '../../../functions/store/calls/calls.ts';
import { callCollection, phoneCallCollection } from '../../../functions/store/keys.ts';
import { openTable, table } from '../../../functions/store/table.ts';
import { itInAnyHistory } from '../../support/any-history.ts';
import { openFaultyTable, tenPercent } from '../../support/faults.ts';
import { listCalls } from '../../support/listed-calls.ts';
import { untilAnswered } from '../../support/until.ts';
import { useTargetInThisProcess } from '../../support/world.ts';

let calls: Calls;
beforeAll(() => {
  useTargetInThisProcess();
  calls = new Calls(table.get());
});

const callsUnder = (...how: Parameters<typeof openFaultyTable>) => new Calls(openFaultyTable(...how));
/** More than outcomes take, however busy the machine is. */
const later = () => Date.now() + 30_000;

const ids = ['a', 'b', 'c', 'd'];
/** The last two are the same person's. */
const phones = ['+14155550100', '+442071838750', '+525512345678', '+5215512345678'];
const phoneOrWithheld = fc.constantFrom(...phones, null);
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
const setting = fc.record({ reference, change, mode, blocks: fc.boolean() });
const step = fc.oneof(
  fc.record({
    verb: fc.constant('record' as const),
    callId: id,
    phone: phoneOrWithheld,
    startedAt: fc.constantFrom(...times),
    details: fc.option(fc.dictionary(fc.string(), fc.jsonValue({ maxDepth: 3 }), { maxKeys: 3 }), { nil: undefined }),
  }),
  fc.record({
    verb: fc.constant('record many' as const),
    items: fc.array(fc.record({ callId: id, phone: phoneOrWithheld, startedAt: fc.constantFrom(...times) }), {
      minLength: 1,
      maxLength: 8,
    }),
  }),
  fc.record({ verb: fc.constant('remove' as const), callId: id }),
  fc.record({ verb: fc.constant('set' as const), settings: fc.array(setting, { minLength: 1, maxLength: 1 }) }),
  fc.record({ verb: fc.constant('set many' as const), settings: fc.array(setting, { minLength: 1, maxLength: 12 }) }),
);

type Setting = {
  reference: { callId: string } | { phone: string; preference: 'first' | 'last' };
  change: CallOutcomeChange;
  mode: MetadataMode;
  blocks: boolean;
};

/** Returns a filter for the calls with a number, in any of its forms. */
const isPerson = (wanted: string) => {
  const form = chooseForm(wanted);
  return ({ phone }: Call) => phone !== undefined && chooseForm(phone) === form;
};

/** A model of the calls in the simplest code. */
class Model {
  readonly calls = new Map<string, Call>();
  /** The blocked numbers, each with the reasons of the batch that blocked it. */
  readonly blocked = new Map<string, string[]>();

  find(wanted: Setting['reference']): Call | undefined {
    if ('callId' in wanted) return this.calls.get(wanted.callId);
    const found = this.newestFirst().filter(isPerson(wanted.phone));
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
  // The service and the model record a call at different times.
  const { outcomeHistory: _, recordedAt: _at, ...rest } = call as Call & { recordedAt?: string };
  return JSON.parse(JSON.stringify(rest)) as Call;
};

/** The outcome for which a number is blocked. Other fields of an outcome block no number. */
const blockingOutcome = ({ blocks, change }: Setting) =>
  blocks ? (change.custom_call_outcome ?? undefined) : undefined;

itInAnyHistory('calls match a plain model after any history, with one call in ten failing', [1, 60], (numRuns) =>
  fc.assert(
    fc.asyncProperty(fc.array(step, { minLength: 1, maxLength: 12 }), fc.integer(), async (history, seed) => {
      const faulty = callsUnder(tenPercent(seed));
      const agentId = `agent-${randomUUID()}`;
      const uid = `user-${randomUUID()}`;
      const model = new Model();
      for (const action of history) {
        if (action.verb === 'record') {
          const { verb: _, callId, ...sent } = action;
          const facts = { ...sent, direction: 'inbound' as const };
          const recorded = await untilAnswered(() => faulty.record(agentId, callId, facts));
          model.calls.set(callId, withFacts(model.calls.get(callId), agentId, callId, facts));
          expect(withoutHistory(recorded)).toEqual(withoutHistory(model.calls.get(callId)));
          continue;
        }
        if (action.verb === 'record many') {
          const items = action.items.map(({ callId, ...facts }) => ({
            agentId,
            callId,
            facts: { ...facts, direction: 'inbound' as const },
          }));
          const recorded = await untilAnswered(() => faulty.recordMany(items, later()).then(noErrors));
          for (const { callId, facts } of items)
            model.calls.set(callId, withFacts(model.calls.get(callId), agentId, callId, facts));
          const expected = items.map(({ callId }) => withoutHistory(model.calls.get(callId)));
          expect(recorded.map(withoutHistory)).toEqual(expected);
          continue;
        }
        if (action.verb === 'remove') {
          let isRepeated = false;
          const removed = await untilAnswered(() => {
            const attempt = faulty.remove(agentId, action.callId);
            return attempt.catch((error) => {
              isRepeated = true;
              throw error;
            });
          });
          const wasThere = model.calls.delete(action.callId);
          // A removal that was done and whose response was lost finds nothing when it is repeated.
          if (!isRepeated) expect(removed).toBe(wasThere);
          continue;
        }
        const settings = action.settings as Setting[];
        // A batch names its calls by what was there before it.
        const named = settings.map((one) => model.find(one.reference)?.callId);
        const reasons = new Map<string, string[]>();
        const expected = settings.map((one, index) => {
          const found = named[index] === undefined ? undefined : model.calls.get(named[index]);
          if (!found) return undefined;
          const changed = withOutcome(found, one.change, one.mode, { keyId: 'key' }, at);
          model.calls.set(found.callId, changed);
          const { phone } = changed;
          const outcome = blockingOutcome(one);
          if (outcome !== undefined && phone !== undefined)
            reasons.set(phone, [...(reasons.get(phone) ?? []), outcome]);
          return withoutHistory(changed);
        });
        for (const [phone, given] of reasons) model.blocked.set(phone, model.blocked.get(phone) ?? given);
        const targets = settings.map((one) => {
          const reason = blockingOutcome(one);
          return {
            agentId,
            reference: one.reference,
            change: (call: Call) => withOutcome(call, one.change, one.mode, { keyId: 'key' }, at),
            block: reason === undefined ? undefined : { owner: { uid }, reason },
          };
        });
        const results = await untilAnswered(() => faulty.setOutcomes(targets, later()).then(noErrors));
        for (const [index, result] of results.entries()) {
          expect(result?.callId).toBe(expected[index]?.callId);
          if (action.verb === 'set') expect(withoutHistory(result)).toEqual(expected[index]);
        }
      }
      const all = model.newestFirst();
      const listed = await listCalls(agentId);
      expect(listed.map(withoutHistory)).toEqual(all.map(withoutHistory));
      for (const phone of phones) {
        const withPhone = await listCalls(agentId, { phone });
        expect(withPhone).toEqual(listed.filter(isPerson(phone)));
      }
      const [from, to] = times.slice(1);
      const ranged = await listCalls(agentId, { from, to });
      expect(ranged).toEqual(listed.filter((call) => call.startedAt === from));
      for (const call of listed) expect(await calls.find(agentId, { callId: call.callId })).toEqual(call);
      expect(await entriesStored(agentId)).toBe(listed.length + listed.filter(({ phone }) => phone).length);
      const blocked = await blockList.get().find({ agentId, uid }, phones);
      expect([...blocked.keys()].sort()).toEqual([...new Set([...model.blocked.keys()].flatMap(listForms))].sort());
      for (const [phone, { reason, scope }] of blocked) {
        expect(scope).toBe('user');
        expect(listForms(phone).flatMap((form) => model.blocked.get(form) ?? [])).toContain(reason);
      }
    }),
    { numRuns },
  ),
);

it.concurrent.each(['lost response', 'conflict', 'throttle', 'server error'] as const)(
  'an outcome changes once when every first attempt meets with: %s',
  async (fault) => {
    const agentId = `agent-${randomUUID()}`;
    const callIds = ['a', 'b'];
    await recordAll(agentId, callIds);
    let batches = 0;
    const faulty = callsUnder((operation) =>
      operation === 'BatchExecuteStatement' && batches++ < 1 ? fault : undefined,
    );
    const settings = ['x', 'y'].flatMap((outcome) => callIds.map((callId) => makeSetting(agentId, callId, outcome)));
    const results = await faulty.setOutcomes(settings, later());
    expect(results.map((call) => (call as Call).custom_call_outcome)).toEqual(['x', 'x', 'y', 'y']);
    const found = await Promise.all(callIds.map((callId) => calls.find(agentId, { callId })));
    expect(found).toEqual(results.slice(2));
    for (const call of found) expect(call?.outcomeHistory?.length).toBe(2);
  },
);

it.concurrent('calls accept an outcome in one write each, 25 in a round trip, and no transaction', async () => {
  const agentId = `agent-${randomUUID()}`;
  const callIds = Array.from({ length: 50 }, (_, n) => `c${n}`);
  await recordAll(agentId, callIds);
  const operations: string[] = [];
  const observed = callsUnder(
    () => undefined,
    (operation) => operations.push(operation),
  );
  await observed.setOutcomes(
    callIds.map((callId) => makeSetting(agentId, callId, 'x')),
    later(),
  );
  expect(operations).toEqual(['BatchGetItem', ...Array(2).fill('BatchExecuteStatement')]);
});

it.concurrent('calls block a number and change the outcome both or not at all, and one of many callers adds the entry', async () => {
  const [agentId, uid] = [`agent-${randomUUID()}`, `user-${randomUUID()}`];
  const phone = phones[0] as string;
  const callIds = Array.from({ length: 8 }, (_, n) => `c${n}`);
  await Promise.all(callIds.map((callId) => calls.record(agentId, callId, facts())));
  const set = (callId: string, by = calls) =>
    by.setOutcomes([{ ...makeSetting(agentId, callId, callId), block: { owner: { uid }, reason: callId } }], later());
  const dying = callsUnder((operation) => (operation === 'TransactWriteItems' ? 'kill' : undefined));
  expect(await set('c0', dying)).toEqual([expect.any(Error)]);
  expect(await calls.find(agentId, { callId: 'c0' })).not.toHaveProperty('custom_call_outcome');
  expect(await blockList.get().find({ agentId, uid }, [phone])).toEqual(new Map());

  await Promise.all(callIds.map((callId) => set(callId).then(noErrors)));
  const [added] = [...(await blockList.get().find({ agentId, uid }, [phone])).values()];
  expect(callIds).toContain(added?.reason);
  for (const callId of callIds) expect((await calls.find(agentId, { callId }))?.custom_call_outcome).toBe(callId);

  await blockList.get().remove({ uid }, [phone]);
  const operations: string[] = [];
  const observed = callsUnder(
    () => undefined,
    (operation) => operations.push(operation),
  );
  await set('c3', observed);
  expect(operations).toEqual(['BatchGetItem', 'TransactWriteItems']);
  const again = await blockList.get().find({ agentId, uid }, [phone]);
  expect(again.get(phone)?.reason).toBe('c3');
});

it.concurrent('calls keep the changes of concurrent callers, and the corrections of their facts', async () => {
  const agentId = `agent-${randomUUID()}`;
  await calls.record(agentId, 'a', facts());
  const keys = ['a', 'b', 'c', 'd', 'e', 'f', 'g', 'h'];
  const merge = (key: string) => ({
    agentId,
    reference: { callId: 'a' },
    change: (call: Call) => withOutcome(call, { custom_call_metadata: { [key]: 1 } }, 'merge', { keyId: 'key' }, at),
  });
  const correct = (n: number) => calls.record(agentId, 'a', { ...facts(), phone: phones[n % 2] as string });
  await Promise.all([
    ...keys.map((key) => calls.setOutcomes([merge(key)], later()).then(noErrors)),
    ...[1, 2, 3, 4].map(correct),
  ]);
  const call = await calls.find(agentId, { callId: 'a' });
  expect(Object.keys(call?.custom_call_metadata ?? {}).sort()).toEqual(keys);
  expect(call?.outcomeHistory?.length).toBe(keys.length);
  expect(await calls.find(agentId, { phone: call?.phone as string, preference: 'first' })).toEqual(call);
  expect(await entriesStored(agentId)).toBe(2);
});

it.concurrent('outcomes that are not written in time are reported as separate errors', async () => {
  const agentId = `agent-${randomUUID()}`;
  for (const callId of ['a', 'b']) await calls.record(agentId, callId, facts());
  const faulty = callsUnder((operation) => (operation === 'BatchExecuteStatement' ? 'server error' : undefined));
  const results = await faulty.setOutcomes(
    [makeSetting(agentId, 'a', 'x'), makeSetting(agentId, 'none', 'x')],
    Date.now() + 300,
  );
  expect(results).toEqual([expect.any(Error), undefined]);
  expect(await calls.find(agentId, { callId: 'a' })).not.toHaveProperty('custom_call_outcome');
});

it.concurrent.each([
  ['others write the call', 'conflict', 'overloaded'],
  ['the table fails', 'server error', undefined],
] as const)('a single outcome that is not written in time since %s says so', async (_, fault, code) => {
  const agentId = `agent-${randomUUID()}`;
  await calls.record(agentId, 'a', facts());
  const faulty = callsUnder((operation) => (operation === 'TransactWriteItems' ? fault : undefined));
  const block = { owner: { uid: agentId }, reason: 'x' };
  const [result] = await faulty.setOutcomes([{ ...makeSetting(agentId, 'a', 'x'), block }], Date.now() + 300);
  expect(result).toBeInstanceOf(Error);
  expect((result as { code?: string }).code).toBe(code);
});

it.concurrent('the first and the last call with a number are found by each of its forms', async () => {
  const agentId = `agent-${randomUUID()}`;
  const forms = phones.slice(2);
  for (const [index, phone] of [...forms, ...forms].entries())
    await calls.record(agentId, `call-${index}`, {
      ...facts(),
      phone,
      startedAt: `2026-01-0${index + 1}T00:00:00.000Z`,
    });
  for (const phone of forms) {
    const found = (preference: 'first' | 'last') => calls.find(agentId, { phone, preference });
    expect([(await found('first'))?.callId, (await found('last'))?.callId]).toEqual(['call-0', 'call-3']);
  }
});

it.concurrent('calls are found by their number while they are corrected', async () => {
  const agentId = `agent-${randomUUID()}`;
  const phone = phones[0] as string;
  await calls.record(agentId, 'older', { ...facts(), startedAt: times[0] as string });
  await calls.record(agentId, 'newer', { ...facts(), startedAt: times[1] as string });
  const reader = openTable(table.get().name);
  let corrected: Promise<Call> | undefined;
  // Between the read of the entry and that of the record, the call that the entry points to gets another number.
  const correct =
    (next: (args: object) => Promise<object>, context: { commandName?: string }) => async (args: object) => {
      if (context.commandName === 'GetItemCommand') {
        corrected ??= calls.record(agentId, 'newer', { ...facts(), phone: phones[1] as string });
        await corrected;
      }
      return next(args);
    };
  reader.client.middlewareStack.add(correct as never, { step: 'initialize' });
  const found = await new Calls(reader).find(agentId, { phone, preference: 'last' });
  expect([found?.callId, (await corrected)?.callId]).toEqual(['older', 'newer']);
});

const facts = () => ({ phone: phones[0] as string, direction: 'inbound' as const, startedAt: times[0] as string });
/** Records many calls in few requests: one connection each takes a busy machine longer than a client waits. */
const recordAll = async (agentId: string, callIds: string[]) =>
  noErrors(
    await calls.recordMany(
      callIds.map((callId) => ({ agentId, callId, facts: facts() })),
      later(),
    ),
  );

const makeSetting = (agentId: string, callId: string, outcome: string) => ({
  agentId,
  reference: { callId },
  change: (call: Call) => withOutcome(call, { custom_call_outcome: outcome }, 'replace', { keyId: 'key' }, at),
});

/** Counts the entries that point to the calls of an agent. */
const entriesStored = async (agentId: string) => {
  let count = 0;
  for (const collection of [callCollection(agentId), ...phones.map((phone) => phoneCallCollection(agentId, phone))]) {
    for await (const entry of table.get().query(collection)) {
      // The entry of a deleted call tells the reader of the stream who deleted it, and then expires.
      if ('ttlSeconds' in entry) continue;
      expect(Object.keys(entry).sort()).toEqual(['pk', 'sk']);
      count += 1;
    }
  }
  return count;
};

const noErrors = (results: (Call | undefined | Error)[]) => {
  const error = results.find((result) => result instanceof Error);
  if (error) throw error;
  return results as (Call | undefined)[];
};
