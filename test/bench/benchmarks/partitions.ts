import pMap from 'p-map';
import { newIdentifier } from '../../../functions/domain/identifiers.ts';
import type { AnyEndpoint } from '../../../functions/http/endpoint.ts';
import { readChanges } from '../../../functions/jobs/read-changes.ts';
import { routes } from '../../../functions/routes.ts';
import { lazyServices } from '../../../functions/service.ts';
import { callKey } from '../../../functions/store/keys.ts';
import { documents } from '../../../functions/store/sources/documents.ts';
import { startPartitions, type Units, unitsPerSecond } from '../../support/partitions.ts';
import { newEndpointRecord } from '../../support/records.ts';
import type { Figure, Row } from '../benchmark.ts';
import { newDocument } from '../knowledge.ts';
import { freshNumbers } from '../operations.ts';
import { writeInReadme } from '../readme.ts';
import { invoke, type Request, type World } from '../world.ts';

/** The number of runs of each path. So many almost certainly touch all sixteen shards. */
const runs = 128;
/** Units a second of the whole table: a new one, and one at DynamoDB's default quota. */
const newTable: Units = { read: 12_000, write: 4000 };
const quota: Units = { read: 40_000, write: 40_000 };

/** One way of using the table: a run does it `count` times, all for one agent of one user with one key. */
type Path = {
  what: string;
  count?: number;
  /** The minimum rate per second. */
  min: number;
  run(number: number): Promise<unknown>;
};

/** Measures the maximum rate per second of each path before DynamoDB throttles a partition key. */
export const partitions: Row = {
  name: 'partitions',
  title: 'Bounds by partition key: 3,000 read units and 1,000 write units a second each',

  async measure(open) {
    const world = await open();
    const table = await startPartitions(world.settings.AWS_ENDPOINT_URL_DYNAMODB as string);
    process.env.AWS_ENDPOINT_URL_DYNAMODB = table.endpoint;
    world.proxy.delay(0);
    const figures: Figure[] = [];
    const lines: string[] = [];
    for (const { what, count = 1, min, run } of await pathsOf(world)) {
      await run(runs);
      table.take();
      await pMap(Array(runs).keys(), run, { concurrency: 4 });
      const used = table.take();
      const narrowest = narrowestOf(used, runs * count);
      const ofTable = (units: Units) => boundOf(perSecond(total(used), runs * count), units);
      figures.push({
        what,
        ours: { value: narrowest?.bound ?? Number.POSITIVE_INFINITY, unit: 'requests/s' },
        note: narrowest ? `${narrowest.pattern}: ${narrowest.note}` : 'no key is shared',
        target: { text: `≥ ${min.toLocaleString('en')}`, reached: (narrowest?.bound ?? min) >= min },
      });
      const cells = [
        what,
        narrowest ? `\`${narrowest.pattern}\`` : 'none',
        narrowest?.note ?? '',
        narrowest ? rounded(narrowest.bound) : 'none',
        rounded(ofTable(newTable)),
        rounded(ofTable(quota)),
      ];
      lines.push(`| ${cells.join(' | ')} |`);
    }
    await table.stop();
    writeInReadme('partitions', [
      '| | narrowest partition key | units | a second for one agent | new table | table at the quota |',
      '|---|---|---|---|---|---|',
      ...lines,
    ]);
    return figures;
  },
};

const rounded = (value: number) => Number(value.toPrecision(2)).toLocaleString('en');

/** Returns the units of everything. */
const total = (used: Map<string, Units>): Units =>
  [...used.values()].reduce((sum, { read, write }) => ({ read: sum.read + read, write: sum.write + write }), {
    read: 0,
    write: 0,
  });

const perSecond = ({ read, write }: Units, times: number): Units => ({ read: read / times, write: write / times });

/** Returns how often units can be spent in a second. */
const boundOf = ({ read, write }: Units, limit: Units) => Math.min(limit.read / read, limit.write / write);

/**
 * Returns the partition key that limits a path. Keys are grouped by pattern. A pattern with a key for each run limits
 * nothing; the units of another are spread evenly over its keys, as their hash does.
 */
const narrowestOf = (used: Map<string, Units>, times: number) => {
  const keysByPattern = Map.groupBy(used.keys(), patternOf);
  const bounds = [...keysByPattern].flatMap(([pattern, keys]) => {
    if (keys.length >= runs) return [];
    const units = perSecond(total(new Map(keys.map((key) => [key, used.get(key) as Units]))), times * keys.length);
    const bound = boundOf(units, unitsPerSecond);
    const [kind, value] = unitsPerSecond.write / units.write === bound ? ['write', units.write] : ['read', units.read];
    const each = Number((value * keys.length).toPrecision(2));
    const note = `${each} ${kind}${keys.length > 1 ? `, over ${keys.length} keys` : ''}`;
    return [{ pattern, bound, note }];
  });
  return bounds.toSorted((a, b) => a.bound - b.bound)[0];
};

/** Returns `AGENT#…#BLOCKED#0–15`. */
const patternOf = (pk: string) =>
  pk
    .split('#')
    .map((part, index, { length }) => {
      if (index === length - 1 && index > 1 && /^\d{1,2}$/.test(part)) return '0–15';
      return index % 2 === 0 && /^[A-Z]+$/.test(part) ? part : '…';
    })
    .join('#');

const pathsOf = async (world: World): Promise<Path[]> => {
  const { uid, apiKey, directly, newAgent, otherUid } = world;
  const agentId = await newAgent();
  const call = (name: string, request: Request) =>
    invoke(routes.find((endpoint) => endpoint.name === name) as AnyEndpoint, { apiKey, ...request });
  const startedAt = '2026-03-01T10:00:00.000Z';
  const facts = { direction: 'inbound', startedAt } as const;
  const callIds = Array.from({ length: runs + 1 }, (_, n) => `call-${n}`);
  const phones = freshNumbers(runs + 1);
  await pMap(callIds, (callId, n) => directly.calls.record(agentId, callId, { ...facts, phone: phones[n] }), {
    concurrency: 4,
  });
  const blocking = await newAgent();
  await directly.agentChanges.change(uid, blocking, (agent) => ({
    ...agent,
    configuration: { ...agent.configuration, blockOnOutcomes: ['do_not_call'] },
  }));
  await pMap(callIds, (callId, n) => directly.calls.record(blocking, callId, { ...facts, phone: phones[n] }), {
    concurrency: 4,
  });
  const knowledge = await newAgent();
  for (let n = 0; n < 10; n++) await newDocument(knowledge);
  const muchKnowledge = await newAgent();
  const first = { agentId: muchKnowledge, id: await newDocument(muchKnowledge) };
  const newCopy = () => documents.get().copy(first, { ...first, id: newIdentifier('doc') }, undefined, {});
  await pMap(Array(999), newCopy, { concurrency: 4 });
  const large = await newAgent();
  await directly.agentChanges.change(uid, large, (agent) => ({
    ...agent,
    configuration: { ...agent.configuration, prompt: 'x'.repeat(20_000) },
  }));
  const outcome = { custom_call_outcome: 'booked', custom_call_outcome_value: 120 };
  const endpoints = 10;
  await withEndpoints(world, otherUid, endpoints);
  const hook = (body: object) => call('receiveHook', { params: { platform: 'retell' }, query: { uid, agentId }, body });
  const services = lazyServices(readChanges.services);
  return [
    {
      what: 'record a call',
      min: 500,
      run: (n) =>
        call('recordCall', { params: { agentId, callIdOrPhone: `new-${n}` }, body: { ...facts, phone: phones[n] } }),
    },
    {
      what: 'change an outcome by id',
      min: 3000,
      run: (n) =>
        call('updateCallOutcome', { params: { agentId, callIdOrPhone: callIds[n] as string }, body: outcome }),
    },
    {
      what: 'change an outcome with an Idempotency-Key',
      min: 3000,
      run: (n) =>
        call('updateCallOutcome', {
          params: { agentId, callIdOrPhone: callIds[n] as string },
          body: { ...outcome, custom_call_outcome_value: n },
          headers: { 'idempotency-key': crypto.randomUUID() },
        }),
    },
    {
      what: 'change 25 outcomes at once, each',
      count: 25,
      min: 25_000,
      // Runs at once change other calls: a write that conflicts is repeated, and counts again.
      run: (n) =>
        call('updateCallOutcomes', {
          body: {
            items: Array.from({ length: 25 }, (_, k) => ({
              agentId,
              callIdOrPhone: callIds[(25 * n + k) % callIds.length],
              custom_call_outcome: `outcome-${n}`,
            })),
          },
        }),
    },
    {
      what: 'change an outcome that blocks the number',
      min: 3000,
      run: (n) =>
        call('updateCallOutcome', {
          params: { agentId: blocking, callIdOrPhone: callIds[n] as string },
          body: { custom_call_outcome: 'do_not_call' },
        }),
    },
    {
      what: 'block 25 numbers at once, each',
      count: 25,
      min: 15_000,
      run: () => call('addBlockedNumbers', { body: { uid, agentId, numbers: freshNumbers(25) } }),
    },
    {
      what: 'check a number',
      min: 3000,
      run: (n) => call('checkBlockedNumber', { query: { uid, agentId, number: phones[n] as string } }),
    },
    {
      what: 'decide on a call',
      min: 3000,
      run: (n) => call('decideCallStart', { body: { uid, agentId, from: phones[n] } }),
    },
    {
      what: 'decide on a call, with variables, of an agent of 20 KB',
      min: 600,
      run: (n) => call('decideCallStart', { body: { uid, agentId: large, from: phones[n], include: ['variables'] } }),
    },
    {
      what: 'a hook that asks for a decision',
      min: 3000,
      run: (n) => hook({ event: 'call_inbound', call_inbound: { from_number: phones[n] } }),
    },
    {
      what: 'a hook that reports the end of a call',
      min: 500,
      run: (n) =>
        hook({
          event: 'call_ended',
          call: {
            ...{ call_id: `ended-${n}`, call_type: 'phone_call', direction: 'inbound', from_number: phones[n] },
            ...{ start_timestamp: Date.parse(startedAt), end_timestamp: Date.parse(startedAt) + 60_000 },
          },
        }),
    },
    {
      what: 'search the knowledge of ten documents',
      min: 500,
      run: () => call('searchKnowledge', { body: { uid, agentId: knowledge, query: 'page of text' } }),
    },
    {
      what: 'search the knowledge of 1,000 documents',
      min: 500,
      run: () => call('searchKnowledge', { body: { uid, agentId: muchKnowledge, query: 'page of text' } }),
    },
    {
      what: `write a webhook delivery, with ${endpoints} endpoints`,
      count: endpoints,
      min: 5000,
      run: async (n) => {
        const key = callKey(world.otherAgentId, `call-${n}`);
        const after = { ...key, agentId: world.otherAgentId, callId: `call-${n}`, ...facts, version: 'first' };
        const change = { key, after, at: Date.now(), sequenceNumber: String(1000 + n) };
        if (await readChanges.handle([change], services, { until: Date.now() + 10_000 }))
          throw new Error('An event was not published.');
      },
    },
  ];
};

/** Gives a user webhook endpoints. */
const withEndpoints = async ({ directly }: World, uid: string, count: number) => {
  for (let n = 0; n < count; n++) {
    await directly.webhookEndpoints.add(uid, newEndpointRecord(`https://crm.example.com/events/${n}`));
  }
};
