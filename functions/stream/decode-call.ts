import { isDeepStrictEqual } from 'node:util';
import type { RefusedOutcome } from '../domain/call-outcomes.ts';
import { type Call, eventFacts } from '../domain/calls.ts';
import { storedCall } from '../store/calls/call-records.ts';
import type { Item } from '../store/table.ts';
import type { TableChange } from '../store/table-changes.ts';
import type { DomainChange } from './domain-change.ts';

/** Returns what a change of a call's record means. */
export const decodeCall = (agentId: string, callId: string, change: TableChange): DomainChange[] => {
  const former = change.before && storedCall(change.before);
  const written = change.after && storedCall(change.after);
  if (!written) {
    // What is left of a deleted call expires.
    if (!former) return [];
    return [{ kind: 'callDeleted', agentId, callId, before: former.call }];
  }
  const { call, version } = written;
  if (version === former?.version) return [];
  const write = { agentId, callId, before: former?.call, call };
  const isRecorded = !former || !isSameRecord(former.call, call);
  const unset = [...newHeldOutcome(write), ...newRefusedOutcome(change, write)];
  const hasNewOutcome = call.outcomeUpdatedAt !== undefined && call.outcomeUpdatedAt !== former?.call.outcomeUpdatedAt;
  // Whatever else was written is the outcome, or the transcript, which is no event.
  const hasOtherTranscript = former !== undefined && !isDeepStrictEqual(former.call.transcript, call.transcript);
  const isOutcomeUpdated = hasNewOutcome || (!isRecorded && unset.length === 0 && !hasOtherTranscript);
  const { transcriptDeletedBy: maker } = call;
  const isTranscriptDeleted = maker && maker.deletedAt !== former?.call.transcriptDeletedBy?.deletedAt;
  return [
    // POST /calls records a call and sets its outcome in one write.
    ...(isRecorded ? [{ kind: 'callRecorded' as const, ...write }] : []),
    ...(isOutcomeUpdated ? [{ kind: 'callOutcomeUpdated' as const, ...write }] : []),
    ...(isRecorded || !isOutcomeUpdated ? unset : []),
    ...(isTranscriptDeleted ? [{ kind: 'transcriptDeleted' as const, agentId, callId, maker }] : []),
  ];
};

type CallWrite = { agentId: string; callId: string; before?: Call; call: Call };

const newHeldOutcome = (write: CallWrite): DomainChange[] => {
  const { heldOutcome } = write.call;
  const isNew = JSON.stringify(heldOutcome) !== JSON.stringify(write.before?.heldOutcome);
  return heldOutcome && isNew ? [{ kind: 'callOutcomeHeld', heldOutcome, ...write }] : [];
};

/** Returns the outcome that a change refuses. Later changes of the call repeat the label. */
const newRefusedOutcome = ({ before, after }: TableChange<Item & RefusedOutcome>, write: CallWrite): DomainChange[] => {
  const refusedOutcome = after?.refusedOutcome;
  return refusedOutcome !== undefined && refusedOutcome !== before?.refusedOutcome
    ? [{ kind: 'callOutcomeRefused', refusedOutcome, ...write }]
    : [];
};

export const pickFacts = (call: Call) => Object.fromEntries(eventFacts.map((name) => [name, call[name]]));

const isSameRecord = (one: Call, other: Call) =>
  isDeepStrictEqual([pickFacts(one), one.disclosed], [pickFacts(other), other.disclosed]) &&
  JSON.stringify(one.details) === JSON.stringify(other.details);
