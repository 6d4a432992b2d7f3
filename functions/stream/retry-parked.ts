import pMap from 'p-map';
import { describeError, log } from '../log.ts';
import type { ParkedChange, ParkedChanges } from '../parking/parked-changes.ts';
import { toTableChange } from '../store/table-changes.ts';
import { type FollowServices, followChanges, readChange } from './follow-changes.ts';

type Services = FollowServices & {
  parkedChanges: Pick<
    ParkedChanges,
    'entities' | 'list' | 'read' | 'keep' | 'noteFailure' | 'drain' | 'beginRetry' | 'endRetry'
  >;
};

const concurrency = 8;

/**
 * Follows parked changes, the first of each item, then those behind it, until a time (Unix milliseconds). One retry runs at a
 * time: two would follow the changes of an item out of order. Returns how many changes it followed, and how many items still wait.
 */
export const retryParked = async (
  services: Services,
  { until, endsAt }: { until: number; endsAt: number },
): Promise<{ followed: number; parked: number }> => {
  const { parkedChanges } = services;
  const counts = { followed: 0, parked: 0 };
  const entities = [...(await parkedChanges.entities()).keys()];
  if (entities.length === 0 || !(await parkedChanges.beginRetry(endsAt))) return { ...counts, parked: entities.length };
  const take = async (change: ParkedChange): Promise<boolean> => {
    const isDone = Date.now() < until && (await follow(change, services, until));
    if (isDone) counts.followed++;
    return isDone;
  };
  await pMap(
    entities,
    async (entity) => {
      if (await parkedChanges.drain(entity, take)) return;
      counts.parked++;
      for (const change of await parkedChanges.list(entity)) await parkedChanges.keep(change);
    },
    { concurrency },
  );
  await parkedChanges.endRetry();
  return counts;
};

/** Follows a change. Returns false if it fails. */
const follow = async (change: ParkedChange, services: Services, until: number): Promise<boolean> => {
  try {
    const record = await services.parkedChanges.read(change);
    // An erasure has left nothing to follow.
    if (!record) return true;
    const { failures } = await followChanges([readChange(toTableChange(record))], services, { until });
    const [failure] = failures.values();
    if (failure) throw failure;
    return true;
  } catch (error) {
    const { requestId, sequenceNumber } = change;
    log('error', { job: 'retryChanges', requestId, sequenceNumber, cause: describeError(error as Error) });
    await services.parkedChanges.noteFailure(change, error as Error);
    return false;
  }
};
