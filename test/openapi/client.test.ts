import { describe, expect, expectTypeOf, it } from 'vitest';
import { apiClient, type Schema } from '../../functions/openapi/client.ts';
import { newWorld, target } from '../support/world.ts';

describe('the typed client', () => {
  it('calls every kind of operation: a query, a body, a path with a phone number in it', async () => {
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

  it('returns a refusal instead of throwing it', async () => {
    const api = apiClient({ baseUrl: target.baseUrl, apiKey: 'vap_wrong' });
    const { data, error, response } = await api.GET('/agents', { params: { query: { uid: 'nobody' } } });
    expect([data, error?.error, response.status]).toEqual([undefined, 'invalid_api_key', 401]);
  });

  it('refuses what the interface does not have, when it is compiled', () => {
    const api = apiClient({ baseUrl: target.baseUrl });
    const never = () => {
      // @ts-expect-error there is no such operation
      api.GET('/agent-block-lists', {});
      // @ts-expect-error `numbers` is required
      api.POST('/agent-block-list', { body: { uid: 'u', agentId: 'a' } });
      // @ts-expect-error `first` or `last`
      api.POST('/call-outcomes', { body: { items: [{ agentId: 'a', callIdOrPhone: 'c', preference: 'best' }] } });
    };
    expect(never).toBeTypeOf('function');
  });
});
