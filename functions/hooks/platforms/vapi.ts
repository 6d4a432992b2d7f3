import { copyFields, isJsonObject, withoutUndefined } from '../../domain/json.ts';
import { isSameSecret } from '../../domain/same-secret.ts';
import { jsonResponse } from '../../http/response.ts';
import { type Overrides, overrideVariables } from '../overrides.ts';
import { explainFaults, hasBearer, hmac, isRecent } from '../secrets/signatures.ts';
import { readTurns } from '../transcript.ts';
import {
  chooseObject,
  type Platform,
  readAgentVersion,
  readNumber,
  readObject,
  readText,
  readTime,
  searchTool,
  toCost,
  unlessEmpty,
} from './platform.ts';

/** Vapi's server messages. https://docs.vapi.ai/server-url/events */
export const vapi: Platform = {
  secret: {
    field: 'secret',
    headers: ['x-signature', 'x-vapi-secret', 'authorization'],
    customHeader: { holds: 'the signature', name: 'x-signature' },
    hasAlgorithm: true,
  },
  parameters: ['assistantId', 'overrides'],

  /**
   * The credential decides what is signed, or that the secret itself is sent.
   * https://docs.vapi.ai/server-url/server-authentication
   */
  verify(request) {
    const { headers, body } = request;
    const explain = explainFaults(request);
    return (given) => {
      const { header = 'x-signature', algorithm = 'sha256', secret } = given;
      if (hasBearer(request, given, ['x-vapi-secret', header])) return undefined;
      const signature = headers[header]?.replace(/^sha\d+=/, '');
      if (!signature) return 'secret';
      const time = headers['x-timestamp'];
      if (time !== undefined && !isRecent(parseMilliseconds(time))) return 'time';
      // Otherwise the time could move from the header into the body.
      if (body[0] !== '{'.charCodeAt(0)) return 'body';
      return explain((bytes) => {
        const mac = hmac(algorithm, secret, time === undefined ? '' : `${time}.`, bytes).digest();
        return isSameSecret(mac.toString('hex'), signature) || isSameSecret(mac.toString('base64'), signature);
      });
    };
  },

  read({ body }) {
    const message = findMessage(body);
    const call = readObject(message, 'call');
    const other =
      partyAddress(message, 'customer') ?? partyAddress(call, 'customer') ?? partyAddress(message, 'contact');
    const own = partyAddress(message, 'phoneNumber') ?? partyAddress(call, 'phoneNumber');
    switch (readText(message, 'type')) {
      case 'assistant-request':
        return { type: 'start', callId: readText(call, 'id'), direction: 'inbound', from: other, to: own };
      case 'campaign.predial':
        return { type: 'start', callId: undefined, direction: 'outbound', from: own, to: other };
      case 'end-of-call-report': {
        const callId = readText(call, 'id');
        if (!callId) return { type: 'other' };
        const direction = readText(call, 'type') === 'outboundPhoneCall' ? 'outbound' : 'inbound';
        const [from, to] = direction === 'inbound' ? [other, own] : [own, other];
        const endedAt = readTime(message, 'endedAt') ?? readTime(call, 'endedAt');
        const startedAt = readTime(message, 'startedAt') ?? readTime(call, 'startedAt');
        const [analysis, artifact] = [readEither('analysis', message, call), readEither('artifact', message, call)];
        const structuredOutputs = unlessEmpty(readObject(artifact, 'structuredOutputs'));
        const details = {
          endReason: readText(message, 'endedReason'),
          recordingUrl: findRecording(artifact) ?? readText(message, 'recordingUrl'),
          summary: readText(analysis, 'summary') ?? readText(message, 'summary'),
          analysis: unlessEmpty({ ...analysis, ...(structuredOutputs && { structuredOutputs }) }),
          cost: toCost(readCost(message) ?? readCost(call), 'USD'),
        };
        const agentVersion = readAgentVersion(
          readObject(readObject(call, 'assistantOverrides'), 'variableValues'),
          readObject(artifact, 'variableValues'),
        );
        const durationSeconds =
          readNumber(message, 'durationSeconds') ?? secondsBetween(startedAt, endedAt) ?? readDuration(message);
        return {
          type: 'end',
          callId,
          order: readNumber(message, 'timestamp'),
          direction,
          from,
          to,
          facts: {
            ...withoutUndefined({ startedAt: startedAt ?? endedAt, endedAt, durationSeconds, agentVersion }),
            status: 'ended',
            details,
          },
          findings: unlessEmpty({
            ...copyFields(readObject(analysis, 'structuredData')),
            ...flattenOutputs(structuredOutputs),
          }),
          turns: readTurns(
            artifact.messages,
            message.messages,
            artifact.transcript,
            message.transcript,
            artifact.messagesOpenAIFormatted,
          ),
        };
      }
      case 'tool-calls':
      case 'function-call': {
        const queries = collectSearches(message).map(({ query }) => query);
        if (queries.length === 0) return { type: 'other' };
        return { type: 'searches', direction: 'inbound', from: other, to: own, queries };
      }
      default:
        return { type: 'other' };
    }
  },

  makeUpStart: ({ callId, from, to }) =>
    JSON.stringify({
      message: {
        type: 'assistant-request',
        call: { id: callId, customer: { number: from } },
        phoneNumber: { number: to },
      },
    }),

  needs: ({ body }) => (isPredial(body) ? undefined : 'assistantId'),

  decide({ accept, variables, overrides }, { body, query: { assistantId } }) {
    if (isPredial(body)) return jsonResponse({ eligible: accept });
    if (!accept) return jsonResponse({ error: 'This caller cannot be connected.' });
    const variableValues = { ...variables, ...(overrides && overrideVariables(overrides)) };
    return jsonResponse({ assistantId, assistantOverrides: { ...assistantOverrides(overrides), variableValues } });
  },

  answer(answers, { body }) {
    const message = findMessage(body);
    // Vapi reads only results of one line.
    const results = answers.map(({ error, text }) =>
      error === undefined ? { result: text?.replace(/\s*\n\s*/g, ' ') } : { error },
    );
    if (readText(message, 'type') === 'function-call')
      return jsonResponse({ result: results[0]?.result ?? results[0]?.error });
    const called = collectSearches(message).map(({ toolCallId }) => ({ name: searchTool, toolCallId }));
    return jsonResponse({ results: called.map((call, index) => ({ ...call, ...results[index] })) });
  },

  acknowledge: () => jsonResponse({}),
};

const findMessage = (body: Record<string, unknown>) => chooseObject('type', readObject(body, 'message'), body);

/** Returns the fields of an object that is in a message, in its call, or in both. */
const readEither = (name: string, message: Record<string, unknown>, call: Record<string, unknown>) => ({
  ...readObject(call, name),
  ...readObject(message, name),
});

/** Returns a party's number, or the SIP address in its place. */
const partyAddress = (object: Record<string, unknown>, party: string): string | undefined =>
  readText(readObject(object, party), 'number') ?? readText(readObject(object, party), 'sipUri');

/** Returns the calls of the search tool, whose arguments Vapi sends in several forms. */
const collectSearches = (message: Record<string, unknown>): { toolCallId: string; query: string | undefined }[] =>
  listToolCalls(message).flatMap((call) => {
    const called = readObject(call, 'function');
    if ((called.name ?? call.name) !== searchTool) return [];
    const sent = called.arguments ?? call.arguments ?? called.parameters ?? call.parameters;
    return [{ toolCallId: readText(call, 'id') ?? '', query: readText(parseToolArguments(sent), 'query') }];
  });

/** Returns a message's tool calls, which Vapi sends in several lists. */
const listToolCalls = (message: Record<string, unknown>): Record<string, unknown>[] => {
  const readObjects = (name: string) => [message[name]].flat().filter(isJsonObject);
  const ofTools = readObjects('toolWithToolCallList').map((tool) => ({
    name: tool.name,
    ...readObject(tool, 'toolCall'),
  }));
  const lists = [readObjects('toolCallList'), readObjects('toolCalls'), ofTools, readObjects('functionCall')];
  return lists.find(({ length }) => length > 0) ?? [];
};

const parseToolArguments = (sent: unknown): Record<string, unknown> => {
  if (isJsonObject(sent)) return sent;
  try {
    const parsed: unknown = JSON.parse(String(sent));
    return isJsonObject(parsed) ? parsed : {};
  } catch {
    return {};
  }
};

/** The providers that need only a model's name. Vapi refuses calls with other overrides. */
const modelProviders = new Set(
  'anthropic anthropic-bedrock anyscale cerebras deepinfra deep-seek google groq inflection-ai minimax openai openrouter perplexity-ai together-ai xai'.split(
    ' ',
  ),
);

/** Returns an assistant's overrides. A model of the same provider keeps its tools. */
const assistantOverrides = ({ greeting, instructions, model = '' }: Overrides = {}) => {
  const [, provider = '', name] = /^([^/]+)\/(.+)$/.exec(model) ?? [];
  return {
    firstMessage: greeting,
    ...(instructions !== undefined &&
      modelProviders.has(provider) && {
        model: { provider, model: name, messages: [{ role: 'system', content: instructions }] },
      }),
  };
};

/** Returns a recording's address, in stereo or mono and under any of its names. */
const findRecording = (artifact: Record<string, unknown>): string | undefined => {
  const recording = readObject(artifact, 'recording');
  return (
    readText(artifact, 'recordingUrl') ??
    readText(readObject(recording, 'mono'), 'combinedUrl') ??
    readText(recording, 'stereoUrl') ??
    readText(artifact, 'stereoRecordingUrl')
  );
};

/** Returns structured outputs by name, with the fields of objects. */
const flattenOutputs = (structuredOutputs: Record<string, unknown> = {}): Record<string, unknown> =>
  Object.fromEntries(
    Object.values(structuredOutputs)
      .filter(isJsonObject)
      .map(copyFields)
      .flatMap(({ name, result }) => [
        ...(isJsonObject(result) ? Object.entries(copyFields(result)) : []),
        ...(typeof name === 'string' ? [[name, result] as const] : []),
      ]),
  );

/** Returns the cost of a call, its total, or the sum of what all its components cost. */
const readCost = (object: Record<string, unknown>): number | undefined => {
  const costs = [object.costs].flat().filter(isJsonObject);
  const components = costs.map((one) => readNumber(one, 'cost') ?? Number.NaN);
  return (
    readNumber(object, 'cost') ??
    readNumber(readObject(object, 'costBreakdown'), 'total') ??
    (components.length > 0 ? components.reduce((sum, cost) => sum + cost) : undefined)
  );
};

/** Returns the seconds of a duration in another unit. */
const readDuration = (message: Record<string, unknown>): number | undefined => {
  const [milliseconds, minutes] = [readNumber(message, 'durationMs'), readNumber(message, 'durationMinutes')];
  const whole = milliseconds ?? (minutes && Math.round(minutes * 60_000));
  return whole === undefined ? undefined : whole / 1000;
};

const secondsBetween = (start: string | undefined, end: string | undefined): number | undefined => {
  const seconds = (Date.parse(end ?? '') - Date.parse(start ?? '')) / 1000;
  return seconds >= 0 ? seconds : undefined;
};

const isPredial = (body: Record<string, unknown>) => readText(findMessage(body), 'type') === 'campaign.predial';

/** Reads Unix seconds, Unix milliseconds or a date-time. */
const parseMilliseconds = (time: string): number => {
  if (/^\d{10}$/.test(time)) return Number(time) * 1000;
  return /^\d{13}$/.test(time) ? Number(time) : Date.parse(time);
};
