import { describe, expect, it } from 'vitest';
import { agentSharing } from '../../functions/store/agents/agent-sharing.ts';
import { changesAreRead, distinct, listening } from '../support/webhook-events.ts';
import { newEndpoint, newReceiver, type SentEvent, verified } from '../support/webhooks.ts';
import { newWorld, type World } from '../support/world.ts';

const listTypes = (events: SentEvent[]) => events.map(({ type }) => type).sort();

describe.concurrent('an endpoint', () => {
  it('an endpoint gets the events that it subscribes to, of the agents that it names, and of shared ones', async () => {
    const owner = await newWorld();
    const { call, uid, agentId, until, all } = await listening({ events: ['call.recorded', 'agent.deleted'] });
    await agentSharing.get().share(owner.agentId, owner.uid, uid);
    const named = await newReceiver();
    const { secret } = await newEndpoint({ uid, call } as World, named.url, { agentIds: [agentId] });
    await owner.recordCall('call-of-owner');
    await call('PUT', `/calls/${agentId}/own-call`, {
      body: { direction: 'inbound', startedAt: '2026-03-01T10:00:00Z' },
    });
    await until('call.recorded', 2);
    await owner.call('DELETE', `/agents/${owner.agentId}`);
    const [deleted] = await until('agent.deleted');
    expect(deleted?.data).toEqual({ uid: owner.uid, agentId: owner.agentId });
    expect(listTypes(distinct(await all()))).toEqual(['agent.deleted', 'call.recorded', 'call.recorded']);
    const seen = (await named.received()).map((request) => verified(secret, request).data.call_id);
    expect(seen).toEqual(['own-call']);
  });

  it('an endpoint that responds with 410 is disabled at once, and the user’s other endpoints get an event', async () => {
    const { call, uid, recordCall, until } = await listening({ events: ['webhook_endpoint.*'] });
    const gone = await newReceiver({ status: 410 });
    const { endpointId } = await newEndpoint({ uid, call } as World, gone.url, { events: ['call.*'] });
    await recordCall('call-1');
    const [disabled] = await until('webhook_endpoint.disabled');
    const shown = (await call('GET', `/webhook-endpoints/${endpointId}`, { query: { uid } })).body;
    expect(shown).toMatchObject({ active: false, disabledReason: 'gone' });
    expect(disabled?.data).toEqual({
      ...{ uid, endpointId, url: gone.url },
      ...{ disabledAt: shown.disabledAt, disabledReason: 'gone' },
    });
    await recordCall('call-2');
    await changesAreRead();
    expect(await gone.received()).toHaveLength(1);
    const { deliveries } = (await call('GET', '/webhook-deliveries', { query: { uid, endpointId } })).body;
    expect(deliveries).toMatchObject([{ status: 'failed', type: 'call.recorded', attempts: [{ status: 410 }] }]);
  });
});
