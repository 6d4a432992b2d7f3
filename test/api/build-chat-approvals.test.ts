import { randomBytes } from 'node:crypto';
import type { UIMessage } from 'ai';
import { expect, it, vi } from 'vitest';
import { apiKeys } from '../../functions/store/api-keys.ts';
import { Client, callsTool, model, passStraight, says, talk, toolPart } from '../support/chat.ts';
import { newUser, newWorld } from '../support/world.ts';

/** A conversation that ends with an approved request, as the client would send it. */
const answered = async (name = 'Night desk') => {
  const world = await newWorld();
  const id = `chat-${randomBytes(4).toString('hex')}`;
  const client = new Client({
    id,
    send: passStraight(model(callsTool('createAgent', { name })), { apiKey: world.apiKey }),
  });
  await client.sendMessage({ text: 'Make an agent' });
  const part = toolPart(client, 'createAgent');
  Object.assign(part, { state: 'approval-responded', approval: { ...part.approval, approved: true } });
  const messages = structuredClone(client.messages);
  const listAgents = async (): Promise<{ name: string }[]> =>
    (await world.call('GET', '/agents', { query: { uid: world.uid } })).body.agents;
  return { world, id, messages, part: messages.at(-1)?.parts.at(-1) as unknown as Part, listAgents };
};
type Part = {
  toolCallId: string;
  type: string;
  input: object;
  state: string;
  approval: { id: string; signature: string; approved: boolean };
};

it('an approved tool call that is sent repeatedly runs once, with the same response', async () => {
  const { world, id, messages, listAgents } = await answered();
  const outputs = [];
  for (let round = 0; round < 3; round++) {
    const answer = await talk(model(says('Made.')), { id, messages, apiKey: world.apiKey });
    expect(answer.status).toBe(200);
    outputs.push(answer.chunks.find(({ type }) => type === 'tool-output-available'));
  }
  expect(await listAgents()).toHaveLength(2);
  expect(outputs[1]).toEqual(outputs[0]);
  expect(outputs[2]).toEqual(outputs[0]);
});

it.each<[string, (part: Part, messages: UIMessage[]) => void]>([
  ['with another input', (part) => Object.assign(part, { input: { name: 'Other' } })],
  ['for another tool', (part) => Object.assign(part, { type: 'tool-duplicateAgent' })],
  ['for another call', (part) => Object.assign(part, { toolCallId: 'call-other' })],
  ['without a signature', (part) => Object.assign(part, { approval: { id: part.approval.id, approved: true } })],
  [
    'with another time',
    (part) =>
      Object.assign(part.approval, { signature: part.approval.signature.replace(/^\d+/, String(Date.now() + 1000)) }),
  ],
  [
    'twice in one message',
    (_, messages) => messages.at(-1)?.parts.push(structuredClone(messages.at(-1)?.parts.at(-1)) as never),
  ],
])('an approval in the chat is 400 %s, before the model is called', async (_, change) => {
  const { world, id, messages, part, listAgents } = await answered();
  change(part, messages);
  const chatModel = model(says('Made.'));
  const answer = await talk(chatModel, { id, messages, apiKey: world.apiKey });
  expect([answer.status, answer.body.error]).toEqual([400, 'invalid_request']);
  expect(chatModel.doStreamCalls).toHaveLength(0);
  expect(await listAgents()).toHaveLength(1);
});

it('an approval in the chat is 400 in another chat, from another user, and without a key', async () => {
  const { world, id, messages, listAgents } = await answered();
  const other = await newUser();
  const chatModel = model(says('Made.'));
  for (const caller of [
    { id: `${id}x`, apiKey: world.apiKey },
    { id, apiKey: other.apiKey },
    { id, apiKey: undefined },
  ]) {
    const answer = await talk(chatModel, { messages, ...caller });
    expect([answer.status, answer.body.error]).toEqual([400, 'invalid_request']);
    expect(answer.body.details[0].path).toBe('messages.1.parts.1');
  }
  expect(chatModel.doStreamCalls).toHaveLength(0);
  expect(await listAgents()).toHaveLength(1);
});

it('an approval in the chat counts as no when the key does not allow it, or when it arrives a day late', async () => {
  const { world, id, messages, part, listAgents } = await answered();
  const { secret } = await apiKeys.get().create(world.uid, { name: 'calls', scopes: ['calls'] });
  const narrow = await talk(model(says('I may not.')), { id, messages, apiKey: secret });
  expect(narrow.chunks.map(({ type }) => type)).toContain('tool-output-denied');

  const now = Date.now();
  vi.spyOn(Date, 'now').mockReturnValue(now + 21 * 60 * 60 * 1000);
  const late = await talk(model(says('Too late.')), { id, messages, apiKey: world.apiKey });
  expect(late.chunks.map(({ type }) => type)).toContain('tool-output-denied');
  vi.restoreAllMocks();
  expect(part.approval.approved).toBe(true);
  expect(await listAgents()).toHaveLength(1);
});

it('an approval in the chat applies only to its own call, not to an older one with the same id', async () => {
  const { world, id, messages, part, listAgents } = await answered('Right one');
  const client = new Client({
    id,
    send: passStraight(model(callsTool('createAgent', { name: 'Wrong one' })), { apiKey: world.apiKey }),
  });
  await client.sendMessage({ text: 'Make another' });
  const { approval, ...call } = toolPart(client, 'createAgent');
  const denied = { ...call, state: 'output-denied', approval: { id: approval?.id, approved: false } };
  expect(denied.toolCallId).toBe(part.toolCallId);
  messages.at(-1)?.parts.push(denied as unknown as UIMessage['parts'][number]);
  const answer = await talk(model(says('Made.')), { id, messages, apiKey: world.apiKey });
  expect(answer.status).toBe(200);
  expect((await listAgents()).map(({ name }) => name).sort()).toEqual(['Agent', 'Right one']);
});

const approve = async (world: Awaited<ReturnType<typeof newWorld>>, tool: string, input: object) => {
  const client = new Client({
    send: passStraight(model(callsTool(tool, input), says('Done.')), { apiKey: world.apiKey }),
  });
  await client.sendMessage({ text: 'Do it' });
  const { approval } = toolPart(client, tool);
  await client.addToolApprovalResponse({ id: approval?.id as string, approved: true });
  await client.settled();
  expect(client.error).toBeUndefined();
  return toolPart(client, tool) as { state: string; output?: never; errorText?: string };
};

it('approved tools of the chat create, update and duplicate an agent, block numbers, and add a website', async () => {
  const world = await newWorld();
  const configuration = { greeting: 'Hi', language: 'en-US' };
  const created = await approve(world, 'createAgent', {
    name: 'Second',
    configuration,
    phoneNumber: '+1 415 555 0177',
  });
  expect(created.output).toMatchObject({
    name: 'Second',
    configuration,
    phoneNumber: '+14155550177',
    uid: world.uid,
  });
  const { agentId } = world;
  const updated = await approve(world, 'updateAgent', { agentId, configuration: { greeting: 'Hello' } });
  expect(updated.output).toMatchObject({ agentId, configuration: { greeting: 'Hello' } });
  // Another user has changed the agent since the model read it.
  const late = { agentId, ifMatch: 1, name: 'Late' };
  const refused = await approve(world, 'updateAgent', late);
  expect(refused.errorText).toMatch(/configuration\.greeting: was changed in version 2/);
  const inTime = await approve(world, 'updateAgent', { ...late, ifMatch: 2, note: 'Asked for' });
  expect(inTime.output).toMatchObject({ version: 3, name: 'Late' });
  await approve(world, 'updateAgent', { agentId, name: 'Agent' });
  const copy = await approve(world, 'duplicateAgent', { agentId });
  expect(copy.output).toMatchObject({ name: 'Agent (Copy)', uid: world.uid });
  const blocked = await approve(world, 'blockNumbers', {
    agentId,
    numbers: ['+1 415 555 0188', 'x'],
    reason: 'spam',
  });
  expect(blocked.output).toMatchObject({
    added: ['+14155550188'],
    failed: [{ number: 'x', code: 'invalid_format' }],
  });
  expect((await world.blockList()).entries).toMatchObject([{ number: '+14155550188', reason: 'spam' }]);
  const added = await approve(world, 'addWebsite', { agentId, url: 'http://site.invalid/help', limit: 50 });
  expect(added.output).toMatchObject({ status: 'pending', limit: 10 });
  const query = { uid: world.uid, agentId, content: 'false' };
  const { websites } = (await world.call('GET', '/agent-websites', { query })).body;
  expect(websites).toMatchObject([{ url: 'http://site.invalid/help', name: 'site.invalid' }]);
});

it('an approved tool of the chat fails for another user’s agent with the API’s message', async () => {
  const [world, stranger] = await Promise.all([newWorld(), newWorld()]);
  const part = await approve(world, 'updateAgent', { agentId: stranger.agentId, name: 'Mine now' });
  expect([part.state, part.errorText]).toEqual([
    'output-error',
    'This API key may not do this, or there is no such agent.',
  ]);
  expect((await stranger.call('GET', `/agents/${stranger.agentId}`)).body.name).toBe('Agent');
});
