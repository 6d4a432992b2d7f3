import { afterEach, expect, it } from 'vitest';
import { listAgents } from '../../functions/api/list-agents.ts';
import { receiveHook } from '../../functions/api/receive-hook.ts';
import { invoke } from '../support/events.ts';
import { newWorld, useTargetInThisProcess } from '../support/world.ts';

useTargetInThisProcess();
afterEach(() => {
  delete process.env.EDGE_SECRETS;
});

const requestList = async (headers: Record<string, string>) => {
  const { apiKey, uid } = await newWorld();
  const { status, body } = await invoke(listAgents, { apiKey, query: { uid }, headers });
  return { status, body };
};

it('a deployment behind CloudFront rejects a request without its secret, or with another one, even with a valid key', async () => {
  process.env.EDGE_SECRETS = 'current,former';
  for (const headers of [{}, { 'x-origin-secret': '' }, { 'x-origin-secret': 'current,former' }] as Record<
    string,
    string
  >[]) {
    expect(await requestList(headers)).toEqual({ status: 403, body: { message: 'Forbidden' } });
  }
});

it('a deployment behind CloudFront rejects a webhook of a voice platform without its secret', async () => {
  process.env.EDGE_SECRETS = 'current';
  const { apiKey, uid, agentId } = await newWorld();
  const request = { apiKey, params: { platform: 'vapi' }, query: { uid, agentId }, body: {} };
  expect(await invoke(receiveHook, request)).toMatchObject({ status: 403, body: { message: 'Forbidden' } });
});

it('a deployment behind CloudFront accepts the current secret and, while a deployment changes it, the one before', async () => {
  process.env.EDGE_SECRETS = 'current,former';
  for (const secret of ['current', 'former']) {
    expect(await requestList({ 'x-origin-secret': secret })).toMatchObject({ status: 200 });
  }
});

it('a deployment without CloudFront requires no secret', async () => {
  expect(await requestList({})).toMatchObject({ status: 200 });
});
