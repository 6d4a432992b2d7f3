import type { DynamoDBRecord } from 'aws-lambda';
import fc from 'fast-check';
import { beforeAll, expect, vi } from 'vitest';
import { callKey } from '../../functions/store/keys.ts';
import { itInAnyHistory } from '../support/any-history.ts';
import { chance } from '../support/faults.ts';
import { listEvents, newParkingWorld, poison, readKey, readSequenceNumber } from '../support/parking.ts';
import { useOwnDatabaseInThisProcess } from '../support/world.ts';

/** The chances of a death at each request of a process, and the maximum number of changes that it reads at once. */
const killChance = 0.02;
const batchSize = 12;
/** A process that reads the stream for a longer time dies more often than it ends. */
const maxDeaths = 6;

const agent = fc.constantFrom(0, 1, 2);
const call = fc.constantFrom('a', 'b', 'c', 'd');
const step = fc.oneof(
  { weight: 3, arbitrary: fc.record({ verb: fc.constant('rename' as const), agent, isPoison: fc.boolean() }) },
  { weight: 4, arbitrary: fc.record({ verb: fc.constant('record' as const), agent, call }) },
  { weight: 1, arbitrary: fc.record({ verb: fc.constant('spoil' as const), agent, call }) },
);
const history = fc.record({
  rounds: fc.array(fc.array(step, { minLength: 3, maxLength: 12 }), { minLength: 2, maxLength: 4 }),
  seed: fc.nat(),
});

beforeAll(useOwnDatabaseInThisProcess);

const nameItem = (record: DynamoDBRecord) => JSON.stringify(readKey(record));

itInAnyHistory(
  'each change is followed or parked, those of an item in order, and no other change waits, wherever its reader and its retry die and repeat',
  [1, 40],
  async (numRuns) => {
    const lines = vi.spyOn(process.stderr, 'write').mockReturnValue(true);
    const totals = { changes: 0, followed: 0, parked: 0, deaths: 0 };
    await fc.assert(
      fc.asyncProperty(history, async ({ rounds, seed }) => {
        const world = await newParkingWorld();
        const agents = [world.agentId, await world.newAgent(), await world.newAgent()];
        const next = chance(seed);
        /** Returns a process that dies at some request, and then at each. */
        const newProcess = (deaths: number) => {
          let isDead = false;
          return () => {
            if (isDead || deaths >= maxDeaths || next() >= killChance) return isDead;
            totals.deaths++;
            isDead = true;
            return isDead;
          };
        };
        const perform = async (given: typeof step extends fc.Arbitrary<infer S> ? S : never, n: number) => {
          const agentId = agents[given.agent] as string;
          if (given.verb === 'rename') return world.rename(agentId, given.isPoison ? `${poison} ${n}` : `Name ${n}`);
          const key = callKey(agentId, given.call);
          if (given.verb === 'spoil') return world.writeUnreadableCall(key, { spoiled: n });
          // What cannot be read may be written over.
          await world.table.put({
            ...key,
            ...{ agentId, callId: given.call, direction: 'inbound', startedAt: '2026-03-01T10:00:00.000Z' },
            ...{ version: `${n}`, durationSeconds: n },
          } as never);
        };
        const readAll = async (records: DynamoDBRecord[]) => {
          let left = records;
          for (let deaths = 0; left.length > 0; ) {
            const batch = left.slice(0, 1 + Math.floor(next() * batchSize));
            const dies = newProcess(deaths);
            const followed = await world.follow(batch, dies).catch(() => undefined);
            if (!followed || dies()) {
              // The position that it has reached is not noted, or an earlier one is.
              deaths++;
              const { comesAgain } = followed ?? { comesAgain: batch[0] };
              const done = comesAgain ? batch.indexOf(comesAgain) : batch.length;
              left = left.slice(Math.floor(next() * (done + 1)));
              continue;
            }
            // A change that fails by itself never holds another: a batch of a living process is done as a whole.
            expect(followed.comesAgain).toBeUndefined();
            left = left.slice(batch.length);
          }
        };
        const all: DynamoDBRecord[] = (await world.changes()).filter(matters);
        await readAll(all);
        let n = 0;
        for (const steps of rounds) {
          for (const one of steps) await perform(one, n++);
          const records = (await world.changes()).filter(matters);
          all.push(...records);
          await readAll(records);
          const dies = newProcess(0);
          await world.retry(dies).catch(() => undefined);
          if (dies()) await world.parked.endRetry();
        }
        // A deployment repairs what failed. What cannot be read stays.
        world.world.isBroken = false;
        await world.retry();

        const parked = await parkedSequences(world.parked);
        const sent = world.sentEvents();
        const stuck = new Set<string>();
        const expected = new Map<string, string[]>();
        for (const record of all) {
          const events = listEvents(record);
          if (events === undefined) stuck.add(nameItem(record));
          totals.changes++;
          if (stuck.has(nameItem(record))) {
            totals.parked++;
            expect(parked).toContain(readSequenceNumber(record));
            continue;
          }
          totals.followed++;
          expect(parked).not.toContain(readSequenceNumber(record));
          expected.set(nameItem(record), [...(expected.get(nameItem(record)) ?? []), ...(events ?? [])]);
        }
        for (const events of expected.values()) {
          const ofItem = new Set(events);
          expect(sent.filter((id) => ofItem.has(id))).toEqual(events);
        }
        // Nothing else was sent: each event once.
        expect([...sent].sort()).toEqual([...expected.values()].flat().sort());
        await world.stop();
      }),
      { numRuns, endOnFailure: true },
    );
    lines.mockRestore();
    console.log(totals);
    // One history alone may park nothing.
    if (numRuns > 5) expect(Math.min(totals.followed, totals.parked)).toBeGreaterThan(0);
  },
);

/** Selects the changes of the items that a step writes. */
const matters = (record: DynamoDBRecord) => /^(CALL|AGENT#)/.test(readKey(record).sk);

const parkedSequences = async (parked: Awaited<ReturnType<typeof newParkingWorld>>['parked']) => {
  const entities = [...(await parked.entities()).keys()];
  const changes = await Promise.all(entities.map((entity) => parked.list(entity)));
  return new Set(changes.flat().map(({ sequenceNumber }) => sequenceNumber));
};
