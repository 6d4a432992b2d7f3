import { setTimeout as sleep } from 'node:timers/promises';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { afterEach, expect, it, vi } from 'vitest';
import { newApiKey } from '../../functions/domain/api-keys.ts';
import { type ApiClientOptions, apiClient } from '../../functions/openapi/client/client.ts';
import { collectParts, type Fault, question, withFaults } from '../support/typed-client.ts';
import { until } from '../support/until.ts';
import { newWorld, target } from '../support/world.ts';

afterEach(() => {
  vi.unstubAllGlobals();
});

it('the typed client ends the chat with a part of type error when it fails before or during the answer', async () => {
  const refused = await collectParts(
    apiClient({ baseUrl: target.baseUrl, apiKey: 'vap_wrong' }).chat.build(question('Hello')),
  );
  expect(refused).toEqual([
    { type: 'error', errorText: expect.any(String), error: expect.objectContaining({ error: 'invalid_api_key' }) },
  ]);
  await using half = await withFaults({
    status: 200,
    headers: { 'content-type': 'text/event-stream' },
    text: 'data: {"type":"start"}\n\n',
  });
  expect((await collectParts(apiClient(half).chat.build(question('Hello')))).map(({ type }) => type)).toEqual([
    'start',
    'error',
  ]);
  await using broken = await withFaults('broken', 'broken');
  const [only, ...more] = await collectParts(apiClient(broken).chat.build(question('Hello')));
  expect([only, more]).toEqual([
    expect.objectContaining({ error: expect.objectContaining({ error: 'unreachable' }) }),
    [],
  ]);
  expect(broken.seen).toHaveLength(1);
});

it('the typed client sends a request again after a lost response, which is carried out once', async () => {
  const { uid, agentId, apiKey } = await newWorld();
  await using service = await withFaults({ lost: true });
  const api = apiClient({ ...service, apiKey });
  const { data, error } = await api.agents.create({ uid, name: 'Twice sent' });
  expect([error, data?.name]).toEqual([undefined, 'Twice sent']);
  const keys = service.seen.map(({ headers }) => headers['idempotency-key']);
  expect(keys).toEqual([expect.stringMatching(/^[0-9a-f]{32}$/), keys[0]]);
  const { data: listed } = await api.agents.list({ uid });
  expect(listed?.agents.map(({ agentId, name }) => [agentId, name])).toHaveLength(2);
  expect(listed?.agents.map(({ agentId }) => agentId)).toContain(agentId);
});

it('the typed client follows no redirect, and sends its key nowhere else', async () => {
  const { uid, apiKey } = await newWorld();
  await using elsewhere = await withFaults();
  await using redirecting = await withFaults({ status: 307, headers: { location: `${elsewhere.baseUrl}/agents` } });
  const { error } = await apiClient({ ...redirecting, apiKey }).agents.list({ uid });
  const message = `${redirecting.baseUrl} redirects to ${elsewhere.baseUrl}, where the API key was not sent.`;
  expect(error).toEqual({ error: 'misconfigured', message: expect.stringContaining(message) });
  expect([redirecting.seen.length, elsewhere.seen.length]).toEqual([1, 0]);
});

it('the typed client does not wait for minutes', async () => {
  const { uid, apiKey } = await newWorld();

  await using closed = await withFaults({
    status: 429,
    headers: { 'retry-after': '3600' },
    text: '{"message":"Too Many Requests"}',
  });
  const { error } = await apiClient({ ...closed, apiKey }).agents.list({ uid });
  expect([error?.error, closed.seen.length]).toEqual(['rate_limited', 1]);
});

it('the typed client does not send again what will not get better', async () => {
  const { uid, apiKey } = await newWorld();
  const text = '{"error":"idempotency_conflict","message":"The Idempotency-Key was used with another request."}';
  await using conflict = await withFaults({ status: 409, text });
  const rejected = await apiClient({ ...conflict, apiKey }).agents.create({ uid, name: 'Front desk' });
  expect([rejected.error?.error, conflict.seen.length]).toEqual(['idempotency_conflict', 1]);
  await using service = await withFaults();
  const { error } = await apiClient({ ...service, apiKey }).agents.create({ uid, name: '' });
  expect([error?.error, error?.details?.[0]?.path, service.seen.length]).toEqual(['invalid_request', 'name', 1]);
});

it('the typed client returns an error instead of throwing it, and throws an abort by its caller', async () => {
  const api = apiClient({ baseUrl: target.baseUrl, apiKey: 'vap_wrong' });
  const { data, error, response } = await api.agents.list({ uid: 'nobody' });
  expect([data, error?.error, response.status]).toEqual([undefined, 'invalid_api_key', 401]);
  await using service = await withFaults('silent');
  const stopped = apiClient({ ...service, apiKey: target.apiKey, retries: 0 }).agents.list(
    { uid: target.uid },
    { signal: AbortSignal.timeout(200) },
  );
  expect(
    await stopped.then(
      ({ error }) => error?.error,
      (error: Error) => error.name,
    ),
  ).toBe('TimeoutError');
});

it.concurrent.each([
  ['seconds', () => '1'],
  // A date has no fractions of a second.
  ['a date', () => new Date(Date.now() + 3000).toUTCString()],
])('the typed client waits as long as Retry-After says in %s', async (_, retryAfter) => {
  const { uid, apiKey } = await newWorld();
  await using busy = await withFaults({
    status: 429,
    headers: { 'retry-after': retryAfter() },
    text: '{"message":"Too Many Requests"}',
  });
  const { data } = await apiClient({ ...busy, apiKey }).agents.list({ uid });
  expect(data?.agents).toHaveLength(1);
  const [first, second] = busy.seen.map(({ at }) => at) as [number, number];
  expect(second - first).toBeGreaterThanOrEqual(1000);
});

it.concurrent.each(['request', 'client'])(
  'the typed client throws an abort of the %s also while it waits to send it again',
  async (of) => {
    await using busy = await withFaults({ status: 503, headers: { 'retry-after': '30' } });
    const signal = AbortSignal.timeout(1000);
    const client = apiClient({ ...busy, apiKey: target.apiKey, ...(of === 'client' && { signal }) });
    const waiting = client.agents.list({ uid: target.uid }, of === 'request' ? { signal } : {});
    const startedAt = Date.now();
    await expect(waiting).rejects.toThrow(expect.objectContaining({ name: 'TimeoutError' }));
    expect([Date.now() - startedAt < 15_000, busy.seen.length]).toEqual([true, 1]);
  },
);

it.concurrent('the typed client gives every failure a code: of the gateway, of a proxy, without a response, after the timeout', async () => {
  const ask = async (...faults: Fault[]) => {
    await using service = await withFaults(...faults);
    const api = apiClient({ ...service, apiKey: target.apiKey, retries: faults.length - 1, timeoutSeconds: 1 });
    const { error, response } = await api.agents.list({ uid: target.uid });
    expect(service.seen).toHaveLength(faults.length);
    return [response.status, error?.error, error?.message];
  };
  expect(await ask({ status: 404, text: '{"message":"Not Found"}' })).toEqual([404, 'not_found', 'Not Found']);
  const page = { status: 502, text: '<h1>Bad Gateway</h1>' };
  expect(await ask(page, page)).toEqual([502, 'internal_error', 'The gateway responded 502.']);
  expect(await ask('broken', 'broken')).toEqual([
    503,
    'unreachable',
    expect.stringMatching(/cannot be reached \(\w+\)/),
  ]);
  expect(await ask('silent')).toEqual([
    504,
    'timeout',
    expect.stringMatching(/^http:\S+ did not respond within 1 seconds\.$/),
  ]);
});

it('the typed client returns an error for an address, a key or a time that cannot be used, without a request', async () => {
  const sent: Request[] = [];
  const ask = async (options: ApiClientOptions, timeoutSeconds?: number) => {
    const fetch = async (request: Request) => {
      sent.push(request);
      return Response.json({ agents: [] });
    };
    const api = apiClient({ baseUrl: 'http://127.0.0.1:1', fetch, ...options });
    const { error, response } = await api.agents.list({ uid: 'demo' }, { timeoutSeconds });
    return [error?.error, error?.message, response.status];
  };
  const misconfigured = (message: string) => ['misconfigured', expect.stringContaining(message), 400];
  expect(await ask({ baseUrl: '' })).toEqual(misconfigured('VAP_BASE_URL'));
  expect(await ask({ baseUrl: 'localhost:3000' })).toEqual(misconfigured('must begin with http:// or https://'));
  expect(await ask({ baseUrl: 'https://user:password@api.example.com' })).toEqual(
    misconfigured('must not contain a user name or a password'),
  );
  for (const baseUrl of ['http://api.example.com', 'http://127.0.0.1.example.com', 'http://192.168.0.1'])
    expect(await ask({ baseUrl })).toEqual(misconfigured('must begin with https://'));
  expect(await ask({ apiKey: 'vap_…' })).toEqual(misconfigured('apiKey has a character'));
  expect(await ask({}, Number.NaN)).toEqual(misconfigured('timeoutSeconds'));
  for (const agentId of [undefined, '']) {
    const call = { callIdOrPhone: 'call-1', agentId } as { callIdOrPhone: string; agentId: string };
    expect((await apiClient({ baseUrl: target.baseUrl }).calls.get(call)).error).toEqual({
      error: 'misconfigured',
      message: 'agentId is missing.',
    });
  }
  for (const agentId of ['.', '..']) {
    const { error } = await apiClient({ baseUrl: target.baseUrl }).agents.delete({ agentId });
    expect(error).toMatchObject({
      error: 'misconfigured',
      message: `agentId must not be ${agentId}, which no path can carry.`,
    });
  }
  expect(sent).toEqual([]);
  expect(await ask({}, 1.2345)).toEqual([undefined, undefined, 200]);
});

it('the typed client trims address, key and user, and reads the scheme of an address in any case', async () => {
  const sent: Request[] = [];
  const fetch = async (request: Request) => {
    sent.push(request);
    return Response.json({ agents: [] });
  };
  const api = apiClient({ baseUrl: ' HTTP://127.0.0.1:1/\r\n', apiKey: '\u00a0vap_x\n', uid: ' demo', fetch });
  expect((await api.agents.list()).error).toBeUndefined();
  expect(sent.map(({ url, headers }) => [url, headers.get('x-authorization')])).toEqual([
    ['http://127.0.0.1:1/agents?uid=demo&limit=100', 'vap_x'],
  ]);
});

it('the typed client refuses a value that a request would lose, such as NaN, which null would clear', async () => {
  const sent: unknown[] = [];
  const fetch = async (request: Request) => {
    sent.push(await request.json());
    return Response.json({});
  };
  const { calls, agents, documents } = apiClient({ baseUrl: 'http://127.0.0.1:1', fetch });
  const call = { agentId: 'a', callIdOrPhone: 'c' };
  const metadata = (value: unknown) => calls.updateOutcome({ ...call, custom_call_metadata: { list: [{ value }] } });
  const refused = await Promise.all([
    calls.updateOutcome({ ...call, custom_call_outcome_value: Number('80 EUR') }),
    calls.updateOutcomes({ items: [{ ...call, custom_call_outcome_value: 80 / 0 }] }),
    agents.create({ name: 'Agent', configuration: { temperature: Number.NEGATIVE_INFINITY } }),
    documents.upload({ agentId: 'a', files: [], active: Number.NaN } as never),
    calls.list({ agentId: 'a', limit: Number.NaN }),
    calls.get({ agentId: 'a', callIdOrPhone: Number.NaN as never }),
    ...[Number.NaN, new Date('tomorrow'), new Map([[1, 2]]), new Set([1])].map(metadata),
  ]);
  expect(refused.map(({ error }) => [error?.error, error?.message])).toEqual(
    [
      'custom_call_outcome_value is NaN',
      'custom_call_outcome_value is Infinity',
      'temperature is -Infinity',
      'active is NaN',
      'limit is NaN',
      'callIdOrPhone is NaN',
      'value is NaN',
      'value is an invalid date',
      'value is a Map',
      'value is a Set',
    ].map((fault) => ['misconfigured', `${fault}, which a request cannot carry.`]),
  );
  expect(sent).toEqual([]);
  const date = new Date(0);
  await metadata(date);
  expect(sent).toEqual([{ custom_call_metadata: { list: [{ value: date.toISOString() }] } }]);
});

it('the typed client repeats nothing that a fetch says about a header, which may be the key', async () => {
  const key = newApiKey();
  const fetch = async () => {
    throw new TypeError(`Headers.append: "${key}" is an invalid header value.`);
  };
  const { error } = await apiClient({ baseUrl: 'http://127.0.0.1:1', apiKey: key, fetch, retries: 0 }).agents.list();
  expect(error).toMatchObject({ error: 'unreachable', message: expect.not.stringContaining(key) });
});

it('the typed client returns an error when a web page answers instead of the service', async () => {
  await using page = await withFaults({
    status: 200,
    headers: { 'content-type': 'text/html' },
    text: '<!doctype html>',
  });
  const { data, error, response } = await apiClient({ ...page, apiKey: target.apiKey }).agents.list({ uid: 'demo' });
  expect([data, error?.error, response.status]).toEqual([undefined, 'unexpected_response', 200]);
  expect(error?.message).toContain('text/html');
});

it('the typed client sends a request again when its response breaks off in the middle of the body', async () => {
  const { uid, apiKey } = await newWorld();
  await using service = await withFaults({
    status: 200,
    headers: { 'content-length': '100' },
    text: '{"agents":[',
    cut: true,
  });
  const { data } = await apiClient({ ...service, apiKey, uid }).agents.list();
  expect([data?.agents.length, service.seen.length]).toEqual([1, 2]);
});

it('the typed client names APP_ORIGIN when a page of another origin cannot reach the service', async () => {
  vi.stubGlobal('location', { origin: 'https://app.example.com' });
  await using service = await withFaults('broken');
  const { error } = await apiClient({ ...service, retries: 0 }).agents.list();
  expect(error?.message).toMatch(/cannot be reached .*APP_ORIGIN.*https:\/\/app\.example\.com/);
});

it('the typed client ends a request that is aborted or out of time, even after Node has collected garbage', async () => {
  setFlagsFromString('--expose-gc');
  const collectGarbage: () => void = runInNewContext('gc');
  const headers = { 'content-type': 'text/event-stream' };
  const text = 'data: {"type":"start"}\n\n';
  await using service = await withFaults({ status: 200, headers, text, open: true }, 'silent', 'silent');
  const api = apiClient({ ...service, uid: 'user', retries: 0 });
  const stop = new AbortController();
  const { signal } = stop;
  const chat = api.chat.build(question('Hello'), { signal })[Symbol.asyncIterator]();
  expect((await chat.next()).value).toEqual({ type: 'start' });
  const stopped = chat.next().catch(({ name }: Error) => name);
  const aborted = api.agents.list({}, { signal }).catch(({ name }: Error) => name);
  const late = api.agents.list({}, { timeoutSeconds: 2 });
  await until(() => service.seen.length === 3);
  // Twice, with a pause: what ends between the two is collected by the second.
  collectGarbage();
  await sleep(100);
  collectGarbage();
  stop.abort();
  expect(await Promise.all([stopped, aborted])).toEqual(['AbortError', 'AbortError']);
  expect((await late).error?.error).toBe('timeout');
});
