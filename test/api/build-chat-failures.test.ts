import { createServer, type IncomingHttpHeaders } from 'node:http';
import { MockLanguageModelV4 } from 'ai/test';
import { expect, it, onTestFinished, vi } from 'vitest';
import { listen } from '../../bin/local/listen.ts';
import { callerMarkHeader, readCallerMark } from '../../functions/domain/caller-mark.ts';
import {
  Client,
  callsTool,
  captureLog,
  joinText,
  type ModelPart,
  model,
  passStraight,
  says,
  talk,
  toolPart,
  userSays,
} from '../support/chat.ts';
import { call, newWorld } from '../support/world.ts';

/** An API that returns the user of a key and fails otherwise: with a body, or without a response. */
const failingApi = async (body?: object, seen: IncomingHttpHeaders[] = []): Promise<string> => {
  const server = createServer(async ({ url, headers }, response) => {
    seen.push(headers);
    if (url !== '/key') return body ? response.writeHead(500).end(JSON.stringify(body)) : response.destroy();
    const known = await call('GET', '/key', { apiKey: String(headers['x-authorization']) });
    response.writeHead(known.status).end(known.text);
  });
  const { endpoint, stop } = await listen(server);
  onTestFinished(stop);
  return endpoint;
};

it('a request of a tool is marked as one of the chat, with the id of the chat’s response', async () => {
  const { apiKey } = await newWorld();
  vi.stubEnv('CALLER_MARK_SECRET', 'the secret of this test');
  onTestFinished(() => void vi.unstubAllEnvs());
  const seen: IncomingHttpHeaders[] = [];
  const apiUrl = await failingApi({ error: 'internal_error', message: 'Later.' }, seen);
  const { headers } = await talk(model(callsTool('listAgents', {}), says('Sorry.')), { apiKey, apiUrl });
  const mark = String(seen.at(-1)?.[callerMarkHeader]);
  const expected = { caller: 'chat', requestId: headers['x-request-id'], counts: false };
  expect(readCallerMark(mark, ['the secret of this test'], apiKey)).toEqual(expected);
});

it('an API that cannot check the key makes the chat respond with a 500 that does not contain the key', async () => {
  const { apiKey } = await newWorld();
  const log = captureLog();
  const answer = await talk(model(says('Never.')), { apiKey, apiUrl: 'http://127.0.0.1:1' });
  log.stop();
  expect([answer.status, answer.body.error]).toEqual([500, 'internal_error']);
  expect(log.text()).not.toContain(apiKey);
});

it('a failure of the API in a tool is reported to the model as one that may have had its effect', async () => {
  const { apiKey } = await newWorld();
  const apiUrl = await failingApi();
  const read = await talk(model(callsTool('listAgents', {}), says('Sorry.')), { apiKey, apiUrl });
  expect(read.chunks.find(({ type }) => type === 'tool-output-error')).toMatchObject({
    errorText: 'This failed. You can try it again.',
  });
  const chatModel = model(callsTool('createAgent', { name: 'Second' }), says('Sorry.'));
  const client = new Client({ send: passStraight(chatModel, { apiKey, apiUrl }) });
  await client.sendMessage({ text: 'Make one' });
  const { approval } = toolPart(client, 'createAgent');
  await client.addToolApprovalResponse({ id: approval?.id as string, approved: true });
  await client.settled();
  expect(toolPart(client, 'createAgent')).toMatchObject({
    errorText: 'This failed, but it may have been done. Check before you try it again.',
  });
});

it('the chat’s log and answer contain neither the conversation nor the details of a failure', async () => {
  const world = await newWorld();
  const log = captureLog();
  const broken = new MockLanguageModelV4({
    doStream: async () => {
      throw Object.assign(new Error('planted-secret-1'), { cause: new Error('planted-secret-2') });
    },
  });
  const first = await talk(broken, { id: 'secret-1', messages: [userSays('spoken-word-1')] });
  const apiUrl = await failingApi({ error: 'internal_error', message: 'planted-secret-3' });
  const second = await talk(model(callsTool('getAgent', { agentId: world.agentId }), says('spoken-word-2')), {
    id: 'secret-2',
    apiUrl,
    apiKey: world.apiKey,
    messages: [userSays('spoken-word-3')],
  });
  const cut: ModelPart[] = [...says('spoken-word-4').slice(0, 3), { type: 'error', error: 'planted-secret-4' }];
  const third = await talk(model(cut), { id: 'secret-3' });
  log.stop();
  expect(second.text).toContain('This failed. You can try it again.');
  expect(first.text + second.text + third.text).not.toContain('planted-secret');
  expect(log.text()).not.toMatch(/planted-secret|spoken-word/);
  expect(log.text()).toContain('"tool":"getAgent"');
  expect(log.text()).not.toContain(world.apiKey);
});

it('one log line has the usage of a chat turn, also of a failed one', async () => {
  const world = await newWorld();
  const log = captureLog();
  await talk(model(callsTool('listAgents', {}), says('One.')), {
    id: 'counted',
    apiKey: world.apiKey,
    body: { userId: 'visitor' },
  });
  await talk(model([...says('Half').slice(0, 3), { type: 'error', error: 'x' }]), { id: 'failed' });
  log.stop();
  expect(log.of('counted')).toEqual([
    {
      time: expect.any(String),
      level: 'info',
      requestId: expect.any(String),
      traceId: expect.any(String),
      operation: 'buildChat',
      chatId: 'counted',
      userId: 'visitor',
      uid: world.uid,
      keyId: world.keyId,
      state: 'finished',
      finishReason: 'stop',
      steps: 2,
      tools: ['listAgents'],
      inputTokens: 200,
      outputTokens: 40,
      milliseconds: expect.any(Number),
    },
  ]);
  expect(log.of('failed')).toMatchObject([{ level: 'error', state: 'failed', steps: 1, tools: [], cause: {} }]);
});

it('a model that calls tools forever gets eight steps, and then the turn ends', async () => {
  const chatModel = model(callsTool('checkNumbers', { numbers: ['1'] }));
  const answer = await talk(chatModel);
  expect(chatModel.doStreamCalls).toHaveLength(8);
  expect(answer.chunks.at(-1)).toEqual({ type: 'finish', finishReason: 'tool-calls' });
});

it.each(['__proto__', 'createAgent'])('a model may call a tool that it was not offered: %s', async (name) => {
  const chatModel = model(callsTool(name, { name: 'x' }), says('Sorry.'));
  const client = new Client({ send: passStraight(chatModel) });
  await client.sendMessage({ text: 'Do it' });
  expect(client.error).toBeUndefined();
  expect(client.last.parts.map(({ type }) => type)).toEqual(['step-start', 'step-start', 'text']);
  await client.sendMessage({ text: 'Go on' });
  expect(client.error).toBeUndefined();
});

it.each([
  ['no JSON', '{"numbers": ['],
  ['far too much', JSON.stringify({ numbers: Array(1_000).fill('1') })],
  ['a prototype', '{"__proto__": {"numbers": []}}'],
])('a model that calls a tool with %s sees the error, and the conversation continues', async (_, input) => {
  const chatModel = model(callsTool('checkNumbers', input), says('Sorry.'), says('Yes?'));
  const client = new Client({ send: passStraight(chatModel) });
  await client.sendMessage({ text: 'Check' });
  expect(client.error).toBeUndefined();
  expect(toolPart(client, 'checkNumbers').state).toBe('output-error');
  await client.sendMessage({ text: 'Go on' });
  expect(client.error).toBeUndefined();
  expect(joinText(client.last)).toBe('Yes?');
});

it('a model may call a hundred tools in one step', async () => {
  const calls = Array.from({ length: 100 }, (_, index) =>
    callsTool('checkNumbers', { numbers: [`${index}`] }, `call-${index}`).slice(1, -1),
  ).flat();
  const chatModel = model(
    [...callsTool('checkNumbers', { numbers: ['1'] }).slice(0, -1), ...calls, callsTool('x', {}).at(-1) as ModelPart],
    says('Done.'),
  );
  const answer = await talk(chatModel);
  expect(answer.chunks.filter(({ type }) => type === 'tool-output-available')).toHaveLength(101);
  expect(answer.text.endsWith('data: [DONE]\n\n')).toBe(true);
});
