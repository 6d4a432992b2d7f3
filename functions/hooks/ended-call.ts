import { type Call, CallFacts } from '../domain/calls.ts';
import { now } from '../domain/date-time.ts';
import { invalidField } from '../domain/errors.ts';
import { isIdentifier } from '../domain/identifiers.ts';
import { isDeeperThan, jsonBytes, withoutUndefined } from '../domain/json.ts';
import { limits } from '../domain/limits.ts';
import { cut } from '../domain/text.ts';
import { validate } from '../domain/validation.ts';
import type { CallEnd } from './platform.ts';
import type { PlatformName } from './platforms.ts';

const dayMilliseconds = 24 * 60 * 60 * 1000;
const maxStatusCharacters = 64;

/** Returns the id of a platform's call: its own id behind the platform's name. */
export const callIdOf = (platform: PlatformName, { callId }: CallEnd): string => {
  const id = `${platform}:${callId}`;
  if (!isIdentifier(id)) throw invalidField('callId', 'must be 1 to 128 of A-Z a-z 0-9 _ . : -');
  return id;
};

/** Returns the facts of a call as they can be stored. What exceeds the limits of a call is cut or left out. */
export const factsOf = ({ direction, facts }: CallEnd, phone: string | undefined): CallFacts => {
  const { startedAt, endedAt, status, details, ...others } = facts;
  const durationSeconds = durationWithin(facts.durationSeconds);
  const sent = withoutUndefined({
    ...others,
    ...{ direction, phone, durationSeconds },
    // A call without times has just ended.
    startedAt: pastTime(startedAt) ?? new Date(Date.now() - (durationSeconds ?? 0) * 1000).toISOString(),
    endedAt: pastTime(endedAt),
    status: (status && cut(status.toWellFormed(), maxStatusCharacters)) || undefined,
    details: details && detailsWithin(details),
  });
  const { data, error } = validate(CallFacts, sent);
  if (error) throw error;
  return data;
};

/**
 * Returns the start of a call after the end that a platform reports. Whoever knows the address of the hook can report one:
 * it moves a recorded start by at most a day, so that no call is hidden or becomes the last one of its number.
 */
export const startAfter = ({ facts }: CallEnd, { startedAt }: CallFacts, found: Call | undefined): string => {
  if (!found) return startedAt;
  const isMoved = Math.abs(Date.parse(startedAt) - Date.parse(found.startedAt)) > dayMilliseconds;
  return facts.startedAt === undefined || isMoved ? found.startedAt : startedAt;
};

/** Returns a time, the present one instead of one in the future; undefined for a year that cannot be stored. */
const pastTime = (time: string | undefined): string | undefined => {
  if (time === undefined || time.startsWith('-')) return undefined;
  return Date.parse(time) > Date.now() ? now() : time;
};

const durationWithin = (seconds: number | undefined): number | undefined => {
  if (seconds === undefined || seconds < 0 || seconds > limits.callSeconds) return undefined;
  return seconds < limits.minCallSeconds ? 0 : seconds;
};

/** Returns the details that fit, without the largest fields if they do not; undefined when there is none. */
const detailsWithin = (details: Record<string, unknown>): Record<string, unknown> | undefined => {
  const { recordingUrl, ...others } = details;
  const kept = { ...others, ...(isWebUrl(recordingUrl) && { recordingUrl }) };
  const bySize = Object.entries(kept)
    .filter(([, value]) => !isDeeperThan(value, limits.metadataDepth - 1))
    .sort(([, one], [, other]) => jsonBytes(one) - jsonBytes(other));
  while (jsonBytes(Object.fromEntries(bySize)) > limits.metadataBytes) bySize.pop();
  const fitting = new Set(bySize.map(([name]) => name));
  const entries = Object.entries(kept).filter(([name]) => fitting.has(name));
  return entries.length === 0 ? undefined : Object.fromEntries(entries);
};

const isWebUrl = (value: unknown): value is string =>
  typeof value === 'string' &&
  value.length <= limits.urlCharacters &&
  ['http:', 'https:'].includes(URL.parse(value)?.protocol ?? '');
