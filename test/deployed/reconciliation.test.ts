import { afterAll, beforeAll, expect, inject, it } from 'vitest';
import { startVoicePlatforms, type VoicePlatforms } from '../../bin/local/voice-platforms.ts';
import { queueSender } from '../../functions/clients/job-queue.ts';
import { newUlid } from '../../functions/domain/identifiers.ts';
import { platformCall } from '../support/platform-calls.ts';
import { until } from '../support/until.ts';
import { newWorld } from '../support/world.ts';

const hour = 60 * 60 * 1000;

let platforms: VoicePlatforms;
beforeAll(async () => {
  platforms = await startVoicePlatforms(Number(new URL(inject('deployed').fakes.VAPI_API_BASE as string).port));
});
afterAll(() => platforms.stop());

it('deployed functions find lost ends on demand and every hour, with a key that only they can open', async () => {
  const { uid, agentId, call } = await newWorld();
  const apiKey = `key-of-vapi-${newUlid()}`;
  const [lost, begun, later] = [1, 2, 3].map((hours) => platformCall('vapi', { startedAt: Date.now() - hours * hour }));
  if (!lost || !begun || !later) throw new Error('There are no calls.');
  platforms.accounts.vapi = { apiKey, calls: [lost, begun] };
  const getCall = (id: string) => call('GET', `/calls/${agentId}/vapi:${id}`);
  const configure = (reconcile: boolean) => {
    const platform = { name: 'vapi', assistantIds: [lost.assistantId], reconcile };
    return call('PATCH', `/agents/${agentId}`, { body: { configuration: { platform } } });
  };

  expect((await configure(false)).status).toBe(200);
  expect((await call('PUT', '/platform-keys/vapi', { body: { uid, apiKey } })).status).toBe(200);
  const startedAt = new Date(begun.startedAt as number).toISOString();
  const body = { direction: 'inbound', startedAt };
  expect((await call('PUT', `/calls/${agentId}/vapi:${begun.id}`, { body })).status).toBe(200);
  const path = `/agents/${agentId}/reconciliations`;
  const period = { from: new Date(Date.now() - 24 * hour).toISOString(), to: new Date().toISOString() };
  const { reconciliationId } = (await call('POST', path, { body: { uid, ...period } })).body;
  const done = await until(
    async () => {
      const { body } = await call('GET', `${path}/${reconciliationId}`, { query: { uid } });
      return /done|failed/.test(body.status) && body;
    },
    { seconds: 120 },
  );
  expect(done).toMatchObject({ status: 'done', listed: 2, recovered: 1, completed: 1 });
  for (const { id } of [lost, begun])
    expect((await getCall(id)).body).toMatchObject({ durationSeconds: 65, details: { source: 'reconciled' } });

  expect((await configure(true)).status).toBe(200);
  platforms.accounts.vapi.calls.push(later);
  await queueSender('reconcileAgents').get().send({ job: 'reconcileAgents', uid });
  await until(async () => (await getCall(later.id)).status === 200, { seconds: 120 });
  const { platformKeys } = (await call('GET', '/platform-keys', { query: { uid } })).body;
  expect(platformKeys).toMatchObject([{ platform: 'vapi', lastUsedAt: expect.any(String) }]);
});
