import { join } from 'node:path';
import { listBlockedNumbers } from '../../../functions/api/list-blocked-numbers.ts';
import { listWebhookDeliveries } from '../../../functions/api/list-webhook-deliveries.ts';
import { BlockListPage } from '../../../functions/domain/block-list.ts';
import { toKebabCase } from '../../../functions/domain/text.ts';
import { type AnyEndpoint, defaultMemoryMegabytes, functionMemoryMegabytes } from '../../../functions/http/endpoint.ts';
import { routes } from '../../../functions/routes.ts';
import { blockListShards, webhookDeliveryCollections } from '../../../functions/store/keys.ts';
import { bundlePath } from '../../../lib/bundles.ts';
import { makeEvent } from '../../support/events.ts';
import { type Figure, mean, type Row } from '../benchmark.ts';
import { CpuGroup } from '../cpu-group.ts';
import { listSamples } from '../operations.ts';
import { type Invocation, RuntimeClientMissingError, runtimeClient, runUnderRuntimeClient } from '../runtime-client.ts';
import { callStarts } from '../starts.ts';
import { invoke, type Request, type World } from '../world.ts';

/** Functions that have a target are started more often: the slowest start takes four times as long as the quickest. */
const starts = { measured: 24, other: 4 };
/** After 300 of each, DynamoDB Local answers in half the time of its first seconds. */
const compilingReads = 300;
/** The maximum ratios of operations that only read, and of the start of a call, while the phone rings. */
const maxima = { keyedRead: { first: 1.8, together: 2.5 }, callStart: { first: 1.5, together: 2 } };

/** A function of this much memory has a full core; another has its share of one, except while it is initialized. */
const fullCoreMegabytes = 1769;

const handSigned = join(import.meta.dirname, '..', 'bare', 'hand-signed-reads');

/** The function that another is compared with: it makes hand-signed requests with Node alone. */
type Comparison = { what: string; event: { queries: number }; megabytes: number };
const oneRead: Comparison = { what: 'a hand-signed read', event: { queries: 0 }, megabytes: defaultMemoryMegabytes };
/** A page of a list in shards needs a query for each: it is held against as many requests, with the same memory. */
const shardReads = (endpoint: AnyEndpoint, queries: number): Comparison => ({
  what: `a hand-signed read and ${queries} queries with ${functionMemoryMegabytes(endpoint)} MB`,
  event: { queries },
  megabytes: functionMemoryMegabytes(endpoint),
});
const blockListReads = shardReads(listBlockedNumbers, blockListShards);
const deliveryReads = shardReads(listWebhookDeliveries, webhookDeliveryCollections('').length);
const buildComparison = ({ response, name }: AnyEndpoint) => {
  if (response === BlockListPage) return blockListReads;
  return name === listWebhookDeliveries.name ? deliveryReads : oneRead;
};

/**
 * Cold starts under Lambda's own runtime client, with the CPU that Lambda gives: a full core for the initialization, then the
 * share of the function's memory. The functions are started in turn, round by round, and with each what it is held against:
 * a machine that is slow for some minutes is so for all of them. Jobs are left out: nobody waits for their response.
 */
export const coldStarts: Row = {
  name: 'cold-starts',
  title: 'Cold starts: initialization and first response',

  async measure(open, say) {
    const client = await makeClient(say);
    if (!client) return [];
    const group = CpuGroup.open();
    if (!group) say('No control group for CPU here: first responses have a full core, and targets are not checked.');
    const world = await open();
    const measured: Measured[] = [
      ...routes.map((endpoint) => ({ what: endpoint.name, endpoint, request: pickSample(endpoint) })),
      ...callStarts.map((start) => ({ ...start, max: maxima.callStart })),
    ].map((one) => ({
      max: isKeyedRead(one.endpoint) ? maxima.keyedRead : undefined,
      ...one,
      against: buildComparison(one.endpoint),
      ours: [],
      reads: [],
    }));
    await compileTable(world);
    say('DynamoDB Local is compiled.');
    // The first round brings the files into memory.
    for (let round = 0; round <= starts.measured; round++) {
      say(`Round ${round} of ${starts.measured}.`);
      for (const one of measured) {
        if (round > (one.max ? starts.measured : starts.other)) continue;
        const { read, ours } = await startBoth(one, { client, group, world });
        if (round === 0) continue;
        one.reads.push(read);
        one.ours.push(ours);
      }
    }
    const figures = measured.flatMap((one) => formFigures(one, measured, group !== undefined));
    group?.close();
    return figures;
  },
};

type Setup = { client: string; group: CpuGroup | undefined; world: World };
type Start = { initialization: number; firstResponse: number };
type Measured = {
  what: string;
  endpoint: AnyEndpoint;
  request(world: World): Request | Promise<Request>;
  max?: { first: number; together: number };
  against: Comparison;
  ours: Start[];
  reads: Start[];
};

const isKeyedRead = ({ method, caller }: AnyEndpoint) => method === 'GET' && caller.kind === 'key';

/** Starts what an endpoint's function is held against, and then the function. */
const startBoth = async (
  { endpoint, request, against }: Measured,
  setup: Setup,
): Promise<{ read: Start; ours: Start }> => {
  const read = await start(setup, handSigned, 'handSignedReads', against.event, against.megabytes);
  const event = makeEvent(endpoint, { apiKey: setup.world.apiKey, ...(await request(setup.world)) });
  const ours = await start(setup, bundlePath(endpoint.name), endpoint.name, event, functionMemoryMegabytes(endpoint));
  return { read: readStart(read), ours: readStart(ours) };
};

/**
 * A dozen reads differ by half from another dozen: every function is held against all reads of the run. Means are compared:
 * Linux refills a function's share of the CPU every 20 ms, so a first response takes 10 ms or 30, depending on when in that
 * period it begins. The quicker half would be the starts that did not have to wait for a refill.
 */
const formFigures = ({ what, max, against, ours }: Measured, all: Measured[], isLimited: boolean): Figure[] => {
  const reads = all.filter((one) => one.against === against).flatMap((one) => one.reads);
  const figure = (part: string, getTime: (start: Start) => number, highest?: number): Figure => {
    const [value, read] = [mean(ours.map(getTime)), mean(reads.map(getTime))];
    return {
      what: `${what}, ${part}`,
      ours: { value, unit: 'ms' },
      against: { what: against.what, quantity: { value: read, unit: 'ms' }, ratio: value / read },
      ...(highest && isLimited && { target: { text: `≤ ${highest}×`, reached: value / read <= highest } }),
    };
  };
  return [
    figure('first response', ({ firstResponse }) => firstResponse, max?.first),
    figure('with initialization', ({ initialization, firstResponse }) => initialization + firstResponse, max?.together),
  ];
};

const readStart = ({ initializedAt, parts }: Invocation): Start => ({
  initialization: initializedAt,
  firstResponse: (parts[0]?.at ?? 0) - initializedAt,
});

const makeClient = async (say: (sentence: string) => void) => {
  try {
    return await runtimeClient(say);
  } catch (error) {
    if (!(error instanceof RuntimeClientMissingError)) throw error;
    say(error.message);
    return undefined;
  }
};

const pickSample = (endpoint: AnyEndpoint) => (world: World) => listSamples(endpoint)[0].request(world);

/** Repeats every read until DynamoDB Local runs compiled code: DynamoDB is never the cold part of a cold start. */
const compileTable = async (world: World) => {
  world.proxy.delay(0);
  for (const endpoint of routes.filter(isKeyedRead)) {
    for (let read = 0; read < compilingReads; read++)
      await invoke(endpoint, { apiKey: world.apiKey, ...(await pickSample(endpoint)(world)) });
  }
};

/** Starts a function and has it answer an event; anything but a 200 ends the benchmark. */
const start = async (
  { client, group, world }: Setup,
  folder: string,
  name: string,
  event: unknown,
  megabytes: number,
): Promise<Invocation> => {
  const run = { folder, functionName: toKebabCase(name), environment: world.settings, event };
  const cpu = group && { group, share: Math.min(1, megabytes / fullCoreMegabytes) };
  const invocation = await runUnderRuntimeClient(client, { ...run, ...(cpu && { cpu }) });
  const text = Buffer.concat(invocation.parts.map(({ bytes }) => bytes)).toString();
  if (invocation.outcome !== 'response' || !text.includes('"statusCode":200')) {
    throw new Error(`${name} ended as ${invocation.outcome}: ${text || invocation.log}`);
  }
  return invocation;
};
