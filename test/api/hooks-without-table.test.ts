import { once } from 'node:events';
import { type AddressInfo, createServer } from 'node:net';
import { afterAll, beforeAll, expect, it, vi } from 'vitest';
import { decideCallStart } from '../../functions/api/decide-call-start.ts';
import { receiveHook } from '../../functions/api/receive-hook.ts';
import { newApiKey } from '../../functions/domain/api-keys.ts';
import type { Platform } from '../../functions/hooks/platforms/platform.ts';
import { platforms } from '../../functions/hooks/platforms/platforms.ts';
import { invoke } from '../support/events.ts';
import '../support/quiet-logs.ts';
import { useTargetInThisProcess } from '../support/world.ts';

/** A database that takes connections and never answers. */
const silent = createServer(() => {});
beforeAll(async () => {
  silent.listen(0, '127.0.0.1');
  await once(silent, 'listening');
  useTargetInThisProcess();
  delete process.env.TABLE_TIMEOUT_SECONDS;
  process.env.AWS_ENDPOINT_URL_DYNAMODB = `http://127.0.0.1:${(silent.address() as AddressInfo).port}`;
});
afterAll(() => silent.close());

const [from, to] = ['+14155550100', '+14155550123'];
const next = 'https://voice.example.com/answer?a=1&b=2';

type Sent = { query?: Record<string, string>; body: string };
const starts: Record<string, Sent> = {
  twilio: { query: { next }, body: new URLSearchParams({ CallStatus: 'ringing', From: from, To: to }).toString() },
  vapi: {
    query: { assistantId: 'assistant-1' },
    body: JSON.stringify({ message: { type: 'assistant-request', customer: { number: from } } }),
  },
  retell: { body: JSON.stringify({ event: 'call_inbound', call_inbound: { from_number: from, to_number: to } }) },
  elevenlabs: { body: JSON.stringify({ caller_id: from, called_number: to, call_sid: 'CA1' }) },
};
const predial = JSON.stringify({ message: { type: 'campaign.predial', customer: { number: from } } });

const endOfVapi = JSON.stringify({ message: { type: 'end-of-call-report', call: { id: 'v1' } } });

const endOfCall = new URLSearchParams({ CallStatus: 'completed', CallSid: 'CA1', From: from, To: to }).toString();
const ends: Record<keyof typeof platforms, string> = {
  twilio: endOfCall,
  telnyx: endOfCall,
  vapi: endOfVapi,
  retell: JSON.stringify({ event: 'call_ended', call: { call_id: 'r1', from_number: from } }),
  elevenlabs: JSON.stringify({ type: 'post_call_transcription', data: { conversation_id: 'c1', agent_id: 'a1' } }),
};

/** Every credential that a platform's request may have, with its headers and query. */
const listCredentials = ({ secret }: Platform): Record<string, { headers?: Record<string, string>; key?: string }> => ({
  'a key': { headers: { 'x-authorization': newApiKey() } },
  'a key as a bearer token': { headers: { authorization: `Bearer ${newApiKey()}` } },
  'a key in the address': { key: newApiKey() },
  ...Object.fromEntries(
    [...secret.headers, ...(secret.customHeader ? ['x-proof'] : [])].map((name) => [
      name,
      { headers: { [name]: name === 'authorization' ? 'Bearer secret-of-1-2-3-4' : 'secret-of-1-2-3-4' } },
    ]),
  ),
});

const timed = async <T extends object>(response: Promise<T>) => {
  const began = performance.now();
  return { ...(await response), milliseconds: performance.now() - began };
};

/** Sends an event to a platform's address in this process, and measures how long the answer takes. */
const send = (
  platform: string,
  { query, body }: Sent,
  apiKey = newApiKey(),
  proof: Record<string, string> = { 'x-authorization': apiKey },
) =>
  timed(
    invoke(receiveHook, {
      ...{ params: { platform }, query: { uid: 'acme', agentId: 'front-desk', ...query } },
      ...{ headers: proof, body },
    }),
  );

const decisions: Record<string, Record<'accept' | 'reject', [number, RegExp]>> = {
  twilio: {
    accept: [200, /<Response><Redirect method="POST">https:\/\/voice\.example\.com\/answer\?a=1&amp;b=2<\/Redirect>/],
    reject: [200, /<Response><Reject reason="rejected"\/><\/Response>/],
  },
  vapi: { accept: [200, /"assistantId":"assistant-1".*"caller_number":"\+14155550100"/], reject: [200, /^\{"error":/] },
  retell: {
    accept: [200, /"dynamic_variables":\{.*"called_number":"\+14155550123"/],
    reject: [200, /^\{"call_inbound":\{\}\}$/],
  },
  elevenlabs: { accept: [200, /"conversation_initiation_client_data"/], reject: [403, /"call_rejected"/] },
};

/** The replies to all requests, which wait at the same time, and what was logged meanwhile. */
const replies: Record<string, Awaited<ReturnType<typeof send>>> = {};
let callStart: { status?: number; body: { error: string }; milliseconds: number };
let lines: unknown[];
beforeAll(async () => {
  const logged = vi.spyOn(process.stderr, 'write').mockReturnValue(true);
  const requests = {
    campaign: send('vapi', { body: predial }),
    'accepted campaign': send('vapi', { body: predial, query: { unsure: 'accept' } }),
    'signed start': send('retell', starts.retell as Sent, '', { 'x-retell-signature': 'v=1,d=0' }),
    'signed start by a chosen header': send('vapi', starts.vapi as Sent, '', { 'x-proof': 'a'.repeat(64) }),
    'secret in a chosen header': send('elevenlabs', starts.elevenlabs as Sent, '', { 'x-proof': 'secret-of-1-2-3' }),
    'signed end by a chosen header': send('vapi', { body: endOfVapi }, '', { 'x-proof': `sha256=${'a'.repeat(64)}` }),
    'end without proof': send('vapi', { body: endOfVapi }, '', { 'x-call-id': 'v1-of-a-long-call-id' }),
    ...Object.fromEntries(
      Object.entries(ends).flatMap(([platform, body]) =>
        Object.entries(listCredentials(platforms[platform as keyof typeof platforms])).map(
          ([name, { headers, key }]) => [
            `${platform} end with ${name}`,
            send(platform, { body, query: key ? { key } : undefined }, '', headers ?? {}),
          ],
        ),
      ),
    ),
    unsigned: send('retell', starts.retell as Sent, '', {}),
    'malformed key': send('twilio', starts.twilio as Sent, 'vap_nonsense'),
    end: send('retell', {
      body: JSON.stringify({ event: 'call_ended', call: { call_id: 'r1', from_number: from } }),
      query: { unsure: 'accept' },
    }),
    ...Object.fromEntries(
      Object.entries(starts).flatMap(([platform, start]) => [
        [`${platform} accept`, send(platform, start)],
        [`${platform} reject`, send(platform, { ...start, query: { ...start.query, unsure: 'reject' } })],
      ]),
    ),
  };
  const body = { uid: 'acme', agentId: 'front-desk', from };
  const other = timed(invoke(decideCallStart, { apiKey: newApiKey(), body }));
  for (const [name, reply] of Object.entries(requests)) replies[name] = await reply;
  callStart = await other;
  const texts = logged.mock.calls.map(([line]) => String(line));
  logged.mockRestore();
  lines = texts.filter((line) => line.startsWith('{')).map((line) => JSON.parse(line));
});

it.each(Object.keys(starts))(
  'a start from %s gets the response of `unsure` after 2 s without a table, and the log has an error',
  (platform) => {
    for (const decision of ['accept', 'reject'] as const) {
      const reply = replies[`${platform} ${decision}`];
      const [status, text] = decisions[platform]?.[decision] ?? [];
      expect(reply?.status).toBe(status);
      expect(reply?.text).toMatch(text as RegExp);
      expect(reply?.headers['x-request-id']).toMatch(/.+/);
      expect(reply?.milliseconds).toBeGreaterThan(1900);
      expect(reply?.milliseconds).toBeLessThan(3500);
      expect(lines).toContainEqual(
        expect.objectContaining({ level: 'error', operation: 'receiveHook', platform, unsure: decision }),
      );
    }
  },
);

it('a campaign of Vapi is rejected without a table unless `unsure` accepts; a malformed key never gets a decision', () => {
  expect(replies.campaign).toMatchObject({ status: 200, text: '{"eligible":false}' });
  expect(replies['accepted campaign']).toMatchObject({ status: 200, text: '{"eligible":true}' });
  expect(replies['malformed key']?.status).toBe(401);
});

it('without a table, a start with a signature that cannot be verified gets a decision, and one without any proof is a 401', () => {
  expect(replies['signed start']).toMatchObject({ status: 200, text: expect.stringContaining('dynamic_variables') });
  const { status, text = '' } = replies.unsigned ?? {};
  expect([status, JSON.parse(text).error]).toEqual([401, 'missing_api_key']);
});

it('without a table, a header that Vapi or ElevenLabs may have been told to use counts as a signature: no end is a 401', () => {
  expect(replies['signed start by a chosen header']).toMatchObject({
    status: 200,
    text: expect.stringContaining('"assistantId":"assistant-1"'),
  });
  expect(replies['secret in a chosen header']).toMatchObject({
    status: 200,
    text: expect.stringContaining('dynamic_variables'),
  });
  expect(replies['signed end by a chosen header']?.status).toBe(500);
  expect(replies['end without proof']?.status).toBe(401);
});

it('an end without a table is a 500, which platforms retry, and so is POST /call-starts, within 6 s', () => {
  const { status, text = '', milliseconds } = replies.end ?? {};
  expect([status, JSON.parse(text).error]).toEqual([500, 'internal_error']);
  expect(milliseconds).toBeLessThan(6500);
  expect([callStart.status, callStart.body.error]).toEqual([500, 'internal_error']);
  expect(callStart.milliseconds).toBeLessThan(6500);
});

it('an end with any credential of its platform is a 500 without a table, never a 401, which no platform sends again', () => {
  const answered = Object.entries(replies).filter(([name]) => name.includes(' end with '));
  expect(answered.length).toBeGreaterThan(20);
  expect(answered.filter(([, { status }]) => status !== 500).map(([name, { status }]) => [name, status])).toEqual([]);
});
