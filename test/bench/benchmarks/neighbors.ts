import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync } from 'node:fs';
import { createServer } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { setTimeout as sleep } from 'node:timers/promises';
import { listen } from '../../../bin/local/listen.ts';
import type { Figure, Row } from '../benchmark.ts';

const endpoints = 10;
const calls = 1000;
const requests = 2;
const maxWaitMilliseconds = 10 * 60_000;
const pauseMilliseconds = 50;
const startedAt = '2026-03-01T10:00:00Z';
/** What a neighbor may add to twice the quiet time. */
const graceMilliseconds = 2000;
const firstDeliveryMilliseconds = 5000;

type Run = { baseUrl: string; usersApiKey: string };
type User = { uid: string; key: string; agentId: string };
/** The milliseconds after which a user sees what follows from its own change. */
type Seen = { event: number; 'log entry': number; figures: number };

/** Measures how long one user waits for what follows from its changes while another one sends many. */
export const neighbors: Row = {
  name: 'neighbours',
  title: `What ${requests} requests of ${calls.toLocaleString('en')} calls with ${endpoints} endpoints delay of another user`,

  async measure(_, say) {
    const receiver = await startReceiver();
    const service = await startService(receiver.origin);
    try {
      const [busy, other] = [await newUser(service), await newUser(service)];
      for (let n = 0; n < endpoints; n++) await addEndpoint(service, busy, `${receiver.origin}/busy/${n}`, ['call.*']);
      await addEndpoint(service, other, `${receiver.origin}/other`, ['call.recorded']);
      const measureOther = () => measureOnce(service, other, receiver);
      await measureOther();
      const quiet = await measureOther();
      say('quiet');
      for (let n = 0; n < requests; n++) await sendCalls(service, busy);
      const beside = await measureOther();
      say('beside the requests');
      await receiver.waitFor('/busy', 100);
      const behind = await measureOther();
      say(`behind ${(requests * calls * 2 * endpoints).toLocaleString('en')} deliveries`);
      return [
        ...(['event', 'log entry', 'figures'] as const).map((what): Figure => {
          const max = 2 * quiet[what] + graceMilliseconds;
          return compare(
            `${what}, beside the requests`,
            beside[what],
            quiet[what],
            max,
            'twice the quiet time and 2 s',
          );
        }),
        compare(
          'event, behind the deliveries',
          behind.event,
          quiet.event,
          quiet.event + firstDeliveryMilliseconds,
          'the quiet time and 5 s',
        ),
      ];
    } finally {
      await service.stop();
      await receiver.stop();
    }
  },
};

const compare = (what: string, value: number, quiet: number, max: number, bound: string): Figure => ({
  what,
  ours: { value, unit: 'ms' },
  against: { what: 'quiet', quantity: { value: quiet, unit: 'ms' }, ratio: value / quiet },
  target: { text: `≤ ${bound}`, reached: value <= max },
});

/** Starts the local run, as `npm start` does. */
const startService = async (trustedOrigin: string) => {
  const folder = mkdtempSync(join(tmpdir(), 'neighbors-'));
  const options = ['--port', '0', '--json', '--demo-days', '0', '--run-file', join(folder, 'run.json')];
  const child = spawn(process.execPath, ['bin/local.ts', ...options], {
    cwd: join(import.meta.dirname, '../../..'),
    stdio: ['ignore', 'pipe', 'ignore'],
    env: { ...process.env, WEBHOOK_TRUSTED_ORIGINS: trustedOrigin },
  });
  const [line] = await once(createInterface(child.stdout), 'line');
  const { baseUrl, usersApiKey } = JSON.parse(line) as Run;
  return {
    usersApiKey,
    // biome-ignore lint/suspicious/noExplicitAny: the response of any operation
    async call(method: string, path: string, key: string, body?: object): Promise<any> {
      const headers = { 'x-authorization': key, 'content-type': 'application/json' };
      const response = await fetch(baseUrl + path, { method, headers, body: body && JSON.stringify(body) });
      if (!response.ok) throw new Error(`${method} ${path} answered ${response.status}: ${await response.text()}`);
      return response.json();
    },
    async stop() {
      child.kill();
      await once(child, 'exit');
    },
  };
};
type Service = Awaited<ReturnType<typeof startService>>;

/** Starts a receiver that accepts every event. */
const startReceiver = async () => {
  const bodies: string[] = [];
  const counts = new Map<string, number>();
  const server = createServer(async (request, response) => {
    const [, name] = request.url?.split('/') ?? [];
    const body = (await request.setEncoding('utf8').toArray()).join('');
    if (name === 'other') bodies.push(body);
    counts.set(`/${name}`, (counts.get(`/${name}`) ?? 0) + 1);
    response.end();
  });
  const { endpoint: origin, stop } = await listen(server);
  return {
    origin,
    stop,
    has: (text: string) => bodies.some((body) => body.includes(text)),
    waitFor: (name: string, count: number) => waitUntil(async () => (counts.get(name) ?? 0) >= count),
  };
};
type Receiver = Awaited<ReturnType<typeof startReceiver>>;

let users = 0;
const newUser = async ({ call, usersApiKey }: Service): Promise<User> => {
  const uid = `user-${users++}`;
  await call('POST', '/users', usersApiKey, { uid });
  const scopes = ['agents', 'calls', 'changes', 'webhooks'];
  const { secret: key } = await call('POST', '/keys', usersApiKey, { uid, name: 'bench', scopes });
  const { agentId } = await call('POST', '/agents', key, { uid, name: 'Agent' });
  return { uid, key, agentId };
};

/** Adds an endpoint whose address has answered. */
const addEndpoint = async ({ call }: Service, { uid, key }: User, url: string, events: string[]) => {
  const { endpointId } = await call('POST', '/webhook-endpoints', key, { uid, url, events });
  await call('POST', `/webhook-endpoints/${endpointId}/test`, key, { uid });
};

const sendCalls = ({ call }: Service, { uid, key, agentId }: User) => {
  const about = { agentId, direction: 'inbound', startedAt, custom_call_outcome: 'booked' };
  const items = Array.from({ length: calls }, () => ({ ...about, callId: crypto.randomUUID() }));
  return call('POST', '/calls', key, { uid, items });
};

/** Records a call and renames the agent, and returns when each effect is seen. */
const measureOnce = async ({ call }: Service, { uid, key, agentId }: User, receiver: Receiver): Promise<Seen> => {
  const [callId, name] = [crypto.randomUUID(), crypto.randomUUID()];
  const figures = () => call('GET', `/call-figures?uid=${uid}&from=2026-03-01&to=2026-03-02`, key);
  const log = () => call('GET', `/changes?uid=${uid}&kind=agent`, key);
  const [before, logged] = [await figures(), await log()];
  const begin = performance.now();
  const since = async (check: () => Promise<boolean>) => {
    await waitUntil(check);
    return performance.now() - begin;
  };
  await call('PUT', `/calls/${agentId}/${callId}`, key, { direction: 'inbound', startedAt });
  await call('PATCH', `/agents/${agentId}`, key, { name });
  const [event, entry, counted] = await Promise.all([
    since(async () => receiver.has(callId)),
    since(async () => (await log()).changes[0]?.changeId !== logged.changes[0]?.changeId),
    since(async () => (await figures()).totals.calls > before.totals.calls),
  ]);
  return { event, 'log entry': entry, figures: counted };
};

const waitUntil = async (check: () => Promise<boolean>): Promise<void> => {
  for (const deadline = Date.now() + maxWaitMilliseconds; !(await check()); await sleep(pauseMilliseconds)) {
    if (Date.now() > deadline) throw new Error('It did not come within ten minutes.');
  }
};
