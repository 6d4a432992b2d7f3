import { describe, expect, it } from 'vitest';
import { platformKeys } from '../../functions/reconciliation/platform-keys.ts';
import { pickError } from '../support/clients.ts';
import { call, newUser, newWorld } from '../support/world.ts';

const apiKey = 'the-api-key-of-the-platform';
const keys = async (world: Awaited<ReturnType<typeof newWorld>>) =>
  (await world.call('GET', '/platform-keys', { query: { uid: world.uid } })).body.platformKeys;
const put = (world: Awaited<ReturnType<typeof newWorld>>, platform: string, fields: object) =>
  world.call('PUT', `/platform-keys/${platform}`, { body: { uid: world.uid, ...fields } });

describe('the key of a voice platform', () => {
  it('a key is set, listed without its value, replaced at once and deleted once', async () => {
    const world = await newWorld();
    const set = await put(world, 'vapi', { apiKey });
    expect(set.body).toEqual({
      ...{ platform: 'vapi', createdAt: expect.any(String), keyId: expect.any(String), keyName: expect.any(String) },
    });
    expect(await keys(world)).toEqual([set.body]);
    const again = await put(world, 'vapi', { apiKey: 'another' });
    expect(await keys(world)).toEqual([again.body]);
    const { sealed = '' } = (await platformKeys.get().find(world.uid, 'vapi')) ?? {};
    expect(sealed).toMatch(/^[A-Za-z0-9+/=]{40,}$/);
    const remove = () => world.call('DELETE', '/platform-keys/vapi', { query: { uid: world.uid } });
    expect((await remove()).body).toEqual({ message: 'Platform key deleted successfully' });
    expect(pickError(await remove())).toEqual([404, 'not_found']);
    expect(await keys(world)).toEqual([]);
  });

  it('the account is required at Twilio and Telnyx, is listed there, and is refused elsewhere', async () => {
    const world = await newWorld();
    const details = async (platform: string, fields: object) => (await put(world, platform, fields)).body.details;
    expect(await details('twilio', { apiKey })).toEqual([{ path: 'accountId', message: 'is required for twilio' }]);
    expect(await details('retell', { apiKey, accountId: 'AC1' })).toMatchObject([{ path: 'accountId' }]);
    expect((await put(world, 'telnyx', { apiKey, accountId: 'AC1' })).status).toBe(200);
    expect(await keys(world)).toMatchObject([{ platform: 'telnyx', accountId: 'AC1' }]);
  });

  it('a key of no character, of a space or of 513 characters is refused, and so is an unknown platform', async () => {
    const world = await newWorld();
    for (const refused of ['', 'a key', 'a'.repeat(513), undefined])
      expect(pickError(await put(world, 'vapi', { apiKey: refused }))).toEqual([400, 'invalid_request']);
    expect((await put(world, 'vapi', { apiKey: 'a'.repeat(512) })).status).toBe(200);
    expect(pickError(await put(world, 'livekit', { apiKey }))).toEqual([404, 'not_found']);
  });

  it('a key without the scope agents can neither set, nor list, nor delete it', async () => {
    const { uid, apiKey } = await newUser(['hooks', 'calls']);
    const query = { uid };
    expect(pickError(await call('PUT', '/platform-keys/vapi', { apiKey, body: { uid, apiKey: 'a' } }))).toEqual(denied);
    expect(pickError(await call('GET', '/platform-keys', { apiKey, query }))).toEqual(denied);
    expect(pickError(await call('DELETE', '/platform-keys/vapi', { apiKey, query }))).toEqual(denied);
  });
});

const denied = [401, 'insufficient_permissions'];

describe('the voice platform of an agent', () => {
  const platform = { name: 'vapi', assistantIds: ['a-1'], reconcile: true };

  it('the configuration names the platform, up to twenty assistants, and whether calls are compared every hour', async () => {
    const world = await newWorld();
    const patch = (value: unknown) =>
      world.call('PATCH', `/agents/${world.agentId}`, { body: { configuration: { platform: value } } });
    expect((await patch(platform)).body.configuration.platform).toEqual(platform);
    expect((await patch({ name: 'twilio' })).status).toBe(200);
    for (const refused of [{ name: 'livekit' }, { ...platform, assistantIds: Array(21).fill('a') }, 'vapi'])
      expect(pickError(await patch(refused))).toEqual([400, 'invalid_request']);
    expect((await patch(null)).body.configuration.platform).toBeUndefined();
  });
});
