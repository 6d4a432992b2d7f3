import { once } from 'node:events';
import { type AddressInfo, createServer } from 'node:net';
import type { APIGatewayProxyEventV2, Context } from 'aws-lambda';
import { afterAll, beforeAll, expect, it, vi } from 'vitest';
import { decideCallStart } from '../../functions/api/decide-call-start.ts';
import { receiveHook } from '../../functions/api/receive-hook.ts';
import { newApiKey } from '../../functions/domain/api-keys.ts';
import { lambda } from '../../functions/http/lambda.ts';
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

/** Sends an event to a platform's address in this process, and measures how long the answer takes. */
const send = async (platform: string, { query, body }: Sent, apiKey = newApiKey()) => {
  const event = {
    version: '2.0',
    routeKey: 'POST /hooks/{platform}',
    rawPath: `/hooks/${platform}`,
    headers: { 'x-authorization': apiKey },
    queryStringParameters: { uid: 'acme', agentId: 'front-desk', ...query },
    pathParameters: { platform },
    requestContext: { requestId: 'request-1', http: { method: 'POST', sourceIp: '127.0.0.1' } },
    body,
    isBase64Encoded: false,
  } as unknown as APIGatewayProxyEventV2;
  const began = performance.now();
  const { statusCode, body: text = '', headers = {} } = await lambda(receiveHook)(event, {} as Context);
  return { status: statusCode, text, headers, milliseconds: performance.now() - began };
};

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

it.each(Object.keys(starts))(
  '%s: a start is answered as `unsure` says after 2 s, and the log has an error',
  async (platform) => {
    const sent = starts[platform] as Sent;
    const logged = vi.spyOn(process.stderr, 'write').mockReturnValue(true);
    const [unasked, reject] = await Promise.all([
      send(platform, sent),
      send(platform, { ...sent, query: { ...sent.query, unsure: 'reject' } }),
    ]);
    const lines = logged.mock.calls.map(([line]) => String(line)).filter((line) => line.startsWith('{'));
    logged.mockRestore();
    for (const [answer, decision] of [
      [unasked, 'accept'],
      [reject, 'reject'],
    ] as const) {
      const [status, text] = decisions[platform]?.[decision] ?? [];
      expect(answer.status).toBe(status);
      expect(answer.text).toMatch(text as RegExp);
      expect(answer.headers['x-request-id']).toBe('request-1');
      expect(answer.milliseconds).toBeGreaterThan(1900);
      expect(answer.milliseconds).toBeLessThan(3500);
      expect(lines.map((line) => JSON.parse(line))).toContainEqual(
        expect.objectContaining({ level: 'error', operation: 'receiveHook', platform, unsure: decision }),
      );
    }
  },
);

it('a campaign of Vapi asks and is answered so, too; a malformed key never is', async () => {
  const unsure = await send('vapi', { body: predial, query: { unsure: 'reject' } });
  expect([unsure.status, unsure.text]).toEqual([200, '{"eligible":false}']);
  expect((await send('twilio', starts.twilio as Sent, 'vap_nonsense')).status).toBe(401);
});

it('an end is a 500, which platforms send again, and so is POST /call-starts, within 6 s', async () => {
  const body = JSON.stringify({ event: 'call_ended', call: { call_id: 'r1', from_number: from } });
  const end = await send('retell', { body, query: { unsure: 'accept' } });
  expect([end.status, JSON.parse(end.text).error]).toEqual([500, 'internal_error']);
  expect(end.milliseconds).toBeLessThan(6500);
  const began = performance.now();
  const start = await invoke(decideCallStart, {
    apiKey: newApiKey(),
    body: { uid: 'acme', agentId: 'front-desk', from },
  });
  expect([start.status, start.body.error]).toEqual([500, 'internal_error']);
  expect(performance.now() - began).toBeLessThan(6500);
});
