import { MockLanguageModelV4, simulateReadableStream } from 'ai/test';
import { expect, it } from 'vitest';
import { toolNames } from '../../functions/domain/chat.ts';
import { apiKeys } from '../../functions/store/api-keys.ts';
import { callsTool, formLines, type ModelPart, model, says, talk } from '../support/chat.ts';
import { upload } from '../support/uploads.ts';
import { newUser, newWorld } from '../support/world.ts';

it('the chat’s answer is the UI message stream of the AI SDK, event by event, with signed tool calls and results', async () => {
  const answer = await talk(
    model(callsTool('checkNumbers', { numbers: ['+1 (415) 555-0100', '555'] }), says('One is good.')),
  );
  expect(formLines(answer.text.replace(/("signature":")[\w-]{43}/g, '$1<signature>'))).toMatchInlineSnapshot(`
      "data: {"type":"start"}
      data: {"type":"start-step"}
      data: {"type":"tool-input-start","toolCallId":"call-checkNumbers","toolName":"checkNumbers","dynamic":false}
      data: {"type":"tool-input-delta","toolCallId":"call-checkNumbers","inputTextDelta":"{\\"numbers\\":[\\"+1 (415) 555-0100\\",\\"555\\"]}"}
      data: {"type":"tool-input-available","toolCallId":"call-checkNumbers","toolName":"checkNumbers","input":{"numbers":["+1 (415) 555-0100","555"]},"providerMetadata":{"voiceAgentPlatform":{"signature":"<signature>"}}}
      data: {"type":"tool-output-available","toolCallId":"call-checkNumbers","output":{"numbers":[{"given":"+1 (415) 555-0100","valid":true,"number":"+14155550100"},{"given":"555","valid":false,"problem":"Add + and the country code at the start: no country is guessed."}]},"providerMetadata":{"voiceAgentPlatform":{"signature":"<signature>"}}}
      data: {"type":"finish-step"}
      data: {"type":"start-step"}
      data: {"type":"text-start","id":"0"}
      data: {"type":"text-delta","id":"0","delta":"One is good."}
      data: {"type":"text-end","id":"0"}
      data: {"type":"finish-step"}
      data: {"type":"finish","finishReason":"stop"}
      data: [DONE]
      "
    `);
});

it('the chat requests approval for a tool that changes something, and does nothing before', async () => {
  const world = await newWorld();
  const answer = await talk(model(callsTool('createAgent', { name: 'Night desk' })), { apiKey: world.apiKey });
  expect(answer.chunks.find(({ type }) => type === 'tool-approval-request')).toEqual({
    type: 'tool-approval-request',
    approvalId: expect.stringMatching(/^aitxt-\w{24}$/),
    toolCallId: 'call-createAgent',
    signature: expect.stringMatching(/^\d+\.[\w-]{43}$/),
  });
  expect(answer.chunks.at(-1)).toEqual({ type: 'finish', finishReason: 'tool-calls' });
  const { agents } = (await world.call('GET', '/agents', { query: { uid: world.uid } })).body;
  expect(agents).toHaveLength(1);
});

it('the chat’s answer contains a tool call with invalid input as an error, without a request for approval', async () => {
  const world = await newWorld();
  const calls = model(callsTool('blockNumbers', { agentId: world.agentId, numbers: [] }), says('I see.'));
  const answer = await talk(calls, { apiKey: world.apiKey });
  expect(answer.chunks.map(({ type }) => type)).not.toContain('tool-approval-request');
  expect(answer.chunks.find(({ type }) => type === 'tool-input-error')).toMatchObject({
    input: { agentId: world.agentId, numbers: [] },
    errorText: expect.stringContaining('numbers: is required'),
    providerMetadata: { voiceAgentPlatform: { signature: expect.any(String) } },
  });
  expect(JSON.stringify(calls.doStreamCalls[1]?.prompt)).toContain('numbers: is required');
});

it('the chat’s answer leaves out the model’s reasoning', async () => {
  const [start, ...rest] = says('Hello.') as [ModelPart, ...ModelPart[]];
  const thinking: ModelPart[] = [
    start,
    { type: 'reasoning-start', id: 'r' },
    { type: 'reasoning-delta', id: 'r', delta: 'private thoughts' },
    { type: 'reasoning-end', id: 'r', providerMetadata: { bedrock: { signature: 'of-the-provider' } } },
    ...rest,
  ];
  const answer = await talk(model(thinking));
  expect(answer.text).toContain('Hello.');
  expect(answer.text).not.toContain('reasoning');
  expect(answer.text).not.toContain('private thoughts');
  expect(answer.text).not.toContain('of-the-provider');
});

const offered = (chatModel: MockLanguageModelV4) => chatModel.doStreamCalls[0]?.tools?.map(({ name }) => name).sort();
const publicTools = ['checkNumbers', 'draftAgent', 'searchDocumentation'];

it('the chat needs no API key for tools that read no user’s data', async () => {
  const chatModel = model(says('Hello.'));
  expect((await talk(chatModel)).status).toBe(200);
  expect(offered(chatModel)).toEqual(publicTools);
});

it('an API key allows the chat the tools of its scopes, and all tools when it has no scopes', async () => {
  const full = await newWorld();
  const everything = model(says('Hello.'));
  await talk(everything, { apiKey: full.apiKey });
  expect(offered(everything)).toEqual([...toolNames].sort());
  const tools = {
    agents: ['createAgent', 'duplicateAgent', 'getAgent', 'listAgents', 'updateAgent'],
    calls: ['getCallFigures', 'listCalls'],
    knowledge: ['addWebsite', 'listKnowledge', 'searchKnowledge'],
    'block-list': ['blockNumbers', 'checkConsent', 'isNumberBlocked', 'listConsents'],
  };
  for (const [scope, names] of Object.entries(tools)) {
    const { apiKey } = await newUser([scope as 'agents']);
    const chatModel = model(says('Hello.'));
    await talk(chatModel, { apiKey });
    expect(offered(chatModel)).toEqual([...publicTools, ...names].sort());
  }
});

it('an API key that is revoked during a turn of the chat has no effect in the rest of it', async () => {
  const world = await newWorld();
  const answers = [callsTool('getAgent', { agentId: world.agentId }), callsTool('listAgents', {}), says('So.')];
  let calls = 0;
  const chatModel = new MockLanguageModelV4({
    doStream: async () => {
      if (calls === 1) await apiKeys.get().revoke(world.uid, world.keyId);
      return { stream: simulateReadableStream({ chunks: answers[calls++] as ModelPart[] }) };
    },
  });
  const answer = await talk(chatModel, { apiKey: world.apiKey });
  expect(answer.chunks.filter(({ type }) => type.startsWith('tool-output'))).toMatchObject([
    { type: 'tool-output-available', toolCallId: 'call-getAgent' },
    { type: 'tool-output-error', toolCallId: 'call-listAgents', errorText: 'The API key is not valid.' },
  ]);
});

it('an API key gives the chat access only to the data of its user', async () => {
  const [world, stranger] = await Promise.all([newWorld(), newWorld()]);
  for (const [tool, input] of [
    ['getAgent', { agentId: stranger.agentId }],
    ['getAgent', { agentId: 'no-such-agent' }],
  ] as const) {
    const answer = await talk(model(callsTool(tool, input), says('Hm.')), { apiKey: world.apiKey });
    expect(answer.chunks.find(({ type }) => type === 'tool-output-error')).toMatchObject({
      errorText: 'This API key may not do this, or there is no such agent.',
    });
    expect(answer.text).not.toContain(stranger.uid);
  }
  const answer = await talk(model(callsTool('getAgent', { agentId: '../agents' }), says('Hm.')), {
    apiKey: world.apiKey,
  });
  expect(answer.chunks.find(({ type }) => type === 'tool-input-error')).toMatchObject({
    errorText: expect.stringContaining('must be 1 to 128 of A-Z'),
  });
});

it('the chat’s tools return the responses of the API to the same API key', async () => {
  const world = await newWorld();
  await world.recordCall('call-1', { phone: '+14155550123' });
  await world.block(['+14155550199'], { reason: 'spam' });
  const output = async (tool: string, input: object) => {
    const answer = await talk(model(callsTool(tool, input), says('So.')), { apiKey: world.apiKey });
    const chunk = answer.chunks.find(({ type }) => type === 'tool-output-available') as { output: unknown };
    expect(chunk, answer.text).toBeDefined();
    return chunk.output;
  };
  const { agentId } = world;
  expect(await output('getAgent', { agentId })).toEqual((await world.call('GET', `/agents/${agentId}`)).body);
  expect(await output('listCalls', { agentId })).toEqual((await world.call('GET', `/calls/${agentId}`)).body);
  expect(await output('listCalls', { agentId, phone: '+14155550100' })).toEqual({ calls: [] });
  const figures = { agentId, from: '2026-03-01', to: '2026-03-02', by: 'day,outcome' };
  await expect.poll(() => output('getCallFigures', figures)).toMatchObject({ rows: [{ day: '2026-03-01', calls: 1 }] });
  const days = (await output('getCallFigures', { agentId, by: 'day' })) as { rows: unknown[] };
  expect(days.rows.length).toBe(30);
  expect(await output('isNumberBlocked', { agentId, number: '+1 415 555 0199' })).toMatchObject({
    blocked: true,
    reason: 'spam',
  });
  expect(await output('listAgents', { limit: 1 })).toMatchObject({ agents: [{ agentId }] });
  expect((await upload(world, [['notes.txt', 'Notes on prices']])).status).toBe(200);
  expect(await output('listKnowledge', { agentId })).toMatchObject({
    websites: [],
    documents: [{ name: 'notes.txt', active: true, size: 15 }],
  });
  await expect
    .poll(() => output('searchKnowledge', { agentId, query: 'price' }))
    .toMatchObject({ passages: [{ text: 'Notes on prices', name: 'notes.txt' }] });
});
