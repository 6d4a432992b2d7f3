import { randomUUID } from 'node:crypto';
import fc from 'fast-check';
import { beforeAll, expect, it } from 'vitest';
import { Erasures } from '../../../functions/erasure/erasures.ts';
import { BlockList } from '../../../functions/store/block-list/block-list.ts';
import { BlockListPages } from '../../../functions/store/block-list/block-list-pages.ts';
import { table } from '../../../functions/store/table.ts';
import { itInAnyHistory } from '../../support/any-history.ts';
import { injectFaults, noFaults, tenPercent } from '../../support/faults.ts';
import { untilAnswered } from '../../support/until.ts';
import { useTargetInThisProcess } from '../../support/world.ts';

let list: BlockList;
beforeAll(() => {
  useTargetInThisProcess();
  list = new BlockList(table.get());
});

const phones = Array.from({ length: 40 }, (_, n) => `+141555501${String(n).padStart(2, '0')}`);
const some = fc.uniqueArray(fc.constantFrom(...phones), { minLength: 1, maxLength: 40 });
const step = fc.oneof(
  fc.record({ verb: fc.constant('add' as const), numbers: some }),
  fc.record({ verb: fc.constant('remove' as const), numbers: some }),
  fc.record({ verb: fc.constant('list' as const), after: fc.option(fc.constantFrom(...phones), { nil: undefined }) }),
  fc.record({ verb: fc.constant('find' as const), number: fc.constantFrom(...phones) }),
);

const listNumbers = async (agentId: string, after?: string) => {
  const found: string[] = [];
  for await (const { number } of new BlockListPages(table.get()).list({ agentId }, { after })) found.push(number);
  return found;
};

itInAnyHistory(
  'the block list reports the actual result of every number in any history, with one call in ten failing',
  [1, 60],
  (numRuns) =>
    fc.assert(
      fc.asyncProperty(fc.array(step, { minLength: 1, maxLength: 10 }), fc.integer(), async (history, seed) => {
        injectFaults(tenPercent(seed));
        const agentId = `agent-${randomUUID()}`;
        const model = new Set<string>();
        for (const action of history) {
          if (action.verb === 'add') {
            const expected = action.numbers.map((n) => [n, model.has(n) ? 'already_blocked' : 'done']);
            expect([...(await list.add({ agentId }, action.numbers))]).toEqual(expected);
            for (const number of action.numbers) model.add(number);
          } else if (action.verb === 'remove') {
            const expected = action.numbers.map((n) => [n, model.delete(n) ? 'done' : 'not_found']);
            expect([...(await list.remove({ agentId }, action.numbers))]).toEqual(expected);
          } else if (action.verb === 'list') {
            const expected = [...model].filter((number) => number > (action.after ?? '')).sort();
            expect(await untilAnswered(() => listNumbers(agentId, action.after))).toEqual(expected);
          } else {
            const found = await untilAnswered(() => list.find({ agentId, uid: 'user' }, [action.number]));
            expect(found.get(action.number)?.number).toBe(model.has(action.number) ? action.number : undefined);
          }
        }
        noFaults();
        expect(await listNumbers(agentId)).toEqual([...model].sort());
      }),
      { numRuns },
    ),
);

it.each(['keep', 'remove'] as const)(
  'the block list counts an entry once that two requests erase at once with %s',
  async (mode) => {
    noFaults();
    const erasures = new Erasures(table.get());
    const [uid, erasureId, phone] = [`user-${randomUUID()}`, 'erasure_1', phones[0] as string];
    const owners = Array.from({ length: 5 }, () => ({ agentId: `agent-${randomUUID()}` }));
    for (const owner of owners) await list.add(owner, [phone], { reason: 'spam' });
    await erasures.add({ uid, erasureId, number: phone, numberHash: 'hash', blockList: mode });
    const counted = erasures.counting(uid, erasureId, 'blockedNumbers', 1);
    await Promise.all([1, 2].map(() => list.erase(owners, phone, mode, counted)));
    expect(await erasures.find(uid, erasureId)).toMatchObject({
      erased: { blockedNumbers: owners.length },
    });
    expect(await list.count(owners, phone)).toBe(mode === 'keep' ? owners.length : 0);
  },
);

it('the block list writes N numbers in ceil(N/25) batches of statements and reads nothing', async () => {
  const seen: string[] = [];
  injectFaults(
    () => undefined,
    (operation) => seen.push(operation),
  );
  await list.add(
    { agentId: `agent-${randomUUID()}` },
    Array.from({ length: 110 }, (_, n) => `+1415${5_000_000 + n}`),
  );
  expect(seen).toEqual(Array.from({ length: 5 }, () => 'BatchExecuteStatement'));
});

it('the block list retries only the statements that may succeed', async () => {
  const agentId = `agent-${randomUUID()}`;
  const sizes: number[] = [];
  let first = true;
  injectFaults(
    () => {
      const fault = first ? ('conflict' as const) : undefined;
      first = false;
      return fault;
    },
    () => {},
    (input) => sizes.push((input as { Statements?: unknown[] }).Statements?.length ?? 0),
  );
  await list.add({ agentId }, phones.slice(0, 25));
  // The statement in conflict was done all the same: it is sent once more, and then looked up.
  expect(sizes).toEqual([25, 1, 0]);
});

it('the block list reports an unknown result in time when DynamoDB does not respond', async () => {
  injectFaults(() => 'server error');
  const impatient = new BlockList(table.get(), 300);
  const started = Date.now();
  const outcomes = await impatient.add({ agentId: `agent-${randomUUID()}` }, phones);
  expect(new Set(outcomes.values())).toEqual(new Set(['temporarily_unavailable']));
  expect(Date.now() - started).toBeLessThan(15_000);
  noFaults();
});
