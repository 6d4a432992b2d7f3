import { hash } from 'node:crypto';
import type { DynamoDBRecord } from 'aws-lambda';
import fc from 'fast-check';
import { afterAll, beforeAll, expect } from 'vitest';
import { makeStores } from '../../bin/operator/stores.ts';
import { withCause } from '../../functions/cause.ts';
import { ChangeLog } from '../../functions/changes/change-log.ts';
import type { Files } from '../../functions/clients/files.ts';
import type { ChangeMaker, Way } from '../../functions/domain/change-maker.ts';
import { changeActions } from '../../functions/domain/changes.ts';
import { CallFigures } from '../../functions/figures/call-figures.ts';
import { Credentials } from '../../functions/store/credentials.ts';
import { changeCollection } from '../../functions/store/keys.ts';
import { toTableChange } from '../../functions/store/table-changes.ts';
import { followChanges, readChange } from '../../functions/stream/follow-changes.ts';
import { itInAnyHistory } from '../support/any-history.ts';
import { chance, injectFaultsInto, tenPercent } from '../support/faults.ts';
import { startTableWithStream } from '../support/table-stream.ts';
import { unique } from '../support/world.ts';
import { createBucket, type Made, numbers, requests, text, World } from './requests.ts';

/** The chances that the reader dies at a request, that its time is short, and that changes come again that it has read. */
const [killChance, shortChance, againChance] = [0.03, 0.3, 0.5];
const maxBatch = 10;
const workers = 2;

type Logged = Made & Pick<ChangeMaker, 'uid' | 'keyId' | 'via'> & { requestId: string };

/** Returns entries as they are compared. Those of one request on a block list, or of consents, are one, whose counts add up. */
const comparable = (entries: Logged[]): string[] => {
  const names = entries.map(({ action, id, agentId, uid, keyId, via, requestId }) =>
    [action, id, agentId, uid, keyId, via, requestId].map(String).join(' '),
  );
  const sums = new Map<string, number>();
  for (const [index, { counts = {} }] of entries.entries())
    for (const [name, count] of Object.entries(counts)) {
      const counted = `${names[index]} ${name}`;
      sums.set(counted, (sums.get(counted) ?? 0) + count);
    }
  const others = names.filter((_, index) => !entries[index]?.counts);
  return [...others, ...[...sums].map(([counted, sum]) => `${counted} ${sum}`)].sort();
};

let stream: Awaited<ReturnType<typeof startTableWithStream>>;
let files: Files;
beforeAll(async () => {
  stream = await startTableWithStream('log-histories');
  files = await createBucket();
});
afterAll(() => stream.stop());

const step = fc.record({
  request: fc.oneof(fc.constantFrom('block', 'unblock'), fc.constantFrom(...Object.keys(requests))),
  isGuest: fc.boolean(),
  via: fc.constantFrom<Way>('api', 'mcp', 'chat', 'operator', 'platform'),
  onAgent: fc.boolean(),
  // One, some, or more than an entry has room for.
  phones: fc.oneof(
    { weight: 3, arbitrary: fc.constantFrom(...numbers).map((number) => [number]) },
    { weight: 3, arbitrary: fc.uniqueArray(fc.constantFrom(...numbers.slice(0, 6)), { minLength: 2 }) },
    { weight: 1, arbitrary: fc.constant(numbers) },
  ),
  isRepeated: fc.boolean(),
});
/** The requests before each reading of the stream. */
const rounds = fc.array(fc.array(step, { minLength: 3, maxLength: 8 }), { minLength: 2, maxLength: 3 });

/** A history with every action. */
const everyRequest = [
  ...Object.keys(requests).map((request) => ({ request, isRepeated: false, phones: numbers.slice(0, 2) })),
  ...['shareAgent', 'addAndDeleteDocument', 'importFile'].map((request) => {
    return { request, isRepeated: true, phones: numbers.slice(2, 5) };
  }),
].map((step) => ({ ...step, isGuest: false, via: 'api' as const, onAgent: true }));

const hashRecord = ({ dynamodb }: DynamoDBRecord) =>
  Number.parseInt(hash('sha1', JSON.stringify(dynamodb?.Keys)).slice(0, 8), 16);

/** Reads changes as Lambda does: several workers at once, each with the changes of some items. A batch comes again, as a whole or in part. */
const readAll = async (records: DynamoDBRecord[], seed: number): Promise<void> => {
  const parts = Map.groupBy(records, (record) => hashRecord(record) % workers);
  await Promise.all([...parts].map(([part, those]) => readPart(those, seed * workers + part)));
};

const readPart = async (records: DynamoDBRecord[], seed: number): Promise<void> => {
  const [next, faults, table] = [chance(seed), tenPercent(seed + 1), stream.open()];
  const { webhookEndpoints, webhookDeliveries, webhookEvents } = makeStores(table);
  const send = async () => {};
  const services = {
    callFigures: new CallFigures(table),
    changeLog: new ChangeLog(table, 400),
    credentials: new Credentials(table),
    ...{ webhookEndpoints, webhookDeliveries, webhookEvents },
    eventQueue: { sendMany: send },
    jobQueue: { send },
  };
  for (let left = records; left.length > 0; ) {
    const batch = left.slice(0, 1 + Math.floor(next() * maxBatch)).map(toTableChange);
    let isDead = false;
    const dies = () => {
      isDead ||= next() < killChance;
      return isDead;
    };
    injectFaultsInto(table.client, () => (dies() ? 'kill' : faults()));
    const until = Date.now() + (next() < shortChance ? next() * 15 : 45_000);
    const failures = await followChanges(batch.map(readChange), services, { until }).then(
      (followed) => followed.failures,
      () => undefined,
    );
    const failed = failures ? batch.findIndex((change) => failures.has(change)) : 0;
    const done = failed < 0 ? batch.length : failed;
    // It also dies after all was written. The position that it has reached is then not noted, or an earlier one is.
    const noted = dies() ? 0 : next() < againChance ? Math.floor(next() * done) : done;
    left = left.slice(noted);
  }
};

itInAnyHistory(
  'the log has each change once, with its maker and request, and no number or text of anybody, however its reader dies and repeats',
  [1, 60],
  async (numRuns) => {
    const seen = new Set<string>();
    await fc.assert(
      fc.asyncProperty(rounds, fc.nat(), async (rounds, seed) => {
        const world = new World(stream.open, files, seed);
        const expected: Logged[] = [];
        const perform = async (maker: ChangeMaker, work: () => Promise<Made[]>) => {
          const requestId = unique('request');
          const made = await withCause({ maker, requestId }, work);
          expected.push(...made.map((entry) => ({ ...entry, ...maker, requestId })));
          for (const { action } of made) seen.add(action);
        };
        const { uid, guest, stores } = world;
        await stores.users.create(guest);
        await perform({ uid, via: 'operator' }, async () => {
          await stores.users.create(uid);
          return [{ action: 'user.created', id: uid }, await world.createAgent()];
        });
        for (const [index, steps] of rounds.entries()) {
          for (const { request, isGuest, via, ...step } of steps) {
            const maker = { uid: isGuest ? guest : uid, keyId: unique('key'), keyName: 'CRM', via };
            await perform(maker, async () => (await requests[request]?.(world, step)) ?? []);
          }
          await readAll(await stream.changesSoFar(), seed + index);
        }
        const stored = await Array.fromAsync(stream.open().query(changeCollection(uid)));
        expect(comparable(stored as unknown as Logged[])).toEqual(comparable(expected));
        const raw = JSON.stringify(stored);
        expect([text, ...numbers].filter((secret) => raw.includes(secret))).toEqual([]);
      }),
      { numRuns, endOnFailure: true, examples: [[[everyRequest], 0]] },
    );
    // A count reaches a budget: see test/budgets.
    const ofRequests = Object.keys(changeActions).filter((action) => action !== 'user.budget_reached');
    expect([...seen].sort()).toEqual(ofRequests.sort());
  },
);
