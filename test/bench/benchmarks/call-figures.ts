import { getCallFigures } from '../../../functions/api/get-call-figures.ts';
import { updateCallOutcomes } from '../../../functions/api/update-call-outcomes.ts';
import { chunks } from '../../../functions/domain/chunks.ts';
import type { JobMessage } from '../../../functions/domain/job-messages.ts';
import { CallFigures } from '../../../functions/figures/call-figures.ts';
import { markChanges } from '../../../functions/figures/mark-changes.ts';
import { countDay, moreSeconds } from '../../../functions/figures/recount.ts';
import { type CountedCall, RowCounter, rowOf } from '../../../functions/figures/rows.ts';
import { memoryMegabytesOf } from '../../../functions/http/endpoint.ts';
import { Credentials } from '../../../functions/store/credentials.ts';
import { callKey } from '../../../functions/store/keys.ts';
import { table } from '../../../functions/store/table.ts';
import type { TableChange } from '../../../functions/store/table-changes.ts';
import { median, type Row } from '../benchmark.ts';
import prices from '../prices.json' with { type: 'json' };
import { sequentialDepth } from '../proxy.ts';
import { invoke, type World } from '../world.ts';
import { type Cost, countUnits, processorShare, toCost, type Units } from './cost.ts';

const days = 90;
const callsPerDay = 10_000;
const runs = 9;
/** The delay in each direction: a round trip takes twice as long. */
const delayMilliseconds = 2.5;
/** The memory of `countCalls`. */
const jobMegabytes = 1024;
/** SQS charges a message three times: it is sent, received and deleted. */
const requestsPerMessage = 3;
/** The number of outcomes in a request, and of changes in a batch of the stream. */
const bulk = 1000;

/** Measures the figures of a busy agent, and the cost of counting calls again whose outcomes were set. */
export const callFigures: Row = {
  name: 'call-figures',
  title: 'Figures of calls',

  async measure(open, say) {
    const world = await open();
    const units = countUnits(table.get().client);
    const { processor, trips, kibibytes, stored } = await readBusyAgent(world, say);
    const milliseconds = processor + trips * prices.assumptions.roundTripMilliseconds;
    const set = totalOf(await bulkCost(world, units));
    const recount = totalOf(await recountCost(world, units, callsPerDay));
    const alone = totalOf(await recountCost(world, units, 1));
    return [
      {
        what: `${days} days of ${callsPerDay.toLocaleString('en')} calls each, by day and outcome`,
        ours: { value: milliseconds, unit: 'ms' },
        note: `the processor’s time and the waits of a function with a whole core; ${stored.toFixed(0)} KiB are stored`,
        target: { text: '≤ 200 ms', reached: milliseconds <= 200 },
      },
      {
        what: 'one after the other',
        ours: { value: trips, unit: 'round trips' },
        target: { text: '≤ 3', reached: trips <= 3 },
      },
      {
        what: 'size of the response',
        ours: { value: kibibytes, unit: 'KiB' },
        target: { text: '≤ 200 KiB', reached: kibibytes <= 200 },
      },
      { what: 'a million changes of a call, each counted alone', ours: { value: alone, unit: '$' } },
      {
        what: 'a million outcomes in bulk, counted again once',
        ours: { value: set + recount, unit: '$' },
        note: `$${set.toFixed(3)} to set, $${recount.toFixed(3)} to count`,
        target: { text: '≤ $0.95', reached: set + recount <= 0.95 },
      },
    ];
  },
};

const readBusyAgent = async ({ apiKey, uid, newAgent, proxy, directly }: World, say: (sentence: string) => void) => {
  const agentId = await newAgent();
  const figures = new CallFigures(directly.table);
  for (let n = 0; n < days; n++) {
    const day = new Date(Date.UTC(2026, 0, 1 + n)).toISOString().slice(0, 10);
    const counter = new RowCounter();
    for (let call = 0; call < callsPerDay; call++) counter.add(rowOf(anyCall(day)));
    await figures.save({ agentId, day }, { series: [], frozen: 0, pieces: 0 }, { rows: counter.rows, frozen: 0 });
  }
  let stored = 0;
  await figures.read([agentId], ['2026-01-01', '2026-04-01'], (_, __, bytes) => {
    stored += bytes / 1024;
  });
  say('The figures of a busy agent are written.');
  const query = { uid, agentId, from: '2026-01-01', to: '2026-04-01', by: 'day,outcome', timeZone: 'America/New_York' };
  const ask = () => invoke(getCallFigures, { apiKey, query });
  proxy.delay(delayMilliseconds);
  const result = await ask();
  const processor: number[] = [];
  let trips = 0;
  for (let run = 0; run < runs; run++) {
    await proxy.take();
    const used = process.threadCpuUsage();
    await ask();
    const { user, system } = process.threadCpuUsage(used);
    processor.push((user + system) / 1000);
    trips = Math.max(trips, sequentialDepth(await proxy.take()));
  }
  proxy.delay(0);
  const kibibytes = Buffer.byteLength(result.body ?? '') / 1024;
  return { processor: median(processor), trips, kibibytes, stored };
};

const pick = <T>(values: T[]): T => values[Math.floor(Math.random() * values.length)] as T;

/** Returns a call of a busy agent: most calls are during the day, and few have rare outcomes. */
const anyCall = (day: string): CountedCall => {
  const hour = Math.random() < 0.8 ? 8 + Math.random() * 10 : Math.random() * 24;
  const outcome = pick([undefined, 'appointment_booked', 'no_interest', 'call_back', 'wrong_number', 'voicemail']);
  return {
    startedAt: new Date(Date.parse(day) + hour * 60 * 60 * 1000).toISOString(),
    direction: pick(['inbound', 'outbound']),
    status: pick(['completed', 'no-answer', 'busy']),
    durationSeconds: Math.round(Math.random() * 300),
    agentVersion: pick([6, 7]),
    ...(outcome && {
      custom_call_outcome: outcome,
      custom_call_outcome_value: Math.round(Math.random() * 20_000) / 100,
    }),
  };
};

/** Returns the cost of an outcome that is set in bulk. */
const bulkCost = async ({ apiKey, newAgent, directly }: World, units: Units): Promise<Cost> => {
  const agentId = await newAgent();
  const callIds = await record(directly, agentId, bulk);
  const items = callIds.map((callIdOrPhone) => ({ agentId, callIdOrPhone, custom_call_outcome: 'booked' }));
  units.take();
  const used = process.threadCpuUsage();
  const { body = '' } = await invoke(updateCallOutcomes, { apiKey, body: { items } });
  const { user, system } = process.threadCpuUsage(used);
  const memoryMegabytes = memoryMegabytesOf(updateCallOutcomes);
  return toCost({
    ...{ seen: [], used: units.take(), count: bulk, memoryMegabytes, isBehindApiGateway: true },
    milliseconds: (user + system) / 1000 / processorShare(memoryMegabytes),
    ...{ requestBytes: JSON.stringify({ items }).length, responseBytes: body.length },
  });
};

/** Returns the cost of counting a day again whose outcomes were all set, for each outcome. */
const recountCost = async ({ newAgent, directly }: World, units: Units, count: number): Promise<Cost> => {
  const agentId = await newAgent();
  const callIds = await record(directly, agentId, count);
  const figures = new CallFigures(table.get());
  const messages: JobMessage<'countCalls'>[] = [];
  const services = {
    callFigures: figures,
    credentials: new Credentials(table.get()),
    jobQueue: { send: async (message: JobMessage<'countCalls'>) => void messages.push(message) },
  };
  units.take();
  const used = process.threadCpuUsage();
  // The stream has the changes in the order of the batch, which is any.
  const changes = callIds
    .toSorted(() => Math.random() - 0.5)
    .map((callId, index): TableChange => {
      const key = callKey(agentId, callId);
      const startedAt = startOf(Number(callId));
      const item = { ...key, agentId, callId, direction: 'inbound', startedAt, version: 'a' };
      const after = { ...item, version: 'b', outcome: '{"custom_call_outcome":"booked"}' };
      return { key, before: item, after, at: Date.now(), sequenceNumber: String(index) };
    });
  for (const batch of chunks(changes, bulk)) await markChanges(batch, services);
  for (const message of messages) {
    await moreSeconds(message, figures);
    await countDay(message, figures);
  }
  const { user, system } = process.threadCpuUsage(used);
  // A message is sent once more where more calls were counted before than its delay has seconds.
  const requests = messages.length * (count > 1 ? 2 : 1) * requestsPerMessage;
  return toCost({
    seen: Array.from({ length: requests }, () => ({ service: 'sqs', operation: '', begin: 0, end: 0 })),
    ...{ used: units.take(), count, memoryMegabytes: jobMegabytes, isBehindApiGateway: false },
    milliseconds:
      (user + system) / 1000 / processorShare(jobMegabytes) +
      (5 + (count / 200) * 2) * prices.assumptions.roundTripMilliseconds,
    ...{ requestBytes: 0, responseBytes: 0 },
  });
};

const startOf = (number: number) =>
  new Date(Date.UTC(2026, 2, 1) + (number / callsPerDay) * 24 * 60 * 60 * 1000).toISOString();

/** Records calls over a day, and returns their ids. */
const record = async ({ calls }: World['directly'], agentId: string, count: number): Promise<string[]> => {
  const items = Array.from({ length: count }, (_, number) => ({
    ...{ agentId, callId: String(number) },
    facts: {
      phone: '+14155550188',
      direction: 'inbound' as const,
      startedAt: startOf(number),
      durationSeconds: 60,
      status: 'completed',
    },
  }));
  for (const some of chunks(items, bulk)) await calls.recordMany(some, Number.POSITIVE_INFINITY);
  return items.map(({ callId }) => callId);
};

const totalOf = (cost: Cost) => Object.values(cost).reduce((sum, part) => sum + part, 0);
