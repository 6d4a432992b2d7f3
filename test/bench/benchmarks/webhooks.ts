import { setTimeout as sleep } from 'node:timers/promises';
import { isDeepStrictEqual } from 'node:util';
import { addBlockedNumbers } from '../../../functions/api/add-blocked-numbers.ts';
import { recordCall } from '../../../functions/api/record-call.ts';
import { Scope } from '../../../functions/domain/api-keys.ts';
import { newIdentifier } from '../../../functions/domain/identifiers.ts';
import { limits } from '../../../functions/domain/limits.ts';
import { type Received, startReceivers } from '../../support/receiver.ts';
import { type Figure, median, type Row, ratioOfRounds } from '../benchmark.ts';
import { type LocalRun, startLocalRun } from '../local-run.ts';
import { freshNumbers } from '../operations.ts';
import { invoke, type World } from '../world.ts';

const warmUpWrites = 100;
const writes = 2400;
const changes = 40;
/** Each of them waits for its timeout. */
const hangingDeliveries = 100;
const startedAt = '2026-03-01T10:00:00Z';

/** What webhooks cost the requests that change something, and how long an event takes to its first attempt. */
export const webhooks: Row = {
  name: 'webhooks',
  title: 'Webhooks',
  async measure(open, say) {
    const figures = await costOfWrites(await open());
    say('Writes are measured. The local run with receivers …');
    return [...figures, ...(await delays(say))];
  },
};

/**
 * Writes of a user with the most endpoints there may be, against those of a user without any. They alternate one by one,
 * and each is measured alone, so that both meet the same state of the process, the table and the machine.
 */
const costOfWrites = async ({ proxy, directly }: World): Promise<Figure[]> => {
  const fields = { url: 'https://crm.example.com/', events: ['*'], active: true, createdAt: startedAt, secrets: [] };
  const newUser = async (endpoints: number) => {
    const [uid, agentId] = [`user-with-${endpoints}-endpoints`, newIdentifier('agent')];
    await directly.users.create(uid);
    const { secret: apiKey } = await directly.apiKeys.create(uid, { name: 'writes', scopes: Scope.options });
    const agent = { uid, agentId, name: 'Agent', configuration: {}, createdAt: startedAt, updatedAt: startedAt };
    await directly.agents.create(agent);
    for (let index = 0; index < endpoints; index++) {
      await directly.webhookEndpoints.add(uid, { endpointId: `endpoint_${index}`, ...fields });
    }
    return { uid, agentId, apiKey, microseconds: [] as number[], requests: new Set<number>() };
  };
  const users = [await newUser(limits.webhookEndpoints), await newUser(0)] as const;
  const write = async ({ uid, agentId, apiKey }: (typeof users)[number], call: string) => {
    const facts = { phone: '+14155550188', direction: 'inbound', startedAt };
    await invoke(recordCall, { apiKey, params: { agentId, callIdOrPhone: call }, body: facts });
    await invoke(addBlockedNumbers, { apiKey, body: { uid, agentId, numbers: freshNumbers(10) } });
  };
  proxy.delay(0);
  for (let index = -warmUpWrites; index < writes; index++) {
    for (const user of index % 2 === 0 ? users : users.toReversed()) {
      await proxy.take();
      const begin = process.threadCpuUsage();
      await write(user, `call-${index}`);
      const { user: own, system } = process.threadCpuUsage(begin);
      const requests = (await proxy.take()).length;
      if (index < 0) continue;
      user.microseconds.push(own + system);
      user.requests.add(requests);
    }
  }
  const [ours, against] = users.map(({ microseconds }) => median(microseconds)) as [number, number];
  const ratio = ratioOfRounds(users[0].microseconds, users[1].microseconds);
  const [oursRequests, againstRequests] = users.map(({ requests }) => Math.max(...requests)) as [number, number];
  const isSame = isDeepStrictEqual(users[0].requests, users[1].requests);
  return [
    {
      what: `requests of a call and of 10 blocked numbers, with ${limits.webhookEndpoints} endpoints`,
      ours: { value: oursRequests, unit: 'requests' },
      against: {
        what: 'without endpoints',
        quantity: { value: againstRequests, unit: 'requests' },
        ratio: oursRequests / againstRequests,
      },
      target: { text: 'as many', reached: isSame },
    },
    {
      what: 'their processor time, median',
      ours: { value: ours, unit: 'µs' },
      against: { what: 'without endpoints', quantity: { value: against, unit: 'µs' }, ratio },
      target: { text: '≤ 1.02×', reached: ratio <= 1.02 },
    },
  ];
};

/** From the request that changes something to the first attempt, in the local run as a user starts it. */
const delays = async (say: (sentence: string) => void): Promise<Figure[]> => {
  const receivers = await startReceivers();
  const { run, stop } = await startLocalRun({ WEBHOOK_TRUSTED_ORIGINS: receivers.origin });
  try {
    const prompt = await newEndpoint(run, receivers.origin, 'prompt');
    await changed(run, prompt, 'warm-up', 5);
    const alone = await changed(run, prompt, 'alone', changes);
    say(`The same behind ${hangingDeliveries} deliveries to an endpoint that hangs …`);
    const hanging = await newEndpoint(run, receivers.origin, 'hanging', { hangs: true });
    for (let index = 0; index < hangingDeliveries; index++) await record(run, `hanging-${index}`);
    await until(
      async () => (await hanging()).length > 10 && (await prompt()).length >= 5 + changes + hangingDeliveries,
    );
    const behind = await changed(run, prompt, 'behind', changes);
    const numbers = freshNumbers(limits.numbersPerRequest);
    const before = (await prompt()).length;
    await send(run, 'POST', '/agent-block-list', { uid: run.uid, agentId: run.agentId, numbers });
    await until(async () => (await prompt()).length > before);
    // A second event would come when the numbers of the first one have stopped to come.
    await sleep(12_000);
    const events = (await prompt()).slice(before).length;
    const ratio = behind / alone;
    return [
      {
        what: 'from a change to the first attempt, median',
        ours: { value: alone, unit: 'ms' },
        target: { text: '≤ 1,000 ms', reached: alone <= 1000 },
      },
      {
        what: 'the same beside an endpoint that hangs',
        ours: { value: behind, unit: 'ms' },
        against: { what: 'without it', quantity: { value: alone, unit: 'ms' }, ratio },
        target: { text: '≤ 1.2×', reached: ratio <= 1.2 },
      },
      {
        what: `webhook requests for ${numbers.length.toLocaleString('en')} blocked numbers`,
        ours: { value: events, unit: 'requests' },
        target: { text: '1', reached: events === 1 },
      },
    ];
  } finally {
    await stop();
    await receivers.stop();
  }
};

const until = async (isReached: () => Promise<boolean>) => {
  while (!(await isReached())) await sleep(20);
};

const send = async ({ baseUrl, apiKey }: LocalRun, method: string, path: string, body: object) => {
  const headers = { 'x-authorization': apiKey, 'content-type': 'application/json' };
  const response = await fetch(baseUrl + path, { method, headers, body: JSON.stringify(body) });
  if (response.status !== 200) throw new Error(`${method} ${path} was answered ${response.status}.`);
};

/** Makes an endpoint, and returns what reads the requests that came to it. */
const newEndpoint = async (run: LocalRun, origin: string, name: string, reply: object = {}) => {
  const url = `${origin}/${name}`;
  await fetch(url, { method: 'PUT', body: JSON.stringify([reply]) });
  await send(run, 'POST', '/webhook-endpoints', { uid: run.uid, url, events: ['call.recorded', 'block_list.updated'] });
  return async () => ((await (await fetch(url)).json()) as { received: Received[] }).received;
};

const record = (run: LocalRun, callId: string) =>
  send(run, 'PUT', `/calls/${run.agentId}/${callId}`, { phone: '+14155550188', direction: 'inbound', startedAt });

/** Makes changes one after the other, and returns the median of the milliseconds until each came to a receiver. */
const changed = async (run: LocalRun, received: () => Promise<Received[]>, name: string, count: number) => {
  const times: number[] = [];
  for (let index = 0; index < count; index++) {
    const begin = Date.now();
    const callId = `${name}-${index}`;
    await record(run, callId);
    const found = async () => (await received()).find(({ body }) => body.includes(`"${callId}"`));
    await until(async () => (await found()) !== undefined);
    times.push(((await found()) as Received).at - begin);
  }
  return median(times);
};
