import { randomBytes, randomUUID } from 'node:crypto';
import type { Scope } from '../../../functions/domain/api-keys.ts';
import { limits } from '../../../functions/domain/limits.ts';
import { type AnyEndpoint, defaultMemoryMegabytes, functionMemoryMegabytes } from '../../../functions/http/endpoint.ts';
import { routes } from '../../../functions/routes.ts';
import { apiKeys } from '../../../functions/store/api-keys.ts';
import { countKey } from '../../../functions/store/keys.ts';
import type { Counter } from '../../../functions/store/quotas.ts';
import { table } from '../../../functions/store/table.ts';
import { users } from '../../../functions/store/users.ts';
import { webhookEndpoints } from '../../../functions/webhooks/webhook-endpoints.ts';
import { putAgents } from '../../support/many-agents.ts';
import { newEndpointRecord } from '../../support/records.ts';
import type { Figure, Row } from '../benchmark.ts';
import { measureHourlyPasses } from '../hourly-pass.ts';
import { measureLimitedKey } from '../limited-key.ts';
import { freshConsents, freshNumbers, listSamples } from '../operations.ts';
import prices from '../prices.json' with { type: 'json' };
import { type Seen, sequentialDepth } from '../proxy.ts';
import { writeInReadme } from '../readme.ts';
import { countUnits, type Units } from '../units.ts';
import { measureFanOut, measureReading } from '../work-behind.ts';
import { invoke, type Request, type World } from '../world.ts';

/** A sample: a request, and the number of items that it handles. */
type CostSample = {
  endpoint: AnyEndpoint;
  what: string;
  request(world: World): Request | Promise<Request>;
  count: number;
};

/** Dollars per million requests, or per million items of bulk requests. */
export type Cost = { apiGateway: number; lambda: number; dynamodb: number; s3: number; sqs: number; transfer: number };

/**
 * The targets, in dollars per million, of the rows in the operator's guide. A check costs $1.95 before its function runs: the
 * requests to API Gateway and Lambda, and six strongly consistent reads (key, access, and the entries and rules of the agent and
 * of its owner). A GET costs $1.575.
 */
const targets: Record<string, number> = {
  checkBlockedNumber: 2.25,
  duplicateAgent: 33,
  getAgent: 1.8,
  'getAgent, of a limited key, once a second': 2.6,
  // A version is two items, so that a list of versions reads none of their contents.
  updateAgent: 5.7,
  'uploadDocuments, one file': 10.5,
  searchKnowledge: 3.5,
  recordCall: 5.8,
  'getCall, by id': 1.7,
  'updateCallOutcome, by id': 2.6,
  decideCallStart: 2.4,
  'decideCallStart, with rules': 2.4,
  'decideCallStart, with a history of the caller': 3,
  'decideCallStart, outbound, with a consent': 2.7,
  checkConsent: 1.7,
  receiveHook: 2.4,
  'receiveHook, a call that ended': 5.8,
  // A transaction writes each item twice.
  'receiveHook, a call that ended, with its transcript': 7.2,
  'buildChat, one turn': 6,
  'listCalls, 1,000': 150,
  'checkBlockedNumbers, one of 10,000': 0.3,
  'updateCallOutcomes, one of 1,000': 0.8,
  'addBlockedNumbers, one of 10,000': 0.75,
  // A transaction writes an item twice.
  'recordConsents, one of 1,000': 1.5,
};

/** The units that these requests took at the quota before their work followed what is asked. */
const formerUnits: Record<string, number> = {
  checkUserBlockedNumber: 49_000,
  listAllCalls: 10_200,
  getCallFigures: 11_200,
  getUserFigures: 140_000,
};

const compareWithFormer = (what: string, { read, write }: { read: number; write: number }): Pick<Figure, 'target'> => {
  const former = formerUnits[what.replace(', at the quota', '')];
  if (former === undefined || !what.endsWith(', at the quota')) return {};
  return { target: { text: `≤ a fifth of ${former.toLocaleString('en')} units`, reached: read + write <= former / 5 } };
};

const sumCost = (measured: Cost) => Object.values(measured).reduce((sum, part) => sum + part, 0);

/** Returns the milliseconds of this thread's processor that work takes. */
const measureCpu = async (work: () => Promise<unknown>): Promise<number> => {
  const begin = process.threadCpuUsage();
  await work();
  const { user, system } = process.threadCpuUsage(begin);
  return (user + system) / 1000;
};

const eachWayMilliseconds = 40;
const runs = 9;

/** Computes the cost of a million of each operation by published prices, without CloudFront, logs and the chat's model. */
export const cost: Row = {
  name: 'cost',
  title: `Cost of a million requests in ${prices.region}, prices of ${prices.date}`,

  async measure(open, say) {
    const world = await open();
    const { proxy } = world;
    const units = countUnits(table.get().client);
    const figures: Figure[] = [];
    const lines: [string, Cost, number][] = [];
    for (const sample of [...ofEveryOperation(), ...inBulk(world), ...atTheQuota()]) {
      const { what } = sample;
      const { cost: measured, logBytes, used, processor } = await measureCost(sample, world, units);
      const total = sumCost(measured);
      const target = targets[what];
      if (target !== undefined) lines.push([what, measured, logBytes]);
      figures.push({
        what,
        ours: { value: total, unit: '$' },
        note: `${computeShares(measured, total)}; ${used.read} R, ${used.write} W, ${processor.toFixed(1)} ms of CPU`,
        ...(target !== undefined && { target: { text: `≤ $${target.toFixed(2)}`, reached: total <= target } }),
        ...compareWithFormer(what, used),
      });
    }
    proxy.delay(0);
    figures.push(
      ...(await measureLimitedKey(world, units)),
      ...(await measureHourlyPasses(world)),
      ...(await measureReading()),
      ...(await measureFanOut(world, units)),
    );
    writeTable(lines);
    say('The table in lib/README.md is written.');
    return figures;
  },
};

const ofEveryOperation = (): CostSample[] =>
  routes.flatMap((endpoint) =>
    listSamples(endpoint).map(({ what, request }) => ({
      endpoint,
      what: what ? `${endpoint.name}, ${what}` : endpoint.name,
      request,
      count: 1,
    })),
  );

const inBulk = ({ directly, newAgent, uid }: World): CostSample[] => {
  const byName = (name: string) => routes.find((endpoint) => endpoint.name === name) as AnyEndpoint;
  const callIds = Array.from({ length: 1000 }, (_, n) => `call-${n}`);
  const facts = { phone: '+14155550177', direction: 'inbound', startedAt: '2026-03-01T10:00:00.000Z' } as const;
  let agent: Promise<string> | undefined;
  const agentWithCalls = async () => {
    const agentId = await newAgent();
    for (const callId of callIds) await directly.calls.record(agentId, callId, facts);
    return agentId;
  };
  return [
    {
      endpoint: byName('listCalls'),
      what: 'listCalls, 1,000',
      count: 1,
      async request() {
        agent ??= agentWithCalls();
        return { params: { agentId: await agent }, query: { limit: '1000' } };
      },
    },
    {
      endpoint: byName('listCalls'),
      what: 'listCalls, of 1,000 none that matches',
      count: 1,
      async request() {
        agent ??= agentWithCalls();
        return { params: { agentId: await agent }, query: { outcome: 'never', limit: '1000' } };
      },
    },
    {
      endpoint: byName('checkBlockedNumbers'),
      what: 'checkBlockedNumbers, one of 10,000',
      count: 10_000,
      request: async () => ({ body: { uid, agentId: await newAgent(), numbers: freshNumbers(10_000) } }),
    },
    {
      endpoint: byName('updateCallOutcomes'),
      what: 'updateCallOutcomes, one of 1,000',
      count: callIds.length,
      async request() {
        agent ??= agentWithCalls();
        const agentId = await agent;
        // An outcome that a call already has is not written.
        const outcome = { custom_call_outcome: randomUUID() };
        return { body: { items: callIds.map((callIdOrPhone) => ({ agentId, callIdOrPhone, ...outcome })) } };
      },
    },
    {
      endpoint: byName('addBlockedNumbers'),
      what: 'addBlockedNumbers, one of 10,000',
      count: 10_000,
      request: async () => ({ body: { uid, agentId: await newAgent(), numbers: freshNumbers(10_000) } }),
    },
    {
      endpoint: byName('recordConsents'),
      what: 'recordConsents, one of 1,000',
      count: 1000,
      request: () => ({ body: { uid, consents: freshConsents(freshNumbers(1000)) } }),
    },
  ];
};

/** A configuration that nearly fills its limit. */
const largeConfiguration = () => ({ instructions: randomBytes(140_000).toString('base64') });
const days = { from: '2026-01-01', to: '2026-04-03' };

/** Requests of a user that has used every quota: what they cost is what they ask for, not what the user has. */
const atTheQuota = (): CostSample[] => {
  const byName = (name: string) => routes.find((endpoint) => endpoint.name === name) as AnyEndpoint;
  const once = <T>(make: () => Promise<T>) => {
    let made: Promise<T> | undefined;
    return () => (made ??= make());
  };
  const makeUser = async (scopes?: Scope[]) => {
    const uid = `quota-${randomUUID()}`;
    await users.get().create(uid);
    const { secret: apiKey } = await apiKeys.get().create(uid, { name: 'bench', scopes });
    return { uid, apiKey };
  };
  const userWithAgents = once(async () => {
    const user = await makeUser();
    for (let n = 0; n < limits.listedAgents; n += 10) await putAgents(user.uid, 10, largeConfiguration());
    return user;
  });
  /** Clients that fill a page, and one with all keys that a user may have, most of them over. */
  const maker = once(async () => {
    const user = await makeUser(['users']);
    for (let n = 0; n < limits.userFigures; n++) {
      const uid = `${user.uid}-${n}`;
      await users.get().createClient(user.uid, { uid });
      await putAgents(uid, limits.userFigureAgents / limits.userFigures);
      const count = limits.userFigureAgents / limits.userFigures;
      const counter: Counter = { ...countKey({ uid }), count, changes: 1 };
      await table.get().put(counter);
    }
    const uid = `${user.uid}-0`;
    for (let n = 0; n < limits.listedKeys; n++) {
      const isOver = n >= limits.keys - 2;
      const { keyId } = await apiKeys.get().create(uid, { name: 'bench' });
      if (isOver) await apiKeys.get().revoke(uid, keyId);
    }
    return { ...user, client: uid };
  });
  const userWithEndpoints = once(async () => {
    const user = await makeUser();
    const [agentId = ''] = await putAgents(user.uid, 1);
    for (let n = 0; n < limits.webhookEndpoints; n++)
      await webhookEndpoints.get().add(user.uid, newEndpointRecord(`https://crm-${n}.example.com/hooks`));
    return { ...user, agentId };
  });
  const ofUser =
    (query: Record<string, string> = {}) =>
    async () => {
      const { uid, apiKey } = await userWithAgents();
      return { apiKey, query: { uid, ...query } };
    };
  let isSuspended = false;
  const samples: Record<string, () => Promise<Request>> = {
    checkUserBlockedNumber: ofUser({ number: '+14155550100' }),
    listAllCalls: ofUser(),
    getCallFigures: ofUser(days),
    getUserFigures: async () => ({
      apiKey: (await maker()).apiKey,
      query: { ...days, limit: String(limits.userFigures) },
    }),
    updateUser: async () => {
      const { apiKey, client } = await maker();
      isSuspended = !isSuspended;
      return { apiKey, params: { uid: client }, body: { suspended: isSuspended } };
    },
    createKey: async () => {
      const { apiKey, client: uid } = await maker();
      const [newest] = (await apiKeys.get().list(uid)).reverse();
      if (newest) await apiKeys.get().revoke(uid, newest.keyId);
      return { apiKey, body: { uid, name: 'bench' } };
    },
    recordCalls: async () => {
      const { apiKey, agentId } = await userWithEndpoints();
      const about = { agentId, direction: 'inbound', startedAt: '2026-03-01T10:00:00Z', custom_call_outcome: 'booked' };
      const items = Array.from({ length: limits.callsPerRequest }, () => ({ ...about, callId: randomUUID() }));
      return { apiKey, body: { items } };
    },
  };
  return Object.entries(samples).map(([name, request]) => ({
    endpoint: byName(name),
    what: `${name}, at the quota`,
    request,
    count: name === 'recordCalls' ? limits.callsPerRequest : 1,
  }));
};

const measureCost = async (
  sample: CostSample,
  world: World,
  units: Units,
): Promise<{ cost: Cost; logBytes: number; used: ReturnType<Units['take']>; processor: number }> => {
  const { endpoint, count } = sample;
  const memoryMegabytes = functionMemoryMegabytes(endpoint);
  const { proxy, apiKey } = world;
  const newRequest = async () => ({ apiKey, ...(await sample.request(world)) });
  proxy.delay(0);
  await invoke(endpoint, await newRequest());
  // The processor's time, without the waits. Whatever else runs on the machine adds to it, so the least time counts.
  const processor: number[] = [];
  for (let run = 0; run < (count > 1 ? 1 : runs); run++) {
    const request = await newRequest();
    processor.push(await measureCpu(() => invoke(endpoint, request)));
  }
  // The waits are the requests that follow one another. Bulk requests take too long to be slowed down, so their waits are counted.
  const request = await newRequest();
  proxy.delay(count > 1 ? 0 : eachWayMilliseconds);
  await proxy.take();
  units.take();
  const { result, logBytes } = await withLogBytes(() => invoke(endpoint, request));
  const seen = await proxy.take();
  const used = units.take();
  const cost = toCost({
    seen,
    used,
    count,
    memoryMegabytes,
    milliseconds:
      Math.min(...processor) / processorShare(memoryMegabytes) +
      sequentialDepth(seen) * assumptions.roundTripMilliseconds,
    requestBytes: Buffer.byteLength(
      typeof request.body === 'string' ? request.body : JSON.stringify(request.body ?? ''),
    ),
    responseBytes: Buffer.byteLength(String(result.body ?? '')),
    isBehindApiGateway: endpoint.name !== 'buildChat',
  });
  return { cost, logBytes: logBytes / count, used, processor: Math.min(...processor) };
};

/** CloudWatch Logs adds this to the bytes of an event. */
const eventOverheadBytes = 26;

/** Does the work, and counts the bytes that it logs. */
const withLogBytes = async <T>(work: () => Promise<T>): Promise<{ result: T; logBytes: number }> => {
  const { stderr } = process;
  const { write } = stderr;
  let logBytes = 0;
  stderr.write = ((chunk: string | Uint8Array) => {
    logBytes += Buffer.byteLength(chunk) + eventOverheadBytes;
    return true;
  }) as typeof stderr.write;
  try {
    const result = await work();
    return { result, logBytes };
  } finally {
    stderr.write = write;
  }
};

const { assumptions } = prices;
/** The share of one processor that a function has. */
const processorShare = (memoryMegabytes: number) => memoryMegabytes / assumptions.megabytesOfOneProcessor;

/** The cost of `count` equal things that one request did. */
export const toCost = (measured: {
  seen: Seen[];
  used: { read: number; write: number };
  count: number;
  memoryMegabytes: number;
  milliseconds: number;
  requestBytes: number;
  responseBytes: number;
  isBehindApiGateway: boolean;
}): Cost => {
  const { seen, used, count, memoryMegabytes, milliseconds, requestBytes, responseBytes, isBehindApiGateway } =
    measured;
  const countRequests = (service: string, verb?: RegExp) =>
    seen.filter((one) => one.service === service && (verb?.test(one.operation) ?? true)).length;
  const apiRequests = isBehindApiGateway ? Math.max(1, Math.ceil(requestBytes / prices.apiGatewayRequestBytes)) : 0;
  const gigabyteSeconds = (memoryMegabytes / 1024) * (Math.ceil(milliseconds) / 1000);
  const per = (dollars: number) => dollars / count;
  return {
    apiGateway: per(apiRequests * prices.apiGatewayPerMillionRequests),
    lambda: per(prices.lambdaPerMillionRequests + gigabyteSeconds * 1e6 * prices.lambdaPerGigabyteSecond),
    dynamodb: per(used.read * prices.dynamodbPerMillionReadUnits + used.write * prices.dynamodbPerMillionWriteUnits),
    s3: per(
      countRequests('s3', /^(PUT|POST)/) * prices.s3PerMillionWrites +
        countRequests('s3', /^(GET|HEAD)/) * prices.s3PerMillionReads,
    ),
    sqs: per(countRequests('sqs') * prices.sqsPerMillionRequests),
    transfer: per((responseBytes / 1024 ** 3) * 1e6 * prices.transferPerGigabyte),
  };
};

const labels: Record<keyof Cost, string> = {
  apiGateway: 'API Gateway',
  lambda: 'Lambda',
  dynamodb: 'DynamoDB',
  s3: 'S3',
  sqs: 'SQS',
  transfer: 'transfer',
};
const parts = Object.keys(labels) as (keyof Cost)[];

const computeShares = (measured: Cost, total: number) =>
  parts
    .filter((part) => measured[part] / total >= 0.005)
    .map((part) => `${labels[part]} ${Math.round((100 * measured[part]) / total)} %`)
    .join(', ');

/** Writes the table between its markers in the operator's guide. */
const writeTable = (lines: [string, Cost, number][]): void => {
  const dollars = (value: number) => (value < 0.0005 ? '' : value.toFixed(value < 0.1 ? 3 : 2));
  const rows = lines.map(([what, measured, logBytes]) => {
    const total = sumCost(measured);
    return `| ${what} | ${parts.map((part) => dollars(measured[part])).join(' | ')} | **${total.toFixed(2)}** | ${Math.round(logBytes) || ''} |`;
  });
  writeInReadme('cost', [
    `Dollars per million in ${prices.region}, prices of ${prices.date}, without CloudFront, logs and the chat’s model. A function has ${defaultMemoryMegabytes} MB where it names no other size; a round trip within the region takes ${assumptions.roundTripMilliseconds} ms.`,
    '',
    `| | ${parts.map((part) => labels[part]).join(' | ')} | total | bytes logged |`,
    `|---|${parts.map(() => '---').join('|')}|---|---|`,
    ...rows,
  ]);
};
