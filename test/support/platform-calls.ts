import type { PlatformCall } from '../../bin/local/voice-platforms.ts';
import { newUlid } from '../../functions/domain/identifiers.ts';
import type { PlatformName } from '../../functions/domain/voice-platforms.ts';

const hour = 60 * 60 * 1000;
export const [own, other] = ['+14155550123', '+14155550100'];

const overStatus: Record<PlatformName, string> = {
  vapi: 'ended',
  retell: 'ended',
  elevenlabs: 'done',
  twilio: 'completed',
  telnyx: 'completed',
};

/** A call of 65 seconds at a platform, by default an hour ago. */
export const platformCall = (platform: PlatformName, more: Partial<PlatformCall> = {}): PlatformCall => {
  const startedAt = more.startedAt ?? Math.floor((Date.now() - hour) / 1000) * 1000;
  const fields = {
    id: `c-${newUlid()}`,
    assistantId: 'assistant-1',
    own,
    other,
    startedAt,
    endedAt: startedAt + 65_000,
  };
  return { ...fields, status: overStatus[platform], ...more };
};

/** Returns the body with which a platform's webhook reports the end of a call. */
export const buildEnd = (platform: PlatformName, call: PlatformCall): Record<string, unknown> => {
  const { id, direction = 'inbound', own, other, startedAt = 0, endedAt = startedAt } = call;
  const [from, to] = direction === 'inbound' ? [other, own] : [own, other];
  switch (platform) {
    case 'vapi': {
      const type = direction === 'inbound' ? 'inboundPhoneCall' : 'outboundPhoneCall';
      const times = { startedAt: new Date(startedAt).toISOString(), endedAt: new Date(endedAt).toISOString() };
      const parties = { customer: { number: other }, phoneNumber: { number: own } };
      return { message: { type: 'end-of-call-report', call: { id, type }, ...parties, ...times } };
    }
    case 'retell': {
      const times = { start_timestamp: startedAt, end_timestamp: endedAt, call_status: 'ended' };
      return { event: 'call_ended', call: { call_id: id, from_number: from, to_number: to, direction, ...times } };
    }
    case 'elevenlabs': {
      const phone_call = { direction, agent_number: own, external_number: other };
      const times = { start_time_unix_secs: startedAt / 1000, call_duration_secs: (endedAt - startedAt) / 1000 };
      const data = { conversation_id: id, status: 'done', metadata: { ...times, phone_call } };
      return { type: 'post_call_transcription', event_timestamp: Math.floor(endedAt / 1000), data };
    }
    default: {
      const seconds = String((endedAt - startedAt) / 1000);
      const said = { CallStatus: 'completed', CallDuration: seconds, Timestamp: new Date(endedAt).toUTCString() };
      return { CallSid: id, From: from, To: to, Direction: direction, ...said };
    }
  }
};
