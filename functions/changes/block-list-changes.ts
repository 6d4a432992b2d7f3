import pMap from 'p-map';
import { chunks } from '../domain/chunks.ts';
import type { BlockedItem, NumberChange } from '../store/block-list/blocked-number.ts';
import type { BlockListOwner } from '../store/keys.ts';
import type { TableChange } from '../store/table-changes.ts';
import {
  type ChangeEntry,
  type ChangeLog,
  changePosition,
  formChangeId,
  positionBytes,
  prefixOfRequest,
} from './change-log.ts';

/** A change of a number, as the stream reports it. */
export type ReadNumber = NumberChange & { change: TableChange<BlockedItem>; position: number };

/** The users who own records; undefined for users who are deleted or being deleted. */
export type Owners = { recordOwner(record: BlockListOwner): string | undefined };

/** The part of the log that its writer uses. */
export type LogWriter = Pick<ChangeLog, 'writeAll' | 'addAll' | 'withPrefix'>;

/** The numbers that were read of one entry of the log, which stands for an event of the block list. */
export type ListChange = {
  list: BlockListOwner;
  owner: string;
  entry: Pick<ChangeEntry, 'changeId' | 'counts'>;
  numbers: ReadNumber[];
};

/** The numbers of one request that were read together. */
type RequestChange = { list: BlockListOwner; owner: string; prefix: string; numbers: ReadNumber[] };

/** The positions of these numbers fit into an item of one write unit. */
const numbersPerEntry = 80;
const concurrency = 16;

/**
 * Logs the numbers that requests have added to block lists or removed from them, and the consents that they have recorded, in
 * entries of up to 80. The changes of a
 * request are read in any batches, in parallel, and again. An entry has the positions of its changes in the stream, and each
 * change is in one entry: those that are in one already are left out of new ones.
 */
export const logNumbers = async (
  numbers: ReadNumber[],
  owners: Owners,
  log: LogWriter,
  until: number,
): Promise<{ logged: ListChange[]; unwritten: TableChange[] }> => {
  const requests = groupByRequest(numbers, owners);
  // The entry of a request of one number is the same whenever it is read.
  const isWhole = ({ numbers: [first, ...others] }: RequestChange) => first?.size === 1 && others.length === 0;
  const whole = requests
    .filter(isWhole)
    .map((request) => ({ ...request, entry: buildListEntry(request.owner, request.prefix, request.numbers) }));
  const left = await log.writeAll(
    whole.map(({ entry }) => entry),
    until,
  );
  const results = await pMap(
    requests.filter((request) => !isWhole(request)),
    (request) => logRequest(request, log, until),
    { concurrency },
  );
  const unwritten = whole.filter(({ entry }) => left.has(entry)).flatMap(({ numbers }) => numbers);
  return {
    logged: [...whole.filter(({ entry }) => !left.has(entry)), ...results.flatMap(({ logged }) => logged)],
    unwritten: [...unwritten.map(({ change }) => change), ...results.flatMap(({ unwritten }) => unwritten)],
  };
};

const groupByRequest = (numbers: ReadNumber[], owners: Owners): RequestChange[] => {
  const requests = new Map<string, RequestChange>();
  for (const number of numbers) {
    const { list, by, change } = number;
    const owner = owners.recordOwner(list);
    if (owner === undefined) continue;
    const prefix = prefixOfRequest(change, change.after?.madeBy, [JSON.stringify(list), by, change.requestId ?? '']);
    const request = requests.get(prefix) ?? { list, owner, prefix, numbers: [] };
    request.numbers.push(number);
    requests.set(prefix, request);
  }
  return [...requests.values()];
};

/** Returns the number that a change has blocked or unblocked, with its position. */
export const locateNumber = (number: NumberChange, change: TableChange): ReadNumber => ({
  ...number,
  change: change as TableChange<BlockedItem>,
  position: changePosition(change),
});

const logRequest = async (
  { list, owner, prefix, numbers }: RequestChange,
  log: LogWriter,
  until: number,
): Promise<{ logged: ListChange[]; unwritten: TableChange[] }> => {
  const present = await log.withPrefix(owner, prefix);
  const entryAt = new Map(
    present.flatMap((entry) => unpackPositions(entry).map((position) => [position, entry] as const)),
  );
  const added = chunks(
    numbers.filter(({ position }) => !entryAt.has(position)),
    numbersPerEntry,
  ).map((group) => ({ entry: buildListEntry(owner, prefix, group), group }));
  const outcomes = await log.addAll(
    added.map(({ entry }) => entry),
    until,
  );
  // Another reader has logged them in the meantime, perhaps with others.
  if (outcomes.includes('present')) return logRequest({ list, owner, prefix, numbers }, log, until);
  for (const { entry, group } of added) for (const { position } of group) entryAt.set(position, entry);
  const unwritten = added.filter((_, index) => outcomes[index] === 'unwritten').flatMap(({ group }) => group);
  const written = numbers.filter((number) => !unwritten.includes(number));
  const byEntry = Map.groupBy(written, ({ position }) => entryAt.get(position));
  return {
    logged: [...byEntry].flatMap(([entry, numbers]) => (entry ? [{ list, owner, entry, numbers }] : [])),
    unwritten: unwritten.map(({ change }) => change),
  };
};

const buildListEntry = (owner: string, prefix: string, numbers: ReadNumber[]): ChangeEntry => {
  const [first] = numbers as [ReadNumber];
  const { list, change, position } = first;
  const count = (kind: NumberChange['kind']) => numbers.filter((number) => number.kind === kind).length;
  const isOfConsents = isConsent(first);
  return {
    owner,
    changeId: formChangeId(prefix, position),
    action: isOfConsents ? 'consent.recorded' : 'block_list.updated',
    agentId: 'agentId' in list ? list.agentId : undefined,
    requestId: change.requestId,
    maker: change.after?.madeBy,
    counts: isOfConsents
      ? { given: count('given'), revoked: count('revoked') }
      : { added: count('added'), removed: count('removed') },
    positions: packPositions(numbers.map(({ position }) => position)),
  };
};

/** Checks whether a change is a consent: requests on block lists add and remove numbers. */
export const isConsent = ({ kind }: NumberChange): boolean => kind === 'given' || kind === 'revoked';

const packPositions = (positions: number[]): Uint8Array => {
  const bytes = Buffer.alloc(positions.length * positionBytes);
  for (const [index, position] of positions.entries())
    bytes.writeUIntBE(position, index * positionBytes, positionBytes);
  return bytes;
};

const unpackPositions = ({ positions = new Uint8Array() }: Pick<ChangeEntry, 'positions'>): number[] => {
  const bytes = Buffer.from(positions);
  return Array.from({ length: bytes.length / positionBytes }, (_, index) =>
    bytes.readUIntBE(index * positionBytes, positionBytes),
  );
};
