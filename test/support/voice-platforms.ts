import { expect } from 'vitest';
import { call, type World } from './world.ts';

export const [caller, own] = ['+14155550100', '+14155550123'];
export const next = 'https://voice.example.com/answer?a=1&b="2"';

export type Sent = {
  query?: Record<string, string | undefined>;
  body: Record<string, unknown>;
  apiKey?: string;
};

/** Sends an event as a platform does. */
export const send = (world: World, platform: string, { query, body, apiKey = world.apiKey }: Sent) =>
  call('POST', `/hooks/${platform}`, {
    apiKey,
    query: { uid: world.uid, agentId: world.agentId, ...query },
    ...(platform === 'twilio'
      ? {
          body: new URLSearchParams(body as Record<string, string>).toString(),
          headers: { 'content-type': 'application/x-www-form-urlencoded' },
        }
      : { body }),
  });

/** An inbound call, by platform. */
export const starts: Record<string, Sent> = {
  twilio: {
    query: { next },
    body: { CallSid: 'CA0123', CallStatus: 'ringing', Direction: 'inbound', From: caller, To: own, CallerName: '<&>' },
  },
  vapi: {
    query: { assistantId: 'assistant-1' },
    body: {
      message: {
        type: 'assistant-request',
        call: { id: 'v1', customer: { number: caller } },
        phoneNumber: { number: own },
      },
    },
  },
  retell: {
    query: { assistantId: 'agent_2' },
    body: { event: 'call_inbound', call_inbound: { agent_id: 'agent_1', from_number: caller, to_number: own } },
  },
  elevenlabs: { body: { caller_id: caller, agent_id: 'a1', called_number: own, call_sid: 'CA0123' } },
};

const variables = {
  company: 'Example Dental',
  openingHour: '9',
  caller_number: caller,
  called_number: own,
  direction: 'inbound',
  agent_version: '2',
};
const twiml = (verb: string) => `<?xml version="1.0" encoding="UTF-8"?><Response>${verb}</Response>`;

/** The responses that accept it, for an agent whose second version has the variables. */
export const accepted: Record<string, unknown> = {
  twilio: twiml('<Redirect method="POST">https://voice.example.com/answer?a=1&amp;b=&quot;2&quot;</Redirect>'),
  vapi: { assistantId: 'assistant-1', assistantOverrides: { variableValues: variables } },
  retell: { call_inbound: { dynamic_variables: variables, override_agent_id: 'agent_2' } },
  elevenlabs: { type: 'conversation_initiation_client_data', dynamic_variables: variables },
};

/** Status and body of the responses that reject it. */
export const rejected: Record<string, [number, unknown]> = {
  twilio: [200, twiml('<Reject reason="rejected"/>')],
  vapi: [200, { error: expect.any(String) }],
  retell: [200, { call_inbound: {} }],
  elevenlabs: [403, { error: 'call_rejected', message: expect.any(String) }],
};

/** What the platforms found out about the call that ended. */
const analysis = {
  vapi: { summary: 'Booked.', structuredData: { outcome: 'booked', value: 149.5 }, successEvaluation: 'true' },
  retell: {
    ...{ call_summary: 'Booked.', user_sentiment: 'Positive', call_successful: true, in_voicemail: false },
    custom_analysis_data: { outcome: 'booked', amount: 149.5 },
  },
  elevenlabs: {
    ...{ transcript_summary: 'Booked.', call_successful: 'success' },
    data_collection_results: {
      outcome: { data_collection_id: 'outcome', value: 'booked', rationale: 'Said so.' },
    },
  },
};
const times = { startedAt: '2026-03-01T10:00:00.000Z', endedAt: '2026-03-01T10:01:05.000Z', durationSeconds: 65 };

/** A call that ended, by platform, and the call that is recorded, beside its numbers and direction. */
export const ends: Record<string, { body: Record<string, unknown>; call: object }> = {
  twilio: {
    body: {
      ...{ CallSid: 'CA0123', CallStatus: 'completed', Direction: 'inbound', From: caller, To: own },
      ...{ CallDuration: '65', Timestamp: 'Sun, 01 Mar 2026 10:01:05 +0000' },
      RecordingUrl: 'https://api.twilio.com/recording',
    },
    call: {
      ...{ callId: 'twilio:CA0123', ...times, status: 'completed' },
      details: { recordingUrl: 'https://api.twilio.com/recording' },
    },
  },
  vapi: {
    body: {
      message: {
        ...{ type: 'end-of-call-report', endedReason: 'customer-ended-call', ...times, cost: 0.12 },
        call: { id: 'v1', type: 'inboundPhoneCall', customer: { number: caller } },
        phoneNumber: { number: own },
        analysis: analysis.vapi,
        artifact: { recordingUrl: 'https://storage.vapi.ai/recording', transcript: 'AI: Hello' },
      },
    },
    call: {
      ...{ callId: 'vapi:v1', ...times, status: 'ended' },
      details: {
        ...{ endReason: 'customer-ended-call', recordingUrl: 'https://storage.vapi.ai/recording' },
        ...{ summary: 'Booked.', analysis: analysis.vapi, cost: { amount: 0.12, currency: 'USD' } },
      },
    },
  },
  retell: {
    body: {
      event: 'call_ended',
      call: {
        ...{ call_type: 'phone_call', call_id: 'r1', from_number: caller, to_number: own, direction: 'inbound' },
        ...{ call_status: 'ended', start_timestamp: 1772359200000, end_timestamp: 1772359265000 },
        disconnection_reason: 'user_hangup',
        recording_url: 'https://retell.example/recording',
        transcript: 'Agent: hi',
        call_cost: { combined_cost: 12.5 },
        call_analysis: analysis.retell,
      },
    },
    call: {
      ...{ callId: 'retell:r1', ...times, status: 'ended' },
      details: {
        ...{ endReason: 'user_hangup', recordingUrl: 'https://retell.example/recording' },
        ...{ summary: 'Booked.', analysis: analysis.retell, cost: { amount: 0.125, currency: 'USD' } },
      },
    },
  },
  elevenlabs: {
    body: {
      type: 'post_call_transcription',
      event_timestamp: 1772359270,
      data: {
        ...{ agent_id: 'a1', conversation_id: 'conv_1', status: 'done' },
        transcript: [{ role: 'agent', message: 'Hello' }],
        metadata: {
          ...{ start_time_unix_secs: 1772359200, call_duration_secs: 65, cost: 296 },
          termination_reason: 'Client ended call',
          phone_call: { direction: 'inbound', external_number: caller, agent_number: own, type: 'twilio' },
        },
        analysis: analysis.elevenlabs,
      },
    },
    call: {
      ...{ callId: 'elevenlabs:conv_1', ...times, status: 'done' },
      details: {
        ...{ endReason: 'Client ended call', summary: 'Booked.', analysis: analysis.elevenlabs },
        cost: { amount: 296, currency: 'credits' },
      },
    },
  },
};

/** What a platform found out about a call. Without the texts of the caller, it sends no transcript. */
export type Finding = {
  id?: string;
  number?: string;
  fields: Record<string, unknown>;
  callerTexts?: string[];
  agentText?: string;
  seconds?: number;
};

/** The event in which each platform reports what it found out. Others than the caller speak in its transcripts, too. */
export const findings: Record<string, (finding: Finding) => Record<string, unknown>> = {
  vapi: ({ id = '1', number = caller, fields, callerTexts, agentText, seconds }) => ({
    message: {
      ...{ type: 'end-of-call-report', call: { id, customer: { number } }, durationSeconds: seconds },
      analysis: { summary: 'A call.', structuredData: fields },
      artifact: {
        transcript: callerTexts?.map((said) => `User: ${said}\n`).join(''),
        messages: callerTexts && [
          { role: 'system', message: 'You are a friendly receptionist of a large practice.' },
          { role: 'bot', message: agentText },
          ...callerTexts.map((message) => ({ role: 'user', message })),
        ],
      },
    },
  }),
  retell: ({ id = '1', number = caller, fields, callerTexts, agentText, seconds }) => ({
    event: 'call_analyzed',
    call: {
      ...{ call_id: id, from_number: number, to_number: own, direction: 'inbound' },
      duration_ms: seconds && seconds * 1000,
      transcript: callerTexts?.map((said) => `User: ${said}\n`).join(''),
      transcript_object: callerTexts && [
        { role: 'agent', content: agentText, words: [] },
        ...callerTexts.map((content) => ({ role: 'user', content, words: [] })),
        { role: 'transfer_target', content: 'You have reached the doctor on duty tonight.' },
      ],
      call_analysis: { custom_analysis_data: fields },
    },
  }),
  elevenlabs: ({ id = '1', number = caller, fields, callerTexts, agentText, seconds }) => ({
    type: 'post_call_transcription',
    data: {
      conversation_id: id,
      transcript: callerTexts && [
        { role: 'agent', message: agentText },
        { role: 'agent', message: null, tool_calls: [{ tool_name: 'end_call' }] },
        ...callerTexts.map((message) => ({ role: 'user', message })),
      ],
      metadata: {
        call_duration_secs: seconds,
        phone_call: { direction: 'inbound', external_number: number, agent_number: own },
      },
      analysis: {
        data_collection_results: Object.fromEntries(
          Object.entries(fields).map(([id, value]) => [id, { data_collection_id: id, value, rationale: 'Said so.' }]),
        ),
      },
    },
  }),
};

export const readBody = (response: { body: unknown; text: string }) => response.body ?? response.text;

/** A call that ended, by platform, without any time. */
export const endsWithoutTimes: Record<string, Record<string, unknown>> = {
  twilio: { CallSid: 'CA0123', CallStatus: 'busy', Direction: 'inbound', From: caller, To: own },
  vapi: { message: { type: 'end-of-call-report', call: { id: 'v1', customer: { number: caller } } } },
  retell: { event: 'call_ended', call: { call_id: 'r1', from_number: caller, call_status: 'not_connected' } },
  elevenlabs: { type: 'post_call_transcription', data: { conversation_id: 'c1', status: 'failed' } },
};
