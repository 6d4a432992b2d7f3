import { createHmac } from 'node:crypto';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { PlatformName } from '../../functions/domain/voice-platforms.ts';
import { toCallStartReference } from '../../functions/hooks/decide-call-start.ts';
import { elevenlabs } from '../../functions/hooks/platforms/elevenlabs.ts';
import type { HookEvent, Platform } from '../../functions/hooks/platforms/platform.ts';
import { platforms } from '../../functions/hooks/platforms/platforms.ts';

type Body = Record<string, unknown>;
const [caller, own] = ['+4915112345678', '+14155550123'];

const read = (platform: PlatformName, body: Body): HookEvent =>
  (platforms[platform] as Platform).read({ body, query: {} });

/** Returns the direction and the numbers of an event, as a decision or a record of the call has them. */
const pickCall = (event: HookEvent) => {
  if (event.type === 'other') return undefined;
  const { other, own, isGuess } = toCallStartReference({ uid: 'u', ...event });
  return { type: event.type, direction: event.direction, other, own, isGuess };
};

/** An inbound call of each platform, and the same call by every other shape of its events. */
const starts: [name: string, platform: PlatformName, body: (from: unknown) => Body][] = [
  ['Twilio', 'twilio', (From) => ({ CallSid: 'CA1', CallStatus: 'ringing', Direction: 'inbound', From, To: own })],
  ['Twilio with Caller', 'twilio', (Caller) => ({ CallSid: 'CA1', CallStatus: 'ringing', Caller, Called: own })],
  ['Telnyx', 'telnyx', (From) => ({ CallSid: 'v3:1', CallStatus: 'ringing', From, To: own })],
  [
    'Vapi',
    'vapi',
    (number) => ({ message: { type: 'assistant-request', customer: { number }, phoneNumber: { number: own } } }),
  ],
  [
    'Vapi with the number of the call',
    'vapi',
    (number) => ({
      message: { type: 'assistant-request', call: { customer: { number }, phoneNumber: { number: own } } },
    }),
  ],
  [
    'Vapi by SIP',
    'vapi',
    (sipUri) => ({
      message: {
        type: 'assistant-request',
        call: { customer: { sipUri } },
        phoneNumber: { sipUri: `sip:${own}@a.example` },
      },
    }),
  ],
  ['Retell', 'retell', (from_number) => ({ event: 'call_inbound', call_inbound: { from_number, to_number: own } })],
  ['ElevenLabs', 'elevenlabs', (caller_id) => ({ caller_id, called_number: own, call_sid: 'CA1' })],
];

/** What platforms send for the same caller. */
const callerForms = [
  caller,
  '+49 (0)151 12345678',
  ' 4915112345678',
  '004915112345678',
  `sip:${caller}@pbx.example.com`,
  'sip:004915112345678@pbx.example.com:5060;transport=udp',
  `sip:${caller}:secret@pbx.example.com`,
  `"Ada" <sips:${caller}@pbx.example.com>;tag=1`,
  'tel:+49-151-12345678;ext=12',
  'tel:004915112345678',
  `whatsapp:${caller}`,
  'whatsapp: 4915112345678',
];

const withheldForms = [
  ...['', 'anonymous', 'Restricted', 'unknown', 'unavailable', 'sip:anonymous@anonymous.invalid', null, 5],
  ...['+266696687', '+7378742833', '+2562533', '+8656696', '+86282452253', '86282452253', 'sip:+86282452253@a.example'],
];

describe.each(starts)('a call that starts at %s', (name, platform, body) => {
  it.each(callerForms)(`a call that starts at ${name} has the caller %j`, (from) => {
    const expected = { type: 'start', direction: 'inbound', other: caller, own, isGuess: false };
    expect(pickCall(read(platform, body(from)))).toEqual(expected);
  });

  it(`a call that starts at ${name} has no caller where the number is withheld`, () => {
    for (const from of withheldForms) {
      expect([from, pickCall(read(platform, body(from)))?.other]).toEqual([from, undefined]);
    }
  });

  it(`a call that starts at ${name} with digits alone has a guess`, () => {
    expect(pickCall(read(platform, body('4915112345678')))).toMatchObject({ other: caller, isGuess: true });
  });
});

/** What Twilio and Telnyx report of the caller's attestation, and its meaning. */
const attestations: [platform: PlatformName, fields: Body, attestation: string | undefined][] = [
  ...['A', 'B', 'C'].flatMap((level) =>
    ['', '-Diverted', '-Passthrough'].flatMap((suffix): typeof attestations => [
      ['twilio', { StirVerstat: `TN-Validation-Passed-${level}${suffix}` }, level],
      ['twilio', { StirVerstat: `TN-Validation-Failed-${level}${suffix}` }, 'failed'],
    ]),
  ),
  ['twilio', { StirVerstat: 'TN-Validation-Failed' }, 'failed'],
  ['twilio', { StirVerstat: 'No-TN-Validation' }, 'none'],
  ...[{}, { StirVerstat: '' }, { StirVerstat: 'NULL' }, { StirVerstat: 'TN-Validation-Passed-D' }].map(
    (fields): (typeof attestations)[number] => ['twilio', fields, undefined],
  ),
  ...['A', 'B', 'C'].flatMap((ShakenStirAttestation): typeof attestations => [
    ['telnyx', { ShakenStirAttestation, ShakenStirValidated: 'true' }, ShakenStirAttestation],
    ['telnyx', { ShakenStirAttestation, ShakenStirValidated: true }, ShakenStirAttestation],
    ['telnyx', { ShakenStirAttestation, ShakenStirValidated: 'false' }, 'failed'],
    ['telnyx', { ShakenStirAttestation, ShakenStirValidated: false }, 'failed'],
  ]),
  ...[{}, { ShakenStirAttestation: '', ShakenStirValidated: '' }, { ShakenStirValidated: 'false' }].map(
    (fields): (typeof attestations)[number] => ['telnyx', fields, undefined],
  ),
];

it.each(attestations)('a call of %s with %j has the attestation %s', (platform, fields, attestation) => {
  const body = { CallSid: 'CA1', From: caller, To: own, ...fields };
  for (const CallStatus of ['ringing', 'completed'])
    expect(read(platform, { ...body, CallStatus })).toHaveProperty('attestation', attestation);
});

/** An outbound call of each platform that was not connected, and its status and reason. */
const unconnected: [name: string, platform: PlatformName, body: Body, facts: object][] = [
  ...(['busy', 'no-answer', 'failed', 'canceled'] as const).flatMap((status) =>
    (['twilio', 'telnyx'] as const).map((platform): (typeof unconnected)[number] => [
      `${platform}, ${status}`,
      platform,
      { CallSid: 'CA1', CallStatus: status, Direction: 'outbound-api', From: own, To: caller },
      { status },
    ]),
  ),
  [
    'Vapi',
    'vapi',
    {
      message: {
        ...{ type: 'end-of-call-report', endedReason: 'customer-did-not-answer' },
        ...{
          call: { id: 'v1', type: 'outboundPhoneCall' },
          customer: { number: caller },
          phoneNumber: { number: own },
        },
      },
    },
    { status: 'ended', details: { endReason: 'customer-did-not-answer' } },
  ],
  [
    'Vapi by SIP',
    'vapi',
    {
      message: {
        ...{ type: 'end-of-call-report', endedReason: 'customer-busy', phoneNumber: { number: own } },
        call: { id: 'v1', type: 'outboundPhoneCall', customer: { sipUri: `sip:${caller}@a.example` } },
      },
    },
    { status: 'ended', details: { endReason: 'customer-busy' } },
  ],
  [
    'Retell',
    'retell',
    {
      event: 'call_ended',
      call: {
        ...{ call_id: 'r1', direction: 'outbound', from_number: own, to_number: caller },
        ...{ call_status: 'not_connected', disconnection_reason: 'dial_no_answer' },
      },
    },
    { status: 'not_connected', details: { endReason: 'dial_no_answer' } },
  ],
  [
    'ElevenLabs by Twilio',
    'elevenlabs',
    {
      ...{ type: 'call_initiation_failure', event_timestamp: 1_772_359_300 },
      data: {
        ...{ agent_id: 'a1', conversation_id: 'conv_1', failure_reason: 'no-answer' },
        metadata: {
          type: 'twilio',
          body: {
            ...{ CallSid: 'CA1', CallStatus: 'no-answer', Direction: 'outbound-api', From: own, To: caller },
            Timestamp: 'Sun, 01 Mar 2026 10:01:05 +0000',
          },
        },
      },
    },
    { status: 'no-answer', startedAt: '2026-03-01T10:01:05.000Z', details: { endReason: 'no-answer' } },
  ],
  [
    'ElevenLabs by a SIP trunk',
    'elevenlabs',
    {
      ...{ type: 'call_initiation_failure', event_timestamp: 1_772_359_265 },
      data: {
        ...{ agent_id: 'a1', conversation_id: 'conv_1', failure_reason: 'busy' },
        metadata: {
          type: 'sip',
          body: {
            from_number: own,
            to_number: caller,
            sip_status_code: 486,
            error_reason: 'sip status: 486: Busy here',
          },
        },
      },
    },
    { status: 'busy', startedAt: '2026-03-01T10:01:05.000Z', details: { endReason: 'sip status: 486: Busy here' } },
  ],
  [
    'ElevenLabs, without a reason',
    'elevenlabs',
    {
      type: 'call_initiation_failure',
      data: { conversation_id: 'conv_1', metadata: { body: { From: own, To: caller } } },
    },
    { status: 'failed' },
  ],
];

it.each(unconnected)(
  'a call that was not connected at %s is recorded as outbound, with the reason',
  (_, platform, body, facts) => {
    const event = read(platform, body);
    expect(pickCall(event)).toEqual({ type: 'end', direction: 'outbound', other: caller, own, isGuess: false });
    expect(event).toMatchObject({ facts });
  },
);

it('a WhatsApp call of ElevenLabs has the number of the user', () => {
  const metadata = { whatsapp: { direction: 'inbound', whatsapp_user_id: '4915112345678' } };
  const body = { type: 'post_call_transcription', data: { conversation_id: 'conv_1', status: 'done', metadata } };
  expect(pickCall(read('elevenlabs', body))).toMatchObject({ type: 'end', other: caller, isGuess: false });
});

it.each<[platform: PlatformName, body: Body]>([
  [
    'vapi',
    { type: 'end-of-call-report', call: { id: 'c' }, customer: { number: caller }, phoneNumber: { number: own } },
  ],
  ['retell', { event_type: 'call_analyzed', call_id: 'c', from_number: caller, to_number: own }],
  ['retell', { event: 'call_ended', data: { call_id: 'c', from_number: caller, to_number: own } }],
])('an ended call of %s is read without the object around its fields', (platform, body) => {
  expect(pickCall(read(platform, body))).toMatchObject({ type: 'end', direction: 'inbound', other: caller, own });
});

it.each<[place: string, body: Body]>([
  ['beside the event', { event: 'call_inbound', from_number: caller, to_number: own }],
  ['in its data', { event: 'call_inbound', data: { from_number: caller, to_number: own } }],
])('a call that comes in at Retell is read with its numbers %s', (_, body) => {
  expect(pickCall(read('retell', body))).toMatchObject({ type: 'start', other: caller, own });
});

it('the data of a conversation at ElevenLabs without a type is an ended call', () => {
  const phone_call = { type: 'sip_trunking', direction: 'outbound', agent_number: own, external_number: caller };
  const body = { data: { conversation_id: 'conv_1', status: 'done', metadata: { phone_call } } };
  expect(pickCall(read('elevenlabs', body))).toMatchObject({ type: 'end', direction: 'outbound', other: caller, own });
  expect(read('elevenlabs', { data: { agent_id: 'a1' } }).type).toBe('other');
});

const query = { query: 'opening hours' };
const [id, search] = ['call_1', { name: 'search_knowledge' }];

it.each<[string, Body]>([
  ['toolCallList, function.arguments', { toolCallList: [{ id, function: { ...search, arguments: query } }] }],
  ['toolCallList, JSON', { toolCallList: [{ id, function: { ...search, arguments: JSON.stringify(query) } }] }],
  ['toolCallList, function.parameters', { toolCallList: [{ id, function: { ...search, parameters: query } }] }],
  ['toolCallList, arguments', { toolCallList: [{ id, ...search, arguments: query }] }],
  ['toolCallList, parameters', { toolCallList: [{ id, ...search, parameters: query }] }],
  ['toolCalls alone', { toolCalls: [{ id, type: 'function', function: { ...search, arguments: query } }] }],
  ['toolCalls, beside an empty list', { toolCallList: [], toolCalls: [{ id, ...search, arguments: query }] }],
  [
    'toolWithToolCallList of the SDK',
    {
      toolWithToolCallList: [
        { type: 'function', function: search, toolCall: { id, function: { ...search, arguments: query } } },
      ],
    },
  ],
  ['toolWithToolCallList of the docs', { toolWithToolCallList: [{ ...search, toolCall: { id, parameters: query } }] }],
  [
    'all lists',
    {
      toolCallList: [{ id, ...search, arguments: query }],
      toolCalls: [{ id, ...search, arguments: query }],
      toolWithToolCallList: [{ ...search, toolCall: { id, parameters: query } }],
    },
  ],
])('a tool call of Vapi is read and answered once: %s', (_, lists) => {
  const body = { message: { type: 'tool-calls', call: { id: 'v1' }, ...lists } };
  expect(read('vapi', body)).toMatchObject({ type: 'searches', queries: ['opening hours'] });
  const answer = platforms.vapi.answer?.([{ text: 'Nine\nto five.' }], { body, query: {} });
  expect(JSON.parse(answer?.body ?? '')).toEqual({ results: [{ ...search, toolCallId: id, result: 'Nine to five.' }] });
});

it('a search of Retell knows the caller of a call without an id', () => {
  const call = { direction: 'inbound', from_number: caller, to_number: own };
  expect(read('retell', { ...query, call })).toMatchObject({ type: 'searches', from: caller, to: own });
});

/** An ended call of each platform whose numbers are texts, as programs that pass events on write them, or milliseconds. */
const [startedAt, endedAt] = ['2026-03-01T10:00:00.000Z', '2026-03-01T10:01:00.000Z'];
const [started, ended] = [Date.parse(startedAt), Date.parse(endedAt)];
it.each<[platform: PlatformName, body: Body]>([
  ['vapi', { message: { type: 'end-of-call-report', call: { id: 'c' }, startedAt: started, endedAt: String(ended) } }],
  [
    'vapi',
    { message: { type: 'end-of-call-report', call: { id: 'c' }, startedAt: started / 1000, endedAt: ended / 1000 } },
  ],
  [
    'retell',
    { event: 'call_ended', call: { call_id: 'c', start_timestamp: started / 1000, end_timestamp: ended / 1000 } },
  ],
  [
    'retell',
    {
      event_type: 'call_analyzed',
      call: { call_id: 'c', start_timestamp: String(started), end_timestamp: `${ended}`, duration_ms: '60000' },
    },
  ],
  [
    'elevenlabs',
    {
      type: 'post_call_transcription',
      event_timestamp: `${ended / 1000}`,
      data: {
        conversation_id: 'c',
        metadata: { start_time_unix_secs: `${started / 1000}`, call_duration_secs: '60' },
      },
    },
  ],
])(
  'an ended call of %s has its times, whether they are texts or numbers, of milliseconds or seconds',
  (platform, body) => {
    expect(read(platform, body)).toMatchObject({ type: 'end', facts: { startedAt, endedAt, durationSeconds: 60 } });
  },
);

it.each([{ durationMs: 61_500 }, { durationMinutes: 1.025 }])(
  'an ended call of Vapi has its duration from %j alone',
  (more) => {
    const body = { message: { type: 'end-of-call-report', call: { id: 'c' }, ...more } };
    expect(read('vapi', body)).toMatchObject({ facts: { durationSeconds: 61.5 } });
  },
);

it('an ended call of Telnyx has its times from its end alone', () => {
  const body = {
    CallSid: 'v3:1',
    CallStatus: 'completed',
    CallDuration: '60',
    EndTime: endedAt,
    From: caller,
    To: own,
  };
  expect(read('telnyx', body)).toMatchObject({ facts: { startedAt, endedAt, durationSeconds: 60 } });
});

it.each(['twilio', 'telnyx'] as const)('a JSON event sent to the address of %s forms is refused', (platform) => {
  const body = { data: { event_type: 'call.initiated', payload: { from: caller, to: own, direction: 'incoming' } } };
  expect(() => read(platform, body)).toThrow('does not take JSON events, such as those of Call Control');
});

it('a function call of an older assistant of Vapi is read, and answered by one result', () => {
  const body = { message: { type: 'function-call', functionCall: { ...search, parameters: query } } };
  expect(read('vapi', body)).toMatchObject({ type: 'searches', queries: ['opening hours'] });
  const answer = platforms.vapi.answer?.([{ text: 'Nine to five.' }], { body, query: {} });
  expect(JSON.parse(answer?.body ?? '')).toEqual({ result: 'Nine to five.' });
});

it('calls of other tools of Vapi are no searches', () => {
  const other = { id, function: { name: 'book', arguments: query } };
  expect(read('vapi', { message: { type: 'tool-calls', toolCallList: [other], toolCalls: [other] } }).type).toBe(
    'other',
  );
  expect(read('vapi', { message: { type: 'tool-calls', toolCallList: 'search_knowledge' } }).type).toBe('other');
});

describe('a signature of ElevenLabs', () => {
  const body = Buffer.from('{"type":"post_call_transcription"}');
  const time = Math.floor(Date.now() / 1000);
  const digest = createHmac('sha256', 'secret').update(`${time}.`).update(body).digest('hex');
  const wrong = 'a'.repeat(64);
  const findRefusal = (signature: string) =>
    elevenlabs.verify({ origin: '', path: '', query: '', headers: { 'elevenlabs-signature': signature }, body })({
      secret: 'secret',
    });

  it.each([
    `t=${time},v0=${digest}`,
    `t=${time}, v0=${digest}`,
    `t=${time},v0=${wrong},v0=${digest}`,
    `t=${time},v0=${digest},v0=${wrong}`,
    ` v0=${digest} , t=${time} , v1=x`,
  ])('a signature of ElevenLabs is accepted if one of its digests is right: %s', (signature) => {
    expect(findRefusal(signature)).toBeUndefined();
  });

  it.each([
    `t=${time},v0=${wrong}`,
    `t=${time},v1=${digest}`,
    `t=${time}`,
    `v0=${digest}`,
    `t=${time - 1},v0=${digest}`,
    `t=x,v0=${digest}`,
    `t=${time};v0=${digest}`,
  ])('a signature of ElevenLabs without a right digest is refused: %s', (signature) => {
    expect(findRefusal(signature)).toBe('secret');
  });
});

const readCost = (platform: PlatformName, body: Body) => {
  const event = read(platform, body);
  return event.type === 'end' ? event.facts.details.cost : event.type;
};
const endOf: Partial<Record<PlatformName, (cost: Body) => Body>> = {
  vapi: (cost) => ({ message: { type: 'end-of-call-report', call: { id: '1' }, ...cost } }),
  retell: (call_cost) => ({ event: 'call_analyzed', call: { call_id: '1', call_cost } }),
  elevenlabs: (metadata) => ({ type: 'post_call_transcription', data: { conversation_id: '1', metadata } }),
};

it.each<[platform: PlatformName, sent: Body, cost: object | undefined]>([
  ['vapi', { cost: 0.1234 }, { amount: 0.1234, currency: 'USD' }],
  ['vapi', { call: { id: '1', cost: 0.1234 } }, { amount: 0.1234, currency: 'USD' }],
  ['vapi', { cost: 0.1 + 0.2 }, { amount: 0.3, currency: 'USD' }],
  ['vapi', { cost: 0 }, { amount: 0, currency: 'USD' }],
  ['vapi', { cost: 1e-9 }, { amount: 0, currency: 'USD' }],
  ['vapi', { cost: '0.12' }, { amount: 0.12, currency: 'USD' }],
  ['vapi', { cost: 'free' }, undefined],
  ['vapi', { costBreakdown: { transport: 0.01, total: 0.0716 } }, { amount: 0.0716, currency: 'USD' }],
  ['vapi', { costBreakdown: { transport: 0.01 } }, undefined],
  ['vapi', { costs: [{ cost: 0.1 }, { cost: '0.2' }] }, { amount: 0.3, currency: 'USD' }],
  ['vapi', { call: { id: '1', costs: [{ type: 'vapi', cost: 0.05 }] } }, { amount: 0.05, currency: 'USD' }],
  ['vapi', { costs: [{ cost: 0.1 }, { type: 'voice' }] }, undefined],
  ['vapi', { costs: [] }, undefined],
  ['vapi', { cost: 0.5, costBreakdown: { total: 0.4 }, costs: [{ cost: 0.3 }] }, { amount: 0.5, currency: 'USD' }],
  // 1.1 / 100 is 0.011000000000000001.
  ['retell', { combined_cost: 1.1 }, { amount: 0.011, currency: 'USD' }],
  ['retell', { combined_cost: 70 }, { amount: 0.7, currency: 'USD' }],
  ['retell', { combined_cost: 7.33505 }, { amount: 0.073351, currency: 'USD' }],
  ['retell', { combined_cost: 0 }, { amount: 0, currency: 'USD' }],
  ['retell', {}, undefined],
  ['retell', { combined_cost: 1e308 }, undefined],
  ['elevenlabs', { cost: 296, cost_fiat: 0.0421 }, { amount: 0.0421, currency: 'USD' }],
  ['elevenlabs', { cost: 296 }, { amount: 296, currency: 'credits' }],
])('the cost that %s sends as %j is recorded as a decimal', (platform, sent, cost) => {
  expect(readCost(platform, endOf[platform]?.(sent) as Body)).toEqual(cost);
});

it('any cost in cents with up to four decimals is recorded as exactly the same number of dollars', () => {
  fc.assert(
    fc.property(fc.integer({ min: 0, max: 1_000_000_000 }), (millionths) => {
      const toText = (decimals: number) => {
        const digits = String(millionths).padStart(decimals + 1, '0');
        return `${digits.slice(0, -decimals)}.${digits.slice(-decimals)}`;
      };
      const body = endOf.retell?.({ combined_cost: Number(toText(4)) }) as Body;
      expect(readCost('retell', body)).toEqual({ amount: Number(toText(6)), currency: 'USD' });
    }),
    { numRuns: 1000 },
  );
});
