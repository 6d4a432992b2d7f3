import { decideCallStart } from '../../functions/api/decide-call-start.ts';
import { receiveHook } from '../../functions/api/receive-hook.ts';
import type { PlatformName } from '../../functions/domain/voice-platforms.ts';
import type { AnyEndpoint } from '../../functions/http/endpoint.ts';
import { signers } from '../support/hook-signers.ts';
import { listSamples, storeHookSecret } from './operations.ts';
import type { Request, World } from './world.ts';

/** A call that starts: the phone rings until it is answered. */
export type CallStart = { what: string; endpoint: AnyEndpoint; request(world: World): Request | Promise<Request> };

const called = '+14155550123';
const next = 'https://voice.example.com/answer';

/** What each platform sends when a phone rings, and what its address names beside user and agent. */
const reports: Record<PlatformName, (caller: string) => { query?: Record<string, string>; body: string }> = {
  twilio: (caller) => ({ query: { next }, body: writeForm(caller) }),
  telnyx: (caller) => ({ query: { next }, body: writeForm(caller) }),
  vapi: (caller) => ({
    query: { assistantId: 'assistant_1' },
    body: JSON.stringify({
      message: {
        type: 'assistant-request',
        call: { id: 'call_1', customer: { number: caller } },
        phoneNumber: { number: called },
      },
    }),
  }),
  retell: (caller) => ({
    query: { assistantId: 'agent_1' },
    body: JSON.stringify({ event: 'call_inbound', call_inbound: { from_number: caller, to_number: called } }),
  }),
  elevenlabs: (caller) => ({
    body: JSON.stringify({ caller_id: caller, agent_id: 'a1', called_number: called, call_sid: 'CA0123' }),
  }),
};

const writeForm = (caller: string) =>
  new URLSearchParams({
    CallSid: 'CA0123',
    CallStatus: 'ringing',
    Direction: 'inbound',
    From: caller,
    To: called,
  }).toString();

const byKey = (platform: PlatformName): CallStart => ({
  what: `start at ${platform}`,
  endpoint: receiveHook,
  request({ uid, agentId, phone }) {
    const { query, body } = reports[platform](phone);
    return { params: { platform }, query: { uid, agentId, ...query }, body };
  },
});

const bySignature = (platform: PlatformName): CallStart => ({
  what: `signed start at ${platform}`,
  endpoint: receiveHook,
  async request({ uid, agentId, phone, settings }) {
    const { query, body } = reports[platform](phone);
    const secret = await storeHookSecret(uid, platform);
    const headers = signers[platform]?.({ address: `${settings.PUBLIC_URL}${receiveHook.path}`, body }, secret);
    return { apiKey: undefined, params: { platform }, query: { uid, agentId, ...query }, headers, body };
  },
});

const platforms = Object.keys(reports) as PlatformName[];

/** The starts of a call: as an API caller reports one, and as each platform does, with a key and signed. */
export const callStarts: CallStart[] = [
  ...listSamples(decideCallStart)
    .slice(0, 2)
    .map(({ what = 'alone', request }) => ({ what: `start, ${what}`, endpoint: decideCallStart, request })),
  ...platforms.map(byKey),
  ...platforms.map(bySignature),
];
