import { lastAssistantMessageIsCompleteWithApprovalResponses } from 'ai';
import { expect, it } from 'vitest';
import {
  Client,
  callsTool,
  joinText,
  type ModelPart,
  model,
  passStraight,
  says,
  type ToolPart,
  toolPart,
} from '../support/chat.ts';
import { newWorld } from '../support/world.ts';

it('the AI SDK’s own client learns that nothing was done when the user says no, and can continue', async () => {
  const world = await newWorld();
  const chatModel = model(
    callsTool('blockNumbers', { agentId: world.agentId, numbers: ['+14155550100'] }),
    says('All right, I leave it.'),
    says('Yes?'),
  );
  const client = new Client({ send: passStraight(chatModel, { apiKey: world.apiKey }) });
  await client.sendMessage({ text: 'Block it' });
  const { approval } = toolPart(client, 'blockNumbers');
  await client.addToolApprovalResponse({ id: approval?.id as string, approved: false, reason: 'not that one' });
  await client.settled();
  expect(toolPart(client, 'blockNumbers').state).toBe('output-denied');
  expect(JSON.stringify(chatModel.doStreamCalls[1]?.prompt)).toContain('not that one');
  expect((await world.blockList()).blockList).toEqual([]);
  await client.sendMessage({ text: 'Something else' });
  expect(client.error).toBeUndefined();
  expect(joinText(client.last)).toBe('Yes?');
  expect(JSON.stringify(chatModel.doStreamCalls[2]?.prompt)).toContain(
    'The user did not approve this. Nothing was done.',
  );
});

it('the AI SDK’s own client may ignore an approval request, which counts as no', async () => {
  const world = await newWorld();
  const chatModel = model(callsTool('createAgent', { name: 'B' }), says('Then not.'), says('Still here.'));
  const client = new Client({ send: passStraight(chatModel, { apiKey: world.apiKey }) });
  await client.sendMessage({ text: 'Make B' });
  await client.sendMessage({ text: 'What time is it?' });
  expect(joinText(client.last)).toBe('Then not.');
  expect(JSON.stringify(chatModel.doStreamCalls[1]?.prompt)).toContain('which counts as no');
  const { agents } = (await world.call('GET', '/agents', { query: { uid: world.uid } })).body;
  expect(agents).toHaveLength(1);
  // A late answer has no effect: newer messages follow its request.
  const { approval } = toolPart(client, 'createAgent');
  await client.addToolApprovalResponse({ id: approval?.id as string, approved: true });
  await client.sendMessage({ text: 'Go on' });
  expect(client.error).toBeUndefined();
  expect((await world.call('GET', '/agents', { query: { uid: world.uid } })).body.agents).toHaveLength(1);
});

it('the AI SDK’s own client may answer one of two requests: the other counts as no', async () => {
  const world = await newWorld();
  const [start, ...rest] = callsTool('createAgent', { name: 'Second' }, 'call-2') as [ModelPart, ...ModelPart[]];
  const both = [...callsTool('createAgent', { name: 'First' }, 'call-1').slice(0, -1), ...rest];
  expect(start.type).toBe('stream-start');
  const chatModel = model(both, says('Made one.'));
  const client = new Client({ send: passStraight(chatModel, { apiKey: world.apiKey }) });
  await client.sendMessage({ text: 'Make two' });
  const parts = client.last.parts.filter((part) => part.type === 'tool-createAgent') as ToolPart[];
  expect(parts.map(({ state }) => state)).toEqual(['approval-requested', 'approval-requested']);
  await client.addToolApprovalResponse({ id: parts[0]?.approval?.id as string, approved: true });
  expect(lastAssistantMessageIsCompleteWithApprovalResponses({ messages: client.messages })).toBe(false);
  await client.sendMessage();
  const names = (await world.call('GET', '/agents', { query: { uid: world.uid } })).body.agents.map(
    ({ name }: { name: string }) => name,
  );
  expect(names).toEqual(['Agent', 'First']);
  expect(
    (client.last.parts.filter((part) => part.type === 'tool-createAgent') as ToolPart[]).map(({ state }) => state),
  ).toEqual(['output-available', 'output-denied']);
});

it('the AI SDK’s own client may send back an unfinished call, when an answer was cut off', async () => {
  const cut: ModelPart[] = [
    ...callsTool('checkNumbers', { numbers: ['1'] }).slice(0, 3),
    { type: 'error', error: new Error('gone') },
  ];
  const chatModel = model(cut, says('Here I am again.'));
  const client = new Client({ send: passStraight(chatModel) });
  await client.sendMessage({ text: 'Check 1' });
  expect(client.status).toBe('error');
  expect(toolPart(client, 'checkNumbers').state).toBe('input-streaming');
  await client.sendMessage({ text: 'Are you there?' });
  expect(client.error).toBeUndefined();
  expect(joinText(client.last)).toBe('Here I am again.');
});

it('the AI SDK’s own client may change its key between turns, and keeps the conversation', async () => {
  const [world, other] = await Promise.all([newWorld(), newWorld()]);
  const chatModel = model(
    callsTool('listAgents', {}),
    says('One.'),
    callsTool('createAgent', { name: 'X' }),
    says('Hm.'),
  );
  const caller: { apiKey?: string } = { apiKey: world.apiKey };
  const client = new Client({ send: (...given) => passStraight(chatModel, caller)(...given) });
  await client.sendMessage({ text: 'List' });
  await client.sendMessage({ text: 'Make X' });
  delete caller.apiKey;
  await client.sendMessage({ text: 'Hello?' });
  expect(client.error).toBeUndefined();
  caller.apiKey = other.apiKey;
  await client.sendMessage({ text: 'And now?' });
  expect(client.error).toBeUndefined();
});
