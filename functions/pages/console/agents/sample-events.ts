import type { PlatformName } from './voice-platforms.ts';

/** A call as a platform reports it. */
type SampleCall = { callId: string; from: string; to: string; endedAt: Date };
type Event = Record<string, unknown>;
type Sample = { start(call: SampleCall): Event; end(call: SampleCall): Event };

const seconds = 65;
const summary = 'A test from the console.';
const findStart = ({ endedAt }: SampleCall) => new Date(endedAt.getTime() - seconds * 1000);

/** Twilio’s events, which are forms. */
const twilio: Sample = {
  start: ({ callId, from, to }) => ({
    ...{ CallSid: callId, CallStatus: 'ringing', Direction: 'inbound', From: from, To: to },
  }),
  end: ({ callId, from, to, endedAt }) => ({
    ...{ CallSid: callId, CallStatus: 'completed', Direction: 'inbound', From: from, To: to },
    ...{ CallDuration: String(seconds), Timestamp: endedAt.toUTCString() },
  }),
};

/** The start and the end of a call in the form of each platform. */
export const sampleEvents: Record<PlatformName, Sample> = {
  twilio,
  telnyx: twilio,
  vapi: {
    start: ({ callId, from, to }) => ({
      message: {
        type: 'assistant-request',
        call: { id: callId, type: 'inboundPhoneCall', customer: { number: from } },
        phoneNumber: { number: to },
      },
    }),
    end: (call) => ({
      message: {
        ...{ type: 'end-of-call-report', endedReason: 'customer-ended-call', durationSeconds: seconds },
        ...{ startedAt: findStart(call).toISOString(), endedAt: call.endedAt.toISOString() },
        call: { id: call.callId, type: 'inboundPhoneCall', customer: { number: call.from } },
        phoneNumber: { number: call.to },
        analysis: { summary },
      },
    }),
  },
  retell: {
    start: ({ from, to }) => ({ event: 'call_inbound', call_inbound: { from_number: from, to_number: to } }),
    end: (call) => ({
      event: 'call_ended',
      call: {
        ...{ call_type: 'phone_call', call_id: call.callId, direction: 'inbound', call_status: 'ended' },
        ...{ from_number: call.from, to_number: call.to, disconnection_reason: 'user_hangup' },
        ...{ start_timestamp: findStart(call).getTime(), end_timestamp: call.endedAt.getTime() },
        call_analysis: { call_summary: summary },
      },
    }),
  },
  elevenlabs: {
    start: ({ callId, from, to }) => ({ caller_id: from, called_number: to, call_sid: callId }),
    end: (call) => ({
      type: 'post_call_transcription',
      data: {
        ...{ conversation_id: call.callId, status: 'done' },
        metadata: {
          start_time_unix_secs: Math.floor(findStart(call).getTime() / 1000),
          call_duration_secs: seconds,
          phone_call: { direction: 'inbound', external_number: call.from, agent_number: call.to },
        },
        analysis: { transcript_summary: summary },
      },
    }),
  },
};
