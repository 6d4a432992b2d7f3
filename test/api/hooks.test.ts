import { beforeAll, describe, expect, it } from 'vitest';
import { apiKeys } from '../../functions/store/api-keys.ts';
import {
  accepted,
  caller,
  ends,
  endsWithoutTimes,
  next,
  own,
  readBody,
  rejected,
  type Sent,
  send,
  starts,
} from '../support/voice-platforms.ts';
import { call, newWorld, type World } from '../support/world.ts';

describe.concurrent.each(Object.keys(starts))('a webhook of %s', (platform) => {
  const sent = starts[platform] as Sent;
  let world: World;
  beforeAll(async () => {
    world = await newWorld();
  });

  it(`a webhook of ${platform} finds the agent by the number that was called, and rejects a foreign one`, async () => {
    const [world, stranger] = [await newWorld(), await newWorld()];
    await world.call('PATCH', `/agents/${world.agentId}`, { body: { phoneNumber: own } });
    const query = { ...sent.query, agentId: undefined };
    expect((await send(world, platform, { ...sent, query })).status).toBe(200);
    expect((await send(stranger, platform, { ...sent, query })).body.error).toBe('agent_not_found');
    const foreign = { ...sent, query: { ...sent.query, agentId: world.agentId } };
    expect((await send(stranger, platform, foreign)).status).toBe(401);
  });

  it.each([
    { CallStatus: 'queued' },
    { event: 'other' },
    { message: [] },
    { message: { type: 'transcript' } },
    { call_inbound: null },
  ])(`a webhook of ${platform} for anything else gets an empty response: %j`, async (body) => {
    const response = await send(world, platform, { body: body as Record<string, unknown> });
    expect(response.status).toBe(200);
    expect(response.text).toMatch(platform === 'twilio' ? /<Response\/>$/ : /^\{\}$/);
  });
});

const elevenlabsEnd = (seconds: number, more: object = {}) => ({
  type: 'post_call_transcription',
  data: { conversation_id: 'c9', status: 'done', metadata: { start_time_unix_secs: seconds, ...more } },
});
const nowSeconds = () => Math.floor(Date.now() / 1000);

it('an end moves the start of a recorded call by at most a day, and never into the future', async () => {
  const world = await newWorld();
  const started = nowSeconds() - 3600;
  const startCall = async (seconds: number) => {
    expect((await send(world, 'elevenlabs', { body: elevenlabsEnd(seconds) })).status).toBe(200);
    const call = (await world.call('GET', `/calls/${world.agentId}/elevenlabs:c9`)).body;
    return Date.parse(call.startedAt) / 1000;
  };
  expect(await startCall(started)).toBe(started);
  expect(await startCall(started - 25 * 3600)).toBe(started);
  expect(await startCall(253_402_300_000)).toBeLessThanOrEqual(Date.now() / 1000);
  expect(await startCall(started - 600)).toBe(started - 600);
});

it('an end fills what is missing of a recorded call, and replaces nothing that is known', async () => {
  const world = await newWorld();
  const { agentId, call } = world;
  const path = `/calls/${agentId}/twilio:CA77`;
  const known = {
    ...{ phone: '+14155551001', agentPhone: own, direction: 'inbound', status: 'done', agentVersion: 1 },
    startedAt: '2026-03-01T10:00:00.000Z',
    durationSeconds: 100,
    details: { recordingUrl: 'https://recordings.example.com/1.mp3', note: 'x'.repeat(49_000) },
  };
  await call('PUT', path, { body: known });
  await call('PATCH', path, { body: { custom_call_outcome: 'sold' } });
  const end = {
    CallSid: 'CA77',
    CallStatus: 'failed',
    CallDuration: '7',
    Timestamp: 'Sun, 01 Mar 2026 10:05:00 +0000',
  };
  const parties = { From: '+14155559999', To: '+14155559998', Direction: 'outbound-api' };
  const details = { RecordingUrl: 'https://recordings.example.com/2.mp3' };
  for (const body of [end, { ...end, ...parties }, { ...end, ...details }, { ...end, Timestamp: 'x' }]) {
    expect((await send(world, 'twilio', { body })).status).toBe(200);
    expect((await call('GET', path)).body).toMatchObject({
      ...{ ...known, endedAt: '2026-03-01T10:05:00.000Z', custom_call_outcome: 'sold' },
    });
  }
});

it('an end without numbers keeps those of a call that was recorded when it began', async () => {
  const world = await newWorld();
  const path = `/calls/${world.agentId}/twilio:CA78`;
  const begun = { phone: caller, direction: 'outbound', startedAt: new Date().toISOString(), status: 'in-progress' };
  await world.call('PUT', path, { body: begun });
  const body = { CallSid: 'CA78', CallStatus: 'completed', CallDuration: '12' };
  expect((await send(world, 'twilio', { body })).status).toBe(200);
  expect((await world.call('GET', path)).body).toMatchObject({
    ...{ phone: caller, direction: 'outbound', status: 'completed', durationSeconds: 12 },
  });
});

it('an end of a call in the future is recorded as one that has ended now', async () => {
  const world = await newWorld();
  expect((await send(world, 'elevenlabs', { body: elevenlabsEnd(8_640_000_000_000) })).status).toBe(200);
  const { startedAt } = (await world.call('GET', `/calls/${world.agentId}/elevenlabs:c9`)).body;
  expect(Math.abs(Date.parse(startedAt) - Date.now())).toBeLessThan(60_000);
});

it.each([
  ['a recording URL that is too long', { recording_url: `https://example.com/${'x'.repeat(60_000)}` }, {}],
  ['a recording URL of another scheme', { recording_url: 'javascript:alert(1)' }, {}],
  ['half a surrogate pair in its status', { call_status: 'a\ud800' }, { status: 'a\ufffd' }],
  ['a tiny duration', { duration_ms: 1e-9 }, { durationSeconds: 0 }],
  ['a negative year', { start_timestamp: -90_000_000_000_000 }, {}],
  ['a reason that is too long', { disconnection_reason: 'x'.repeat(60_000) }, {}],
])('an end with %s is recorded without what does not fit', async (_, more, expected) => {
  const world = await newWorld();
  const body = { event: 'call_ended', call: { call_id: 'r9', from_number: caller, ...more } };
  expect((await send(world, 'retell', { body })).status).toBe(200);
  const { status, body: found } = await world.call('GET', `/calls/${world.agentId}/retell:r9`);
  expect([status, found]).toEqual([200, expect.objectContaining({ callId: 'retell:r9', phone: caller, ...expected })]);
  expect(found).not.toHaveProperty('details');
});

const retellEnd = (event: string, more: object) => ({
  event,
  call: { call_id: 'r8', from_number: caller, to_number: own, start_timestamp: 1772359200000, ...more },
});
const detailsAfter = async (world: World, ...events: object[]) => {
  for (const body of events)
    expect((await send(world, 'retell', { body: body as Record<string, unknown> })).status).toBe(200);
  return (await world.call('GET', `/calls/${world.agentId}/retell:r8`)).body.details;
};

it('an analysis that comes before the end of its call is kept', async () => {
  const analyzed = retellEnd('call_analyzed', { call_analysis: { call_summary: 'Booked.' } });
  const ended = retellEnd('call_ended', { disconnection_reason: 'user_hangup' });
  const expected = { endReason: 'user_hangup', summary: 'Booked.', analysis: { call_summary: 'Booked.' } };
  expect(await detailsAfter(await newWorld(), analyzed, ended)).toEqual(expected);
  expect(await detailsAfter(await newWorld(), ended, analyzed, ended)).toEqual(expected);
});

it('an analysis that is larger than details may be loses its largest fields, and a summary its end', async () => {
  const analysis = {
    call_summary: 'é'.repeat(400_000),
    custom_analysis_data: { outcome: 'booked', notes: 'x'.repeat(60_000), amount: 149.5 },
    list: [['x'.repeat(60_000)]],
    user_sentiment: 'Positive',
  };
  const details = await detailsAfter(await newWorld(), retellEnd('call_analyzed', { call_analysis: analysis }));
  expect(details).toEqual({
    summary: 'é'.repeat(10_000),
    analysis: { custom_analysis_data: { outcome: 'booked', amount: 149.5 }, user_sentiment: 'Positive' },
  });
}, 60_000);

it('an analysis that is deeper than details may be loses its deepest levels', async () => {
  const deep = (levels: number): object => (levels === 0 ? {} : { level: deep(levels - 1), at: levels });
  const details = await detailsAfter(await newWorld(), retellEnd('call_analyzed', { call_analysis: deep(15) }));
  let levels = 0;
  for (let at = details.analysis; at; at = at.level) expect(at.at).toBe(15 - levels++);
  expect(levels).toBe(9);
});

it.each([null, 'text', 5, [], {}])(
  'an analysis of another type, or an empty one, is left out: %j',
  async (analysis) => {
    const details = await detailsAfter(
      await newWorld(),
      retellEnd('call_analyzed', { call_analysis: analysis, disconnection_reason: 'user_hangup' }),
    );
    expect(details).toEqual({ endReason: 'user_hangup' });
  },
);

it('the recording of a call at Vapi is found under each name that its messages have for it', async () => {
  const world = await newWorld();
  const url = 'https://storage.vapi.ai/r';
  const artifacts = [
    { recordingUrl: url },
    { recording: { mono: { combinedUrl: url } } },
    { recording: { stereoUrl: url } },
    { stereoRecordingUrl: url },
  ];
  for (const [index, artifact] of artifacts.entries()) {
    const call = { id: `v${index}`, customer: { number: caller } };
    await send(world, 'vapi', { body: { message: { type: 'end-of-call-report', call, artifact } } });
    const { details } = (await world.call('GET', `/calls/${world.agentId}/vapi:v${index}`)).body;
    expect(details).toEqual({ recordingUrl: url });
  }
});

const callIds: Record<string, string> = { twilio: 'twilio:CA0123', vapi: 'vapi:v1', elevenlabs: 'elevenlabs:CA0123' };

it.each(Object.keys(callIds))(
  'a call of %s that is rejected is recorded as rejected, with its cause, and stays so when it ends',
  async (platform) => {
    const world = await newWorld();
    await world.block([caller]);
    const sent = starts[platform] as Sent;
    for (const _ of [1, 2]) expect([200, 403]).toContain((await send(world, platform, sent)).status);
    const { calls } = (await world.call('GET', `/calls/${world.agentId}`, { query: { status: 'rejected' } })).body;
    expect(calls).toEqual([
      {
        ...{ callId: callIds[platform], agentId: world.agentId, phone: caller, agentPhone: own },
        ...{ direction: 'inbound', startedAt: expect.any(String), status: 'rejected', details: { cause: 'blocked' } },
        agentVersion: 1,
      },
    ]);
    expect(Math.abs(Date.parse(calls[0].startedAt) - Date.now())).toBeLessThan(60_000);
    if (platform === 'elevenlabs') return;
    await send(world, platform, { body: ends[platform]?.body ?? {} });
    const ended = (await world.call('GET', `/calls/${world.agentId}/${callIds[platform]}`)).body;
    expect(ended).toMatchObject({ status: 'rejected', durationSeconds: 65, details: { cause: 'blocked' } });
  },
);

it('a rejected call without a number, or without an id that a call can have, is rejected all the same', async () => {
  const world = await newWorld();
  const configuration = { rejectWithheldNumbers: true };
  await world.call('PATCH', `/agents/${world.agentId}`, { body: { configuration } });
  const start = (CallSid?: string) =>
    send(world, 'twilio', {
      body: { ...(CallSid && { CallSid }), CallStatus: 'ringing', From: 'anonymous', To: own },
    });
  for (const id of ['CA1', undefined, 'C A', 'x'.repeat(500)]) expect((await start(id)).text).toContain('<Reject');
  const { calls } = (await world.call('GET', `/calls/${world.agentId}`)).body;
  expect(calls).toMatchObject([{ callId: 'twilio:CA1', status: 'rejected', details: { cause: 'withheld_number' } }]);
  expect(calls[0]).not.toHaveProperty('phone');
});

it.each([
  ['twilio', { StirVerstat: 'TN-Validation-Failed-B' }],
  ['telnyx', { ShakenStirAttestation: 'B', ShakenStirValidated: 'false' }],
])('a call of %s is rejected by its attestation, and recorded with it', async (platform, fields) => {
  const world = await newWorld();
  const configuration = { rejectAttestations: ['failed'] };
  const [rejected, accepted] = [await newWorld(), world];
  await rejected.call('PATCH', `/agents/${rejected.agentId}`, { body: { configuration } });
  const call = { CallSid: 'CA1', From: caller, To: own, ...fields };
  const report = (to: World, CallStatus: string, more: object = {}) =>
    send(to, platform, { query: { next }, body: { ...call, CallStatus, ...more } });
  expect((await report(rejected, 'ringing')).text).toContain('<Reject');
  expect((await report(accepted, 'ringing')).text).toContain('<Redirect');
  const recorded = async ({ call: ask, agentId }: World) => (await ask('GET', `/calls/${agentId}`)).body.calls;
  expect(await recorded(accepted)).toEqual([]);
  for (const to of [rejected, accepted]) await report(to, 'completed', { CallDuration: '65' });
  expect(await recorded(accepted)).toMatchObject([{ status: 'completed', details: { attestation: 'failed' } }]);
  const details = { cause: 'attestation', attestation: 'failed' };
  expect(await recorded(rejected)).toMatchObject([{ status: 'rejected', durationSeconds: 65, details }]);
});

it('a call that was recorded before it is rejected keeps its facts and its outcome, and one that ended its status', async () => {
  const world = await newWorld();
  await send(world, 'vapi', { body: ends.vapi?.body ?? {} });
  await world.recordCall('twilio:CA0123', { startedAt: '2026-03-01T10:00:00Z', details: { crm: 7 } });
  await world.call('PATCH', `/calls/${world.agentId}/twilio:CA0123`, { body: { custom_call_outcome: 'booked' } });
  await world.block([caller]);
  await send(world, 'twilio', starts.twilio as Sent);
  expect((await world.call('GET', `/calls/${world.agentId}/twilio:CA0123`)).body).toMatchObject({
    ...{ startedAt: '2026-03-01T10:00:00.000Z', status: 'rejected', details: { crm: 7, cause: 'blocked' } },
    custom_call_outcome: 'booked',
  });
  await send(world, 'vapi', starts.vapi as Sent);
  expect((await world.call('GET', `/calls/${world.agentId}/vapi:v1`)).body).toMatchObject(ends.vapi?.call ?? {});
});

it.concurrent.each(Object.entries(endsWithoutTimes))(
  'an end of %s without times keeps its first start',
  async (platform, body) => {
    const world = await newWorld();
    const callsOfAgent = async () => (await world.call('GET', `/calls/${world.agentId}`)).body.calls;
    expect((await send(world, platform, { body })).status).toBe(200);
    const recorded = await callsOfAgent();
    expect(recorded).toMatchObject([{ startedAt: expect.any(String) }]);
    expect((await send(world, platform, { body })).status).toBe(200);
    expect(await callsOfAgent()).toEqual(recorded);
  },
);

describe.concurrent('what a platform needs to accept a call', () => {
  it.each([
    ['twilio', 'next'],
    ['vapi', 'assistantId'],
  ])('the response to %s needs %s, and a rejection does not', async (platform, name) => {
    const world = await newWorld();
    const { body } = starts[platform] as Sent;
    const missing = await send(world, platform, { body });
    expect([missing.status, missing.body.details[0].path]).toEqual([400, name]);
    await world.block([caller]);
    expect((await send(world, platform, { body })).status).toBe(200);
  });

  it('a hook accepts only an https address as `next` of Twilio, and accept or reject for `unsure`', async () => {
    const world = await newWorld();
    const { body } = starts.twilio as Sent;
    expect((await send(world, 'twilio', { body, query: { next: 'http://a.example' } })).status).toBe(400);
    expect((await send(world, 'twilio', { body, query: { next, unsure: 'maybe' } })).status).toBe(400);
  });

  it('a hook takes its key from a header, or from the query if hooks are the only scope of the key', async () => {
    const world = await newWorld();
    const sent = starts.elevenlabs as Sent;
    const { secret } = await apiKeys.get().create(world.uid, { name: 'hooks', scopes: ['hooks'] });
    const path = '/hooks/elevenlabs';
    const query = { uid: world.uid, agentId: world.agentId };
    const bearer = { authorization: `Bearer ${world.apiKey}` };
    expect((await call('POST', path, { query, body: sent.body, headers: bearer })).status).toBe(200);
    expect((await call('POST', path, { query: { ...query, key: secret }, body: sent.body })).status).toBe(200);
    const everything = await call('POST', path, { query: { ...query, key: world.apiKey }, body: sent.body });
    expect([everything.status, everything.body.error]).toEqual([401, 'invalid_api_key']);
    expect((await call('POST', path, { query, body: sent.body })).body.error).toBe('missing_api_key');
  });

  it('a hook of an unknown platform is rejected', async () => {
    const world = await newWorld();
    const response = await send(world, 'carrier', { body: {} });
    expect([response.status, response.body.error]).toEqual([404, 'not_found']);
  });
});

it.concurrent('a campaign of Vapi asks before each call whether it may be made', async () => {
  const world = await newWorld();
  const body = { message: { type: 'campaign.predial', customer: { number: caller }, phoneNumber: { number: own } } };
  // A contact of a campaign is not always a customer.
  const ofContact = {
    message: { type: 'campaign.predial', contact: { number: caller }, phoneNumber: { number: own } },
  };
  for (const sent of [body, ofContact])
    expect((await send(world, 'vapi', { body: sent })).body).toEqual({ eligible: true });
  await world.block([caller]);
  for (const sent of [body, ofContact])
    expect((await send(world, 'vapi', { body: sent })).body).toEqual({ eligible: false });
});

describe.each(Object.keys(starts))('a whole call at %s', (platform) => {
  it(`a whole call at ${platform} is accepted, then rejected when its caller is blocked, and recorded once when it ends`, async () => {
    const world = await newWorld();
    const { uid, agentId } = world;
    const { secret: key } = await apiKeys.get().create(uid, { name: 'hooks', scopes: ['hooks'] });
    const configuration = { variables: { company: 'Example Dental', openingHour: 9 } };
    await world.call('PATCH', `/agents/${agentId}`, { body: { configuration } });
    const { query, body } = starts[platform] as Sent;
    const play = (event: Record<string, unknown>) =>
      send({ ...world, apiKey: '' }, platform, { query: { ...query, key }, body: event, apiKey: undefined });
    const accept = await play(body);
    expect([accept.status, readBody(accept)]).toEqual([200, accepted[platform]]);
    const end = ends[platform] as (typeof ends)[string];
    const { callId } = end.call as { callId: string };
    const acknowledged = await play(end.body);
    expect([acknowledged.status, readBody(acknowledged)]).toEqual([
      200,
      platform === 'twilio' ? '<?xml version="1.0" encoding="UTF-8"?><Response/>' : {},
    ]);
    await world.call('PATCH', `/calls/${agentId}/${callId}`, { body: { custom_call_outcome: 'booked' } });
    // Its end is reported once more.
    expect((await play(end.body)).status).toBe(200);
    await world.block([caller]);
    const reject = await play(body);
    expect([reject.status, readBody(reject)]).toEqual(rejected[platform]);
    const { calls } = (await world.call('GET', `/calls/${agentId}`, { query: { phone: caller } })).body;
    expect(calls.filter((call: { callId: string }) => call.callId === callId)).toEqual([
      {
        ...{ ...end.call, agentId, phone: caller, agentPhone: own, direction: 'inbound' },
        ...{ custom_call_outcome: 'booked', outcomeUpdatedAt: expect.any(String), outcomeHistory: expect.any(Array) },
      },
    ]);
  });

  // One place reads the numbers of every platform.
  if (platform !== 'vapi') return;

  it(`a whole call at ${platform} whose number is withheld is rejected where the agent says so, and recorded without a number`, async () => {
    const world = await newWorld();
    await world.call('PATCH', `/agents/${world.agentId}`, { body: { configuration: { rejectWithheldNumbers: true } } });
    const { query, body } = starts[platform] as Sent;
    const { body: end, call: expected } = ends[platform] as (typeof ends)[string];
    const hidden = (event: object) => JSON.parse(JSON.stringify(event).replaceAll(caller, 'anonymous'));
    const listCalls = async ({ call, agentId }: World) => (await call('GET', `/calls/${agentId}`)).body.calls;
    const reject = await send(world, platform, { query, body: hidden(body) });
    expect([reject.status, readBody(reject)]).toEqual(rejected[platform]);
    for (const call of await listCalls(world)) expect([call.status, call.phone]).toEqual(['rejected', undefined]);
    // The call that was rejected keeps its status.
    const accepting = await newWorld();
    expect((await send(accepting, platform, { body: hidden(end) })).status).toBe(200);
    const calls = await listCalls(accepting);
    expect(calls).toMatchObject([expected]);
    expect(calls[0].phone).toBeUndefined();
  });
});

describe.concurrent('a hostile event', () => {
  it('an event with 256 KB of assistant, or of anything else, is answered like any other', async () => {
    const world = await newWorld();
    const filler = { model: { messages: [{ role: 'system', content: 'x'.repeat(256 * 1024) }] } };
    for (const platform of Object.keys(starts)) {
      const { query, body } = starts[platform] as Sent;
      const message = body.message as object | undefined;
      const large = message
        ? { ...body, message: { ...message, assistant: filler } }
        : { ...body, filler: JSON.stringify(filler) };
      const response = await send(world, platform, { query, body: large });
      expect([platform, response.status]).toEqual([platform, 200]);
    }
  });

  it('an event with XML in its names and in the address gets TwiML with one verb', async () => {
    const world = await newWorld();
    const body = { ...(starts.twilio as Sent).body, CallerName: '</Response><Dial>+19005550199</Dial>' };
    const address = `https://voice.example.com/a?b="><Dial>+19005550199</Dial>'&c=]]>`;
    const { text } = await send(world, 'twilio', { query: { next: address }, body });
    expect(text.match(/<\w+/g)).toEqual(['<Response', '<Redirect']);
    const entities: Record<string, string> = { amp: '&', lt: '<', gt: '>', quot: '"', apos: "'" };
    const [, redirect = ''] = /<Redirect method="POST">(.*)<\/Redirect><\/Response>$/.exec(text) ?? [];
    expect(redirect.replace(/&(\w+);/g, (_, name: string) => entities[name] as string)).toBe(address);
  });

  it.each(['multipart/form-data', ''])('an event is read with any content type: %j', async (type) => {
    const world = await newWorld();
    await world.block([caller]);
    for (const platform of Object.keys(starts)) {
      const { body } = starts[platform] as Sent;
      const text =
        platform === 'twilio' ? new URLSearchParams(body as Record<string, string>).toString() : JSON.stringify(body);
      const response = await call('POST', `/hooks/${platform}`, {
        ...{ apiKey: world.apiKey, query: { uid: world.uid, agentId: world.agentId } },
        ...{ body: new TextEncoder().encode(text), headers: type ? { 'content-type': type } : {} },
      });
      expect([response.status, readBody(response)]).toEqual(rejected[platform]);
    }
  });

  it.each(['', ' ', '{"CallSid":', '["ringing"]', [0x43, 0xff, 0x3d, 0x31], [0x7b, 0xff, 0x7d]])(
    'a hostile event that is neither a JSON object nor a form in UTF-8 is 400: %j',
    async (sent) => {
      const { apiKey, uid, agentId } = await newWorld();
      const body = typeof sent === 'string' ? new TextEncoder().encode(sent) : new Uint8Array(sent);
      for (const platform of Object.keys(starts)) {
        const response = await call('POST', `/hooks/${platform}`, { apiKey, query: { uid, agentId }, body });
        expect([platform, response.status, response.body.error]).toEqual([platform, 400, 'invalid_request']);
      }
    },
  );

  // These texts replace the value of a field.
  const values = [null, 5, true, 'text', [], [[]], {}, { number: {} }, 1e300, '9'.repeat(5000)];
  const sendHostile = async (platform: string, every: number) => {
    const world = await newWorld();
    const { query, body: start } = starts[platform] as Sent;
    const replaced = (event: unknown, value: unknown): unknown[] =>
      typeof event !== 'object' || event === null
        ? [value]
        : [
            value,
            ...Object.entries(event).flatMap(([name, inner]) =>
              replaced(inner, value).map((one) => ({ ...(event as object), [name]: one })),
            ),
          ];
    const events = [start, (ends[platform] as (typeof ends)[string]).body];
    const hostile = events.flatMap((event) => values.flatMap((value) => replaced(event, value)));
    // A form has fields in any case.
    const sent =
      platform === 'twilio' ? hostile.filter((body) => Object.keys(body ?? {}).includes('CallSid')) : hostile;
    for (const body of sent.filter((_, index) => index % every === 0)) {
      const { status, text } = await send(world, platform, { query, body: body as Record<string, unknown> });
      expect(status, `${JSON.stringify(body)?.slice(0, 300)} ${text}`).toBeLessThan(500);
    }
  };

  it.each(Object.keys(starts))('an event of %s with a strange value in a field does not return 5xx', (platform) =>
    sendHostile(platform, 13),
  );
});
