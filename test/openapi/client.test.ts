import { Readable } from 'node:stream';
import { gzipSync } from 'node:zlib';
import { buildSync } from 'esbuild';
import { Webhook, WebhookVerificationError } from 'standardwebhooks';
import { afterEach, expect, expectTypeOf, it, vi } from 'vitest';
import {
  type ApiError,
  ApiRequestError,
  apiClient,
  type Call,
  type CallOutcomeUpdatedEvent,
  dataOf,
  type LogEntry,
  readLimits,
  type UploadProgress,
  verifyWebhook,
} from '../../functions/openapi/client/client.ts';
import { apiKeys } from '../../functions/store/api-keys.ts';
import { collectParts, question, withFaults } from '../support/typed-client.ts';
import { newWorld, target } from '../support/world.ts';

afterEach(() => {
  vi.unstubAllEnvs();
});

it('the typed client calls every kind of operation: a query, a body, a path with a phone number in it', async () => {
  const { uid, agentId, apiKey, recordCall } = await newWorld();
  const api = apiClient({ baseUrl: target.baseUrl, apiKey, uid });
  await recordCall('call-1');

  const listed = await api.agents.list();
  expect(listed.data?.agents.map((agent) => agent.agentId)).toEqual([agentId]);

  const blocked = await api.blockList.add({ agentId, numbers: ['+14155550100', 'x'] });
  expect(blocked.data?.added).toEqual(['+14155550100']);
  expect(blocked.data?.failed.map(({ code }) => code)).toEqual(['invalid_format']);

  const callOf = { agentId, callIdOrPhone: '+14155550100' };
  const outcome = { custom_call_outcome: 'sold', custom_call_metadata: { seller: 'Ada' } };
  const updated = await api.calls.updateOutcome({ ...callOf, ...outcome, metadataMode: 'merge' });
  expect(updated.data).toMatchObject({ success: true, call_id: 'call-1' });

  const { data: call } = await api.calls.get(callOf);
  expectTypeOf(call).toEqualTypeOf<Call | undefined>();
  expect(call?.custom_call_metadata).toEqual({ seller: 'Ada' });

  expect(dataOf(await api.calls.list({ agentId, hasOutcome: true, limit: 2 })).calls).toHaveLength(1);
  expect(dataOf(await api.calls.list({ agentId, hasOutcome: false })).calls).toEqual([]);
});

it('the typed client lists every item of all pages, and the pages with their results', async () => {
  const { agentId, apiKey, recordCall } = await newWorld();
  for (const id of ['call-1', 'call-2', 'call-3']) await recordCall(id);
  const api = apiClient({ baseUrl: target.baseUrl, apiKey });
  const calls: Call[] = [];
  for await (const call of api.calls.list({ agentId, limit: 2 })) calls.push(call);
  expect(calls.map(({ callId }) => callId).sort()).toEqual(['call-1', 'call-2', 'call-3']);
  const sizes = [];
  for await (const { data, error } of api.calls.list({ agentId, limit: 2 }).pages()) {
    expectTypeOf(error).toEqualTypeOf<ApiError | undefined>();
    expectTypeOf(data?.calls).toEqualTypeOf<Call[] | undefined>();
    sizes.push(data?.calls.length);
  }
  expect(sizes).toEqual([2, 1]);
});

it('the typed client ends a list with an error: as the last page, or thrown from its items', async () => {
  const list = () => apiClient({ baseUrl: target.baseUrl, apiKey: 'vap_wrong' }).agents.list({ uid: 'nobody' });
  const pages = [];
  for await (const page of list().pages()) pages.push(page.error?.error);
  expect(pages).toEqual(['invalid_api_key']);
  const items = async () => {
    for await (const agent of list()) return agent;
  };
  await expect(items()).rejects.toThrow(ApiRequestError);
  await expect(items()).rejects.toMatchObject({
    code: 'invalid_api_key',
    status: 401,
    requestId: expect.any(String),
  });
});

it('the typed client waits until a document is ready, and reports each state', async () => {
  const { uid, agentId, apiKey } = await newWorld();
  const api = apiClient({ baseUrl: target.baseUrl, apiKey, uid });
  const { documents } = await api.documents.uploadFiles({ agentId }, [{ name: 'a.txt', content: 'Open at nine.' }]);
  const documentId = documents[0]?.documentId as string;
  const { data } = await api.documents.waitUntilReady({ agentId, documentId });
  expect([data?.id, data?.status]).toEqual([documentId, 'ready']);
  const missing = await api.documents.waitUntilReady({ agentId, documentId: 'doc_none' });
  expect(missing.error?.error).toBe('document_not_found');
});

it('the typed client stops waiting with an error when the time is up', async () => {
  const { uid, agentId, apiKey } = await newWorld();
  const api = apiClient({ baseUrl: target.baseUrl, apiKey, uid });
  const form = dataOf(await api.documents.createUploads({ agentId, files: [{ name: 'a.txt', size: 5 }] }));
  const documentId = form.uploads[0]?.documentId as string;
  const states: string[] = [];
  const onProgress = ({ status }: { status: string }) => states.push(status);
  const waited = await api.documents.waitUntilReady({ agentId, documentId }, { maxWaitSeconds: 0.3, onProgress });
  expect([waited.error?.error, states[0], states.length < 4]).toEqual(['timeout', 'pending', true]);
});

it('the typed client imports a file of numbers, and waits for the result', async () => {
  const { uid, agentId, apiKey } = await newWorld();
  const api = apiClient({ baseUrl: target.baseUrl, apiKey, uid });
  const progress: number[] = [];
  const file = new Blob(['+14155550100\n+14155550101\n']);
  const onProgress = ({ sentBytes, totalBytes }: { sentBytes: number; totalBytes: number }) =>
    progress.push(sentBytes / totalBytes);
  const { importId } = dataOf(await api.blockList.importFile({ agentId, mode: 'add' }, file, { onProgress }));
  const ended = dataOf(await api.blockList.waitUntilImported({ importId }));
  expect([ended.status, ended.added, progress]).toEqual(['done', 2, [1]]);
  const entries = [];
  for await (const { number } of api.blockList.list({ agentId })) entries.push(number);
  expect(entries).toEqual(['+14155550100', '+14155550101']);
});

it('the typed client uploads a File, a Blob and a stream, and larger files by presigned forms', {
  tags: 'heavy',
}, async () => {
  const { uid, agentId, apiKey } = await newWorld();
  const api = apiClient({ baseUrl: target.baseUrl, apiKey, uid });
  const small = await api.documents.uploadFiles({ agentId }, [
    new File(['Open from nine to five.'], 'Öffnungszeiten.txt'),
    { name: 'prices.txt', content: new Blob(['A haircut is 30 euros.']) },
    {
      name: 'parking.txt',
      content: Readable.toWeb(Readable.from([Buffer.from('Behind the house.')])) as ReadableStream,
    },
    { name: 'empty.txt', content: '' },
  ]);
  expect(small.error).toBeUndefined();
  expect(small.documents.map(({ name }) => name)).toEqual(['Öffnungszeiten.txt', 'prices.txt', 'parking.txt']);
  expect(small.failed.map(({ name, code }) => [name, code])).toEqual([['empty.txt', 'empty_file']]);

  const progress: UploadProgress[] = [];
  const large = await api.documents.uploadFiles(
    { agentId },
    [
      { name: 'manual.txt', content: 'Read me.'.padEnd(5_400_000) },
      { name: 'short.txt', content: 'Short.' },
    ],
    { onProgress: (state) => progress.push(state) },
  );
  expect(progress).toEqual([5_400_000, 5_400_006].map((sentBytes) => ({ sentBytes, totalBytes: 5_400_006 })));
  expect([large.error, large.failed]).toEqual([undefined, []]);
  expect(large.documents.map(({ name }) => name)).toEqual(['manual.txt', 'short.txt']);
  const { data } = await api.documents.list({ agentId, content: false });
  expect(data?.documents.map(({ name, size }) => [name, size])).toContainEqual(['manual.txt', 5_400_000]);

  const direct = await api.documents.upload({ agentId, files: [new File(['Hello.'], 'a.txt')] });
  expect(direct.data?.documents.map(({ name }) => name)).toEqual(['a.txt']);
});

it('the typed client returns an error when the file store rejects a presigned form', async () => {
  const { uid, agentId, apiKey } = await newWorld();
  await using store = await withFaults({ status: 403, text: '<Error/>' });
  const send = (request: Request) =>
    fetch(request.url.startsWith(target.baseUrl) ? request : new Request(store.baseUrl, { method: 'POST' }));
  const api = apiClient({ baseUrl: target.baseUrl, apiKey, fetch: send });
  const { documents, error } = await api.documents.uploadFiles({ uid, agentId }, [
    { name: 'manual.txt', content: 'Read me.'.padEnd(5_400_000) },
  ]);
  expect([documents, error?.error, store.seen.length]).toEqual([[], 'invalid_request', 1]);
});

it('the typed client streams the chat part by part', async () => {
  const api = apiClient({ baseUrl: target.baseUrl });
  const parts = await collectParts(api.chat.build(question('How do I block a number?')));
  // The last part comes first, because it has the reason of an answer that failed.
  expect(parts.at(-1)).toMatchObject({ type: 'finish' });
  expect(parts.flatMap((part) => (part.type === 'text-delta' ? part.delta : [])).join('')).toContain('block');
});

it('the typed client reads address, key and user from the environment unless they are given', async () => {
  const { uid, agentId, apiKey } = await newWorld();
  vi.stubEnv('VAP_BASE_URL', target.baseUrl);
  vi.stubEnv('VAP_API_KEY', apiKey);
  vi.stubEnv('VAP_USER', uid);
  const listed = await apiClient().agents.list();
  expect(listed.data?.agents.map((agent) => agent.agentId)).toEqual([agentId]);
  const { error } = await apiClient({ uid: 'somebody-else' }).agents.list();
  expect(error?.error).toBe('insufficient_permissions');
});

it('the typed client takes a timeout, retries, an Idempotency-Key and headers for one request', async () => {
  const { uid, apiKey } = await newWorld();
  await using service = await withFaults('silent', 'broken');
  const api = apiClient({ ...service, apiKey, uid });
  const late = await api.agents.list({}, { timeoutSeconds: 1, retries: 0 });
  const lost = await api.agents.list({}, { retries: 0 });
  expect([late.error?.error, lost.error?.error, service.seen.length]).toEqual(['timeout', 'unreachable', 2]);
  const options = { idempotencyKey: 'import-1', ifMatch: 7, headers: { 'x-trace': 'a' } };
  await api.agents.create({ name: 'Front desk' }, options);
  expect(service.seen.at(-1)?.headers).toMatchObject({
    'idempotency-key': 'import-1',
    'if-match': '"7"',
    'x-trace': 'a',
  });
});

it('the typed client logs every attempt with its operation and status, and no parameter', async () => {
  const { uid, apiKey } = await newWorld();
  await using busy = await withFaults({ status: 503, headers: { 'retry-after': '0' }, text: overloaded });
  const entries: LogEntry[] = [];
  const api = apiClient({ ...busy, apiKey, uid, log: (entry) => entries.push(entry) });
  await api.agents.list({ phoneNumber: '+14155550100' });
  expect(entries.map(({ operation, attempt, status }) => [operation, attempt, status])).toEqual([
    ['agents.list', 1, 503],
    ['agents.list', 2, 200],
  ]);
  expect(entries[0]?.retryAfterSeconds).toBeGreaterThan(0);
  expect(JSON.stringify(entries)).not.toMatch(/4155550100|vap_/);
});

it('the typed client verifies a webhook and returns its typed event, and throws for one that was changed', () => {
  const secret = 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw';
  const data = { uid: 'demo', call_id: 'call-1', agent_id: 'agent_1', custom_call_outcome: 'booked' };
  const body = JSON.stringify({ type: 'call.outcome_updated', timestamp: '2026-03-01T10:00:00.000Z', data });
  const headers = {
    'webhook-id': 'event_1',
    'webhook-timestamp': `${Math.floor(Date.now() / 1000)}`,
    'webhook-signature': new Webhook(secret).sign('event_1', new Date(), body),
  };
  for (const received of [headers, new Headers(headers)]) {
    const event = verifyWebhook(body, received, secret);
    if (event.type !== 'call.outcome_updated') throw new Error(event.type);
    expectTypeOf(event).toEqualTypeOf<CallOutcomeUpdatedEvent>();
    expect(event.data.custom_call_outcome).toBe('booked');
  }
  expect(() => verifyWebhook(body.replace('booked', 'sold'), headers, secret)).toThrow('No matching signature');
  for (const unreadable of ['whsec_abc', 'whsec_', '']) {
    expect(() => verifyWebhook(body, headers, unreadable)).toThrow(WebhookVerificationError);
  }
});

it('the typed client does not compile with fields that the interface lacks, and exposes no any', () => {
  const api = apiClient({ baseUrl: target.baseUrl });
  const never = async () => {
    // @ts-expect-error there is no such operation
    await api.blockLists.add({});
    // @ts-expect-error `numbers` is required
    await api.blockList.add({ agentId: 'a' });
    // @ts-expect-error a misspelled filter would list everything
    await api.calls.list({ agentId: 'a', limitt: 3 });
    // @ts-expect-error a boolean is no text
    await api.calls.list({ agentId: 'a', hasOutcome: 'true' });
    // @ts-expect-error `first` or `last`
    await api.calls.updateOutcomes({ items: [{ agentId: 'a', callIdOrPhone: 'c', preference: 'best' }] });
    // @ts-expect-error an agent is no list
    await api.agents.get({ agentId: 'a' }).pages();
    const { data, error } = await api.agents.list();
    expectTypeOf(data).not.toBeAny();
    expectTypeOf(error).toEqualTypeOf<ApiError | undefined>();
    // @ts-expect-error there is no such code
    if (error?.error === 'quota_exceded') return;
  };
  expect(never).toBeTypeOf('function');
});

it('the typed client takes a page less than 12 KB for one operation, and less than 30 KB for all and the webhooks, gzipped', () => {
  const measureSize = (source: string) => {
    const { outputFiles } = buildSync({
      stdin: { contents: `${source} from './client.ts';`, resolveDir: 'functions/openapi/client', loader: 'ts' },
      bundle: true,
      minify: true,
      format: 'esm',
      platform: 'browser',
      write: false,
    });
    return gzipSync(outputFiles[0]?.contents ?? '').length;
  };
  expect(measureSize('export { apiClient }')).toBeLessThan(12 * 1024);
  expect(measureSize('export *')).toBeLessThan(30 * 1024);
});

const overloaded = '{"error":"overloaded","message":"The table is throttled."}';

it('the typed client reads what a response says about the limit of its key, and so does its error', async () => {
  const { uid } = await newWorld();
  const made = await apiKeys.get().create(uid, { name: 'limited', scopes: undefined, requestsPerMinute: 1 });
  const api = apiClient({ baseUrl: target.baseUrl, apiKey: made.secret, uid, retries: 0 });
  const first = await api.agents.list();
  expect(readLimits(first.response)).toEqual({
    limit: 1,
    windowSeconds: 60,
    remaining: 0,
    resetSeconds: expect.any(Number),
    retryAfterSeconds: undefined,
  });
  const refused = await api.agents
    .list()
    .then(dataOf)
    .catch((error: ApiRequestError) => error);
  const { limits } = refused as ApiRequestError;
  expect(limits).toMatchObject({ limit: 1, remaining: 0 });
  expect(limits.retryAfterSeconds).toBe(limits.resetSeconds);
});

it('the typed client finds the limit of its key beside those of a gateway, and none in headers that have none', () => {
  const read = (headers: Record<string, string>) => readLimits(new Response('', { headers }));
  const policy = '"gateway";q=9;w=1, "key";q=600;w=60;pk=:QQ==:';
  expect(read({ 'ratelimit-policy': policy, ratelimit: '"gateway";r=1,"key"; r=412; t=23' })).toMatchObject({
    limit: 600,
    windowSeconds: 60,
    remaining: 412,
    resetSeconds: 23,
  });
  const none = { limit: undefined, windowSeconds: undefined, remaining: undefined, resetSeconds: undefined };
  const other = {
    'ratelimit-policy': '"gateway";q=9;w=1',
    ratelimit: '600',
    'retry-after': 'Wed, 21 Oct 2026 07:28:00 GMT',
  };
  expect(read(other)).toEqual({ ...none, retryAfterSeconds: undefined });
});
