import type { APIGatewayProxyEventV2 } from 'aws-lambda';
import { invalidField, noSuchPlatform } from '../domain/errors.ts';
import { isJsonObject, parseJson, utf8 } from '../domain/json.ts';
import { isPlatformName, type PlatformName } from '../domain/voice-platforms.ts';
import { decodeRequestBody } from '../http/request-body.ts';
import type { Lookup } from '../store/table.ts';
import { agentLookup, type CallStart, type CallStartReference, callStartLookup, listEndItems } from './call-starts.ts';
import { toCallStartReference } from './decide-call-start.ts';
import type { HookEvent, HookRequest, Platform } from './platforms/platform.ts';
import { platforms } from './platforms/platforms.ts';

/** An event with the call that it is about. `other` is about none. */
export type ReadEvent =
  | Extract<HookEvent, { type: 'other' }>
  | (Exclude<HookEvent, { type: 'other' }> & { reference: CallStartReference });

/** A request of a voice platform, and the event that it reports. */
export type Hook = { name: PlatformName; platform: Platform; request: HookRequest; event: ReadEvent };

/** Reads a request of the platform that its path names. */
export const readHook = (received: APIGatewayProxyEventV2): Hook => {
  const name = received.pathParameters?.platform ?? '';
  if (!isPlatformName(name)) throw noSuchPlatform();
  const platform: Platform = platforms[name];
  const request: HookRequest = {
    body: parseHookFields(decodeRequestBody(received)),
    query: received.queryStringParameters ?? {},
  };
  const event = platform.read(request);
  if (event.type === 'other') return { name, platform, request, event };
  const { uid = '', agentId } = request.query;
  const reference = toCallStartReference({ uid, agentId, ...event });
  return { name, platform, request, event: { ...event, reference } };
};

/** Looks up the call of an event, with the items that the answer needs. */
export const lookUpCall = (event: ReadEvent): Lookup<CallStart> | undefined => {
  switch (event.type) {
    case 'start':
      return callStartLookup(event.reference);
    case 'end':
      return agentLookup(event.reference, ...listEndItems(event));
    case 'searches':
      return agentLookup(event.reference, 'sourceCount');
    case 'other':
      return undefined;
  }
};

/** Returns the fields of a JSON object or a form, of any content type. */
const parseHookFields = (bytes: Buffer): Record<string, unknown> => {
  const fields = parsed(bytes);
  if (!isJsonObject(fields)) throw invalidField('', 'The body must be a JSON object or a form, in UTF-8.');
  return fields;
};

const parsed = (bytes: Buffer): unknown => {
  try {
    const text = utf8.decode(bytes);
    if (text.trim() === '') return undefined;
    return /^\s*[[{]/.test(text) ? parseJson(text) : Object.fromEntries(new URLSearchParams(text));
  } catch {
    return undefined;
  }
};
