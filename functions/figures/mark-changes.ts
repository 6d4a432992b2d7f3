import { isDeepStrictEqual } from 'node:util';
import pMap from 'p-map';
import type { JobMessage } from '../domain/job-messages.ts';
import { storedCall } from '../store/calls/call-records.ts';
import type { Credentials } from '../store/credentials.ts';
import { changedItem } from '../store/keys.ts';
import type { Item } from '../store/table.ts';
import { reportFailure, type TableChange } from '../store/table-changes.ts';
import type { AgentDay, CallFigures, UncountedDay } from './call-figures.ts';
import { waitSeconds } from './recount.ts';
import { toDay, toFigureRow } from './rows.ts';

type Marking = {
  callFigures: Pick<CallFigures, 'mark' | 'getMarks'>;
  credentials: Pick<Credentials, 'findUsers'>;
  jobQueue: { send(message: JobMessage<'countCalls'>, delaySeconds?: number): Promise<void> };
};

/** The quarters of a day whose calls have changed, and the changes. */
type ChangedDay = AgentDay & { quarters: Set<number>; changes: TableChange[] };

const concurrency = 16;

/** Marks days whose calls have changed, and queues their counts. Returns the first change that failed. */
export const markChanges = async (changes: TableChange[], services: Marking): Promise<TableChange | undefined> => {
  const days = changedDays(changes);
  if (days.length === 0) return undefined;
  const failed = new Set<TableChange>();
  try {
    const marks = await services.callFigures.getMarks(days);
    const unmarked = days.filter((day, index) => !isMarked(day, marks[index]));
    const users = await services.credentials.findUsers(unmarked.map(({ agentId }) => agentId));
    await pMap(
      unmarked,
      async (day) => {
        const uid = users.get(day.agentId)?.users[0];
        // A deleted agent has no figures.
        if (uid === undefined) return;
        try {
          await mark(day, uid, services);
        } catch (error) {
          for (const change of day.changes) failed.add(change);
          reportFailure(day.changes, error as Error);
        }
      },
      { concurrency },
    );
  } catch (error) {
    reportFailure(
      days.flatMap(({ changes }) => changes),
      error as Error,
    );
    return days[0]?.changes[0];
  }
  return changes.find((change) => failed.has(change));
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

const changedDays = (changes: TableChange[]): ChangedDay[] => {
  const days = new Map<string, ChangedDay>();
  for (const change of changes) {
    const item = changedItem(change.key);
    if (item?.kind !== 'call') continue;
    const { agentId } = item;
    const [before, after] = [change.before, change.after].map(locateRow);
    if (isDeepStrictEqual(before, after)) continue;
    for (const { day, row } of [before, after].filter((place) => place !== undefined)) {
      const name = `${agentId} ${day}`;
      const found = days.get(name) ?? { agentId, day, quarters: new Set(), changes: [] };
      found.quarters.add(row.quarter);
      if (found.changes.at(-1) !== change) found.changes.push(change);
      days.set(name, found);
    }
  }
  return [...days.values()];
};

/** Returns the day and the row in which a call is counted. */
const locateRow = (item: Item | undefined) => {
  if (!item) return undefined;
  const { call } = storedCall(item);
  return { day: toDay(call.startedAt), row: toFigureRow(call) };
};
