import pMap from 'p-map';
import { parseJson } from '../domain/json.ts';
import { limits } from '../domain/limits.ts';
import { service } from '../service.ts';
import { exists } from '../store/expressions.ts';
import { insertAll } from '../store/insert-all.ts';
import { type BlockListOwner, type EventSubject, webhookEventCollection, webhookEventKey } from '../store/keys.ts';
import { type Item, type Table, table } from '../store/table.ts';
import type { DomainEvent, EventNumbers } from './changes.ts';

/**
 * The details of an event: as JSON, or the numbers of a block list with their counts, as sets from which an erasure takes a number.
 */
type EventItem = Item & {
  details?: string;
  added?: Set<string>;
  removed?: Set<string>;
  counted?: { added: number; removed: number };
  ttlSeconds: number;
};

export type EventDetails = Pick<DomainEvent, 'subject' | 'eventId' | 'details' | 'numbers'>;

const concurrency = 16;
const keptSeconds = limits.webhookDays * 24 * 60 * 60;

/**
 * The details of events, stored with the subject of each event for as long as its deliveries. Deleting them removes personal
 * data from all deliveries, including those in progress.
 */
export class WebhookEvents {
  readonly #table: Table;

  constructor(table: Table) {
    this.#table = table;
  }

  /**
   * Keeps the details of events, unless they were kept before, until a time (Unix milliseconds). Returns the events that could not be
   * written. The numbers of a block list are sets, so that more numbers of the same event are added to them.
   */
  async addAll<E extends EventDetails>(events: E[], until: number): Promise<E[]> {
    const others = events.filter(({ numbers }) => numbers === undefined);
    await pMap(events, ({ subject, eventId, numbers }) => numbers && this.#addNumbers(subject, eventId, numbers), {
      concurrency,
    });
    const items = others.map(
      ({ subject, eventId, details }): EventItem => ({
        ...webhookEventKey(subject, eventId),
        details: JSON.stringify(details),
        ttlSeconds: expiry(),
      }),
    );
    const outcomes = await insertAll(this.#table, items, until);
    return others.filter((_, index) => outcomes[index] === 'unwritten');
  }

  /** Returns the details of an event; undefined when there are none, or they were deleted. */
  async details(subject: EventSubject, eventId: string): Promise<Record<string, unknown>> {
    const item = await this.#table.get<EventItem>(webhookEventKey(subject, eventId));
    if (item?.details !== undefined) return parseJson(item.details) as Record<string, unknown>;
    return item?.added || item?.removed || item?.counted ? detailsOfNumbers(item) : {};
  }

  async #addNumbers(subject: EventSubject, eventId: string, { counts, ...numbers }: EventNumbers): Promise<void> {
    const given = Object.entries(numbers).filter(([, some]) => some.length > 0);
    const add = Object.fromEntries(given.map(([kind, some]) => [kind, new Set(some)]));
    await this.#table.change(webhookEventKey(subject, eventId), {
      set: { counted: counts, ttlSeconds: expiry() },
      add,
    });
  }

  /** Deletes the details of the events about a subject. Their deliveries continue with only ids. */
  async scrub(subject: EventSubject): Promise<void> {
    const keys: Item[] = [];
    for await (const item of this.#table.query(webhookEventCollection(subject), { keysOnly: true })) keys.push(item);
    await this.#table.deleteMany(keys);
  }

  /** Removes a number from the events of a block list. */
  async scrubNumber(list: BlockListOwner, number: string): Promise<void> {
    for await (const item of this.#table.query<EventItem>(webhookEventCollection(list))) {
      const held = (['added', 'removed'] as const).filter((kind) => item[kind]?.has(number));
      if (held.length === 0) continue;
      const remove = Object.fromEntries(held.map((kind) => [kind, new Set([number])]));
      const { pk, sk } = item;
      await this.#table.change({ pk, sk }, { remove }, exists);
    }
  }
}

const expiry = () => Math.floor(Date.now() / 1000) + keptSeconds;

const detailsOfNumbers = ({ added = new Set(), removed = new Set(), counted }: EventItem) => {
  const part = (numbers: Set<string>, count = numbers.size) => ({
    count,
    numbers: [...numbers].sort().slice(0, limits.webhookNumbers),
  });
  return { added: part(added, counted?.added), removed: part(removed, counted?.removed) };
};

export const webhookEvents = /* @__PURE__ */ service(() => new WebhookEvents(table.get()), {
  addAll: ['dynamodb:PartiQLInsert', 'dynamodb:UpdateItem'],
  details: ['dynamodb:GetItem'],
  scrub: ['dynamodb:BatchWriteItem', 'dynamodb:Query'],
  scrubNumber: ['dynamodb:Query', 'dynamodb:UpdateItem'],
});
