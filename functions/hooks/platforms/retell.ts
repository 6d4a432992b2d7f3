import { copyFields, withoutUndefined } from '../../domain/json.ts';
import { isSameSecret } from '../../domain/same-secret.ts';
import { jsonResponse } from '../../http/response.ts';
import { type Overrides, overrideVariables } from '../overrides.ts';
import { explainFaults, hmac, isRecent } from '../secrets/signatures.ts';
import { readTurns } from '../transcript.ts';
import {
  chooseObject,
  isSearch,
  type Platform,
  readAgentVersion,
  readNumber,
  readObject,
  readText,
  readTime,
  searchResponse,
  toCost,
  unlessEmpty,
} from './platform.ts';
import { retellLanguages } from './retell-languages.ts';

/** Events with the whole call, in Retell's order. What a call costs grows with its analysis and its transferred leg. */
const ends = ['call_ended', 'call_analyzed', 'transfer_ended'];

const signatureForm = /^v=(\d{1,15}),d=([0-9a-f]{64})$/;

/** Retell's inbound webhook and call events. https://docs.retellai.com/features/inbound-call-webhook */
export const retell: Platform = {
  secret: { field: 'secret', headers: ['x-retell-signature'] },
  parameters: ['assistantId', 'overrides'],

  /** The signature covers body and time. Its key is an API key. https://docs.retellai.com/features/secure-webhook */
  verify(request) {
    const explain = explainFaults(request);
    const [, time, digest] = signatureForm.exec(request.headers['x-retell-signature'] ?? '') ?? [];
    if (!time || !digest) return () => 'secret';
    if (!isRecent(Number(time))) return () => 'time';
    return ({ secret }) => explain((body) => isSameSecret(hmac('sha256', secret, body, time).digest('hex'), digest));
  },

  read({ body }) {
    const event = readText(body, 'event') ?? readText(body, 'event_type');
    if (event === 'call_inbound') {
      const call = body.call_inbound
        ? readObject(body, 'call_inbound')
        : chooseObject('from_number', readObject(body, 'data'), body);
      const [from, to] = [readText(call, 'from_number'), readText(call, 'to_number')];
      return { type: 'start', callId: readText(call, 'call_id'), direction: 'inbound', from, to };
    }
    const call = chooseObject('call_id', readObject(body, 'call'), readObject(body, 'data'), body);
    if (event === undefined && isSearch(body)) {
      const direction = readText(call, 'direction') === 'outbound' ? 'outbound' : 'inbound';
      const [from, to] = [readText(call, 'from_number'), readText(call, 'to_number')];
      return {
        type: 'searches',
        direction,
        from,
        to,
        queries: [readText(body, 'query') ?? readText(readObject(body, 'args'), 'query')],
      };
    }
    const callId = readText(call, 'call_id');
    const order = ends.indexOf(event ?? '');
    if (order === -1 || !callId) return { type: 'other' };
    const analysis = readObject(call, 'call_analysis');
    const cents = readNumber(readObject(call, 'call_cost'), 'combined_cost');
    const [startedAt, endedAt] = [readTime(call, 'start_timestamp'), readTime(call, 'end_timestamp')];
    const milliseconds =
      readNumber(call, 'duration_ms') ??
      (startedAt && endedAt ? Date.parse(endedAt) - Date.parse(startedAt) : undefined);
    return {
      type: 'end',
      callId,
      order,
      direction: readText(call, 'direction') === 'outbound' ? 'outbound' : 'inbound',
      from: readText(call, 'from_number'),
      to: readText(call, 'to_number'),
      facts: {
        ...withoutUndefined({
          startedAt: startedAt ?? endedAt,
          endedAt,
          durationSeconds: milliseconds !== undefined && milliseconds >= 0 ? milliseconds / 1000 : undefined,
          status: readText(call, 'call_status'),
          // Retell's `agent_version` is the version of the agent at Retell.
          agentVersion: readAgentVersion(readObject(call, 'retell_llm_dynamic_variables')),
        }),
        details: {
          endReason: readText(call, 'disconnection_reason'),
          recordingUrl: readText(call, 'recording_url'),
          summary: readText(analysis, 'call_summary'),
          analysis: unlessEmpty(analysis),
          cost: toCost(cents, 'USD', -2),
        },
      },
      findings: unlessEmpty(copyFields(readObject(analysis, 'custom_analysis_data'))),
      turns: readTurns(
        call.transcript_with_tool_calls,
        call.transcript_object,
        call.transcript,
        call.scrubbed_transcript_with_tool_calls,
      ),
    };
  },

  makeUpStart: ({ from, to }) =>
    JSON.stringify({ event: 'call_inbound', call_inbound: { from_number: from, to_number: to } }),

  decide: ({ accept, variables, overrides }, { query: { assistantId } }) =>
    jsonResponse({
      call_inbound: accept
        ? withoutUndefined({
            dynamic_variables: { ...variables, ...(overrides && overrideVariables(overrides)) },
            override_agent_id: assistantId,
            agent_override: overrides && agentOverride(overrides),
          })
        : {},
    }),

  answer: searchResponse,

  acknowledge: () => jsonResponse({}),
};

/** Returns the overrides of an agent at Retell. Its prompt cannot be overridden. */
const agentOverride = ({ greeting, language }: Overrides) => {
  const known = language && toRetellLanguage(language);
  return unlessEmpty({
    ...(known && { agent: { language: known } }),
    ...(greeting !== undefined && { retell_llm: { begin_message: greeting } }),
  });
};

/** Returns Retell's name of a language, with its own or its most common region. */
const toRetellLanguage = (tag: string): string | undefined => {
  try {
    const { language, region } = new Intl.Locale(tag).maximize();
    const names = [tag, `${language}-${region}`];
    if (language === 'es' && region !== 'ES') names.push('es-419');
    if (language === 'nb') names.push('no-NO');
    names.push(`${language}-${new Intl.Locale(language).maximize().region}`);
    return names.find((name) => (retellLanguages as readonly string[]).includes(name));
  } catch {
    return undefined;
  }
};
