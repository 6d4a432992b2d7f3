import type { ServicesOf } from '../service.ts';
import type { TableChange } from '../store/table-changes.ts';
import { type ListChange, logNumbers, readNumber } from './block-list-changes.ts';
import { changeLog } from './change-log.ts';
import { loadOwners, ownerServices } from './owners.ts';

/** The services of a function that writes the log of changes. */
export const logServices = { ...ownerServices, changeLog: changeLog.for('addAll', 'withPrefix') };

/**
 * Writes the entries of changes into the log, until a time (Unix milliseconds). Returns the entries of block lists with their numbers,
 * and the changes whose entries were not written. Logging changes again changes nothing.
 */
export const logChanges = async (
  changes: TableChange[],
  { changeLog, ...services }: ServicesOf<typeof logServices>,
  { until }: { until: number },
): Promise<{ listChanges: ListChange[]; unwritten: TableChange[] }> => {
  const numbers = changes.flatMap((change) => readNumber(change) ?? []);
  if (numbers.length === 0) return { listChanges: [], unwritten: [] };
  const ownerOf = await loadOwners(
    numbers.map(({ list }) => list),
    services,
  );
  const { logged, unwritten } = await logNumbers(numbers, ownerOf, changeLog, until);
  return { listChanges: logged, unwritten };
};
