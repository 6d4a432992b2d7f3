import { callerMarkHeader, readCallerMark } from '../domain/caller-mark.ts';
import type { ChangeMaker } from '../domain/change-maker.ts';
import { environment } from '../environment.ts';
import type { AnyEndpoint, Principal } from './endpoint.ts';
import type { ApiEvent } from './handler-types.ts';
import { keyInRequest } from './key-in-request.ts';

/** Returns who makes the changes of a request. A voice platform signs its requests, or has a key. */
export const identifyMaker = (
  { caller }: AnyEndpoint,
  { uid, keyId, name, isOperators }: Partial<Principal> = {},
  event: ApiEvent,
): ChangeMaker => {
  if (isOperators) return { uid, via: 'operator' };
  if ('signature' in caller) return { uid, keyId, keyName: name, via: 'platform' };
  return { uid, keyId, keyName: name, via: readInnerCaller(event, caller) ?? 'api' };
};

/** Returns the part of the service that forwards a caller's key: the build chat, or the server of AI clients. */
const readInnerCaller = (event: ApiEvent, caller: AnyEndpoint['caller']) => {
  const mark = event.headers[callerMarkHeader];
  return mark === undefined
    ? undefined
    : readCallerMark(mark, environment.callerMarkSecrets, keyInRequest(caller, event).secret);
};
