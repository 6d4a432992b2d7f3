import { expect, it } from 'vitest';
import { buildTools } from '../../functions/chat/tools.ts';
import { OwnApi } from '../../functions/clients/own-api.ts';
import { toolNames } from '../../functions/domain/chat.ts';
import { newWorld, useTargetInThisProcess } from '../support/world.ts';

const unapproved = { api: new OwnApi('chat'), requestId: 'request-1', approvals: [] };

it('a tool that changes something does nothing without an approval, even when it is called', async () => {
  useTargetInThisProcess();
  const world = await newWorld();
  const principal = { uid: world.uid, keyId: 'key_1', scopes: undefined };
  const { tools, toolApproval } = buildTools({ ...unapproved, principal, apiKey: world.apiKey });
  const call = { toolCallId: 'call-1', messages: [], context: undefined };
  expect(Object.keys(toolApproval).length).toBeGreaterThan(4);
  await expect(tools.createAgent?.execute?.({ name: 'Night desk' }, call)).rejects.toThrow('This failed');
  const { body } = await world.call('GET', '/agents', { query: { uid: world.uid } });
  expect(body.agents.map(({ name }: { name: string }) => name)).toEqual(['Agent']);
});

it('the input schema of a tool is self-contained, describes each field, and has no user, who follows from the key', async () => {
  const principal = { uid: 'user', keyId: 'key_1', scopes: undefined };
  const { tools } = buildTools({ ...unapproved, principal, apiKey: undefined });
  expect(Object.keys(tools).sort()).toEqual([...toolNames].sort());
  for (const [name, { inputSchema }] of Object.entries(tools)) {
    const schema = await (inputSchema as unknown as Schema).jsonSchema;
    const { properties } = schema;
    expect(schema.type, name).toBe('object');
    expect(Object.keys(properties), name).not.toContain('uid');
    expect(JSON.stringify(schema), name).not.toMatch(/"\$ref"|"examples"|"documentAs"/);
    const undescribed = Object.entries(properties).filter(([, { description }]) => !description);
    expect(undescribed.map(([field]) => `${name}.${field}`)).toEqual([]);
  }
});

it.each([
  [
    'searchKnowledge',
    { agentId: 'agent_1', query: 'hours', sourceIds: [], limit: '0' },
    { agentId: 'agent_1', query: 'hours' },
  ],
  [
    'updateAgent',
    { agentId: 'agent_1', phoneNumber: null, key: '', note: 'x' },
    { agentId: 'agent_1', phoneNumber: null, note: 'x' },
  ],
])('what a model fills in for an argument of %s without a value says nothing', async (name, given, expected) => {
  const principal = { uid: 'user', keyId: 'key_1', scopes: undefined };
  const { tools } = buildTools({ ...unapproved, principal, apiKey: undefined });
  const schema = tools[name]?.inputSchema as unknown as Schema | undefined;
  expect(await schema?.validate(given)).toEqual({ success: true, value: expected });
});

type Schema = {
  validate(value: unknown): Promise<unknown>;
  jsonSchema: PromiseLike<{ type: string; properties: Record<string, { description?: string }> }>;
};
