import { createServer, type IncomingHttpHeaders } from 'node:http';
import { Readable } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import { gzipSync } from 'node:zlib';
import { buildSync } from 'esbuild';
import { describe, expect, expectTypeOf, it } from 'vitest';
import { listen } from '../../bin/local/listen.ts';
import { type ApiError, apiClient, type ChatPart, type Schema } from '../../functions/openapi/client.ts';
import { newWorld, target } from '../support/world.ts';

type Fault =
  | { status: number; headers?: Record<string, string>; text?: string; from?: 'service' }
  | 'broken'
  | 'silent';

/** A proxy that handles the first requests as given: instead of the service, or after it has responded. */
const withFaults = async (...faults: (Fault | { lost: true })[]) => {
  const seen: { method: string; headers: IncomingHttpHeaders; at: number }[] = [];
  const server = createServer(async (request, response) => {
    const body = await buffer(request);
    const { method = '', headers } = request;
    const fault = faults[seen.length];
    seen.push({ method, headers, at: Date.now() });
    if (fault === 'silent') return;
    if (fault === 'broken') return response.destroy();
    if (fault && 'status' in fault) return response.writeHead(fault.status, fault.headers).end(fault.text);
    const sent: Record<string, string> = {};
    for (const [name, value] of Object.entries(headers)) sent[name] = String(value);
    sent.host = new URL(target.baseUrl).host;
    for (const name of ['connection', 'content-length', 'transfer-encoding', 'expect']) delete sent[name];
    const answer = await fetch(target.baseUrl + request.url, {
      method,
      headers: sent,
      ...(body.length > 0 && { body }),
    });
    const content = Buffer.from(await answer.arrayBuffer());
    if (fault) return response.destroy();
    response.writeHead(answer.status, { 'content-type': answer.headers.get('content-type') ?? '' }).end(content);
  });
  const { endpoint: baseUrl, stop } = await listen(server);
  return { baseUrl, seen, [Symbol.asyncDispose]: stop };
};

const partsOf = async (parts: AsyncIterable<ChatPart>) => {
  const all: ChatPart[] = [];
  for await (const part of parts) all.push(part);
  return all;
};

const question = (text: string) => ({
  id: 'conversation-1',
  messages: [{ id: 'message-1', role: 'user' as const, parts: [{ type: 'text' as const, text }] }],
});

describe('the typed client', () => {
  it('calls every kind of operation: a query, a body, a path with a phone number in it', async () => {
    const { uid, agentId, apiKey, recordCall } = await newWorld();
    const api = apiClient({ baseUrl: target.baseUrl, apiKey });
    await recordCall('call-1');

    const listed = await api.GET('/agents', { params: { query: { uid } } });
    expect(listed.data?.agents.map((agent) => agent.agentId)).toEqual([agentId]);

    const blocked = await api.POST('/agent-block-list', { body: { uid, agentId, numbers: ['+14155550100', 'x'] } });
    expect(blocked.data?.added).toEqual(['+14155550100']);
    expect(blocked.data?.failed.map(({ code }) => code)).toEqual(['invalid_format']);

    const path = { agentId, callIdOrPhone: '+14155550100' };
    const body = { custom_call_outcome: 'sold', custom_call_metadata: { seller: 'Ada' } };
    const updated = await api.PATCH('/calls/{agentId}/{callIdOrPhone}', { params: { path }, body });
    expect(updated.data).toMatchObject({ success: true, call_id: 'call-1' });

    const { data: call } = await api.GET('/calls/{agentId}/{callIdOrPhone}', { params: { path } });
    expectTypeOf(call).toEqualTypeOf<Schema<'Call'> | undefined>();
    expect(call?.custom_call_metadata).toEqual({ seller: 'Ada' });
  });

  it('reads a list page by page, and ends with the error when a page fails', async () => {
    const { uid, agentId, apiKey, recordCall } = await newWorld();
    for (const id of ['call-1', 'call-2', 'call-3']) await recordCall(id);
    const api = apiClient({ baseUrl: target.baseUrl, apiKey });
    const calls: string[] = [];
    for await (const { data, error } of api.pages('/calls/{agentId}', {
      params: { path: { agentId }, query: { limit: 2 } },
    })) {
      expectTypeOf(error).toEqualTypeOf<ApiError | undefined>();
      expectTypeOf(data?.calls).toEqualTypeOf<Schema<'Call'>[] | undefined>();
      calls.push(...(data?.calls ?? []).map(({ callId }) => callId));
    }
    expect(calls.sort()).toEqual(['call-1', 'call-2', 'call-3']);

    const pages = [];
    for await (const page of apiClient({ baseUrl: target.baseUrl, apiKey: 'vap_wrong' }).pages('/agents', {
      params: { query: { uid } },
    }))
      pages.push(page.error?.error);
    expect(pages).toEqual(['invalid_api_key']);
  });

  it('uploads a File, a Blob and a stream, and larger files by presigned forms', async () => {
    const { uid, agentId, apiKey } = await newWorld();
    const api = apiClient({ baseUrl: target.baseUrl, apiKey });
    const small = await api.upload({ uid, agentId }, [
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

    const large = await api.upload({ uid, agentId }, [
      { name: 'manual.txt', content: 'Read me. '.repeat(600_000) },
      { name: 'short.txt', content: 'Short.' },
    ]);
    expect([large.error, large.failed]).toEqual([undefined, []]);
    expect(large.documents.map(({ name }) => name)).toEqual(['manual.txt', 'short.txt']);
    const { data } = await api.GET('/agent-documents', { params: { query: { uid, agentId, content: 'false' } } });
    expect(data?.documents.map(({ name, size }) => [name, size])).toContainEqual(['manual.txt', 5_400_000]);

    const direct = await api.POST('/agent-documents', {
      body: { uid, agentId, files: [new File(['Hello.'], 'a.txt')] },
    });
    expect(direct.data?.documents.map(({ name }) => name)).toEqual(['a.txt']);
  });

  it('returns an error when the file store rejects a presigned form', async () => {
    const { uid, agentId, apiKey } = await newWorld();
    await using store = await withFaults({ status: 403, text: '<Error/>' });
    const send = (request: Request) =>
      fetch(request.url.startsWith(target.baseUrl) ? request : new Request(store.baseUrl, { method: 'POST' }));
    const api = apiClient({ baseUrl: target.baseUrl, apiKey, fetch: send });
    const { documents, error } = await api.upload({ uid, agentId }, [
      { name: 'manual.txt', content: 'Read me. '.repeat(600_000) },
    ]);
    expect([documents, error?.error, store.seen.length]).toEqual([[], 'invalid_request', 1]);
  });

  it('streams the chat part by part, and returns it as one text from POST', async () => {
    const api = apiClient({ baseUrl: target.baseUrl });
    const parts = await partsOf(api.chat(question('How do I block a number?')));
    expect(parts.flatMap((part) => (part.type === 'text-delta' ? part.delta : [])).join('')).toContain('block');
    expect(parts.at(-1)?.type).toBe('finish');
    const { data } = await api.POST('/chat/build', { body: question('Hello') });
    expect(data).toMatch(/data: \[DONE\]\n\n$/);
  });

  it('ends the chat with a part of type error when it fails before or during the answer', async () => {
    const refused = await partsOf(apiClient({ baseUrl: target.baseUrl, apiKey: 'vap_wrong' }).chat(question('Hello')));
    expect(refused).toEqual([
      { type: 'error', errorText: expect.any(String), error: expect.objectContaining({ error: 'invalid_api_key' }) },
    ]);
    await using half = await withFaults({
      status: 200,
      headers: { 'content-type': 'text/event-stream' },
      text: 'data: {"type":"start"}\n\n',
    });
    expect((await partsOf(apiClient(half).chat(question('Hello')))).map(({ type }) => type)).toEqual([
      'start',
      'error',
    ]);
    await using broken = await withFaults('broken', 'broken');
    const [only, ...more] = await partsOf(apiClient(broken).chat(question('Hello')));
    expect([only, more]).toEqual([
      expect.objectContaining({ error: expect.objectContaining({ error: 'unreachable' }) }),
      [],
    ]);
    expect(broken.seen).toHaveLength(1);
  });

  it('sends a request again after a lost response, which is carried out once', async () => {
    const { uid, agentId, apiKey } = await newWorld();
    await using service = await withFaults({ lost: true });
    const api = apiClient({ ...service, apiKey });
    const { data, error } = await api.POST('/agents', { body: { uid, name: 'Twice sent' } });
    expect([error, data?.name]).toEqual([undefined, 'Twice sent']);
    const keys = service.seen.map(({ headers }) => headers['idempotency-key']);
    expect(keys).toEqual([expect.stringMatching(/^[0-9a-f]{32}$/), keys[0]]);
    const { data: listed } = await api.GET('/agents', { params: { query: { uid } } });
    expect(listed?.agents.map(({ agentId, name }) => [agentId, name])).toHaveLength(2);
    expect(listed?.agents.map(({ agentId }) => agentId)).toContain(agentId);
  });

  it.each([
    ['seconds', () => '1'],
    // A date has no fractions of a second.
    ['a date', () => new Date(Date.now() + 3000).toUTCString()],
  ])('waits as long as Retry-After says in %s', async (_, retryAfter) => {
    const { uid, apiKey } = await newWorld();
    await using busy = await withFaults({
      status: 429,
      headers: { 'retry-after': retryAfter() },
      text: '{"message":"Too Many Requests"}',
    });
    const { data } = await apiClient({ ...busy, apiKey }).GET('/agents', { params: { query: { uid } } });
    expect(data?.agents).toHaveLength(1);
    const [first, second] = busy.seen.map(({ at }) => at) as [number, number];
    expect(second - first).toBeGreaterThanOrEqual(1000);
  });

  it('does not wait for minutes', async () => {
    const { uid, apiKey } = await newWorld();

    await using closed = await withFaults({
      status: 429,
      headers: { 'retry-after': '3600' },
      text: '{"message":"Too Many Requests"}',
    });
    const { error } = await apiClient({ ...closed, apiKey }).GET('/agents', { params: { query: { uid } } });
    expect([error?.error, closed.seen.length]).toEqual(['rate_limited', 1]);
  });

  it('sends a request again after 409 with Retry-After, while the first one is still running', async () => {
    const { uid, apiKey } = await newWorld();
    const text = '{"error":"idempotency_in_progress","message":"The first request is still running."}';
    await using running = await withFaults({ status: 409, headers: { 'retry-after': '0' }, text });
    const created = await apiClient({ ...running, apiKey }).POST('/agents', { body: { uid, name: 'Front desk' } });
    expect([created.data?.name, running.seen.length]).toEqual(['Front desk', 2]);
  });

  it('does not send again what will not get better', async () => {
    const { uid, apiKey } = await newWorld();
    const text = '{"error":"idempotency_conflict","message":"The Idempotency-Key was used with another request."}';
    await using conflict = await withFaults({ status: 409, text });
    const rejected = await apiClient({ ...conflict, apiKey }).POST('/agents', { body: { uid, name: 'Front desk' } });
    expect([rejected.error?.error, conflict.seen.length]).toEqual(['idempotency_conflict', 1]);
    await using service = await withFaults();
    const { error } = await apiClient({ ...service, apiKey }).POST('/agents', { body: { uid, name: '' } });
    expect([error?.error, error?.details?.[0]?.path, service.seen.length]).toEqual(['invalid_request', 'name', 1]);
  });

  it('gives every failure a code: of the gateway, of a proxy, without a response, after the timeout', async () => {
    const ask = async (...faults: Fault[]) => {
      await using service = await withFaults(...faults);
      const api = apiClient({ ...service, apiKey: target.apiKey, retries: faults.length - 1, timeoutSeconds: 1 });
      const { error, response } = await api.GET('/agents', { params: { query: { uid: target.uid } } });
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

  it('returns an error instead of throwing it, and throws an abort by its caller', async () => {
    const api = apiClient({ baseUrl: target.baseUrl, apiKey: 'vap_wrong' });
    const { data, error, response } = await api.GET('/agents', { params: { query: { uid: 'nobody' } } });
    expect([data, error?.error, response.status]).toEqual([undefined, 'invalid_api_key', 401]);
    await using service = await withFaults('silent');
    const stopped = apiClient({ ...service, apiKey: target.apiKey, retries: 0 }).GET('/agents', {
      params: { query: { uid: target.uid } },
      signal: AbortSignal.timeout(200),
    });
    expect(
      await stopped.then(
        ({ error }) => error?.error,
        (error: Error) => error.name,
      ),
    ).toBe('TimeoutError');
  });

  it.each(['request', 'client'])('throws an abort of the %s also while it waits to send it again', async (of) => {
    await using busy = await withFaults({ status: 503, headers: { 'retry-after': '30' } });
    const signal = AbortSignal.timeout(1000);
    const params = { query: { uid: target.uid } };
    const client = apiClient({ ...busy, apiKey: target.apiKey, ...(of === 'client' && { signal }) });
    const waiting = client.GET('/agents', { params, ...(of === 'request' && { signal }) });
    const startedAt = Date.now();
    await expect(waiting).rejects.toThrow(expect.objectContaining({ name: 'TimeoutError' }));
    expect([Date.now() - startedAt < 15_000, busy.seen.length]).toEqual([true, 1]);
  });

  it('does not compile with what the interface does not have, and has no any for its user', () => {
    const api = apiClient({ baseUrl: target.baseUrl });
    const never = async () => {
      // @ts-expect-error there is no such operation
      api.GET('/agent-block-lists', {});
      // @ts-expect-error `numbers` is required
      api.POST('/agent-block-list', { body: { uid: 'u', agentId: 'a' } });
      // @ts-expect-error `first` or `last`
      api.POST('/call-outcomes', { body: { items: [{ agentId: 'a', callIdOrPhone: 'c', preference: 'best' }] } });
      // @ts-expect-error an agent is no list
      api.pages('/agents/{agentId}', { params: { path: { agentId: 'a' } } });
      const { data, error } = await api.GET('/agents', { params: { query: { uid: 'u' } } });
      expectTypeOf(data).not.toBeAny();
      expectTypeOf(error).toEqualTypeOf<ApiError | undefined>();
      const posted = await api.POST('/chat/build', { body: question('Hello') });
      expectTypeOf(posted.data).toEqualTypeOf<string | undefined>();
    };
    expect(never).toBeTypeOf('function');
  });

  it('takes a browser less than 6 KB, gzipped', () => {
    const { outputFiles } = buildSync({
      entryPoints: ['functions/openapi/client.ts'],
      bundle: true,
      minify: true,
      format: 'esm',
      platform: 'browser',
      write: false,
    });
    expect(gzipSync(outputFiles[0]?.contents ?? '').length).toBeLessThan(6 * 1024);
  });
});
