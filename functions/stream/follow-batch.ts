import { setTimeout as sleep } from 'node:timers/promises';
import type { DynamoDBRecord } from 'aws-lambda';
import { log } from '../log.ts';
import { entityOfKey, type ParkedChanges, type ParkedEntities, type RecordToPark } from '../parking/parked-changes.ts';
import { FailedChanges, reportFailure, type TableChange, toReference, toTableChange } from '../store/table-changes.ts';
import { isFaultOfChange } from './fault-of-change.ts';
import { type Followed, type FollowServices, followChanges, type ReadChange, readChange } from './follow-changes.ts';

/** A change of a batch that could be read, and its place in the batch. */
type Readable = { index: number; entity: string; read: ReadChange };

/** What was done about a batch. From `comesAgain` on, its records come again. */
export type FollowedBatch = Pick<Followed, 'events' | 'unwanted'> & { parked: number; comesAgain?: DynamoDBRecord };

type Services = FollowServices & { parkedChanges: Pick<ParkedChanges, 'entities' | 'park'> };

/** The number of times that a change fails alone before it is parked, and the pause between them. */
const attemptsAlone = 3;
const pauseMilliseconds = 200;

/**
 * Beyond these numbers of items whose changes begin to fail, the fault is the service's: nothing is parked, and the changes come
 * again. A share says something only in a batch of a hundred or more.
 */
const breaker = { share: 0.05, minPerBatch: 5, inFiveMinutes: 100 };
/** The names of parked items are one item of the table, which each batch reads. */
export const maxParkedItems = 500;
const breakerMilliseconds = 5 * 60 * 1000;

/**
 * Follows the changes of a batch, until a time (Unix milliseconds). Parks a change that fails alone by itself, and behind it the
 * later changes of its item. Repeating is safe.
 */
export const followBatch = async (
  records: DynamoDBRecord[],
  services: Services,
  { until }: { until: number },
): Promise<FollowedBatch> => {
  const waiting = new WaitingItems(records, services.parkedChanges);
  const followed: FollowedBatch = { events: 0, unwanted: {}, parked: 0 };
  const readable = records.flatMap((_, index) => waiting.read(index) ?? []);

  const attempt = async (some: Readable[]): Promise<Followed> => {
    const read = some.map((one) => one.read);
    const ready = waiting.isLoaded.then(() => {
      const left = new Set(some.filter((one) => !waiting.has(one)).map((one) => one.read.change));
      return (change: TableChange) => left.has(change);
    });
    try {
      return await followChanges(read, services, { until, ready });
    } catch (error) {
      const failures = new FailedChanges();
      failures.add(
        read.map(({ change }) => change),
        error as Error,
      );
      reportFailure([...failures.keys()], error as Error);
      return { failures, events: 0, unwanted: {} };
    }
  };

  /** Follows changes, in halves if one of them fails by itself. Returns the place of the first that the service fails. */
  const follow = async (some: Readable[]): Promise<number | undefined> => {
    for (let attempts = 1; ; attempts++) {
      const { failures, events, unwanted } = await attempt(some);
      const failed = some.find(({ read }) => failures.has(read.change));
      if (!failed) return addCounts(followed, { events, unwanted });
      if (!failures.values().some(isFaultOfChange)) return failed.index;
      if (some.length > 1) {
        const middle = Math.ceil(some.length / 2);
        return (await follow(some.slice(0, middle))) ?? follow(some.slice(middle));
      }
      if (attempts === attemptsAlone) {
        waiting.add(failed, failures.get(failed.read.change) as Error);
        return undefined;
      }
      await sleep(pauseMilliseconds);
    }
  };

  let end = (await follow(readable)) ?? records.length;
  await waiting.isLoaded;
  const opened = await waiting.openBreaker(end);
  if (opened !== undefined) end = opened;
  const parking = waiting.list(end);
  if (parking.length > 0) {
    await services.parkedChanges.park(parking, waiting.known);
    followed.parked = parking.length;
  }
  return { ...followed, comesAgain: records[end] };
};

const addCounts = (to: FollowedBatch, { events, unwanted }: Pick<Followed, 'events' | 'unwanted'>): undefined => {
  to.events += events;
  for (const [cause, count] of Object.entries(unwanted) as [keyof typeof unwanted, number][])
    to.unwanted[cause] = (to.unwanted[cause] ?? 0) + count;
};

/** The items of a batch whose changes wait: those that are parked, and those with a change that fails by itself. */
class WaitingItems {
  known: ParkedEntities = new Map();
  /** Resolves when the parked items are known. */
  readonly isLoaded: Promise<void>;
  readonly #records: DynamoDBRecord[];
  readonly #entities: string[];
  readonly #store: Services['parkedChanges'];
  /** The place of the first change of each item that fails, and its error. */
  readonly #failed = new Map<string, { index: number; error: Error }>();

  constructor(records: DynamoDBRecord[], store: Services['parkedChanges']) {
    this.#records = records;
    this.#store = store;
    this.#entities = records.map((record) => entityOfKey(toReference(record).key));
    this.isLoaded = this.#load();
    // Who follows the changes awaits it later.
    this.isLoaded.catch(() => {});
  }

  async #load() {
    this.known = await this.#store.entities();
  }

  has({ entity, index }: { entity: string; index: number }): boolean {
    return this.known.has(entity) || (this.#failed.get(entity)?.index ?? Number.POSITIVE_INFINITY) <= index;
  }

  /** Reads the change at a place, unless it waits, or cannot be read: reading depends on the record alone. */
  read(index: number): Readable | undefined {
    const [record, entity] = [this.#records[index] as DynamoDBRecord, this.#entities[index] as string];
    if (this.has({ entity, index })) return undefined;
    try {
      return { index, entity, read: readChange(toTableChange(record)) };
    } catch (error) {
      reportFailure([toReference(record)], error as Error);
      this.add({ index, entity }, error as Error);
      return undefined;
    }
  }

  add({ index, entity }: { index: number; entity: string }, error: Error): void {
    const found = this.#failed.get(entity);
    if (!found || index < found.index) this.#failed.set(entity, { index, error });
  }

  /** Returns the records before a place that wait, in their order. */
  list(end: number): RecordToPark[] {
    return this.#records.slice(0, end).flatMap((record, index) => {
      const entity = this.#entities[index] as string;
      if (!this.has({ entity, index })) return [];
      const failed = this.#failed.get(entity);
      return [{ record, error: failed?.index === index ? failed.error : undefined }];
    });
  }

  /** Returns the place from which on nothing is parked, if too many items begin to fail. */
  async openBreaker(end: number): Promise<number | undefined> {
    const begun = [...this.#failed].filter(([entity, { index }]) => index < end && !this.known.has(entity));
    const [first] = begun;
    if (!first) return undefined;
    const parked = [...(await this.#store.entities()).values()];
    const recent = parked.filter(({ since }) => since > Date.now() - breakerMilliseconds);
    const isOpen =
      begun.length > Math.max(breaker.minPerBatch, breaker.share * this.#records.length) ||
      begun.length + recent.length > breaker.inFiveMinutes ||
      begun.length + parked.length > maxParkedItems;
    if (!isOpen) return undefined;
    log('error', {
      job: 'readChanges',
      blocked: { failing: begun.length, recent: recent.length, parked: parked.length },
    });
    return Math.min(...begun.map(([, { index }]) => index));
  }
}
