import pMap from 'p-map';
import type { JobMessage } from '../domain/job-messages.ts';
import type { Credentials } from '../store/credentials.ts';
import type { FailedChanges, TableChange } from '../store/table-changes.ts';
import type { AgentDay, CallFigures, UncountedDay } from './call-figures.ts';
import { waitSeconds } from './recount.ts';

export type Marking = {
  callFigures: Pick<CallFigures, 'mark' | 'getMarks'>;
  credentials: Pick<Credentials, 'findUsers'>;
  jobQueue: { send(message: JobMessage<'countCalls'>, delaySeconds?: number): Promise<void> };
};

/** A quarter of an hour of a day (UTC, 0 to 95). */
export type QuarterOfDay = AgentDay & { quarter: number };

/** The quarters of a day whose calls have changed, and the changes. */
type ChangedDay = AgentDay & { quarters: Set<number>; changes: TableChange[] };

const concurrency = 16;

/** Marks days whose calls have changed, and queues their counts. */
export const markDays = async (
  changed: { change: TableChange; marks: QuarterOfDay[] }[],
  services: Marking,
  failures: FailedChanges,
): Promise<void> => {
  const days = groupByDay(changed);
  if (days.length === 0) return;
  const all = days.flatMap(({ changes }) => changes);
  await failures.attempt(all, async () => {
    const marks = await services.callFigures.getMarks(days);
    const unmarked = days.filter((day, index) => !isMarked(day, marks[index]));
    const users = await services.credentials.findUsers(unmarked.map(({ agentId }) => agentId));
    await pMap(
      unmarked,
      async (day) => {
        const uid = users.get(day.agentId)?.users[0];
        // A deleted agent has no figures.
        if (uid !== undefined) await failures.attempt(day.changes, () => mark(day, uid, services));
      },
      { concurrency },
    );
  });
};

const mark = async ({ agentId, day, quarters, changes }: ChangedDay, uid: string, services: Marking): Promise<void> => {
  const [first] = changes as [TableChange];
  const queuing = await services.callFigures.mark({ agentId, day }, quarters, first.sequenceNumber);
  if (!isAmong(changes, queuing)) return;
  const { requestId } = first;
  await services.jobQueue.send({ job: 'countCalls', uid, agentId, day, requestId }, waitSeconds());
};

/** Checks whether another change's queued count includes all quarters. Its own message may not be sent yet. */
const isMarked = ({ quarters, changes }: ChangedDay, mark: UncountedDay | undefined): boolean =>
  mark?.by !== undefined && quarters.isSubsetOf(mark.quarters) && !isAmong(changes, mark.by);

const isAmong = (changes: TableChange[], sequenceNumber: string | undefined) =>
  changes.some((change) => change.sequenceNumber === sequenceNumber);

const groupByDay = (changed: { change: TableChange; marks: QuarterOfDay[] }[]): ChangedDay[] => {
  const days = new Map<string, ChangedDay>();
  for (const { change, marks } of changed) {
    for (const { agentId, day, quarter } of marks) {
      const name = `${agentId} ${day}`;
      const found = days.get(name) ?? { agentId, day, quarters: new Set(), changes: [] };
      found.quarters.add(quarter);
      if (found.changes.at(-1) !== change) found.changes.push(change);
      days.set(name, found);
    }
  }
  return [...days.values()];
};
