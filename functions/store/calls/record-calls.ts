import { randomUUID } from 'node:crypto';
import pMap from 'p-map';
import { type Call, type CallFacts, withFacts } from '../../domain/calls.ts';
import { chunks } from '../../domain/chunks.ts';
import type { StoredTranscript } from '../../domain/transcripts.ts';
import type { Condition } from '../expressions.ts';
import { callKey } from '../keys.ts';
import { repeatRounds } from '../repeat-rounds.ts';
import type { Table, TransactionAction } from '../table.ts';
import { isRetryable, writeFailure } from '../write-failures.ts';
import type { OutcomeChange } from './call-outcomes.ts';
import {
  type CallRecords,
  entryActions,
  isNoCall,
  isUnchanged,
  type StoredCall,
  toCallAttributes,
  withHistory,
} from './call-records.ts';
import { keepTranscript } from './transcripts.ts';

/** A call to record, and the change of its outcome. */
export type Recording = {
  agentId: string;
  callId: string;
  facts: CallFacts;
  /** The agent has a disclosure, of which nobody knows in a new call. */
  discloses?: boolean;
  transcript?: StoredTranscript;
  /** The agent has a history of callers. */
  hasHistory?: true;
  outcome?: Pick<OutcomeChange, 'change' | 'block' | 'revocation'>;
};

/** The single write of a call, with everything that is recorded about it. */
type Write = { recordings: Recording[]; call: Call; actions: TransactionAction[] };

/** A transaction has 100 actions; a call with corrected start, number and transcript nine. */
const callsPerTransaction = 11;
const concurrency = 4;

/**
 * Records calls together, but blocks no numbers. The same again writes nothing. Stops at `until` (Unix milliseconds).
 */
export const recordCalls = async (
  table: Table,
  records: CallRecords,
  items: Recording[],
  until: number,
): Promise<(Call | Error)[]> => {
  const results = new Map<string, Call | Error>();
  const version = randomUUID();
  const groups = Object.values(Object.groupBy(items, callName)) as Recording[][];
  const unwritten = await repeatRounds(groups, until, async (pending, round) => {
    const writes: Write[] = [];
    for (const { recordings, found } of await findCalls(records, pending, until)) {
      const recorded = found instanceof Error ? found : recordAll(found?.call, recordings);
      const transcript = recordings.findLast((one) => one.transcript)?.transcript;
      const kept = recorded instanceof Error ? undefined : keepTranscript(table, recorded, transcript);
      const { call, actions } = kept ?? { call: recorded, actions: [] };
      results.set(callName(recordings[0] as Recording), call);
      if (call instanceof Error || found instanceof Error || call === found?.call) continue;
      const written = withHistory(
        call,
        recordings.some(({ hasHistory }) => hasHistory),
      );
      // The write of an earlier round succeeded and its response was lost.
      if (found?.version === version) continue;
      writes.push({ recordings, call, actions: [...recordActions(table, written, found, version), ...actions] });
    }
    // Smaller transactions each round: a call that another write prevents delays fewer others.
    const batches = chunks(writes, Math.max(1, callsPerTransaction >> round));
    const attempts = await pMap(batches, async (batch) => ({ batch, error: await write(table, batch, until) }), {
      concurrency,
    });
    const failed = attempts.filter(({ error }) => error !== undefined);
    for (const { batch, error } of failed)
      if (error instanceof Error) for (const { call } of batch) results.set(callName(call), error);
    return failed.flatMap(({ batch, error }) => (error === 'again' ? batch.map(({ recordings }) => recordings) : []));
  });
  for (const [first] of unwritten)
    results.set(callName(first as Recording), new Error('The call was not written in time.'));
  return items.map((one) => results.get(callName(one)) as Call | Error);
};

/** Identifies a call. */
export const callName = ({ agentId, callId }: { agentId: string; callId: string }) => callKey(agentId, callId).pk;

const findCalls = async (records: CallRecords, groups: Recording[][], until: number) => {
  const targets = groups.map(([first]) => {
    const { agentId, callId } = first as Recording;
    return { agentId, reference: { callId } };
  });
  const found = await records.findMany(targets, until);
  return groups.map((recordings, index) => ({ recordings, found: found[index] }));
};

const recordAll = (found: Call | undefined, recordings: Recording[]): Call =>
  recordings.reduce<Call | undefined>((before, { agentId, callId, facts, discloses, outcome }) => {
    const call = withFacts(before, agentId, callId, facts, { disclosed: discloses ? 'unknown' : undefined });
    return outcome ? outcome.change(call) : call;
  }, found) as Call;

/** Writes calls together. Returns `again` if it may succeed later, or the error. */
const write = async (table: Table, batch: Write[], until: number): Promise<undefined | 'again' | Error> => {
  if (Date.now() >= until) return 'again';
  try {
    await table.transact(batch.flatMap(({ actions }) => actions));
    return undefined;
  } catch (error) {
    return writeFailure(error) || isRetryable(error as Error) ? 'again' : (error as Error);
  }
};

/** Returns the actions that write an unchanged call and move its entries. A new one takes the place of a deleted one, unless `condition` says otherwise. */
export const recordActions = (
  table: Table,
  call: Call,
  found: StoredCall | undefined,
  version: string,
  condition: Condition = isNoCall,
): TransactionAction[] => {
  const attributes = Object.entries(toCallAttributes(call, version)).filter(([, value]) => value !== null);
  const item = { ...callKey(call.agentId, call.callId), ...Object.fromEntries(attributes) };
  return [table.putAction(item, found ? isUnchanged(found) : condition), ...entryActions(table, call, found?.call)];
};
