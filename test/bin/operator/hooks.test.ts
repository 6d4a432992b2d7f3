import { expect, it } from 'vitest';
import { newHookSecret, signers } from '../../support/hook-signers.ts';
import { json, oneSentence, operator } from '../../support/operator-command.ts';
import { sendSigned } from '../../support/signed-hooks.ts';
import { newWorld, target, useTargetInThisProcess } from '../../support/world.ts';

useTargetInThisProcess();
const where = ['--base-url', target.baseUrl];

const starts: Record<string, { options: string[]; body: string }> = {
  twilio: {
    options: ['--next', 'https://voice.example.com/a?b=1&c=2'],
    body: 'CallStatus=ringing&From=%2B14155550100',
  },
  vapi: { options: ['--assistant-id', 'asst_1'], body: '{"message":{"type":"assistant-request"}}' },
  retell: { options: [], body: '{"event":"call_inbound","call_inbound":{"from_number":"+14155550100"}}' },
  telnyx: {
    options: ['--next', 'https://voice.example.com/a'],
    body: 'CallStatus=ringing&From=%2B14155550100',
  },
  elevenlabs: { options: ['--unsure', 'reject'], body: '{"caller_id":"+14155550100","call_sid":"CA1"}' },
};

it.each(Object.keys(starts))(
  'hooks url prints an address that %s can use as it is, with a key for nothing else',
  async (platform) => {
    const { uid, agentId } = await newWorld();
    const { options, body } = starts[platform] as (typeof starts)[string];
    const made = await json('hooks', 'url', '--platform', platform, '--agent-id', agentId, ...options, ...where);
    const { url, keyId } = made;
    expect(made).toEqual({ url, platform, keyId, uid, agentId });
    expect((await fetch(url, { method: 'POST', body })).status).toBe(200);
    const key = new URL(url).searchParams.get('key') as string;
    const agents = await fetch(`${target.baseUrl}/agents?uid=${uid}`, { headers: { 'x-authorization': key } });
    expect(agents.status).toBe(401);
    expect(await json('key', 'show', '--uid', uid, keyId)).toMatchObject({
      name: `hooks: ${platform}`,
      scopes: ['hooks'],
    });
    await json('key', 'revoke', '--uid', uid, keyId);
    expect((await fetch(url, { method: 'POST', body })).status).toBe(401);
  },
);

it('hooks url prints an address without a key for a platform that signs, and hooks verify says why its request was refused', async () => {
  const world = await newWorld();
  const { uid, agentId } = world;
  const of = ['--platform', 'twilio'];
  const unknown = await operator('hooks', 'verify', ...of, '--uid', uid);
  expect([unknown.code, unknown.stderr]).toEqual([1, expect.stringContaining('has no secret of twilio')]);
  const { secret, fields } = newHookSecret('twilio');
  await world.call('PUT', '/hook-secrets/twilio', { body: { uid, ...fields } });
  const verify = () => json('hooks', 'verify', ...of, '--uid', uid);
  expect(await verify()).toEqual({
    uid,
    platform: 'twilio',
    createdAt: expect.any(String),
    keyId: world.keyId,
    keyName: 'test',
  });

  const options = starts.twilio?.options ?? [];
  const made = await json('hooks', 'url', ...of, '--agent-id', agentId, ...options, ...where);
  expect(made).toEqual({ url: expect.any(String), platform: 'twilio', uid, agentId });
  expect(new URL(made.url).searchParams.get('key')).toBeNull();
  expect((await json('key', 'list', '--uid', uid)).keys).toHaveLength(1);
  const body = starts.twilio?.body ?? '';
  const sendTo = async (address: string, signedAddress: string) => {
    const headers = signers.twilio?.({ address: signedAddress, body }, secret) ?? {};
    return (await sendSigned({ address, body, headers })).status;
  };
  expect(await sendTo(made.url, made.url)).toBe(200);
  expect((await verify()).lastUsedAt).toEqual(expect.any(String));
  expect(await sendTo(made.url, made.url.replace(/\?.*/, ''))).toBe(401);
  expect(await verify()).toMatchObject({
    lastRefused: { at: expect.any(String), reason: 'address' },
    advice: expect.stringContaining('Enter exactly the one that the console and "hooks url" show'),
  });
  const { stdout } = await operator('hooks', 'verify', ...of, '--uid', uid);
  expect(stdout).toContain('(address)');
});

it('hooks url prints the address first, then the end of its key, and the better way as a message', async () => {
  const { agentId } = await newWorld();
  const of = ['--platform', 'retell', '--agent-id', agentId];
  const { code, stdout, stderr } = await operator('hooks', 'url', ...of, ...where);
  expect([code, stderr]).toEqual([0, expect.stringContaining('Better, let retell sign')]);
  expect(stdout.startsWith(`${target.baseUrl}/hooks/retell?uid=`)).toBe(true);
  expect(stdout).toContain('key revoke --uid');
});

it.each([
  [['--platform', 'carrier'], 2],
  [['--platform', 'twilio'], 2],
  [['--platform', 'twilio', '--next', 'http://voice.example.com'], 2],
  [['--platform', 'vapi'], 2],
  [['--platform', 'retell', '--unsure', 'maybe'], 2],
  [['--platform', 'retell', '--uid', 'nobody'], 1],
])('hooks url %j makes no key', async (options, expected) => {
  const { uid, agentId } = await newWorld();
  const { code, stderr } = await operator('hooks', 'url', '--agent-id', agentId, ...options, ...where);
  expect([code, stderr]).toEqual([expected, expect.stringMatching(oneSentence)]);
  expect((await json('key', 'list', '--uid', uid)).keys).toHaveLength(1);
});
