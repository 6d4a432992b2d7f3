import { copyFields, isJsonObject, withoutUndefined } from '../../domain/json.ts';
import { isSameSecret } from '../../domain/same-secret.ts';
import { jsonResponse } from '../../http/response.ts';
import type { Overrides } from '../overrides.ts';
import { explainFaults, hasBearer, hmac, isRecent } from '../secrets/signatures.ts';
import { readTurns } from '../transcript.ts';
import {
  type CallEnd,
  chooseObject,
  isSearch,
  type Platform,
  readAgentVersion,
  readNumber,
  readObject,
  readText,
  searchResponse,
  toCost,
  toIsoTime,
  unlessEmpty,
} from './platform.ts';

/** ElevenLabs' conversation initiation and post-call webhooks. https://elevenlabs.io/docs/agents-platform/workflows/post-call-webhooks */
export const elevenlabs: Platform = {
  secret: {
    field: 'secret',
    headers: ['elevenlabs-signature', 'x-hook-secret', 'authorization'],
    customHeader: { holds: 'the secret when a conversation begins', name: 'x-hook-secret' },
  },
  parameters: ['overrides'],

  /**
   * Post-call webhooks are signed; the one that begins a conversation has the secret in a header.
   * https://elevenlabs.io/docs/overview/administration/webhooks
   */
  verify(request) {
    const signature = request.headers['elevenlabs-signature'];
    if (signature === undefined)
      return (given) => (hasBearer(request, given, [given.header ?? 'x-hook-secret']) ? undefined : 'secret');
    const { time, digests } = parseSignature(signature);
    if (time === undefined) return () => 'secret';
    if (!isRecent(Number(time) * 1000)) return () => 'time';
    const explain = explainFaults(request);
    return ({ secret }) =>
      explain((body) => {
        const expected = hmac('sha256', secret, `${time}.`, body).digest('hex');
        return digests.some((digest) => isSameSecret(expected, digest));
      });
  },

  read({ body }) {
    const callSid = readText(body, 'call_sid');
    if (callSid !== undefined && readText(body, 'type') === undefined) {
      const [from, to] = [readText(body, 'caller_id'), readText(body, 'called_number')];
      return { type: 'start', callId: readText(body, 'conversation_id') ?? callSid, direction: 'inbound', from, to };
    }
    if (readText(body, 'type') === undefined && isSearch(body)) {
      const [from, to] = [readText(body, 'caller_id'), readText(body, 'called_number')];
      return { type: 'searches', direction: 'inbound', from, to, queries: [readText(body, 'query')] };
    }
    // Some workspaces, and programs that pass events on, send the data of a conversation alone.
    const data = chooseObject('status', readObject(body, 'data'), body);
    const callId = readText(data, 'conversation_id');
    const type = readText(body, 'type') ?? 'post_call_transcription';
    if (type === 'call_initiation_failure' && callId) return failedCall(callId, body);
    if (type !== 'post_call_transcription' || !callId) return { type: 'other' };
    const [metadata, analysis] = [readObject(data, 'metadata'), readObject(data, 'analysis')];
    const [phoneCall, whatsapp] = [readObject(metadata, 'phone_call'), readObject(metadata, 'whatsapp')];
    const isOutbound = [phoneCall, whatsapp].some((one) => readText(one, 'direction') === 'outbound');
    const direction = isOutbound ? 'outbound' : 'inbound';
    // A WhatsApp user's id is an international number without its +.
    const whatsappNumber = readText(whatsapp, 'whatsapp_user_id')?.replace(/^\+?/, '+');
    const [other, own] = [
      readText(phoneCall, 'external_number') ?? whatsappNumber,
      readText(phoneCall, 'agent_number'),
    ];
    const [from, to] = direction === 'inbound' ? [other, own] : [own, other];
    const start = readNumber(metadata, 'start_time_unix_secs') ?? readNumber(body, 'event_timestamp');
    const durationSeconds = readNumber(metadata, 'call_duration_secs');
    const client = readObject(data, 'conversation_initiation_client_data');
    const agentVersion = readAgentVersion(readObject(client, 'dynamic_variables'));
    const startedAt = start === undefined ? undefined : toIsoTime(start * 1000);
    const endedAt =
      start === undefined || durationSeconds === undefined ? undefined : toIsoTime((start + durationSeconds) * 1000);
    return {
      type: 'end',
      callId,
      order: readNumber(body, 'event_timestamp'),
      direction,
      from,
      to,
      facts: {
        ...withoutUndefined({ startedAt, endedAt, durationSeconds, status: readText(data, 'status'), agentVersion }),
        details: {
          endReason: readText(metadata, 'termination_reason'),
          summary: readText(analysis, 'transcript_summary'),
          analysis: unlessEmpty(analysis),
          // Conversations on plans that are paid in money have both.
          cost: toCost(readNumber(metadata, 'cost_fiat'), 'USD') ?? toCost(readNumber(metadata, 'cost'), 'credits'),
        },
      },
      findings: readResults(analysis),
      turns: readTurns(data.transcript),
    };
  },

  makeUpStart: ({ callId, from, to }) => JSON.stringify({ caller_id: from, called_number: to, call_sid: callId }),

  decide: ({ accept, variables, overrides }) =>
    accept
      ? jsonResponse({
          type: 'conversation_initiation_client_data',
          dynamic_variables: variables,
          ...withoutUndefined({ conversation_config_override: overrides && configOverride(overrides) }),
        })
      : jsonResponse({ error: 'call_rejected', message: 'This caller cannot be connected.' }, 403),

  answer: searchResponse,

  acknowledge: () => jsonResponse({}),
};

/** Returns what was collected, by name: ElevenLabs sends it as an object, as a list, or as both. */
const readResults = (analysis: Record<string, unknown>) => {
  const listed = [analysis.data_collection_results_list].flat().filter(isJsonObject);
  const named = Object.entries(readObject(analysis, 'data_collection_results'));
  const results = [...listed.map((one) => [one.data_collection_id, one] as const), ...named];
  return unlessEmpty(
    Object.fromEntries(results.map(([name, one]) => [name, isJsonObject(one) ? copyFields(one).value : undefined])),
  );
};

/** Returns the time and the digests of a signature. */
const parseSignature = (signature: string) => {
  const parts = signature.split(',', 20).map((part) => part.trim());
  const matchParts = (form: RegExp) => parts.flatMap((part) => form.exec(part)?.[1] ?? []);
  return { time: matchParts(/^t=(\d{1,12})$/)[0], digests: matchParts(/^v0=([0-9a-f]{64})$/) };
};

/** Returns the end of an unconnected outbound call, as Twilio or the SIP trunk reports it. */
const failedCall = (callId: string, event: Record<string, unknown>): CallEnd => {
  const data = readObject(event, 'data');
  const report = readObject(readObject(data, 'metadata'), 'body');
  const reason = readText(data, 'failure_reason');
  const seconds = readNumber(event, 'event_timestamp');
  const endedAt = toIsoTime(readText(report, 'Timestamp')) ?? toIsoTime(seconds && seconds * 1000);
  const endReason =
    ['error_reason', 'sip_status', 'CallStatus'].flatMap((name) => readText(report, name) ?? [])[0] ?? reason;
  return {
    type: 'end',
    callId,
    direction: 'outbound',
    from: readText(report, 'From') ?? readText(report, 'from_number'),
    to: readText(report, 'To') ?? readText(report, 'to_number'),
    facts: { ...withoutUndefined({ startedAt: endedAt, endedAt }), status: reason ?? 'failed', details: { endReason } },
    findings: undefined,
  };
};

const configOverride = ({ greeting, instructions, language }: Overrides) => {
  const agent = unlessEmpty(
    withoutUndefined({
      first_message: greeting,
      prompt: instructions === undefined ? undefined : { prompt: instructions },
      language: language && toElevenLabsLanguage(language),
    }),
  );
  return agent && { agent };
};

/** Returns ElevenLabs' name of a language: ISO 639-1, except for Brazilian Portuguese. */
const toElevenLabsLanguage = (tag: string): string | undefined => {
  try {
    const { language, region } = new Intl.Locale(tag);
    return language === 'pt' && region === 'BR' ? 'pt-br' : language;
  } catch {
    return undefined;
  }
};
