import { expect, it } from 'vitest';
import { newHookSecret, type SentHook, signers } from '../../support/hook-signers.ts';
import { genuineHook, type HookUser, type Sign } from '../../support/random-hooks.ts';
import { sendSigned } from '../../support/signed-hooks.ts';
import { newWorld, target } from '../../support/world.ts';
import { importPackage } from '../packages.ts';

/** The emulated deployment is slow, and differs in how a request reaches the function. */
const requests = Number(process.env.HISTORIES ?? (target.publicUrl ? 50 : 300));

const newUserWithSecret = async (platform: string): Promise<HookUser> => {
  const { call, uid, agentId } = await newWorld();
  const { secret, fields } = newHookSecret(platform);
  await call('PUT', `/hook-secrets/${platform}`, { body: { uid, ...fields } });
  return { uid, agentId, secret };
};

/** Sends as many requests, signed or confirmed by the vendor's package, and expects that all are accepted. */
const sendAll = async (platform: string, user: HookUser, sign?: Sign, confirm?: (sent: SentHook) => unknown) => {
  const one = async () => {
    const sent = await genuineHook(platform, user, sign);
    await confirm?.(sent);
    const { status, text } = await sendSigned(sent);
    expect(status, JSON.stringify([sent, text])).toBe(200);
  };
  const each = async () => {
    for (let n = 0; n < requests / 10; n++) await one();
  };
  await Promise.all(Array.from({ length: 10 }, each));
};

it('requests that Twilio’s package signs are accepted, forms and JSON', async () => {
  const { getExpectedTwilioSignature, validateRequest, validateRequestWithBody } = (await importPackage('twilio'))
    .default;
  const user = await newUserWithSecret('twilio');
  const listFields = ({ body, address }: Omit<SentHook, 'headers'>) =>
    address.includes('bodySHA256') ? {} : Object.fromEntries(new URLSearchParams(body));
  const sign: Sign = (sent, secret) => ({
    'x-twilio-signature': getExpectedTwilioSignature(secret, sent.address, listFields(sent)),
  });
  // The package also takes these for signed.
  const confirm = (sent: SentHook) => {
    const signature = sent.headers['x-twilio-signature'];
    const isValid = sent.address.includes('bodySHA256')
      ? validateRequestWithBody(user.secret, signature, sent.address, sent.body)
      : validateRequest(user.secret, signature, sent.address, listFields(sent));
    expect(isValid).toBe(true);
  };
  await sendAll('twilio', user, sign, confirm);
});

it('requests that Retell’s package signs are accepted', async () => {
  const { sign, verify } = await importPackage('retell-sdk/lib/webhook_auth.js');
  const user = await newUserWithSecret('retell');
  const signer: Sign = async ({ body }, secret) => ({ 'x-retell-signature': await sign(body, secret) });
  await sendAll('retell', user, signer, async ({ body, headers }) =>
    expect(await verify(body, user.secret, headers['x-retell-signature'])).toBe(true),
  );
});

it('requests that ElevenLabs’ package takes for signed are accepted', async () => {
  const { ElevenLabsClient } = await importPackage('@elevenlabs/elevenlabs-js');
  const { webhooks } = new ElevenLabsClient({ apiKey: 'none' });
  const user = await newUserWithSecret('elevenlabs');
  await sendAll('elevenlabs', user, undefined, async ({ body, headers }) =>
    expect(await webhooks.constructEvent(body, headers['elevenlabs-signature'], user.secret)).toEqual(JSON.parse(body)),
  );
});

it('requests that Telnyx’s package takes for signed are accepted', async () => {
  const { TelnyxWebhook } = await importPackage('telnyx/lib/webhooks.js');
  const { call, uid, agentId } = await newWorld();
  const { secret, fields } = newHookSecret('telnyx');
  await call('PUT', '/hook-secrets/telnyx', { body: { uid, ...fields } });
  const webhook = new TelnyxWebhook(fields.publicKey);
  await sendAll('telnyx', { uid, agentId, secret }, undefined, ({ body, headers }) => webhook.verify(body, headers));
  await expect(webhook.verify('other', signers.telnyx?.({ address: '', body: 'one' }, secret))).rejects.toThrow();
});
