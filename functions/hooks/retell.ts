import { withoutUndefined } from '../domain/json.ts';
import {
  agentVersionIn,
  dollars,
  jsonResponse,
  numberAt,
  objectAt,
  type Platform,
  textAt,
  timeOf,
  unlessEmpty,
} from './platform.ts';
import { hmac, isRecent, isSame, refusalOf } from './signatures.ts';

const signatureForm = /^v=(\d{1,15}),d=([0-9a-f]{64})$/;

/** Retell's inbound webhook and call events. https://docs.retellai.com/features/inbound-call-webhook */
export const retell: Platform = {
  /** The signature is of the body and the time behind it, with an API key. https://docs.retellai.com/features/secure-webhook */
  verify(request, { secret }) {
    const [, time, digest] = signatureForm.exec(request.headers['x-retell-signature'] ?? '') ?? [];
    if (!time || !digest) return 'secret';
    if (!isRecent(Number(time))) return 'time';
    return refusalOf(request, (body) => isSame(hmac('sha256', secret, body, time).digest('hex'), digest));
  },

  read({ body }) {
    const event = textAt(body, 'event');
    if (event === 'call_inbound') {
      const call = objectAt(body, 'call_inbound');
      const [from, to] = [textAt(call, 'from_number'), textAt(call, 'to_number')];
      return { type: 'start', callId: textAt(call, 'call_id'), direction: 'inbound', from, to };
    }
    const call = objectAt(body, 'call');
    const callId = textAt(call, 'call_id');
    if ((event !== 'call_ended' && event !== 'call_analyzed') || !callId) return { type: 'other' };
    const analysis = objectAt(call, 'call_analysis');
    const cents = numberAt(objectAt(call, 'call_cost'), 'combined_cost');
    const [start, end] = [numberAt(call, 'start_timestamp'), numberAt(call, 'end_timestamp')];
    const milliseconds =
      numberAt(call, 'duration_ms') ?? (start !== undefined && end !== undefined ? end - start : undefined);
    return {
      type: 'end',
      callId,
      direction: textAt(call, 'direction') === 'outbound' ? 'outbound' : 'inbound',
      from: textAt(call, 'from_number'),
      to: textAt(call, 'to_number'),
      facts: {
        ...withoutUndefined({
          startedAt: timeOf(start) ?? timeOf(end),
          endedAt: timeOf(end),
          durationSeconds: milliseconds !== undefined && milliseconds >= 0 ? milliseconds / 1000 : undefined,
          status: textAt(call, 'call_status'),
          // Its own `agent_version` is that of the agent at Retell.
          agentVersion: agentVersionIn(objectAt(call, 'retell_llm_dynamic_variables')),
        }),
        details: {
          endReason: textAt(call, 'disconnection_reason'),
          recordingUrl: textAt(call, 'recording_url'),
          summary: textAt(analysis, 'call_summary'),
          analysis: unlessEmpty(analysis),
          cost: dollars(cents && cents / 100),
        },
      },
      findings: unlessEmpty(objectAt(analysis, 'custom_analysis_data')),
    };
  },

  decide: ({ accept, variables }, { query: { assistantId } }) =>
    jsonResponse({
      call_inbound: accept
        ? { dynamic_variables: variables, ...withoutUndefined({ override_agent_id: assistantId }) }
        : {},
    }),

  acknowledge: () => jsonResponse({}),
};
