import { spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import type { Readable } from 'node:stream';
import { CloudWatchLogsClient, FilterLogEventsCommand } from '@aws-sdk/client-cloudwatch-logs';
import { GetQueueAttributesCommand, SQSClient } from '@aws-sdk/client-sqs';
import { describe, expect, inject, it, onTestFinished } from 'vitest';
import { AwsRequests } from '../../functions/clients/aws-request.ts';
import { queueSender } from '../../functions/clients/job-queue.ts';
import { toKebabCase } from '../../functions/domain/text.ts';
import { beginCopy, copyServices } from '../../functions/duplication/copy.ts';
import { isStreamed } from '../../functions/http/endpoint.ts';
import { routes } from '../../functions/routes.ts';
import { lazyServices } from '../../functions/service.ts';
import { ended, start } from '../support/operator-command.ts';
import { page } from '../support/site.ts';
import { newReceiver, verified } from '../support/webhooks.ts';
import { makeWebsites, newFolder } from '../support/websites.ts';
import { call, newWorld, target, unique, type World } from '../support/world.ts';

const deployed = inject('deployed');

/** Repeats a check until it holds, as a caller does who waits for background work. */
const eventually = async <T>(ask: () => Promise<T>, holds: (answer: T) => boolean, seconds = 60): Promise<T> => {
  for (const until = Date.now() + seconds * 1000; ; ) {
    const answer = await ask();
    if (holds(answer) || Date.now() > until) return answer;
    await new Promise((resolve) => setTimeout(resolve, 500));
  }
};

it('the deployment has one address for everything', async () => {
  const world = await newWorld();
  const { status, headers } = await world.call('GET', '/agents', { query: { uid: world.uid } });
  expect([status, headers.get('via')]).toEqual([200, expect.stringContaining('CloudFront')]);
});

it('the deployment responds without a cache: a change is seen at once', async () => {
  const world = await newWorld();
  const read = () => world.call('GET', `/agents/${world.agentId}`);
  expect((await read()).body.name).toBe('Agent');
  await world.call('PATCH', `/agents/${world.agentId}`, { body: { name: 'Renamed' } });
  expect((await read()).body.name).toBe('Renamed');
});

// Each function starts for the first time.
it('every route reaches its own function, and every function loads', { timeout: 600_000 }, async () => {
  const called = routes.filter((endpoint) => !isStreamed(endpoint));
  const logs = new CloudWatchLogsClient({});
  for (const { name, method, path } of called) {
    const logGroupName = `/aws/lambda/${deployed.stack}-${toKebabCase(name)}`;
    // The emulator may lose the line of a function's first request.
    const [{ message = '{}' } = {}] = await eventually(
      async () => {
        const body = method === 'GET' ? undefined : {};
        const { status } = await call(method, path.replaceAll(/\{\w+\}/g, 'nothing'), { body });
        expect([name, status]).not.toEqual([name, 500]);
        expect([name, status]).not.toEqual([name, 404]);
        const found = await logs.send(new FilterLogEventsCommand({ logGroupName, filterPattern: `"${name}"` }));
        return found.events ?? [];
      },
      (found) => found.length > 0,
    );
    expect(JSON.parse(message)).toMatchObject({ operation: name, requestId: expect.any(String) });
  }
});

it('a batch at full rate uses up nothing of the rates of the operations at call time', async () => {
  const { AWS_ENDPOINT_URL, AWS_REGION: region = '', ...credentials } = deployed.environment;
  const { AWS_ACCESS_KEY_ID: accessKeyId = '', AWS_SECRET_ACCESS_KEY: secretAccessKey = '' } = credentials;
  const apiGateway = new AwsRequests('apigateway', { accessKeyId, secretAccessKey, region });
  const [apiId] = new URL(deployed.outputs.ApiUrl as string).hostname.split('.');
  const manage = (method: string, path: string, body?: object) =>
    apiGateway.send(
      `${AWS_ENDPOINT_URL}/v2/apis/${apiId}/stages${path}`,
      { method, ...(body && { body: JSON.stringify(body) }) },
      AbortSignal.timeout(30_000),
    );
  const { routeSettings } = (await (await manage('GET', '/$default')).json()) as { routeSettings: object };
  const atCallTime = routes.filter((endpoint) => endpoint.atCallTime).map(({ method, path }) => `${method} ${path}`);
  const keys = Object.keys(routeSettings).map((key) => key.replace('+}', '}'));
  expect(keys.sort()).toEqual(atCallTime.sort());

  // A stage with the same rates at call time, and a low one for all else.
  const defaultRouteSettings = { throttlingRateLimit: 1, throttlingBurstLimit: 2 };
  expect((await manage('POST', '', { stageName: 'slow', defaultRouteSettings, routeSettings })).status).toBe(201);
  onTestFinished(async () => void (await manage('DELETE', '/slow')));
  const ask = async (path: string) =>
    (await fetch(`${deployed.apiUrl}/slow${path}`, { method: 'POST', body: '{}' })).status;
  const batch = await Promise.all(Array.from({ length: 12 }, () => ask('/calls')));
  expect(batch.filter((status) => status === 429).length).toBeGreaterThan(4);
  // Without CloudFront, a request that reaches its function is refused there.
  for (const path of ['/call-starts', '/hooks/twilio', '/agent-knowledge/search'])
    expect([path, await ask(path)]).toEqual([path, 403]);
});

it('functions log under the request id of the response, with the key’s id and nothing of the key', async () => {
  const world = await newWorld();
  const answer = await world.call('GET', `/agents/${world.agentId}`);
  const requestId = answer.headers.get('x-request-id');
  const logs = new CloudWatchLogsClient({});
  const [event] = await eventually(
    async () => {
      const logGroupName = `/aws/lambda/${deployed.stack}-get-agent`;
      const found = await logs.send(new FilterLogEventsCommand({ logGroupName, filterPattern: `"${requestId}"` }));
      return (found.events ?? []).filter(({ message }) => message?.startsWith('{'));
    },
    (found) => found.length > 0,
  );
  expect(JSON.parse(event?.message ?? '{}')).toMatchObject({
    requestId,
    operation: 'getAgent',
    status: 200,
    uid: world.uid,
    keyId: world.keyId,
  });
  expect(event?.message).not.toContain(world.apiKey.slice(0, 12));
});

describe('a request that is repeated', () => {
  // Each request to these makes something new, so that a repetition that is not recognized shows.
  const creating: Record<string, (world: World) => object> = {
    addBlockedNumbers: ({ uid, agentId }) => ({ uid, agentId, numbers: ['+14155550123'] }),
    addWebsite: ({ uid, agentId }) => ({ uid, agentId, url: 'https://example.com/' }),
    createAgent: ({ uid }) => ({ uid, name: 'Agent' }),
    createDocumentUploads: ({ uid, agentId }) => ({ uid, agentId, files: [{ name: 'notes.txt', size: 5 }] }),
    duplicateAgent: ({ uid, agentId }) => ({ uid, agentId }),
  };

  it.each(Object.entries(creating))(
    'a request repeated under its Idempotency-Key is carried out once by %s, by whichever of its functions',
    async (name, bodyFor) => {
      const world = await newWorld();
      const { method, path } = routes.find((endpoint) => endpoint.name === name) as (typeof routes)[number];
      const body = bodyFor(world);
      const under = (key: string) => world.call(method, path, { body, headers: { 'idempotency-key': key } });
      const [first, again, another] = [await under('once'), await under('once'), await under('another')];
      expect([first.status, again.status, another.status]).toEqual([200, 200, 200]);
      expect(again.body).toEqual(first.body);
      expect(again.headers.get('idempotency-replayed')).toBe('true');
      expect(another.body).not.toEqual(first.body);
      expect(another.headers.get('idempotency-replayed')).toBeNull();
    },
  );
});

it('background work goes through the job’s own queue: a copy whose function died is completed', async () => {
  const world = await newWorld();
  const { uid, agentId } = world;
  await world.block(Array.from({ length: 300 }, (_, n) => `+1415555${String(n).padStart(4, '0')}`));
  const { add, settled } = makeWebsites(world);
  const { url, put } = newFolder();
  await put('', page('home'));
  await settled((await add(url)).body.websiteId);
  const form = new FormData();
  for (const [name, value] of Object.entries({ uid, agentId })) form.set(name, value);
  form.set('files', new Blob(['Notes']), 'notes.txt');
  await world.call('POST', '/agent-documents', { body: form });
  const listKnowledge = async (agent: string) => {
    const query = { uid, agentId: agent };
    const { websites } = (await world.call('GET', '/agent-websites', { query })).body;
    const { documents } = (await world.call('GET', '/agent-documents', { query })).body;
    return { websites, documents };
  };
  const isReady = ({ documents }: { documents: { status: string }[] }) => documents[0]?.status === 'ready';
  await eventually(() => listKnowledge(agentId), isReady);

  const copy = { ...(await world.call('GET', `/agents/${agentId}`)).body, agentId: unique('agent'), name: 'Copy' };
  await beginCopy({ agent: { ...copy, sourceAgentId: agentId }, sourceAgentId: agentId }, lazyServices(copyServices));
  expect((await world.call('GET', `/agents/${copy.agentId}`)).status).toBe(401);
  await queueSender('finishDuplication').get().send({ job: 'finishDuplication', uid: copy.uid, agentId: copy.agentId });
  const copied = await eventually(
    () => world.call('GET', `/agents/${copy.agentId}`),
    ({ status }) => status === 200,
  );
  expect(copied.body).toMatchObject({ uid, name: 'Copy', sourceAgentId: agentId });
  const list = await world.call('GET', '/agent-block-list', { query: { uid, agentId: copy.agentId } });
  expect(list.body.blockList).toHaveLength(300);
  const { websites, documents } = await listKnowledge(copy.agentId);
  expect(websites).toEqual([expect.objectContaining({ status: 'ready', content: expect.stringContaining('home') })]);
  expect(documents).toEqual([expect.objectContaining({ status: 'ready', content: 'Notes' })]);
  expect(await (await fetch(documents[0].fileUrl)).text()).toBe('Notes');
});

it('background work is given up after three deliveries, to the dead letters of the jobs', async () => {
  const sqs = new SQSClient({});
  const address = (process.env.JOBS_QUEUE_URL ?? '').replace('{job}', 'finishDuplication');
  const { Attributes } = await sqs.send(
    new GetQueueAttributesCommand({ QueueUrl: address, AttributeNames: ['RedrivePolicy'] }),
  );
  expect(JSON.parse(Attributes?.RedrivePolicy ?? '{}')).toEqual({
    deadLetterTargetArn: expect.stringMatching(/-dead-letters$/),
    maxReceiveCount: 5,
  });
});

it('webhooks reach an address of the operator by webhooks listen, signed with the secret that it prints', async () => {
  const world = await newWorld();
  const receiver = await newReceiver();
  const words = ['webhooks', 'listen', '--stack', deployed.stack, '--forward-to', receiver.url, '--uid', world.uid];
  const child = start([...words, '--event', 'call.*', '--json'], deployed.environment);
  const end = ended(child);
  const [line] = await once(createInterface({ input: child.stdout as Readable }), 'line');
  const { secret, endpointId } = JSON.parse(line);
  const endpoints = async () =>
    (await world.call('GET', '/webhook-endpoints', { query: { uid: world.uid } })).body.endpoints;
  await eventually(endpoints, (found) => found.length === 1);
  expect(await endpoints()).toMatchObject([{ endpointId, url: receiver.url, events: ['call.*'] }]);
  await world.recordCall('call-1');
  await world.call('PATCH', `/calls/${world.agentId}/call-1`, { body: { custom_call_outcome: 'booked' } });
  const events = (await receiver.waitFor(2)).map((request) => verified(secret, request));
  expect(events.map(({ type }) => type).sort()).toEqual(['call.outcome_updated', 'call.recorded']);
  child.kill('SIGINT');
  expect(await end).toMatchObject({ code: 0, stderr: '' });
  expect(await endpoints()).toEqual([]);
});

it('a preflight request returns the methods and headers that a browser of the application may send', async () => {
  const preflight = await fetch(`${target.baseUrl}/agents`, {
    method: 'OPTIONS',
    headers: { origin: target.appOrigin, 'access-control-request-method': 'POST' },
  });
  expect(preflight.status).toBe(204);
  expect(preflight.headers.get('access-control-allow-origin')).toBe(target.appOrigin);
  expect(preflight.headers.get('access-control-allow-headers')).toContain('x-authorization');
  expect(preflight.headers.get('access-control-allow-methods')).toContain('PATCH');
});

it('a browser of the application may read responses and errors, and one of another origin may not', async () => {
  const from = (origin: string) => fetch(`${target.baseUrl}/agents?uid=${target.uid}`, { headers: { origin } });
  const ours = await from(target.appOrigin);
  expect(ours.status).toBe(401);
  expect(ours.headers.get('access-control-allow-origin')).toBe(target.appOrigin);
  expect((await from('https://elsewhere.example.com')).headers.get('access-control-allow-origin')).toBeNull();
});

describe('behind CloudFront', () => {
  it('the smoke test passes behind CloudFront, and fails when the API and the chat are not behind it', () => {
    const smoke = (apiUrl: string, chatUrl: string | null) => {
      const addresses = ['--base-url', target.baseUrl, '--api-url', apiUrl, '--chat-url', chatUrl ?? ''];
      return spawnSync(process.execPath, ['bin/voice-agents.ts', 'smoke', ...addresses], { encoding: 'utf8' });
    };
    const passed = smoke(deployed.apiUrl, deployed.chatUrl);
    expect([passed.stdout, passed.status]).toEqual([expect.not.stringContaining('FAILED'), 0]);
    expect(smoke(target.baseUrl, target.baseUrl).status).toBe(1);
  });

  const secrets = [undefined, 'a-guess'];

  it.each(secrets)('the API rejects a request that did not come through CloudFront (secret: %s)', async (secret) => {
    const headers = { 'x-authorization': target.apiKey, ...(secret && { 'x-origin-secret': secret }) };
    const response = await fetch(`${deployed.apiUrl}/agents?uid=${target.uid}`, { headers });
    expect([response.status, await response.json()]).toEqual([403, { message: 'Forbidden' }]);
    // CloudFront replaces what a caller sends in that header.
    expect((await fetch(`${target.baseUrl}/agents?uid=${target.uid}`, { headers })).status).toBe(200);
  });

  it.each(secrets)('the chat rejects a request that did not come through CloudFront (secret: %s)', async (secret) => {
    const response = await fetch(`${deployed.chatUrl}/chat/build`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', ...(secret && { 'x-origin-secret': secret }) },
      body: '{}',
    });
    expect(response.status).toBe(403);
  });
});

it('the pages are at the one address: the chat at /chat, the console at /console, to which the root leads, and the documentation at /docs, and all that they load', async () => {
  expect(await (await fetch(target.baseUrl)).text()).toContain('content="0; url=/console"');
  for (const path of ['/chat', '/console', '/console/calls', '/docs', '/docs/quickstart', '/docs/reference']) {
    const page = await fetch(target.baseUrl + path);
    expect([page.status, page.headers.get('content-type')]).toEqual([200, 'text/html; charset=utf-8']);
    expect(page.headers.get('content-security-policy')).toContain("default-src 'none'");
    const named = [...(await page.text()).matchAll(/(?:src|href)="(\/assets\/[^"]+)"/g)].map((match) => match[1]);
    expect(named.length).toBeGreaterThan(1);
    for (const file of named) {
      const asset = await fetch(target.baseUrl + file);
      expect([file, asset.status, asset.headers.get('cache-control')]).toEqual([
        file,
        200,
        expect.stringContaining('immutable'),
      ]);
      expect((await asset.arrayBuffer()).byteLength).toBeGreaterThan(50);
    }
  }
  for (const path of ['/docs/quickstart.md', '/llms.txt']) {
    expect(await (await fetch(target.baseUrl + path)).text()).toMatch(/^# /);
  }
  const topics = await (await fetch(`${target.baseUrl}/docs/search.json`)).json();
  expect(topics).toContainEqual(expect.objectContaining({ page: '/docs/quickstart' }));
  expect((await fetch(`${target.baseUrl}/assets/none.js`)).status).toBe(404);
});

it('an unknown page is a page, and an unknown file is JSON', async () => {
  const page = await fetch(`${target.baseUrl}/docs/no-such-page`);
  expect([page.status, await page.text()]).toEqual([404, expect.stringContaining('<h1>Page not found</h1>')]);
  const file = await fetch(`${target.baseUrl}/docs/no-such-page.md`);
  expect([file.status, await file.json()]).toEqual([404, { message: 'Not Found' }]);
});

describe('the chat', () => {
  const turn = { id: 'deployed', messages: [{ id: 'm1', role: 'user', parts: [{ type: 'text', text: 'Hello' }] }] };
  const ask = (address: string, body: object) =>
    fetch(`${address}/chat/build`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', origin: target.appOrigin },
      body: JSON.stringify(body),
    });

  it('the chat responds at the one address as a complete stream', async () => {
    const answer = await ask(target.baseUrl, turn);
    expect([answer.status, answer.headers.get('content-type')]).toEqual([200, 'text/event-stream']);
    expect(answer.headers.get('x-vercel-ai-ui-message-stream')).toBe('v1');
    const text = await answer.text();
    expect(text).toContain('"type":"text-delta"');
    expect(text.trimEnd().endsWith('data: [DONE]')).toBe(true);
  });

  it('the chat rejects a body that is not a conversation with an error status', async () => {
    const answer = await ask(target.baseUrl, { ...turn, messages: [] });
    expect([answer.status, ((await answer.json()) as { error: string }).error]).toEqual([400, 'invalid_request']);
  });
});
