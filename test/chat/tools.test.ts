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
    const schema = await (inputSchema as Schema).jsonSchema;
    const { properties } = schema;
    expect(schema.type, name).toBe('object');
    expect(Object.keys(properties), name).not.toContain('uid');
    expect(JSON.stringify(schema), name).not.toMatch(/"\$ref"|"examples"|"documentAs"/);
    const undescribed = Object.entries(properties).filter(([, { description }]) => !description);
    expect(undescribed.map(([field]) => `${name}.${field}`)).toEqual([]);
  }
});

type Schema = { jsonSchema: PromiseLike<{ type: string; properties: Record<string, { description?: string }> }> };
