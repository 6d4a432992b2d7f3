import { isJsonObject, withoutUndefined } from '../domain/json.ts';
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
import { hasBearer, hmac, isRecent, isSame, refusalOf } from './signatures.ts';

/** Vapi's server messages. https://docs.vapi.ai/server-url/events */
export const vapi: Platform = {
  /**
   * The signature is of the body, or of the time and the body, as its credential in Vapi says; or the secret itself is sent.
   * https://docs.vapi.ai/server-url/server-authentication
   */
  verify(request, given) {
    const { headers, body } = request;
    const { header = 'x-signature', algorithm = 'sha256', secret } = given;
    if (hasBearer(request, given, ['x-vapi-secret', header])) return undefined;
    const signature = headers[header]?.replace(/^sha\d+=/, '');
    if (!signature) return 'secret';
    const time = headers['x-timestamp'];
    if (time !== undefined && !isRecent(millisecondsOf(time))) return 'time';
    // Otherwise a time that is taken out of the header could be put at the beginning of the body.
    if (body[0] !== '{'.charCodeAt(0)) return 'body';
    return refusalOf(request, (bytes) => {
      const mac = hmac(algorithm, secret, time === undefined ? '' : `${time}.`, bytes).digest();
      return isSame(mac.toString('hex'), signature) || isSame(mac.toString('base64'), signature);
    });
  },

  read({ body }) {
    const message = objectAt(body, 'message');
    const call = objectAt(message, 'call');
    const other =
      textAt(objectAt(message, 'customer'), 'number') ??
      textAt(objectAt(call, 'customer'), 'number') ??
      textAt(objectAt(message, 'contact'), 'number');
    const own = textAt(objectAt(message, 'phoneNumber'), 'number') ?? textAt(objectAt(call, 'phoneNumber'), 'number');
    switch (textAt(message, 'type')) {
      case 'assistant-request':
        return { type: 'start', callId: textAt(call, 'id'), direction: 'inbound', from: other, to: own };
      case 'campaign.predial':
        return { type: 'start', callId: undefined, direction: 'outbound', from: own, to: other };
      case 'end-of-call-report': {
        const callId = textAt(call, 'id');
        if (!callId) return { type: 'other' };
        const direction = textAt(call, 'type') === 'outboundPhoneCall' ? 'outbound' : 'inbound';
        const [from, to] = direction === 'inbound' ? [other, own] : [own, other];
        const endedAt = timeOf(textAt(message, 'endedAt') ?? textAt(call, 'endedAt'));
        const startedAt = timeOf(textAt(message, 'startedAt') ?? textAt(call, 'startedAt'));
        const [analysis, artifact] = [objectAt(message, 'analysis'), objectAt(message, 'artifact')];
        const structuredOutputs = unlessEmpty(objectAt(artifact, 'structuredOutputs'));
        const details = {
          endReason: textAt(message, 'endedReason'),
          recordingUrl: recordingIn(artifact) ?? textAt(message, 'recordingUrl'),
          summary: textAt(analysis, 'summary') ?? textAt(message, 'summary'),
          analysis: unlessEmpty({ ...analysis, ...(structuredOutputs && { structuredOutputs }) }),
          cost: dollars(numberAt(message, 'cost')),
        };
        const agentVersion = agentVersionIn(
          objectAt(objectAt(call, 'assistantOverrides'), 'variableValues'),
          objectAt(artifact, 'variableValues'),
        );
        const durationSeconds = numberAt(message, 'durationSeconds') ?? secondsBetween(startedAt, endedAt);
        return {
          type: 'end',
          callId,
          direction,
          from,
          to,
          facts: {
            ...withoutUndefined({ startedAt: startedAt ?? endedAt, endedAt, durationSeconds, agentVersion }),
            status: 'ended',
            details,
          },
          findings: unlessEmpty({ ...objectAt(analysis, 'structuredData'), ...outputsIn(structuredOutputs) }),
        };
      }
      default:
        return { type: 'other' };
    }
  },

  needs: ({ body }) => (isPredial(body) ? undefined : 'assistantId'),

  decide({ accept, variables }, { body, query: { assistantId } }) {
    if (isPredial(body)) return jsonResponse({ eligible: accept });
    if (!accept) return jsonResponse({ error: 'This caller cannot be connected.' });
    return jsonResponse({ assistantId, assistantOverrides: { variableValues: variables } });
  },

  acknowledge: () => jsonResponse({}),
};

/** Returns the address of a recording. Vapi has renamed the field, and records in stereo or mono. */
const recordingIn = (artifact: Record<string, unknown>): string | undefined => {
  const recording = objectAt(artifact, 'recording');
  return (
    textAt(artifact, 'recordingUrl') ??
    textAt(objectAt(recording, 'mono'), 'combinedUrl') ??
    textAt(recording, 'stereoUrl') ??
    textAt(artifact, 'stereoRecordingUrl')
  );
};

/** Returns the results of structured outputs by name, and the fields of those that are objects. */
const outputsIn = (structuredOutputs: Record<string, unknown> = {}): Record<string, unknown> =>
  Object.fromEntries(
    Object.values(structuredOutputs)
      .filter(isJsonObject)
      .flatMap(({ name, result }) => [
        ...(isJsonObject(result) ? Object.entries(result) : []),
        ...(typeof name === 'string' ? [[name, result] as const] : []),
      ]),
  );

const secondsBetween = (start: string | undefined, end: string | undefined): number | undefined => {
  const seconds = (Date.parse(end ?? '') - Date.parse(start ?? '')) / 1000;
  return seconds >= 0 ? seconds : undefined;
};

const isPredial = (body: Record<string, unknown>) => textAt(objectAt(body, 'message'), 'type') === 'campaign.predial';

/** Reads Unix seconds, Unix milliseconds or a date-time. */
const millisecondsOf = (time: string): number => {
  if (/^\d{10}$/.test(time)) return Number(time) * 1000;
  return /^\d{13}$/.test(time) ? Number(time) : Date.parse(time);
};
