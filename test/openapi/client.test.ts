import { Readable } from 'node:stream';
import { gzipSync } from 'node:zlib';
import { buildSync } from 'esbuild';
import { describe, expect, expectTypeOf, it } from 'vitest';
import { type ApiError, apiClient, type Schema } from '../../functions/openapi/client.ts';
import { partsOf, question, withFaults } from '../support/typed-client.ts';
import { newWorld, target } from '../support/world.ts';

describe('the typed client', () => {
  it('the typed client calls every kind of operation: a query, a body, a path with a phone number in it', async () => {
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

  it('the typed client reads a list page by page, and ends with the error when a page fails', async () => {
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

  it('the typed client uploads a File, a Blob and a stream, and larger files by presigned forms', async () => {
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

  it('the typed client returns an error when the file store rejects a presigned form', async () => {
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

  it('the typed client streams the chat part by part, and returns it as one text from POST', async () => {
    const api = apiClient({ baseUrl: target.baseUrl });
    const parts = await partsOf(api.chat(question('How do I block a number?')));
    expect(parts.flatMap((part) => (part.type === 'text-delta' ? part.delta : [])).join('')).toContain('block');
    expect(parts.at(-1)?.type).toBe('finish');
    const { data } = await api.POST('/chat/build', { body: question('Hello') });
    expect(data).toMatch(/data: \[DONE\]\n\n$/);
  });

  it('the typed client does not compile with what the interface lacks, and has no any for its user', () => {
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

  it('the typed client has less than 6 KB in a browser, gzipped', () => {
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
