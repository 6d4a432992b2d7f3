import type { Attestation } from '../../domain/attestations.ts';
import type { CustomResponse } from '../../domain/custom-response.ts';
import { invalidField } from '../../domain/errors.ts';
import { isJsonObject, withoutUndefined } from '../../domain/json.ts';
import { type CallDetails, type HookEvent, type Platform, readText, toCost, toIsoTime } from './platform.ts';
import { verifyTwilio } from './twilio-signature.ts';

/** Twilio's webhook and status callback: form fields, answered in TwiML. https://www.twilio.com/docs/voice/twiml */
export const twilio: Platform = {
  secret: { field: 'secret', headers: ['x-twilio-signature'], hasParameters: true },
  parameters: ['next'],

  verify: verifyTwilio,

  read: ({ body }) => readCall(body, readVerstat(readText(body, 'StirVerstat'))),

  makeUpStart: ({ callId, from, to }) =>
    new URLSearchParams({ CallStatus: 'ringing', CallSid: callId, From: from, To: to }).toString(),

  needs: () => 'next',

  decide: ({ accept }, { query: { next = '' } }) =>
    accept ? twiml(`<Redirect method="POST">${escapeXml(next)}</Redirect>`) : twiml('<Reject reason="rejected"/>'),

  acknowledge: () => twiml(''),
};

/** Returns the event of a form with Twilio's fields and the carrier's attestation. */
export const readCall = (body: Record<string, unknown>, attestation: Attestation | undefined): HookEvent => {
  if (isJsonObject(body.data)) throw invalidField('data', jsonEvents);
  const callId = readText(body, 'CallSid');
  const from = readText(body, 'From') ?? readText(body, 'Caller');
  const to = readText(body, 'To') ?? readText(body, 'Called');
  const direction = readText(body, 'Direction')?.startsWith('outbound') ? 'outbound' : 'inbound';
  const status = readText(body, 'CallStatus') ?? '';
  if (status === 'ringing') return { type: 'start', callId, direction, from, to, attestation };
  if (!endStatuses.has(status) || !callId) return { type: 'other' };
  const seconds = Number(readText(body, 'CallDuration') ?? Number.NaN);
  const durationSeconds = Number.isFinite(seconds) && seconds >= 0 ? seconds : undefined;
  // Twilio sends the time of the event, which is the call's end. Telnyx has `EndTime`, too.
  const endedAt = toIsoTime(readText(body, 'Timestamp') ?? readText(body, 'EndTime'));
  const startedAt = endedAt && toIsoTime(Date.parse(endedAt) - (durationSeconds ?? 0) * 1000);
  const details = { recordingUrl: readText(body, 'RecordingUrl'), cost: readPrice(body) };
  return {
    type: 'end',
    callId,
    direction,
    from,
    to,
    attestation,
    facts: { ...withoutUndefined({ startedAt, endedAt, durationSeconds }), status, details },
    findings: undefined,
  };
};

/**
 * Returns the attestation of `TN-Validation-Passed-A-Diverted` and the like.
 * https://www.twilio.com/docs/voice/trusted-calling-with-shakenstir
 */
const readVerstat = (verstat = ''): Attestation | undefined => {
  if (verstat === 'No-TN-Validation') return 'none';
  const [, result, level] =
    /^TN-Validation-(Passed|Failed)(?:-([ABC]))?(?:-Diverted|-Passthrough)?$/.exec(verstat) ?? [];
  return result === 'Failed' ? 'failed' : (level as 'A' | 'B' | 'C' | undefined);
};

/** Returns the cost of a call, which only a list of calls has: a negative price is what is paid. */
const readPrice = (body: Record<string, unknown>): CallDetails['cost'] => {
  const [price, currency] = [readText(body, 'Price'), readText(body, 'PriceUnit')];
  const isPrice = price !== undefined && /^-?\d+(\.\d+)?$/.test(price) && /^[A-Z]{3}$/.test(currency ?? '');
  return isPrice ? toCost(Math.abs(Number(price)), currency as string) : undefined;
};

const jsonEvents =
  'is not in a form of TwiML or TeXML: this address does not take JSON events, such as those of Call Control.';

/** The statuses of a call that has ended. */
export const endStatuses = new Set(['completed', 'busy', 'no-answer', 'failed', 'canceled']);

const twiml = (verbs: string): CustomResponse => ({
  status: 200,
  contentType: 'text/xml',
  body: `<?xml version="1.0" encoding="UTF-8"?>${verbs ? `<Response>${verbs}</Response>` : '<Response/>'}`,
});

const entities: Record<string, string> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;', "'": '&apos;' };
const escapeXml = (text: string) => text.replace(/[&<>"']/g, (character) => entities[character] as string);
