import pMap from 'p-map';
import type { Secret } from '../clients/secrets.ts';
import type { Call } from '../domain/calls.ts';
import type { Difference, ReconciliationCounts } from '../domain/reconciliations.ts';
import { toCallStartReference } from '../hooks/decide-call-start.ts';
import { isOver, toCallId } from '../hooks/ended-call.ts';
import type { CallEnd } from '../hooks/platforms/platform.ts';
import { platforms } from '../hooks/platforms/platforms.ts';
import type { CallRecords, ReportedCall } from '../store/calls/call-records.ts';
import type { ErasedPeople } from '../store/erased-people.ts';
import type { ListedCall } from './lists/list.ts';
import type { StoredReconciliation } from './reconciliations.ts';

/** A call that is missing here, or its end, with what the platform's webhook would have reported. */
export type UnknownCall = { callId: string; end: CallEnd };

/** What a page says about the calls of an agent, and what is missing. */
export type ComparedPage = {
  counts: ReconciliationCounts;
  differences: Difference[];
  missing: UnknownCall[];
  /** The ids of those calls, and of calls that an earlier run of this page has recorded. */
  planned: { recovered: string[]; completed: string[] };
};

const lookupConcurrency = 4;
const maxSecondsApart = 1;
/** A call is compared again for so long after its end: a list may be late, and the record of a call may wait for its end. */
const maxLateMilliseconds = 2 * 60 * 60 * 1000;

/** The services that compare calls. */
type Services = {
  callRecords: Pick<CallRecords, 'earliestStart' | 'readReported'>;
  erasedPeople: Pick<ErasedPeople, 'wasErasedAfter'>;
  secret: Pick<Secret, 'read'>;
};

type Verdict =
  | { kind: 'other' | 'skipped' }
  | { kind: 'known'; differences: Difference[] }
  | { kind: 'recovered' | 'completed'; callId: string; missing?: UnknownCall };

/** Compares the calls of a page with those that are here. Those in `recorded` are not read if an earlier pass compared them. */
export const comparePage = async (
  stored: StoredReconciliation,
  page: ListedCall[],
  recorded: Set<string>,
  services: Services,
): Promise<ComparedPage> => {
  const { agentId, platform } = stored;
  const listed = page
    .filter((call) => startsWithin(call, stored) && mayBeOurs(call, stored))
    .map((call) => ({ call, callId: toCallId(platform, call.id) }));
  const isCompared = ({ call, callId }: Listed) =>
    recorded.has(callId ?? '') && wasCompared(call, stored) && !findPlanned(stored, callId);
  const unread = listed.filter((one) => !isCompared(one)).flatMap(({ callId }) => callId ?? []);
  const read = unread.length === 0 ? new Map() : await services.callRecords.readReported(agentId, unread);
  const verdicts = await pMap(
    listed,
    async (one): Promise<Verdict> =>
      isCompared(one) ? { kind: 'known', differences: [] } : judge(stored, one, read.get(one.callId ?? ''), services),
    { concurrency: lookupConcurrency },
  );
  const select = (kind: Verdict['kind']) => verdicts.filter((one) => one.kind === kind);
  const listIds = (kind: 'recovered' | 'completed') => select(kind).map((one) => (one as { callId: string }).callId);
  const known = select('known') as Extract<Verdict, { kind: 'known' }>[];
  const planned = { recovered: listIds('recovered'), completed: listIds('completed') };
  const counts = {
    known: known.length,
    recovered: planned.recovered.length,
    completed: planned.completed.length,
    skipped: select('skipped').length,
    differing: known.filter(({ differences }) => differences.length > 0).length,
  };
  return {
    counts: { listed: counts.known + counts.recovered + counts.completed + counts.skipped, ...counts },
    differences: known.flatMap(({ differences }) => differences),
    missing: verdicts.flatMap((one) => ('missing' in one && one.missing ? [one.missing] : [])),
    planned,
  };
};

type Listed = { call: ListedCall; callId: string | undefined };

/** Decides what a call of a list is here. */
const judge = async (
  stored: StoredReconciliation,
  { call, callId }: Listed,
  found: ReportedCall | undefined,
  { callRecords, erasedPeople, secret }: Services,
): Promise<Verdict> => {
  if (callId === undefined || found === 'deleted') return { kind: 'skipped' };
  const record = found?.call;
  const planned = findPlanned(stored, callId);
  if (record && isOver(record) && !planned)
    return { kind: 'known', differences: compare(callId, record, readEnd(stored, call.event)) };
  if (isTooOld(call, callRecords.earliestStart())) return { kind: 'skipped' };
  if (!call.isOver) return { kind: record || isSurelyOurs(call, stored) ? 'skipped' : 'other' };
  const needsRest = !stored.dryRun || call.own === undefined;
  const event = needsRest && call.complete ? await call.complete() : call.event;
  const end = event && readEnd(stored, event);
  if (!end) return planned && record ? { kind: planned, callId } : { kind: 'skipped' };
  if (!record && !isOwnNumber(stored, end)) return { kind: 'other' };
  const { other: number } = toCallStartReference({ uid: stored.uid, ...end });
  const person = { uid: stored.uid, number: number ?? '', time: end.facts.startedAt ?? new Date().toISOString() };
  if (number && (await erasedPeople.wasErasedAfter(await secret.read(), person))) return { kind: 'skipped' };
  // An earlier run of this page may have died between the record of a call and its outcome.
  return { kind: planned ?? (record ? 'completed' : 'recovered'), callId, missing: { callId, end } };
};

/** Returns what an earlier run of this page was about to do with a call. */
const findPlanned = ({ progress }: StoredReconciliation, callId: string | undefined) =>
  (['recovered', 'completed'] as const).find((one) => progress.planned[one].includes(callId ?? ''));

/** Returns the end that the platform's webhook would report, as the webhook's reader reads it. */
const readEnd = ({ platform }: StoredReconciliation, body: Record<string, unknown>): CallEnd | undefined => {
  const event = platforms[platform].read({ body, query: {} });
  return event.type === 'end' ? event : undefined;
};

/** Checks whether an earlier pass of the clock has compared a call, which was over by then. */
const wasCompared = (call: ListedCall, stored: StoredReconciliation): boolean => {
  const { comparedUntil } = stored;
  if (comparedUntil === undefined || !call.isOver) return false;
  const endedAt = readEnd(stored, call.event)?.facts.endedAt;
  return endedAt !== undefined && Date.parse(endedAt) < comparedUntil - maxLateMilliseconds;
};

const startsWithin = ({ startedAt }: ListedCall, { from, to }: StoredReconciliation) =>
  startedAt !== undefined && startedAt >= Date.parse(from) && startedAt < Date.parse(to);

/** Checks whether a call is older than the service keeps calls. */
const isTooOld = ({ startedAt = 0 }: ListedCall, earliest: string | undefined) =>
  earliest !== undefined && startedAt < Date.parse(earliest);

/** Checks that our side's number, if the list has it, is the agent's. The list has only calls of named assistants. */
const mayBeOurs = (call: ListedCall, stored: StoredReconciliation) =>
  call.own === undefined || isSurelyOurs(call, stored);

const isSurelyOurs = ({ own }: ListedCall, { assistantIds, number, uid }: StoredReconciliation) =>
  assistantIds.length > 0 || (own !== undefined && normalize(uid, own) === number);

const isOwnNumber = ({ assistantIds, number, uid }: StoredReconciliation, { direction, from, to }: CallEnd) =>
  assistantIds.length > 0 || toCallStartReference({ uid, direction, from, to }).own === number;

const normalize = (uid: string, own: string) => toCallStartReference({ uid, direction: 'inbound', to: own }).own;

/** Returns what differs between a call here and the platform's report. What one side lacks is no difference. */
const compare = (callId: string, call: Call, end: CallEnd | undefined): Difference[] => {
  const [here, there] = [call.durationSeconds, end?.facts.durationSeconds];
  const [cost, otherCost] = [readCost(call.details?.cost), readCost(end?.facts.details.cost)];
  return [
    ...(here !== undefined && there !== undefined && Math.abs(here - there) > maxSecondsApart
      ? [{ callId, field: 'durationSeconds' as const, here, there }]
      : []),
    ...(cost && otherCost && (cost.amount !== otherCost.amount || cost.currency !== otherCost.currency)
      ? [{ callId, field: 'cost' as const, here: cost, there: otherCost }]
      : []),
  ];
};

const readCost = (value: unknown): { amount: number; currency: string } | undefined => {
  const { amount, currency } = (value ?? {}) as Record<string, unknown>;
  return typeof amount === 'number' && typeof currency === 'string' ? { amount, currency } : undefined;
};
