import { describe, expect, it } from 'vitest';
import { toolsFor } from '../../functions/chat/tools.ts';
import { newWorld, useTargetInThisProcess } from '../support/world.ts';

describe('a tool that changes something', () => {
  it('does nothing without an approval, even when it is called', async () => {
    useTargetInThisProcess();
    const world = await newWorld();
    const principal = { uid: world.uid, keyId: 'key_1', scopes: undefined };
    const context = { requestId: 'request-1', address: '10.0.0.1', receivedAt: performance.now() };
    const { tools, toolApproval } = toolsFor({ principal, apiKey: world.apiKey, context, approvals: [] });
    const call = { toolCallId: 'call-1', messages: [], context: undefined };
    expect(Object.keys(toolApproval).length).toBeGreaterThan(4);
    await expect(tools.createAgent?.execute?.({ name: 'Night desk' }, call)).rejects.toThrow('This failed');
    const { body } = await world.call('GET', '/agents', { query: { uid: world.uid } });
    expect(body.agents.map(({ name }: { name: string }) => name)).toEqual(['Agent']);
  });
});
