import { createHmac } from 'node:crypto';
import { describe, expect, it, vi } from 'vitest';
import { receiveHook } from '../../functions/api/receive-hook.ts';
import { sealedSecrets } from '../../functions/clients/sealed-secrets.ts';
import { edgeSecretHeader } from '../../functions/environment.ts';
import { hookSecretOwner } from '../../functions/hooks/secrets/hook-secrets.ts';
import { apiKeys } from '../../functions/store/api-keys.ts';
import { hookSecretKey, itemsOfUser } from '../../functions/store/keys.ts';
import { table } from '../../functions/store/table.ts';
import '../support/quiet-logs.ts';
import { invoke } from '../support/events.ts';
import { newHookSecret, type SentHook, signers } from '../support/hook-signers.ts';
import { encodeBody, formAddress, sendSigned, signedHook, signedJsonOfTwilio } from '../support/signed-hooks.ts';
import { ends, starts } from '../support/voice-platforms.ts';
import { newWorld, type World } from '../support/world.ts';

// This is the key of this process, for handlers that run in it.
process.env.WEBHOOK_ENCRYPTION_KEY ??= 'the key of these tests';

const platforms = ['twilio', 'vapi', 'retell', 'elevenlabs', 'telnyx'];

/** Sets a new secret of a platform of a world, and returns what the platform signs with. */
const setSecret = async ({ call, uid }: World, platform: string, more: object = {}): Promise<string> => {
  const { secret, fields } = newHookSecret(platform);
  const set = await call('PUT', `/hook-secrets/${platform}`, { body: { uid, ...fields, ...more } });
  expect([set.status, set.body]).toEqual([200, { platform, createdAt: expect.any(String) }]);
  return secret;
};

/** A call that comes in, as a platform reports it for the agent of a world. */
const makeStart = (platform: string, { uid, agentId }: World) => {
  const { query, body } = starts[platform] ?? (starts.twilio as NonNullable<(typeof starts)[string]>);
  return { query: { uid, agentId, ...query } as Record<string, string>, body };
};

const listed = async ({ call, uid }: World) =>
  (await call('GET', '/hook-secrets', { query: { uid } })).body.hookSecrets;

const refused = [401, { error: 'invalid_signature', message: 'The signature of this request is not valid.' }];
const getAnswer = async (sent: SentHook) => {
  const { status, body } = await sendSigned(sent);
  return [status, body];
};

describe.each(platforms)('with a secret, a webhook of %s', (platform) => {
  it(`with a secret, a webhook of ${platform} is accepted when it is signed, and the call is recorded when it ends`, async () => {
    const world = await newWorld();
    const secret = await setSecret(world, platform);
    const start = makeStart(platform, world);
    expect((await sendSigned(signedHook(platform, { ...start, secret }))).status).toBe(200);
    const end = ends[platform] ?? (ends.twilio as NonNullable<(typeof ends)[string]>);
    const query = { uid: world.uid, agentId: world.agentId };
    expect((await sendSigned(signedHook(platform, { query, body: end.body, secret }))).status).toBe(200);
    const { calls } = (await world.call('GET', `/calls/${world.agentId}`, {})).body;
    expect(calls.map(({ callId }: { callId: string }) => callId.split(':')[0])).toEqual([platform]);
  });

  it(`with a secret, a webhook of ${platform} is refused without a signature, by another secret, and with a key in its address`, async () => {
    const world = await newWorld();
    const { secret: keyForHooks } = await apiKeys.get().create(world.uid, { name: 'hooks', scopes: ['hooks'] });
    const start = makeStart(platform, world);
    const withKey = { ...signedHook(platform, { ...start, secret: newHookSecret(platform).secret }), headers: {} };
    withKey.address += `&key=${keyForHooks}`;
    expect((await sendSigned(withKey)).status).toBe(200);
    const secret = await setSecret(world, platform);
    const sent = signedHook(platform, { ...start, secret });
    expect(await getAnswer({ ...sent, headers: {} })).toEqual(refused);
    expect(await getAnswer(signedHook(platform, { ...start, secret: newHookSecret(platform).secret }))).toEqual(
      refused,
    );
    expect(await getAnswer(withKey)).toEqual(refused);
    expect((await listed(world))[0]).toMatchObject({ platform, lastRefused: { reason: 'secret' } });
    // A key in a header is as good as a signature.
    const withHeader = { ...sent, headers: { 'x-authorization': keyForHooks } };
    expect((await sendSigned(withHeader)).status).toBe(200);
  });

  // One place reads the secrets of every platform.
  if (platform !== 'retell') return;

  it(`a replaced secret of ${platform} is accepted together with its successor for 24 hours, and a deleted one is not accepted`, async () => {
    const world = await newWorld();
    const start = makeStart(platform, world);
    const former = await setSecret(world, platform);
    const latter = await setSecret(world, platform);
    for (const secret of [former, latter])
      expect((await sendSigned(signedHook(platform, { ...start, secret }))).status).toBe(200);
    const [{ formerUntil }] = await listed(world);
    expect(Date.parse(formerUntil) - Date.now()).toBeGreaterThan(23.9 * 60 * 60 * 1000);
    expect(Date.parse(formerUntil) - Date.now()).toBeLessThanOrEqual(24 * 60 * 60 * 1000);

    const key = hookSecretKey(world.uid, platform);
    const item = (await table.get().get(key)) as unknown as { secrets: { endsAt?: number }[] };
    const secrets = item.secrets.map((one) => ({ ...one, ...(one.endsAt && { endsAt: Date.now() - 1 }) }));
    await table.get().change(key, { set: { secrets } });
    expect(await getAnswer(signedHook(platform, { ...start, secret: former }))).toEqual(refused);
    expect((await listed(world))[0].formerUntil).toBeUndefined();

    const { uid } = world;
    const remove = () => world.call('DELETE', `/hook-secrets/${platform}`, { query: { uid } });
    expect((await remove()).body).toEqual({ message: 'Hook secret deleted successfully' });
    expect((await remove()).status).toBe(404);
    expect(await getAnswer(signedHook(platform, { ...start, secret: latter }))).toEqual(refused);
    expect(await listed(world)).toEqual([]);
  });
});

it('a signature is refused alike for a user with a secret, for one without, and for an unknown one', async () => {
  const [world, without] = await Promise.all([newWorld(), newWorld()]);
  await setSecret(world, 'vapi');
  const { body } = makeStart('vapi', world);
  const askAs = async (uid: string, headers: Record<string, string>) => {
    const address = formAddress('vapi', { uid, agentId: world.agentId });
    return getAnswer({ address, body: encodeBody('vapi', body), headers });
  };
  for (const header of ['x-vapi-secret', 'authorization', 'x-signature'])
    for (const uid of [world.uid, without.uid, 'nobody'])
      expect(await askAs(uid, { [header]: 'Bearer wrong' })).toEqual(refused);
  // CloudFront adds its own secret to every request.
  const unsigned: Record<string, string>[] = [{}, { [edgeSecretHeader]: 'a secret of the edge' }];
  for (const headers of unsigned)
    expect(await askAs(without.uid, headers)).toMatchObject([401, { error: 'missing_api_key' }]);
});

it('a JSON body of Twilio is accepted by its hash in the address, and refused with another', async () => {
  const world = await newWorld();
  const secret = await setSecret(world, 'twilio');
  const { query, body } = makeStart('twilio', world);
  const sent = signedJsonOfTwilio(query, body, secret);
  expect((await sendSigned(sent)).status).toBe(200);
  expect(await getAnswer({ ...sent, body: sent.body.replace('ringing', 'queued') })).toEqual(refused);
  expect((await listed(world))[0].lastRefused.reason).toBe('body');
});

/** A request of Twilio whose address has what is written in several ways. */
const writtenInManyWays = async () => {
  const world = await newWorld();
  const { uid, agentId } = world;
  const secret = await setSecret(world, 'twilio');
  const address = formAddress('twilio', { uid, next: 'https://voice.example.com/a b', agentId });
  const body = encodeBody('twilio', makeStart('twilio', world).body);
  const sign = (signed: string) => signers.twilio?.({ address: signed, body }, secret) ?? {};
  return { world, address, body, sign };
};

it('a request of Twilio that was signed for another address is refused for its address', async () => {
  const { world, address, body, sign } = await writtenInManyWays();
  const signed = address.replaceAll('+', '%20');
  expect(signed).not.toBe(address);
  expect((await sendSigned({ address, body, headers: sign(address) })).status).toBe(200);
  // A proxy's header with another host does not make the request one for this address.
  const headers = { ...sign(signed), 'x-forwarded-host': 'hooks.example.com' };
  expect(await getAnswer({ address, body, headers })).toEqual(refused);
  expect((await listed(world))[0].lastRefused.reason).toBe('address');
});

it('a request is verified by the public address, even if it came to another host name', {
  tags: 'local-only',
}, async () => {
  const { address, body, sign } = await writtenInManyWays();
  const byOtherName = address.replace('127.0.0.1', 'localhost');
  expect(byOtherName).not.toBe(address);
  expect((await sendSigned({ address: byOtherName, body, headers: sign(address) })).status).toBe(200);
  expect(await getAnswer({ address: byOtherName, body, headers: sign(byOtherName) })).toEqual(refused);
});

it('Vapi may sign without a time, with a custom header and hash, or send the secret itself', async () => {
  const world = await newWorld();
  const { query, body } = makeStart('vapi', world);
  const secret = await setSecret(world, 'vapi', { header: 'X-Hub-Signature', algorithm: 'sha512' });
  const address = formAddress('vapi', query);
  const text = encodeBody('vapi', body);
  const requestStatus = async (headers: Record<string, string>, sent = text) =>
    (await sendSigned({ address, body: sent, headers })).status;
  const mac = (payload: string, algorithm = 'sha512') => createHmac(algorithm, secret).update(payload);
  const now = String(Math.floor(Date.now() / 1000));
  expect(await requestStatus({ 'x-hub-signature': `sha512=${mac(text).digest('hex')}` })).toBe(200);
  expect(await requestStatus({ 'x-hub-signature': mac(text).digest('base64') })).toBe(200);
  expect(await requestStatus({ 'x-hub-signature': mac(`${now}.${text}`).digest('hex'), 'x-timestamp': now })).toBe(200);
  expect(await requestStatus({ 'x-vapi-secret': secret })).toBe(200);
  expect(await requestStatus({ authorization: `Bearer ${secret}` })).toBe(200);
  expect(await requestStatus({ 'x-signature': mac(text).digest('hex') })).toBe(401);
  expect(await requestStatus({ 'x-hub-signature': mac(text, 'sha256').digest('hex') })).toBe(401);
  expect(await requestStatus({ 'x-vapi-secret': `${secret}0` })).toBe(401);
  expect(await requestStatus({ authorization: 'Bearer nonsense' })).toBe(401);
  // The time of a signed request cannot be moved from its header into its body.
  expect(await requestStatus({ 'x-hub-signature': mac(`${now}.${text}`).digest('hex') }, `${now}.${text}`)).toBe(401);
});

it('ElevenLabs begins a conversation with the secret in a header, of a name that may be chosen', async () => {
  const world = await newWorld();
  const start = makeStart('elevenlabs', world);
  const sent = { ...signedHook('elevenlabs', { ...start, secret: '' }), headers: {} };
  const first = await setSecret(world, 'elevenlabs');
  expect((await sendSigned({ ...sent, headers: { 'x-hook-secret': first } })).status).toBe(200);
  const second = await setSecret(world, 'elevenlabs', { header: 'X-Clinic' });
  expect((await sendSigned({ ...sent, headers: { 'x-clinic': second } })).status).toBe(200);
  expect(await getAnswer({ ...sent, headers: { 'x-hook-secret': second } })).toEqual(refused);
});

it('a field of Twilio cannot be taken apart: between names and values that are signed is nothing', async () => {
  const world = await newWorld();
  const secret = await setSecret(world, 'twilio');
  const { query, body } = makeStart('twilio', world);
  const sent = signedHook('twilio', { query, body: { ...body, From: '+14155550100From+14155550101' }, secret });
  expect((await sendSigned(sent)).status).toBe(200);
  const twice = sent.body.replace('100From%2B', '100&From=%2B');
  expect(twice).not.toBe(sent.body);
  expect(await getAnswer({ ...sent, body: twice })).toEqual(refused);
  expect(await getAnswer({ ...sent, body: sent.body.replace('Direction=', 'Direction') })).toEqual(refused);
});

it('a body of Twilio that could be read in two ways is refused: a field twice, or a form that is JSON', async () => {
  const world = await newWorld();
  const secret = await setSecret(world, 'twilio');
  const { query, body } = makeStart('twilio', world);
  const sent = signedHook('twilio', { query, body, secret });
  for (const other of [`${sent.body}&CallSid=CA0123`, '{"CallStatus":"ringing"}', '[]', `\ufeff${sent.body}`])
    expect(await getAnswer({ ...sent, body: other })).toEqual(refused);
});

it('a form of Twilio whose signed text is read with other fields is refused', async () => {
  const world = await newWorld();
  const secret = await setSecret(world, 'twilio');
  const { query } = makeStart('twilio', world);
  const body = {
    CallSid: 'CA0123',
    CallStatus: 'ringing',
    Direction: 'inbound',
    From: '+14155550100',
    FromCity: 'SAN FRANCISCO',
    To: '+14155550199',
  };
  const sent = signedHook('twilio', { query, body, secret });
  expect((await sendSigned(sent)).status).toBe(200);
  const { From, FromCity, Direction, To, CallSid, ...rest } = body;
  const { next, ...others } = query;
  for (const fields of [
    { ...body, From: undefined, F: `rom${From}` },
    { ...rest, CallSid, FromCity, To, Direction: `${Direction}From${From}` },
    { ...rest, CallSid, To, Direction: `${Direction}From${From}`, From: `City${FromCity}` },
    { ...body, To: undefined, T: `o${To}` },
  ]) {
    const other = new URLSearchParams(JSON.parse(JSON.stringify(fields))).toString();
    expect(signers.twilio?.({ ...sent, body: other }, secret)).toEqual(sent.headers);
    expect(await getAnswer({ ...sent, body: other })).toEqual(refused);
    expect((await listed(world))[0].lastRefused.reason).toBe('body');
  }
  const moved = { ...sent, body: new URLSearchParams({ ...rest, Direction, From, FromCity, To }).toString() };
  moved.address = `${formAddress('twilio', { ...others, next: String(next) })}CallSid${CallSid}`;
  expect(signers.twilio?.(moved, secret)).toEqual(sent.headers);
  expect(await getAnswer(moved)).toEqual(refused);
});

it('another reason for a refusal is noted at once, and at most five in five seconds', async () => {
  const world = await newWorld();
  const secret = await setSecret(world, 'twilio');
  const { query, body } = makeStart('twilio', world);
  const noted: unknown[] = [];
  for (const field of ['One', 'Two', 'Two', 'Three', 'Four', 'Five', 'Six']) {
    await sendSigned(signedHook('twilio', { query, body: { ...body, [field]: '1' }, secret }));
    noted.push((await listed(world))[0].lastRefused.field);
  }
  expect(noted).toEqual(['One', 'Two', 'Two', 'Three', 'Four', 'Five', 'Five']);
});

it('a form of Twilio may have SIP headers, custom parameters and every field that Twilio documents', async () => {
  const world = await newWorld();
  const secret = await setSecret(world, 'twilio');
  const { query, body } = makeStart('twilio', world);
  const more = {
    StirVerstat: 'TN-Validation-Passed-A',
    CallToken: '%7B%22parentCallInfoToken%22%7D',
    CallerName: 'From To Ltd',
    'SipHeader_X-Account': '7',
    appointmentId: '12',
  };
  expect((await sendSigned(signedHook('twilio', { query, body: { ...body, ...more }, secret }))).status).toBe(200);
  expect(await getAnswer(signedHook('twilio', { query, body: { ...body, Invented: '1' }, secret }))).toEqual(refused);
});

it('a form of Twilio has parameters of the user’s own as they are named with the secret, and the field that refuses it is named', async () => {
  const world = await newWorld();
  const { secret, fields } = newHookSecret('twilio');
  const set = (parameters?: string[], platform = 'twilio') =>
    world.call('PUT', `/hook-secrets/${platform}`, { body: { uid: world.uid, ...fields, parameters } });
  const { query, body } = makeStart('twilio', world);
  const sent = (more: object) => signedHook('twilio', { query, body: { ...body, ...more }, secret });
  const own = { PhoneNumber: '+14155550188', CustomerId: '7' };
  expect((await set()).status).toBe(200);
  expect(await getAnswer(sent(own))).toEqual(refused);
  expect((await listed(world))[0].lastRefused).toMatchObject({ reason: 'body', field: 'PhoneNumber' });
  // The same secret with other parameters stays the newest.
  for (let round = 0; round < 7; round++)
    expect((await set([`P${round}`, 'PhoneNumber', 'CustomerId'])).status).toBe(200);
  expect((await sendSigned(sent(own))).text).toContain('<Redirect');
  expect((await listed(world))[0]).toMatchObject({ parameters: ['P6', 'PhoneNumber', 'CustomerId'] });
  expect((await listed(world))[0]).not.toHaveProperty('formerUntil');
  expect(await getAnswer(sent({ ...own, P0: '1' }))).toEqual(refused);
  const names = (count: number) => Array.from({ length: count }, (_, index) => `P${index}`);
  expect((await set(names(50))).status).toBe(200);
  expect((await set(names(51))).body.details).toEqual([{ path: 'parameters', message: 'must have at most 50 names' }]);
  expect((await set(['P'], 'retell')).body.details).toEqual([{ path: 'parameters', message: 'is not for retell' }]);
});

it('a form of Twilio whose signature does not cover StirVerstat and CallToken is accepted without its attestation', async () => {
  const world = await newWorld();
  const secret = await setSecret(world, 'twilio');
  await world.call('PATCH', `/agents/${world.agentId}`, {
    body: { configuration: { rejectAttestations: ['failed'] } },
  });
  const { query, body } = makeStart('twilio', world);
  const signed = signedHook('twilio', { query, body, secret });
  const attestation = { StirVerstat: 'TN-Validation-Failed-B', CallToken: '%7B%22parentCallInfoToken%22%7D' };
  const more = (fields: Record<string, string>) => ({
    ...signed,
    body: `${signed.body}&${new URLSearchParams(fields)}`,
  });
  for (const fields of [attestation, { StirVerstat: attestation.StirVerstat }]) {
    expect((await sendSigned(more(fields))).text).toContain('<Redirect');
    const covered = signedHook('twilio', { query, body: { ...body, ...fields }, secret });
    expect((await sendSigned(covered)).text).toContain('<Reject');
  }
  const end = { ...body, CallStatus: 'completed', CallSid: 'CA2' };
  const signedEnd = signedHook('twilio', { query, body: end, secret });
  expect((await sendSigned({ ...signedEnd, body: `${signedEnd.body}&StirVerstat=No-TN-Validation` })).status).toBe(200);
  const recorded = await world.call('GET', `/calls/${world.agentId}/twilio:CA2`);
  expect(recorded.body).toMatchObject({ status: 'completed' });
  expect(recorded.body.details ?? {}).not.toHaveProperty('attestation');
  expect(await getAnswer(more({ CallerState: 'CA' }))).toEqual(refused);
});

it('an attestation that Twilio signed cannot be moved into another field', async () => {
  const world = await newWorld();
  const secret = await setSecret(world, 'twilio');
  const { query, body } = makeStart('twilio', world);
  const StirVerstat = 'TN-Validation-Failed-B';
  const signed = signedHook('twilio', { query, body: { ...body, StirStatus: 'x', StirVerstat }, secret });
  expect((await sendSigned(signed)).status).toBe(200);
  const moved = { ...body, StirStatus: `xStirVerstat${StirVerstat}` };
  for (const fields of [moved, { ...moved, StirVerstat: 'TN-Validation-Passed-A' }])
    expect(await getAnswer({ ...signed, body: encodeBody('twilio', fields) })).toEqual(refused);
});

it('a former secret that is put back is the newest, also when five are in force', async () => {
  const { uid, call } = await newWorld();
  const secrets = Array.from({ length: 5 }, () => newHookSecret('retell'));
  const put = ({ fields }: ReturnType<typeof newHookSecret>) =>
    call('PUT', '/hook-secrets/retell', { body: { uid, ...fields } });
  for (const secret of secrets) expect((await put(secret)).status).toBe(200);
  const [first] = secrets as [(typeof secrets)[0]];
  expect((await put(first)).status).toBe(200);
  expect(await put(newHookSecret('retell'))).toMatchObject({ status: 409, body: { error: 'quota_exceeded' } });
});

it('a sixth secret that would be accepted is refused, and no former one ends before its time', async () => {
  const world = await newWorld();
  const { uid, call } = world;
  const put = ({ fields }: ReturnType<typeof newHookSecret>) =>
    call('PUT', '/hook-secrets/retell', { body: { uid, ...fields } });
  const secrets = Array.from({ length: 7 }, () => newHookSecret('retell'));
  const answers = await Promise.all(secrets.map(put));
  const set = secrets.filter((_, index) => answers[index]?.status === 200);
  expect(set.length).toBe(5);
  for (const { status, body } of answers.filter(({ status }) => status !== 200))
    expect([status, body.error, body.message]).toEqual([409, 'quota_exceeded', expect.stringMatching(/^5 secrets/)]);
  const start = makeStart('retell', world);
  for (const { secret } of set) expect((await sendSigned(signedHook('retell', { ...start, secret }))).status).toBe(200);
});

it('a secret is set for the fields that its platform has, by a key for hooks, for its own user', async () => {
  const { call, uid } = await newWorld();
  const put = async (platform: string, fields: object) => {
    const { status, body } = await call('PUT', `/hook-secrets/${platform}`, { body: { uid, ...fields } });
    return [status, body.details?.[0]?.path ?? body.error];
  };
  const { secret } = newHookSecret('twilio');
  const publicKey = newHookSecret('telnyx').fields.publicKey;
  expect(await put('twilio', {})).toEqual([400, 'secret']);
  expect(await put('twilio', { secret: 'short' })).toEqual([400, 'secret']);
  expect(await put('twilio', { secret: 'x'.repeat(513) })).toEqual([400, 'secret']);
  expect(await put('twilio', { secret: `${secret} ` })).toEqual([400, 'secret']);
  expect(await put('twilio', { secret, publicKey })).toEqual([400, 'publicKey']);
  expect(await put('twilio', { secret, header: 'x-signature' })).toEqual([400, 'header']);
  expect(await put('retell', { secret, algorithm: 'sha1' })).toEqual([400, 'algorithm']);
  expect(await put('vapi', { secret, algorithm: 'md5' })).toEqual([400, 'algorithm']);
  expect(await put('vapi', { secret, header: 'authorization' })).toEqual([400, 'header']);
  expect(await put('telnyx', { secret })).toEqual([400, 'publicKey']);
  expect(await put('telnyx', { publicKey: secret })).toEqual([400, 'publicKey']);
  expect(await put('nobody', { secret })).toEqual([404, 'not_found']);
  expect(await put('twilio', { uid: 'somebody-else', secret })).toEqual([401, 'insufficient_permissions']);
});

it('a secret that is set again stays as it is, and two at once are both accepted', async () => {
  const world = await newWorld();
  const { call, uid } = world;
  const [one, other] = [newHookSecret('retell'), newHookSecret('retell')];
  const put = ({ fields }: typeof one) => call('PUT', '/hook-secrets/retell', { body: { uid, ...fields } });
  const first = await put(one);
  expect((await put(one)).body).toEqual(first.body);
  expect((await listed(world))[0].formerUntil).toBeUndefined();
  await Promise.all([put(other), put(newHookSecret('retell')), put(newHookSecret('retell'))]);
  const start = makeStart('retell', world);
  for (const { secret } of [one, other])
    expect((await sendSigned(signedHook('retell', { ...start, secret }))).status).toBe(200);
});

it('neither the table nor any answer has a secret in the clear', async () => {
  const world = await newWorld();
  const secrets = await Promise.all(['twilio', 'vapi', 'retell', 'elevenlabs'].map((name) => setSecret(world, name)));
  const items: unknown[] = [];
  for await (const item of table.get().query(itemsOfUser(world.uid))) items.push(item);
  const text = JSON.stringify([items, await listed(world)]);
  for (const secret of secrets) {
    expect(text).not.toContain(secret);
    expect(text).not.toContain(Buffer.from(secret).toString('base64').slice(0, 20));
  }
  expect(text).toContain('HOOK-SECRET#twilio');
});

it('the log says why a request was refused, and has neither the secret, the signature nor the query', {
  tags: 'local-only',
}, async () => {
  const world = await newWorld();
  const { uid } = world;
  const secret = await setSecret(world, 'twilio');
  const sent = signedHook('twilio', { ...makeStart('twilio', world), secret: 'another-secret-of-twilio' });
  const logged = vi.spyOn(process.stderr, 'write').mockReturnValue(true);
  const handled = async (headers: Record<string, string>, body = sent.body) => {
    const query = Object.fromEntries(new URL(sent.address).searchParams);
    return (await invoke(receiveHook, { params: { platform: 'twilio' }, query, headers, body })).status;
  };
  // The key of the service under test is another one.
  const sealed = await sealedSecrets.get().seal(hookSecretOwner(uid, 'twilio'), secret);
  await table.get().change(hookSecretKey(uid, 'twilio'), { set: { secrets: [{ sealed, createdAt: '', keyId: '' }] } });
  const statuses = [
    await handled(sent.headers),
    await handled({}),
    await handled(sent.headers, `${sent.body}&Invented=1`),
  ];
  const lines = logged.mock.calls.map(([line]) => String(line)).join('');
  logged.mockRestore();
  expect(statuses).toEqual([401, 401, 401]);
  const facts = {
    operation: 'receiveHook',
    status: 401,
    code: 'invalid_signature',
    reason: 'secret',
    platform: 'twilio',
    uid,
  };
  expect(
    lines
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line)),
  ).toEqual([facts, facts, { ...facts, reason: 'body', field: 'Invented' }].map((one) => expect.objectContaining(one)));
  for (const hidden of [secret, 'another-secret', sent.headers['x-twilio-signature'] ?? '', 'voice.example.com'])
    expect(lines).not.toContain(hidden);
});

it('a deployment can refuse keys in addresses', { tags: 'local-only' }, async () => {
  const world = await newWorld();
  const { secret: key } = await apiKeys.get().create(world.uid, { name: 'hooks', scopes: ['hooks'] });
  const asked = (headers: Record<string, string>) =>
    invoke(receiveHook, {
      ...{ params: { platform: 'retell' }, query: { uid: world.uid, agentId: world.agentId, key }, headers },
      body: { event: 'call_inbound', call_inbound: {} },
    });
  expect((await asked({})).status).toBe(200);
  process.env.HOOK_KEYS_IN_ADDRESS = 'false';
  const answers = [await asked({}), await asked({ 'x-authorization': key })];
  delete process.env.HOOK_KEYS_IN_ADDRESS;
  expect(answers.map(({ status }) => status)).toEqual([401, 200]);
  expect(answers[0]?.text).toContain('missing_api_key');
});

it('a signed request is noted at most once an hour, and the same refusal at most once in five seconds', async () => {
  const world = await newWorld();
  const secret = await setSecret(world, 'retell');
  const start = makeStart('retell', world);
  const sendNow = async (by: string) => {
    await sendSigned(signedHook('retell', { ...start, secret: by }));
    return (await listed(world))[0];
  };
  const { lastUsedAt } = await sendNow(secret);
  expect((await sendNow(secret)).lastUsedAt).toBe(lastUsedAt);
  const { lastRefused } = await sendNow('another-secret');
  expect((await sendNow('another-secret')).lastRefused).toEqual(lastRefused);
  const key = hookSecretKey(world.uid, 'retell');
  const ago = (seconds: number) => new Date(Date.now() - seconds * 1000).toISOString();
  await table.get().change(key, { set: { lastUsedAt: ago(3601), refusals: { since: ago(6), stored: 5 } } });
  const started = Date.now();
  await sendNow(secret);
  const noted = await sendNow('another-secret');
  expect(Date.parse(noted.lastUsedAt)).toBeGreaterThanOrEqual(started);
  expect(Date.parse(noted.lastRefused.at)).toBeGreaterThanOrEqual(started);
});
