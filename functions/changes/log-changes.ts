import type { BlockListOwner } from '../store/keys.ts';
import type { TableChange } from '../store/table-changes.ts';
import {
  type ListChange,
  type LogWriter,
  logNumbers,
  type Owners,
  type ReadNumber,
  readNumber,
} from './block-list-changes.ts';
import { deriveChangeId } from './change-log.ts';
import { type ChangeToLog, interpretForLog } from './interpret.ts';

/** A change, and what the log says about it: entries, or a number of a block list. */
export type ChangeForLog = { change: TableChange; entries: ChangeToLog[]; number?: ReadNumber };

export const readForLog = (change: TableChange): ChangeForLog => ({
  change,
  entries: interpretForLog(change),
  number: readNumber(change),
});

/** Returns the records that the log names of a change. Entries are in the logs of the users who own these. */
export const listRecords = ({ entries, number }: ChangeForLog): BlockListOwner[] => [
  ...entries.map(({ record }) => record),
  ...(number ? [number.list] : []),
];

/** Logs changes, repeatably, until a time (Unix milliseconds). Returns entries of block lists, and the unwritten. */
export const logChanges = async (
  read: ChangeForLog[],
  owners: Owners,
  changeLog: LogWriter,
  until: number,
): Promise<{ listChanges: ListChange[]; unwritten: TableChange[] }> => {
  const entries = read.flatMap(({ change, entries }) =>
    entries.flatMap(({ record, discriminator, ...entry }) => {
      const owner = owners.recordOwner(record);
      const changeId = deriveChangeId(change, entry.maker, discriminator);
      return owner === undefined ? [] : [{ change, entry: { ...entry, owner, changeId } }];
    }),
  );
  const numbers = read.flatMap(({ number }) => number ?? []);
  const left = await changeLog.writeAll(
    entries.map(({ entry }) => entry),
    until,
  );
  const { logged, unwritten } = await logNumbers(numbers, owners, changeLog, until);
  unwritten.push(...entries.filter(({ entry }) => left.has(entry)).map(({ change }) => change));
  return { listChanges: logged, unwritten };
};
