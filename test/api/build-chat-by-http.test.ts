import { once } from 'node:events';
import { type IncomingMessage, request } from 'node:http';
import { expect, it } from 'vitest';
import { Client, joinText, parseChunks, toolPart, userSays } from '../support/chat.ts';
import { call, newWorld, target } from '../support/world.ts';

/** The service as it runs, with the provider’s own code before the fake Bedrock. */
const makeClient = (headers?: Record<string, string>) =>
  new Client({ send: fetch, api: `${target.baseUrl}/chat/build`, ...(headers && { headers }) });

it('the chat of the running service holds a conversation with the AI SDK’s own client: a tool, an approval, and a turn after that', async () => {
  const world = await newWorld();
  const client = makeClient({ 'x-authorization': world.apiKey });
  await client.sendMessage({ text: 'Which agents do I have?' });
  expect(client.error).toBeUndefined();
  expect(toolPart(client, 'listAgents')).toMatchObject({ state: 'output-available' });

  await client.sendMessage({ text: 'Create an agent called Night desk' });
  const { approval } = toolPart(client, 'createAgent');
  await client.addToolApprovalResponse({ id: approval?.id as string, approved: true });
  await client.settled();
  expect(client.error).toBeUndefined();
  expect(toolPart(client, 'createAgent')).toMatchObject({
    state: 'output-available',
    output: { name: 'Night desk' },
  });

  await client.sendMessage({ text: 'Thanks' });
  expect(client.error).toBeUndefined();
  expect(joinText(client.last)).not.toBe('');
  const { agents } = (await world.call('GET', '/agents', { query: { uid: world.uid } })).body;
  expect(agents.map(({ name }: { name: string }) => name)).toEqual(['Agent', 'Night desk']);
});

it('the chat of the running service streams the answer while it is produced', { tags: 'local-only' }, async () => {
  const response = await fetch(`${target.baseUrl}/chat/build`, {
    method: 'POST',
    headers: { origin: target.appOrigin },
    body: JSON.stringify({ id: 'c', messages: [userSays('Hello')] }),
  });
  expect(Object.fromEntries(response.headers)).toMatchObject({
    'content-type': 'text/event-stream',
    'cache-control': 'no-cache',
    'x-accel-buffering': 'no',
    'x-content-type-options': 'nosniff',
    'x-vercel-ai-ui-message-stream': 'v1',
    'access-control-allow-origin': target.appOrigin,
    'x-request-id': expect.stringMatching(/.+/),
  });
  const arrived: number[] = [];
  for await (const _ of response.body as ReadableStream<Uint8Array>) arrived.push(performance.now());
  expect(arrived.length).toBeGreaterThan(5);
  expect((arrived.at(-1) as number) - (arrived[0] as number)).toBeGreaterThan(50);
});

it.each([
  ['reject', 500],
  ['exception', 200],
  ['cut', 200],
])('the chat of the running service reports a failure of Bedrock: %s', async (fault, status) => {
  const body = { id: 'c', messages: [userSays(`Hello [fake: ${fault}]`)] };
  const answer = await call('POST', '/chat/build', { body });
  expect(answer.status).toBe(status);
  if (status === 500) expect(answer.body).toEqual({ error: 'chat_failed', message: expect.any(String) });
  else {
    expect(parseChunks(answer.text).at(-1)).toEqual({
      type: 'error',
      errorText: 'The assistant could not finish its answer. Try again.',
    });
    expect(answer.text.endsWith('data: [DONE]\n\n')).toBe(true);
  }
});

it('the chat of the running service responds as JSON with 401 to an invalid key, 400 to an invalid body and 413 to one that is too large', async () => {
  const good = { id: 'c', messages: [userSays('Hello')] };
  const answers = [
    await call('POST', '/chat/build', { apiKey: 'vap_wrong', body: good }),
    await call('POST', '/chat/build', { body: { id: 'c', messages: [{ ...userSays('x'), role: 'system' }] } }),
    await call('POST', '/chat/build', { body: '{"id":' }),
    await call('POST', '/chat/build', { body: { ...good, padding: 'x'.repeat(256 * 1024) } }),
  ];
  expect(answers.map(({ status, body }) => [status, body.error])).toEqual([
    [401, 'invalid_api_key'],
    [400, 'invalid_request'],
    [400, 'invalid_request'],
    [413, 'payload_too_large'],
  ]);
  for (const { headers } of answers) {
    expect(headers.get('cache-control')).toBe('no-store');
    expect(headers.get('x-request-id')).toMatch(/.+/);
  }
});

it('the chat of the running service keeps working when a client disconnects or stops reading', {
  tags: 'local-only',
}, async () => {
  const body = JSON.stringify({ id: 'c', messages: [userSays('Hello [fake: endless]')] });
  const leaving = new AbortController();
  const left = await fetch(`${target.baseUrl}/chat/build`, { method: 'POST', body, signal: leaving.signal });
  await (left.body as ReadableStream<Uint8Array>).getReader().read();
  leaving.abort();

  const stalled = request(`${target.baseUrl}/chat/build`, { method: 'POST' });
  stalled.end(body);
  const [response] = (await once(stalled, 'response')) as [IncomingMessage];
  await once(response, 'readable');
  const answer = await call('POST', '/chat/build', { body: { id: 'd', messages: [userSays('Hello')] } });
  expect(answer.status).toBe(200);
  stalled.destroy();
});
