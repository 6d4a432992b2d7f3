import { createHmac } from 'node:crypto';
import { SaxesParser } from 'saxes';
import { expect, it } from 'vitest';
import { caller, ends, next, own, send, starts } from '../../support/voice-platforms.ts';
import { newWorld, type World } from '../../support/world.ts';
import { importPackage } from '../packages.ts';
import { compile, declare } from '../vendors-types.ts';

/** The responses to an inbound call before and after its caller is blocked. */
const getResponses = async (world: World, platform: string, body = starts[platform]?.body ?? {}) => {
  const { query } = starts[platform] ?? {};
  const accept = await send(world, platform, { ...(query && { query }), body });
  await world.block([caller]);
  const reject = await send(world, platform, { ...(query && { query }), body });
  await world.unblock([caller]);
  return { accept, reject };
};

const recorded = async (world: World, platform: string, body: Record<string, unknown>) => {
  expect((await send(world, platform, { body })).status).toBe(200);
  const { calls } = (await world.call('GET', `/calls/${world.agentId}`, { query: { phone: caller } })).body;
  expect(calls.length).toBe(1);
  return calls[0];
};

/** The elements, attributes and texts of an XML document. */
const parseEvents = (xml: string) => {
  const events: unknown[] = [];
  const parser = new SaxesParser();
  parser.on('opentag', ({ name, attributes }) => events.push([name, attributes]));
  parser.on('text', (text) => events.push(text));
  parser.on('closetag', ({ name }) => events.push(name));
  parser.write(xml).close();
  return events;
};

it('Twilio’s library builds the same TwiML', async () => {
  const { VoiceResponse } = (await importPackage('twilio')).default.twiml;
  const { accept, reject } = await getResponses(await newWorld(), 'twilio');
  const redirecting = new VoiceResponse();
  redirecting.redirect({ method: 'POST' }, next);
  expect(parseEvents(accept.text)).toEqual(parseEvents(redirecting.toString()));
  const rejecting = new VoiceResponse();
  rejecting.reject({ reason: 'rejected' });
  expect(parseEvents(reject.text)).toEqual(parseEvents(rejecting.toString()));
});

it('Twilio’s library has only the call statuses that the hook reads, and those of a call in progress', async () => {
  const type = `import('twilio/lib/rest/api/v2010/account/call.js').CallStatus`;
  const read = ['ringing', 'completed', 'busy', 'no-answer', 'failed', 'canceled'];
  const others = ['queued', 'in-progress'];
  const all = [...read, ...others].map((status) => declare(type, status));
  const exhaustive = `export const none: Exclude<${type}, ${[...read, ...others].map((status) => `'${status}'`).join(' | ')}>[] = [];
    export const never: never[] = none;`;
  expect(await compile([...all, exhaustive])).toBe('');
  expect(await compile([declare(type, 'hung-up')])).toContain('not assignable');
  const world = await newWorld();
  for (const CallStatus of others) {
    const { text } = await send(world, 'twilio', { body: { ...ends.twilio?.body, CallStatus } });
    expect(text).toMatch(/<Response\/>$/);
  }
  for (const CallStatus of read.slice(1)) {
    await send(world, 'twilio', { body: { ...ends.twilio?.body, CallStatus, CallSid: `CA-${CallStatus}` } });
  }
  const { calls } = (await world.call('GET', `/calls/${world.agentId}`)).body;
  expect(calls.map(({ status }: { status: string }) => status).sort()).toEqual(read.slice(1).sort());
});

it('Vapi’s types have the events that are read, and the responses', async () => {
  const world = await newWorld();
  const at = '2026-03-01T10:00:00.000Z';
  const call = { id: 'v1', orgId: 'o1', createdAt: at, updatedAt: at, type: 'inboundPhoneCall' };
  const numbers = {
    phoneNumber: { provider: 'twilio', number: own, twilioAccountSid: 'AC0123' },
    customer: { number: caller },
  };
  const events: Record<string, Record<string, unknown>> = {
    AssistantRequest: { type: 'assistant-request', call, ...numbers },
    EndOfCallReport: {
      ...{ type: 'end-of-call-report', endedReason: 'customer-ended-call', call, ...numbers, cost: 0.12 },
      ...{ startedAt: at, endedAt: '2026-03-01T10:01:05.000Z', analysis: { summary: 'A booking.' } },
      artifact: { recordingUrl: 'https://storage.vapi.ai/recording', transcript: 'AI: Hello' },
    },
    CampaignPredial: {
      ...{ type: 'campaign.predial', campaignId: 'c1', phoneNumber: numbers.phoneNumber },
      contact: { id: 'p1', campaignId: 'c1', orgId: 'o1', number: caller, createdAt: at },
    },
  };
  const event = (name: string) => ({ message: events[name] ?? {} });
  const start = await getResponses(world, 'vapi', event('AssistantRequest'));
  const predial = await getResponses(world, 'vapi', event('CampaignPredial'));
  expect([predial.accept.body, predial.reject.body]).toEqual([{ eligible: true }, { eligible: false }]);
  const type = (name: string) => `import('@vapi-ai/server-sdk').Vapi.ServerMessage${name}`;
  expect(
    await compile([
      ...Object.entries(events).map(([name, value]) => declare(type(name), value)),
      ...[start.accept, start.reject].map(({ body }) => declare(type('ResponseAssistantRequest'), body)),
      ...[predial.accept, predial.reject].map(({ body }) => declare(type('ResponseCampaignPredial'), body)),
    ]),
  ).toBe('');
  for (const wrong of [
    { assistant_id: 'a' },
    { assistantOverrides: { variables: {} } },
    { error: { message: 'No' } },
  ]) {
    expect(await compile([declare(type('ResponseAssistantRequest'), wrong)])).toContain('error TS');
  }
  expect(await recorded(await newWorld(), 'vapi', event('EndOfCallReport'))).toMatchObject({
    ...{ callId: 'vapi:v1', startedAt: at, durationSeconds: 65, status: 'ended' },
    details: {
      ...{ endReason: 'customer-ended-call', recordingUrl: 'https://storage.vapi.ai/recording', summary: 'A booking.' },
      ...{ analysis: { summary: 'A booking.' }, cost: { amount: 0.12, currency: 'USD' } },
    },
  });
});

it('Retell’s types have the calls that are read, and its signature fits the event as it is sent', async () => {
  const world = await newWorld();
  const call = {
    ...{ ...(ends.retell?.body.call as object), agent_id: 'agent_1', agent_version: 1, duration_ms: 65_000 },
    call_cost: { combined_cost: 12.5, product_costs: [], total_duration_seconds: 65, total_duration_unit_price: 0.1 },
  };
  const type = `import('retell-sdk').default.PhoneCallResponse`;
  expect(await compile([declare(type, call)])).toBe('');
  expect(await compile([declare(type, { ...call, call_status: 'completed' })])).toContain('not assignable');
  const { default: Retell } = await importPackage('retell-sdk');
  const text = JSON.stringify({ event: 'call_ended', call });
  const signature = await Retell.sign(text, 'key_of_retell');
  expect(await Retell.verify(text, 'key_of_retell', signature)).toBe(true);
  const { apiKey, uid, agentId } = world;
  const sent = await world.call('POST', '/hooks/retell', {
    ...{ apiKey, query: { uid, agentId }, body: text },
    headers: { 'x-retell-signature': signature, 'content-type': 'application/json' },
  });
  expect(sent.status).toBe(200);
  expect(await recorded(world, 'retell', { event: 'call_analyzed', call })).toMatchObject(ends.retell?.call ?? {});
});

it('ElevenLabs’ library reads the response to a start, and the call that ended', async () => {
  const folder = '@elevenlabs/elevenlabs-js/serialization/types';
  const loadSchema = async (name: string) => (await importPackage(`${folder}/${name}.js`))[name];
  const strictly = { unrecognizedObjectKeys: 'fail' };
  const world = await newWorld();
  const { accept } = await getResponses(world, 'elevenlabs');
  const { type, ...data } = accept.body;
  expect(type).toBe('conversation_initiation_client_data');
  const ofStart = await loadSchema('ConversationInitiationClientDataRequestInput');
  const variables = { caller_number: caller, called_number: own, direction: 'inbound' };
  expect(ofStart.parse(data, strictly)).toMatchObject({ ok: true, value: { dynamicVariables: variables } });
  expect(ofStart.parse({ dynamicVariables: variables }, strictly)).toMatchObject({ ok: false });

  const { body } = ends.elevenlabs as (typeof ends)[string];
  const sent = body.data as { metadata: { phone_call: object } };
  const phoneCall = { phone_number_id: 'phnum_1', stream_sid: 'MZ1', call_sid: 'CA1', ...sent.metadata.phone_call };
  const ended = {
    ...{ ...sent, has_audio: true, has_user_audio: true, has_response_audio: true, has_auxiliary_audio: false },
    metadata: { ...sent.metadata, phone_call: phoneCall },
    transcript: [{ role: 'agent', message: 'Hello', time_in_call_secs: 0 }],
  };
  const read = (await loadSchema('GetConversationResponseModel')).parse(ended, strictly);
  expect(read).toMatchObject({
    ok: true,
    value: { conversationId: 'conv_1', metadata: { phoneCall: { externalNumber: caller, agentNumber: own } } },
  });
  const { ElevenLabsClient } = await importPackage('@elevenlabs/elevenlabs-js');
  const { webhooks } = new ElevenLabsClient({ apiKey: 'none' });
  const event = { ...body, data: ended };
  expect(await webhooks.constructEvent(JSON.stringify(event), signed(event, 'wsec_1'), 'wsec_1')).toEqual(event);
  expect(await recorded(await newWorld(), 'elevenlabs', event)).toMatchObject(ends.elevenlabs?.call ?? {});
});

/** The signature header of ElevenLabs: HMAC-SHA256 of the time and the body. */
const signed = (event: object, secret: string) => {
  const seconds = Math.floor(Date.now() / 1000);
  return `t=${seconds},v0=${createHmac('sha256', secret)
    .update(`${seconds}.${JSON.stringify(event)}`)
    .digest('hex')}`;
};
