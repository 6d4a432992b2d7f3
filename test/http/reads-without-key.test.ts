import { randomBytes } from 'node:crypto';
import { beforeAll, describe, expect, it } from 'vitest';
import { decideCallStart } from '../../functions/api/decide-call-start.ts';
import { receiveHook } from '../../functions/api/receive-hook.ts';
import { setHookSecret } from '../../functions/api/set-hook-secret.ts';
import { newApiKey } from '../../functions/domain/api-keys.ts';
import { apiKeys } from '../../functions/store/api-keys.ts';
import { table } from '../../functions/store/table.ts';
import { countUnits, type Units } from '../bench/units.ts';
import { invoke } from '../support/events.ts';
import '../support/quiet-logs.ts';
import { keyed } from '../support/sample-requests.ts';
import { makeSample } from '../support/samples.ts';
import { newWorld, type World } from '../support/world.ts';

/** What a request without a valid key may cost, whatever it names. */
const maxReadUnits = 10;

let world: World;
let units: Units;
beforeAll(async () => {
  world = await newWorld();
  const { uid, agentId } = world;
  const text = () => randomBytes(70_000).toString('base64');
  for (const instructions of [text(), text(), text()])
    await world.call('PATCH', `/agents/${agentId}`, { body: { configuration: { instructions } } });
  const split = [2, 3].map((version) => ({ version, percent: 50 }));
  expect((await world.call('PUT', `/agents/${agentId}/traffic`, { body: { uid, split } })).status).toBe(200);
  const details = { summary: 'x'.repeat(50_000) };
  const call = { direction: 'inbound', startedAt: '2026-03-01T10:00:00Z', phone: '+14155550188', details };
  expect((await world.call('PUT', `/calls/${agentId}/large`, { body: call })).status).toBe(200);
  units = countUnits(table.get().client);
});

/** Returns the read units of a request, with its status. */
const countReads = async (request: () => Promise<{ status: number | undefined }>) => {
  units.take();
  const { status } = await request();
  return { status, readUnits: units.take().read };
};

const callStart = (apiKey: string) => () =>
  invoke(decideCallStart, { apiKey, body: { uid: world.uid, agentId: world.agentId, from: '+14155550100' } });

describe('a request costs few reads', () => {
  it.each(keyed.map((endpoint) => [endpoint.name, endpoint] as const))(
    '%s with an unknown key',
    async (_, endpoint) => {
      const { uid, agentId } = world;
      const { params = {}, query, body } = await makeSample(endpoint, world);
      const { status, readUnits } = await countReads(() =>
        invoke(endpoint, {
          apiKey: newApiKey(),
          params: { agentId, ...params, ...('callIdOrPhone' in params && { callIdOrPhone: 'large' }) },
          query: { uid, agentId, ...query },
          body: body && { uid, agentId, ...body },
        }),
      );
      expect(status).toBe(401);
      expect(readUnits).toBeLessThanOrEqual(maxReadUnits);
    },
  );

  it('a key that was revoked costs few reads again', async () => {
    const { secret, keyId } = await apiKeys.get().create(world.uid, { name: 'revoked' });
    const ask = () => countReads(callStart(secret));
    const [first, second] = [await ask(), await ask()];
    expect([first.status, second.status]).toEqual([200, 200]);
    // The split and the record of the agent are read together with the key, once it is known to be valid.
    expect(second.readUnits).toBeGreaterThan(maxReadUnits);
    expect(second.readUnits).toBeLessThan(first.readUnits);
    await apiKeys.get().revoke(world.uid, keyId);
    expect((await ask()).status).toBe(401);
    const last = await ask();
    expect(last.status).toBe(401);
    expect(last.readUnits).toBeLessThanOrEqual(maxReadUnits);
  });

  it('a wrong signature costs few reads, also after a right one', async () => {
    const { uid, agentId } = world;
    const secret = 'a-secret-of-elevenlabs';
    process.env.WEBHOOK_ENCRYPTION_KEY ??= randomBytes(32).toString('base64');
    const params = { platform: 'elevenlabs' };
    expect((await invoke(setHookSecret, { apiKey: world.apiKey, params, body: { uid, secret } })).status).toBe(200);
    const ask = (sent: string) =>
      countReads(() =>
        invoke(receiveHook, {
          apiKey: '',
          ...{ params, query: { uid, agentId } },
          headers: { 'x-hook-secret': sent },
          body: { caller_id: '+14155550100', called_number: '+14155550123', call_sid: 'CA1' },
        }),
      );
    const [first, second] = [await ask(secret), await ask(secret)];
    expect([first.status, second.status]).toEqual([200, 200]);
    expect(second.readUnits).toBeLessThan(first.readUnits);
    const wrong = await ask('another-secret');
    expect(wrong.status).toBe(401);
    expect(wrong.readUnits).toBeLessThanOrEqual(maxReadUnits);
    // A stranger does not make the platform's requests cost another round trip.
    expect((await ask(secret)).readUnits).toBe(second.readUnits);
  });
});
