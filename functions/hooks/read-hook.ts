import type { APIGatewayProxyEventV2 } from 'aws-lambda';
import { invalidField, noSuchPlatform } from '../domain/errors.ts';
import { isJsonObject, parseJson, utf8 } from '../domain/json.ts';
import { decodeRequestBody } from '../http/request-body.ts';
import type { HookEvent, HookRequest, Platform } from './platforms/platform.ts';
import { isPlatformName, type PlatformName, platforms } from './platforms/platforms.ts';

/** A request of a voice platform, and the event that it reports. */
export type Hook = { name: PlatformName; platform: Platform; request: HookRequest; event: HookEvent };

/** Reads a request of the platform that its path names. */
export const readHook = (received: APIGatewayProxyEventV2): Hook => {
  const name = received.pathParameters?.platform ?? '';
  if (!isPlatformName(name)) throw noSuchPlatform();
  const platform: Platform = platforms[name];
  const request: HookRequest = {
    body: parseHookFields(decodeRequestBody(received)),
    query: received.queryStringParameters ?? {},
  };
  return { name, platform, request, event: platform.read(request) };
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
