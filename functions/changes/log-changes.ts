import type { StoredMaker } from '../domain/change-maker.ts';
import type { LoggedChange } from '../domain/changes.ts';
import type { BlockListOwner } from '../store/keys.ts';
import type { TableChange } from '../store/table-changes.ts';
import { type ListChange, type LogWriter, logNumbers, type Owners, type ReadNumber } from './block-list-changes.ts';
import { deriveChangeId } from './change-log.ts';

/** An entry for the log, before its owner is known. `discriminator` distinguishes several entries of one change. */
export type ChangeToLog = LoggedChange & { record: BlockListOwner; maker?: StoredMaker; discriminator?: string };

/** A change, and what the log says about it: entries, or a number of a block list. */
export type ChangeForLog = { change: TableChange; entries: ChangeToLog[]; number?: ReadNumber };

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
