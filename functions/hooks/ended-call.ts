import { CallFacts } from '../domain/calls.ts';
import { invalidField } from '../domain/errors.ts';
import { isIdentifier } from '../domain/identifiers.ts';
import { limits } from '../domain/limits.ts';
import { cut } from '../domain/text.ts';
import { validate } from '../domain/validation.ts';
import type { CallEnd } from './platform.ts';
import type { PlatformName } from './platforms.ts';

/** Returns the id of a platform's call: its own id behind the platform's name. */
export const callIdOf = (platform: PlatformName, { callId }: CallEnd): string => {
  const id = `${platform}:${callId}`;
  if (!isIdentifier(id)) throw invalidField('callId', 'must be 1 to 128 of A-Z a-z 0-9 _ . : -');
  return id;
};

/** Returns the facts of a call as they can be stored. What exceeds the limits of a call is cut or left out. */
export const factsOf = ({ direction, facts }: CallEnd, phone: string | undefined): CallFacts => {
  const { durationSeconds, status, details, ...times } = facts;
  const isDuration = durationSeconds !== undefined && durationSeconds <= limits.callSeconds;
  const sent = {
    // A call without times has just ended.
    startedAt: new Date(Date.now() - (isDuration ? durationSeconds * 1000 : 0)).toISOString(),
    ...times,
    direction,
    ...(phone !== undefined && { phone }),
    ...(isDuration && { durationSeconds }),
    ...(status !== undefined && { status: cut(status, 64) }),
    ...(details && Object.keys(details).length > 0 && { details }),
  };
  const { data, error } = validate(CallFacts, sent);
  if (error) throw error;
  return data;
};
