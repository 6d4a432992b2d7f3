import type { ServicesOf } from '../service.ts';
import type { TableChange } from '../store/table-changes.ts';
import { type ListChange, logNumbers, readNumber } from './block-list-changes.ts';
import { changeLog, deriveChangeId } from './change-log.ts';
import { interpretForLog } from './interpret.ts';
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
  const others = changes.flatMap((change) => interpretForLog(change).map((entry) => ({ change, entry })));
  if (numbers.length + others.length === 0) return { listChanges: [], unwritten: [] };
  const records = [...numbers.map(({ list }) => list), ...others.map(({ entry }) => entry.record)];
  const ownerOf = await loadOwners(records, services);
  const entries = others.flatMap(({ change, entry: { record, discriminator, ...entry } }) => {
    const owner = ownerOf(record);
    const changeId = deriveChangeId(change, entry.maker, discriminator);
    return owner === undefined ? [] : [{ change, entry: { ...entry, owner, changeId } }];
  });
  const outcomes = await changeLog.addAll(
    entries.map(({ entry }) => entry),
    until,
  );
  const { logged, unwritten } = await logNumbers(numbers, ownerOf, changeLog, until);
  const left = entries.filter((_, index) => outcomes[index] === 'unwritten').map(({ change }) => change);
  return { listChanges: logged, unwritten: [...left, ...unwritten] };
};
