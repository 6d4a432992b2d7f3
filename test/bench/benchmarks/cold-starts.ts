import { join } from 'node:path';
import { listBlockedNumbers } from '../../../functions/api/list-blocked-numbers.ts';
import { BlockListPage } from '../../../functions/domain/block-list.ts';
import { type AnyEndpoint, defaultMemoryMegabytes, memoryMegabytesOf } from '../../../functions/http/endpoint.ts';
import { routes } from '../../../functions/routes.ts';
import { blockListShards } from '../../../functions/store/keys.ts';
import { bundlePath, toKebabCase } from '../../../lib/bundles.ts';
import { type Figure, quickerHalf, type Row } from '../benchmark.ts';
import { CpuGroup } from '../cpu-group.ts';
import { samples } from '../operations.ts';
import { type Invocation, RuntimeClientMissingError, runtimeClient, runUnderRuntimeClient } from '../runtime-client.ts';
import { eventOf, type World } from '../world.ts';

/** Reads that have a target are measured more often: single starts differ by a third. */
const rounds = { keyedRead: 12, other: 4 };
const maxFirstResponse = 1.8;
const maxTogether = 2.5;

/** A function of this much memory has a full core; another has its share of one, except while it is initialized. */
const fullCoreMegabytes = 1769;
const memorySizes = [256, 512, 1024, 1769];
const warmEvents = 40;

/** Prices of us-east-1 on arm64, November 2026: dollars per GB and second, and per request. */
const dollarsPerGigabyteSecond = 0.0000133334;
const dollarsPerRequest = 0.0000002;

const handSigned = join(import.meta.dirname, '..', 'bare', 'hand-signed-reads');

/** What a function is held against: one that makes hand-signed requests with Node alone. */
type Comparison = { what: string; event: { queries: number }; megabytes: number };
const oneRead: Comparison = { what: 'a hand-signed read', event: { queries: 0 }, megabytes: defaultMemoryMegabytes };
/** A page of a block list needs a query for each shard: it is held against as many requests, with the same memory. */
const blockListReads: Comparison = {
  what: `a hand-signed read and ${blockListShards} queries`,
  event: { queries: blockListShards },
  megabytes: memoryMegabytesOf(listBlockedNumbers),
};
const comparisonOf = ({ response }: AnyEndpoint) => (response === BlockListPage ? blockListReads : oneRead);

/**
 * Cold starts under Lambda's own runtime client, with the CPU that Lambda gives: a full core for the initialization, then the
 * share of the function's memory. Each function is run in turn with what it is held against. Jobs are left out: nobody waits
 * for their response.
 */
export const coldStarts: Row = {
  name: 'cold-starts',
  title: 'Cold starts: initialization and first response',

  async measure(open, say) {
    const client = await clientOf(say);
    if (!client) return [];
    const group = CpuGroup.open();
    if (!group) say('No control group for CPU here: first responses have a full core, and targets are not checked.');
    const world = await open();
    const measured: Measured[] = [];
    for (const endpoint of routes) {
      measured.push(await startInTurn(endpoint, { client, group, world }));
    }
    const figures = measured.flatMap((one) => figuresOf(one, measured, group !== undefined));
    if (group)
      for (const endpoint of routes.filter(({ name }) => sizedBy.includes(name))) {
        figures.push(...(await compareMemorySizes(endpoint, { client, group, world })));
      }
    group?.close();
    return figures;
  },
};

type Setup = { client: string; group: CpuGroup | undefined; world: World };
type Start = { initialization: number; firstResponse: number };
type Measured = { endpoint: AnyEndpoint; against: Comparison; ours: Start[]; reads: Start[] };

const isKeyedRead = ({ method, caller }: AnyEndpoint) => method === 'GET' && caller.kind === 'key';

/** Starts an endpoint's function and what it is held against in turn. */
const startInTurn = async (endpoint: AnyEndpoint, setup: Setup): Promise<Measured> => {
  const against = comparisonOf(endpoint);
  const measured: Measured = { endpoint, against, ours: [], reads: [] };
  // The first round brings the files into memory.
  for (let round = 0; round <= (isKeyedRead(endpoint) ? rounds.keyedRead : rounds.other); round++) {
    const read = await start(setup, handSigned, 'handSignedReads', [against.event], against.megabytes);
    const event = await eventFor(endpoint, setup.world);
    const ours = await start(setup, bundlePath(endpoint.name), endpoint.name, [event], memoryMegabytesOf(endpoint));
    if (round === 0) continue;
    measured.reads.push(startOf(read));
    measured.ours.push(startOf(ours));
  }
  return measured;
};

/** A dozen reads differ by half from another dozen: every function is held against all reads of the run. */
const figuresOf = ({ endpoint, against, ours }: Measured, all: Measured[], isLimited: boolean): Figure[] => {
  const reads = all.filter((one) => one.against === against).flatMap((one) => one.reads);
  const figure = (what: string, timeOf: (start: Start) => number, max: number): Figure => {
    const [value, read] = [quickerHalf(ours.map(timeOf)), quickerHalf(reads.map(timeOf))];
    return {
      what: `${endpoint.name}, ${what}`,
      ours: { value, unit: 'ms' },
      against: { what: against.what, quantity: { value: read, unit: 'ms' }, ratio: value / read },
      ...(isKeyedRead(endpoint) && isLimited && { target: { text: `≤ ${max}×`, reached: value / read <= max } }),
    };
  };
  return [
    figure('first response', ({ firstResponse }) => firstResponse, maxFirstResponse),
    figure('with initialization', ({ initialization, firstResponse }) => initialization + firstResponse, maxTogether),
  ];
};

/** The operations by which the memory of functions is chosen: a point read, a list, a write, and lists of much work. */
const sizedBy = ['checkBlockedNumber', 'listCalls', 'updateCallOutcome', 'listBlockedNumbers', 'listDocuments'];

const compareMemorySizes = async (endpoint: AnyEndpoint, setup: Setup): Promise<Figure[]> => {
  const figures: Figure[] = [];
  for (const megabytes of memorySizes) {
    const events = await Promise.all(Array.from({ length: warmEvents + 1 }, () => eventFor(endpoint, setup.world)));
    const { initializedAt, durations } = await start(
      setup,
      bundlePath(endpoint.name),
      endpoint.name,
      events,
      megabytes,
    );
    const [first = 0, ...warm] = durations;
    const milliseconds = warm.reduce((sum, value) => sum + value, 0) / warm.length;
    const perRequest = (milliseconds / 1000) * (megabytes / 1024) * dollarsPerGigabyteSecond + dollarsPerRequest;
    figures.push({
      what: `${endpoint.name} at ${megabytes.toLocaleString('en')} MB, warm`,
      ours: { value: milliseconds, unit: 'ms' },
      note: `$${(perRequest * 1e6).toFixed(2)} per million; cold start ${(initializedAt + first).toFixed(0)} ms, of which ${first.toFixed(0)} ms first response`,
    });
  }
  return figures;
};

const startOf = ({ initializedAt, parts }: Invocation): Start => ({
  initialization: initializedAt,
  firstResponse: (parts[0]?.at ?? 0) - initializedAt,
});

const clientOf = async (say: (sentence: string) => void) => {
  try {
    return await runtimeClient(say);
  } catch (error) {
    if (!(error instanceof RuntimeClientMissingError)) throw error;
    say(error.message);
    return undefined;
  }
};

const eventFor = async (endpoint: AnyEndpoint, world: World) => {
  const [sample] = samples[endpoint.name] ?? [];
  if (!sample) throw new Error(`${endpoint.name} has no sample in test/bench/operations.ts.`);
  return eventOf(endpoint, { apiKey: world.apiKey, ...(await sample.request(world)) });
};

/** Starts a function and has it answer events; anything but a 200 ends the benchmark. */
const start = async (
  { client, group, world }: Setup,
  folder: string,
  name: string,
  [event, ...further]: unknown[],
  megabytes = defaultMemoryMegabytes,
): Promise<Invocation> => {
  const run = { folder, functionName: toKebabCase(name), environment: world.settings, event, further };
  const cpu = group && { group, share: Math.min(1, megabytes / fullCoreMegabytes) };
  const invocation = await runUnderRuntimeClient(client, { ...run, ...(cpu && { cpu }) });
  const text = Buffer.concat(invocation.parts.map(({ bytes }) => bytes)).toString();
  if (invocation.outcome !== 'response' || !text.includes('"statusCode":200')) {
    throw new Error(`${name} ended as ${invocation.outcome}: ${text || invocation.log}`);
  }
  return invocation;
};
