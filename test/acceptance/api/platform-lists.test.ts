import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { startVoicePlatforms, type VoicePlatforms } from '../../../bin/local/voice-platforms.ts';
import { other, own, platformCall } from '../../support/platform-calls.ts';
import { importPackage } from '../packages.ts';
import { compile, declare } from '../vendors-types.ts';

// The fakes of the platforms' lists of calls are read by the packages of the platforms, with the same questions as the service asks.

const apiKey = 'key-1';
const accountId = 'AC0123';
const hour = 60 * 60 * 1000;
const from = Date.now() - 26 * hour;
const to = Date.now();
const said = ['Hello, I would like an appointment.'];

let platforms: VoicePlatforms;
beforeAll(async () => {
  platforms = await startVoicePlatforms();
});
beforeEach(() => {
  platforms.requests.length = 0;
});
afterAll(() => platforms.stop());

type TwilioRequest = { method: string; uri: string; username: string; password: string; params?: object };

const names = ['vapi', 'retell', 'elevenlabs', 'twilio', 'telnyx'] as const;

/** Three calls an hour apart: the second is outbound, and the third is not over. */
const setCalls = (platform: (typeof names)[number]) => {
  const more = { cost: 0.12, summary: 'Booked.', findings: { custom_call_outcome: 'booked' }, said };
  const startedAt = Math.floor(Date.now() / 1000) * 1000 - hour;
  const calls = [
    platformCall(platform, { id: 'c1', startedAt, ...more }),
    platformCall(platform, { id: 'c2', startedAt: startedAt - hour, direction: 'outbound' }),
    platformCall(platform, { id: 'c3', startedAt: startedAt - 2 * hour, endedAt: undefined, status: 'in-progress' }),
  ];
  if (platform === 'retell') Object.assign(calls[2] as object, { status: 'ongoing' });
  platforms.accounts[platform] = { apiKey, accountId, calls };
  return { startedAt };
};

describe('the fake lists of calls', () => {
  it('Vapi’s package reads the list and the number, and its types have every field', async () => {
    const { startedAt } = setCalls('vapi');
    const { VapiClient } = await importPackage('@vapi-ai/server-sdk');
    const client = new VapiClient({ token: apiKey, baseUrl: platforms.endpoint });
    const asked = { limit: 1000, assistantId: 'assistant-1', createdAtLe: new Date(to).toISOString() };
    const range = { createdAtGe: new Date(from).toISOString(), updatedAtGe: new Date(from).toISOString() };
    const calls = await client.calls.list({ ...asked, ...range });
    expect(calls.map(({ id }: { id: string }) => id)).toEqual(['c1', 'c2', 'c3']);
    expect(calls[0]).toMatchObject({ startedAt: new Date(startedAt).toISOString(), status: 'ended', cost: 0.12 });
    const { number } = await client.phoneNumbers.get({ id: calls[0].phoneNumberId });
    expect(number).toBe(own);
    const type = "import('@vapi-ai/server-sdk').Vapi.Call";
    expect(await compile(calls.map((call: unknown) => declare(type, call)))).toBe('');
  });

  it('Retell’s package reads the list page by page, and the calls', async () => {
    setCalls('retell');
    platforms.maxPage = 2;
    const { default: Retell } = await importPackage('retell-sdk');
    const client = new Retell({ apiKey, baseURL: platforms.endpoint });
    const filter_criteria = {
      agent: [{ agent_id: 'assistant-1' }],
      start_timestamp: { type: 'range', op: 'bt', value: [from, to] },
    };
    const asked = { filter_criteria, limit: 1000, sort_order: 'descending' };
    const first = await client.call.list(asked);
    const second = await client.call.list({ ...asked, pagination_key: first.pagination_key });
    platforms.maxPage = 1000;
    const items = [...first.items, ...second.items];
    expect(items.map(({ call_id }: { call_id: string }) => call_id)).toEqual(['c1', 'c2', 'c3']);
    expect([first.has_more, second.has_more]).toEqual([true, false]);
    const whole = await client.call.retrieve('c1');
    expect(whole).toMatchObject({ from_number: other, to_number: own, call_cost: { combined_cost: 12 } });
    expect(whole.transcript_object[0].content).toBe(said[0]);
    const Calls = "import('retell-sdk/resources/call').";
    expect(
      await compile([
        ...[first, second].map((page) => declare(`${Calls}CallListResponse`, page)),
        declare(`${Calls}CallResponse`, whole),
      ]),
    ).toBe('');
  });

  it('ElevenLabs’ package reads the list page by page, and the conversations', async () => {
    const { startedAt } = setCalls('elevenlabs');
    platforms.maxPage = 2;
    const { ElevenLabsClient } = await importPackage('@elevenlabs/elevenlabs-js');
    const client = new ElevenLabsClient({ apiKey, baseUrl: platforms.endpoint });
    const { conversations } = client.conversationalAi;
    const [callStartAfterUnix, callStartBeforeUnix] = [from, to].map((time) => Math.floor(time / 1000));
    const asked = { agentId: 'assistant-1', callStartAfterUnix, callStartBeforeUnix, pageSize: 100 };
    const first = await conversations.list(asked);
    const second = await conversations.list({ ...asked, cursor: first.nextCursor });
    platforms.maxPage = 1000;
    const all = [...first.conversations, ...second.conversations];
    expect(all.map(({ conversationId }: { conversationId: string }) => conversationId)).toEqual(['c1', 'c2', 'c3']);
    expect(Object.values(all[0])).toEqual(expect.arrayContaining([startedAt / 1000, 65, 'done']));
    const whole = await conversations.get('c1');
    expect(whole).toMatchObject({ status: 'done', metadata: { costFiat: 0.12 } });
    expect(whole.metadata.phoneCall).toMatchObject({ agentNumber: own, externalNumber: other });
    expect(whole.transcript[0]).toMatchObject({ role: 'user', message: said[0] });
  });

  it('Twilio’s package reads the list page by page', async () => {
    setCalls('twilio');
    platforms.maxPage = 2;
    const { default: twilio } = await importPackage('twilio');
    // The package has no setting for another address.
    const httpClient = {
      async request({ method, uri, username, password, params = {} }: TwilioRequest) {
        const address = new URL(uri);
        for (const [name, value] of Object.entries(params)) address.searchParams.set(name, String(value));
        const url = `${platforms.endpoint}${address.pathname}${address.search}`;
        const authorization = `Basic ${Buffer.from(`${username}:${password}`).toString('base64')}`;
        const response = await fetch(url, { method, headers: { authorization } });
        return { statusCode: response.status, body: await response.json(), headers: {} };
      },
    };
    const client = twilio(accountId, apiKey, { httpClient });
    const range = { startTimeAfter: new Date(from), startTimeBefore: new Date(to + 24 * hour) };
    const calls = await client.calls.list({ ...range, pageSize: 1000 });
    platforms.maxPage = 1000;
    expect(calls.map(({ sid }: { sid: string }) => sid)).toEqual(['c1', 'c2', 'c3']);
    expect(calls[0]).toMatchObject({ from: other, to: own, direction: 'inbound', status: 'completed', duration: '65' });
    expect(calls[0].startTime).toBeInstanceOf(Date);
    expect([calls[0].price, calls[0].priceUnit]).toEqual(['-0.12', 'USD']);
    expect(platforms.requests).toHaveLength(2);
  });

  it('Telnyx’ package reads the list, whose types have every field', async () => {
    setCalls('telnyx');
    const { default: Telnyx } = await importPackage('telnyx');
    const client = new Telnyx({ apiKey, baseURL: `${platforms.endpoint}/v2` });
    const page = await client.texml.accounts.calls.retrieveCalls(accountId, { PageSize: 1000 });
    expect(page.calls.map(({ sid }: { sid: string }) => sid)).toEqual(['c1', 'c2', 'c3']);
    expect(page.calls[0]).toMatchObject({ from: other, to: own, status: 'completed' });
    const type = "import('telnyx/resources/texml/accounts/calls/calls').CallRetrieveCallsResponse";
    expect(await compile([declare(type, page)])).toBe('');
  });

  it.each(names)('a wrong key of %s is refused with 401', async (platform) => {
    setCalls(platform);
    const paths = { vapi: '/call', retell: '/v3/list-calls', elevenlabs: '/v1/convai/conversations' };
    const account = `/Accounts/${accountId}/Calls`;
    const path = { ...paths, twilio: `/2010-04-01${account}.json`, telnyx: `/v2/texml${account}` }[platform];
    const response = await fetch(platforms.endpoint + path, { headers: { authorization: 'Bearer another' } });
    expect(response.status).toBe(401);
  });
});
