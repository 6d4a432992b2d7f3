import { currentMaker, currentRequestId } from '../../cause.ts';
import type { StoredMaker } from '../../domain/change-maker.ts';
import { now } from '../../domain/date-time.ts';
import { when } from '../expressions.ts';
import { callKey, type ItemKey } from '../keys.ts';
import type { Item } from '../table.ts';
import { callEntryKeys, type StoredCall } from './call-records.ts';

/** What is left of a call's record, so that no platform brings the call back. */
type DeletedRecord = Item & { deletedAt: string; ttlSeconds: number };

/** A deleted call's entry by time. One deleted by id has `deletedBy`, and is logged. */
type DeletedEntry = Item & { requestId?: string; deletedBy?: StoredMaker; ttlSeconds: number };

/** Nobody lists calls for longer. An erasure leaves the hash of the number, too: its calls need no id. */
const keptSeconds = { request: 40 * 24 * 60 * 60, erasure: 60 * 60 };

/** Returns the items that take the places of a deleted call's record and of its entry by time. */
export const buildDeletedCall = (
  { call }: StoredCall,
  { isLogged }: { isLogged: boolean },
): { record: DeletedRecord; entry: DeletedEntry } => {
  const [entry] = callEntryKeys(call) as [ItemKey];
  const ttlSeconds = Math.ceil(Date.now() / 1000) + keptSeconds[isLogged ? 'request' : 'erasure'];
  const deletedBy = isLogged ? currentMaker() : undefined;
  return {
    record: { ...callKey(call.agentId, call.callId), deletedAt: now(), ttlSeconds },
    entry: { ...entry, requestId: currentRequestId(), deletedBy, ttlSeconds },
  };
};

/** The condition that an entry by time is of a deleted call. */
export const isOfDeletedCall = when`attribute_exists(ttlSeconds)`;
