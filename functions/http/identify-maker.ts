import type { ChangeMaker } from '../domain/change-maker.ts';
import type { AnyEndpoint, Principal } from './endpoint.ts';
import type { ApiEvent } from './handler-types.ts';
import { readInnerCall } from './read-inner-call.ts';

/** Returns who makes the changes of a request. */
export const identifyMaker = (
  { caller }: AnyEndpoint,
  { uid, keyId, name, isOperators }: Partial<Principal> = {},
  event: ApiEvent,
): ChangeMaker => {
  if (isOperators) return { uid, via: 'operator' };
  if ('signature' in caller) return { uid, keyId, keyName: name, via: 'platform' };
  return { uid, keyId, keyName: name, via: readInnerCall(event)?.caller ?? 'api' };
};
