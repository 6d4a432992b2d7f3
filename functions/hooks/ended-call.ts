import { isReportedCost, type ReportedCost } from '../domain/call-costs.ts';
import { type Call, CallFacts, factNames } from '../domain/calls.ts';
import { requireConsent } from '../domain/consent-decisions.ts';
import { now } from '../domain/date-time.ts';
import { isDisclosed } from '../domain/disclosures.ts';
import { isIdentifier } from '../domain/identifiers.ts';
import { isDeeperThan, isJsonObject, jsonBytes, mergeJson, withoutUndefined } from '../domain/json.ts';
import { limits } from '../domain/limits.ts';
import { cut } from '../domain/text.ts';
import { validate } from '../domain/validation.ts';
import type { PlatformName } from '../domain/voice-platforms.ts';
import type { CallStartReference, EndRules } from './call-starts.ts';
import { type CallDetails, type CallEnd, unlessEmpty } from './platforms/platform.ts';

const dayMilliseconds = 24 * 60 * 60 * 1000;
const maxStatusCharacters = 64;
/** Details of a platform leave room for the outcome that the agent refuses. */
const maxDetailsBytes = limits.metadataBytes - 2048;

/** Returns a call's id: the platform's name, then its own id, if valid. */
export const toCallId = (platform: PlatformName, callId: string | undefined): string | undefined => {
  const id = `${platform}:${callId}`;
  return callId !== undefined && isIdentifier(id) ? id : undefined;
};

/** Returns storable facts. Values beyond the limits of a call are cut or left out. */
export const toStorableFacts = (
  { direction, facts }: CallEnd,
  { other, own, attestation }: CallStartReference,
): CallFacts => {
  const { startedAt, endedAt, status, details, ...others } = facts;
  const durationSeconds = durationWithin(facts.durationSeconds);
  const sent = withoutUndefined({
    ...others,
    direction,
    phone: other,
    agentPhone: own,
    durationSeconds,
    // A call without times has just ended.
    startedAt: pastTime(startedAt) ?? new Date(Date.now() - (durationSeconds ?? 0) * 1000).toISOString(),
    endedAt: pastTime(endedAt),
    status: (status && cut(status.toWellFormed(), maxStatusCharacters)) || undefined,
    details: detailsWithin({ ...details, attestation }),
  });
  const { data, error } = validate(CallFacts, sent);
  if (error) throw error;
  return data;
};

/** Checks whether the end of a call is known. */
export const isOver = ({ endedAt, durationSeconds }: Call): boolean =>
  endedAt !== undefined || durationSeconds !== undefined;

/** A call as it is stored, with the cost that its platform reported. */
type RecordedCall = Call & { reportedCost?: ReportedCost };

/**
 * Returns the facts after a reported end, which fills gaps: anyone who knows the address can report. Only the cost of a later
 * event replaces that of an earlier one, and only if the caller `mayReplace` it.
 */
export const factsAfter = (
  end: CallEnd,
  facts: CallFacts,
  found: RecordedCall | undefined,
  mayReplace: boolean,
): CallFacts & Pick<RecordedCall, 'reportedCost'> => {
  const reportedCost = laterCost(end, found, mayReplace);
  if (!found) return { ...facts, reportedCost };
  const isEnded = isOver(found);
  const filled = Object.fromEntries(factNames.map((name) => [name, found[name] ?? facts[name]])) as CallFacts;
  return {
    ...filled,
    startedAt: isEnded ? found.startedAt : startAfter(end, facts, found),
    status: isEnded || found.status === rejectedStatus ? filled.status : facts.status,
    details: withCost(withMissing(found.details, facts.details), reportedCost),
    reportedCost: reportedCost ?? found.reportedCost,
  };
};

/** Returns facts with what the rules of the agent add: whether it disclosed, and the consent by which the call was made. */
export const withRules = <Facts extends CallFacts>(
  facts: Facts,
  found: Call | undefined,
  { turns }: CallEnd,
  { discloses, disclosure, consentRule, consents }: EndRules,
): Facts & Pick<Call, 'disclosed'> => {
  const isHeard = disclosure === undefined || turns === undefined ? undefined : isDisclosed(turns, disclosure);
  const heard = isHeard === undefined ? undefined : isHeard ? 'yes' : 'no';
  const { direction, startedAt, details = {} } = facts;
  const isMade = direction === 'outbound' && consentRule && details.consentId === undefined;
  const consentId = isMade ? requireConsent(consentRule, consents, Date.parse(startedAt)).consentId : undefined;
  return {
    ...facts,
    details: consentId === undefined ? facts.details : (mergeJson(details, { consentId }) as Facts['details']),
    disclosed: discloses ? (heard ?? found?.disclosed ?? 'unknown') : found?.disclosed,
  };
};

/** Returns the cost of a report if it becomes that of the call. A cost that a caller has set stays. */
const laterCost = (
  {
    order,
    facts: {
      details: { cost },
    },
  }: CallEnd,
  found: RecordedCall | undefined,
  mayReplace: boolean,
): ReportedCost | undefined => {
  if (!cost) return undefined;
  const former = found?.reportedCost;
  const reported = { ...cost, order: mayReplace ? (order ?? former?.order ?? 0) : 0 };
  if (found?.details?.cost === undefined) return reported;
  const isFormers = isReportedCost(found.details.cost, former) && !isReportedCost(cost, former);
  return former && isFormers && mayReplace && reported.order >= former.order ? reported : undefined;
};

const withCost = (details: Record<string, unknown> | undefined, reported: ReportedCost | undefined) => {
  if (!details || !reported) return details;
  const { amount, currency } = reported;
  return mergeJson(details, { cost: { amount, currency } }) as Record<string, unknown>;
};

/** Returns details with the fields that they lack, as far as these fit. */
const withMissing = (details: Record<string, unknown> = {}, more: Record<string, unknown> = {}) => {
  const missing = Object.entries(more).filter(([name]) => !Object.hasOwn(details, name));
  const added = fitting(Object.fromEntries(missing), maxDetailsBytes - jsonBytes(details));
  return unlessEmpty(added ? (mergeJson(details, added) as Record<string, unknown>) : details);
};

/** Returns a call's start, moved by a day at most: no call becomes the last of its number. */
const startAfter = ({ facts }: CallEnd, { startedAt }: CallFacts, found: Call): string => {
  const isMoved = Math.abs(Date.parse(startedAt) - Date.parse(found.startedAt)) > dayMilliseconds;
  return facts.startedAt === undefined || isMoved ? found.startedAt : startedAt;
};

const rejectedStatus = 'rejected';

/** Returns the facts of a rejected call. Recorded facts stay, and an ended call does not change. */
export const rejectedCall = (
  { direction, other, own, attestation }: CallStartReference,
  { cause, version, discloses }: { cause: string; version: number; discloses: boolean },
  found: Call | undefined,
): CallFacts & Pick<Call, 'disclosed'> =>
  found?.endedAt === undefined
    ? {
        ...(found ?? { direction, startedAt: now(), phone: other, agentPhone: own, agentVersion: version }),
        disclosed: found ? found.disclosed : discloses ? 'unknown' : undefined,
        status: rejectedStatus,
        details: { ...found?.details, ...withoutUndefined({ cause, attestation }) },
      }
    : found;

/** Returns a storable time, at most the present. */
const pastTime = (time: string | undefined): string | undefined => {
  if (time === undefined || time.startsWith('-')) return undefined;
  return Date.parse(time) > Date.now() ? now() : time;
};

const durationWithin = (seconds: number | undefined): number | undefined => {
  if (seconds === undefined || seconds < 0 || seconds > limits.callSeconds) return undefined;
  return seconds < limits.minCallSeconds ? 0 : seconds;
};

/** Returns the details that fit. Texts are cut, other details lose fields. */
const detailsWithin = ({ recordingUrl, summary, ...others }: CallDetails): Record<string, unknown> | undefined =>
  fitting(
    withoutUndefined({
      ...others,
      recordingUrl: isWebUrl(recordingUrl) ? recordingUrl : undefined,
      summary: summary && cut(summary.slice(0, 2 * limits.summaryCharacters), limits.summaryCharacters),
    }),
  );

/** Returns what fits of an object: its smallest fields, and a part of larger fields. */
const fitting = (
  fields: Record<string, unknown>,
  bytes: number = maxDetailsBytes,
  depth: number = limits.metadataDepth,
): Record<string, unknown> | undefined => {
  if (depth === 0) return undefined;
  if (jsonBytes(fields) <= bytes && !isDeeperThan(fields, depth)) return unlessEmpty(fields);
  const entries = Object.entries(fields);
  const bySize = entries
    .map(([name, value]) => ({ name, value, size: jsonBytes(value) }))
    .sort((one, other) => one.size - other.size);
  const kept = new Map<string, unknown>();
  let left = bytes - 2;
  for (const { name, value, size } of bySize) {
    const room = left - jsonBytes(name) - 2;
    const isWhole = size <= room && !isDeeperThan(value, depth - 1);
    const part = isWhole ? value : isJsonObject(value) ? fitting(value, room, depth - 1) : undefined;
    if (part === undefined) continue;
    kept.set(name, part);
    left = room - (isWhole ? size : jsonBytes(part));
  }
  return unlessEmpty(Object.fromEntries(entries.flatMap(([name]) => (kept.has(name) ? [[name, kept.get(name)]] : []))));
};

const isWebUrl = (value: unknown): value is string =>
  typeof value === 'string' &&
  value.length <= limits.urlCharacters &&
  ['http:', 'https:'].includes(URL.parse(value)?.protocol ?? '');
