import { parseJson } from '../domain/json.ts';
import { limits } from '../domain/limits.ts';
import { service } from '../service.ts';
import { exists, when } from '../store/expressions.ts';
import { insertAll } from '../store/insert-all.ts';
import {
  type BlockListOwner,
  type EventSubject,
  webhookEventKey,
  webhookEventPartsOf,
  webhookEventsOf,
} from '../store/keys.ts';
import { type Item, type Table, table } from '../store/table.ts';

/**
 * The details of an event, or the numbers of a block list's change while they are collected. Such an event is open until
 * `closedAt` (Unix milliseconds). The numbers of an import are counted by the import. With `size`, the number of phone numbers
 * in the request, they are kept in parts, which are separate items.
 */
type EventItem = Item & {
  details?: string;
  added?: Set<string>;
  removed?: Set<string>;
  counted?: { added: number; removed: number };
  size?: number;
  timestamp?: string;
  openedBy?: string;
  collectedAt?: number;
  closedAt?: number;
  closedBy?: string;
  ttlSeconds: number;
};

export type EventDetails = { subject: EventSubject; eventId: string; details: Record<string, unknown> };

/** The numbers of a block list's change that have been collected so far. */
export type CollectedNumbers = {
  added: ReadonlySet<string>;
  removed: ReadonlySet<string>;
  timestamp: string;
  /** The first change, which schedules the end of the event. */
  openedBy: string | undefined;
  isClosed: boolean;
  /** The closer of the event, which is the only sender: `reader`, or the token of a message. */
  closedBy: string | undefined;
};

/** An item of this many numbers has 5 KB, and each batch of changes rewrites it. The numbers of a larger request are in parts. */
export const maxNumbersInItem = 400;

const keptSeconds = limits.webhookDays * 24 * 60 * 60;

/**
 * The details of events, stored with the subject of each event for as long as its deliveries. Deleting them removes personal
 * data from all deliveries, including those in progress.
 */
export class WebhookEvents {
  readonly #table: Table;
  readonly #maxNumbersInItem: number;

  constructor(table: Table, maxNumbers = maxNumbersInItem) {
    this.#table = table;
    this.#maxNumbersInItem = maxNumbers;
  }

  /** Keeps the details of events, unless they were kept before, until a time (Unix milliseconds). Returns the events that could not be written. */
  async addAll<E extends EventDetails>(events: E[], until: number): Promise<E[]> {
    const items = events.map(
      ({ subject, eventId, details }): EventItem => ({
        ...webhookEventKey(subject, eventId),
        details: JSON.stringify(details),
        ttlSeconds: expiry(),
      }),
    );
    const outcomes = await insertAll(this.#table, items, until);
    return events.filter((_, index) => outcomes[index] === 'unwritten');
  }

  /** Returns the details of an event; undefined when there are none, or they were deleted. */
  async details(subject: EventSubject, eventId: string): Promise<Record<string, unknown>> {
    const item = await this.#table.get<EventItem>(webhookEventKey(subject, eventId));
    if (item?.details !== undefined) return parseJson(item.details) as Record<string, unknown>;
    return item?.collectedAt === undefined ? {} : detailsOfNumbers(await this.#withParts(subject, eventId, item));
  }

  /**
   * Adds numbers to an open event of a block list, and returns all numbers in it, or none for an event in parts. The numbers
   * are sets, so that adding one again changes nothing. A closed event does not change.
   */
  async collect(
    list: BlockListOwner,
    eventId: string,
    numbers: { added: string[]; removed: string[] },
    { timestamp, openedBy, size = 0 }: { timestamp: string; openedBy: string; size?: number | undefined },
    { counted, max }: { counted?: { added: number; removed: number }; max?: number } = {},
  ): Promise<CollectedNumbers | undefined> {
    const key = webhookEventKey(list, eventId);
    const add = {
      ...(numbers.added.length > 0 && { added: new Set(numbers.added) }),
      ...(numbers.removed.length > 0 && { removed: new Set(numbers.removed) }),
    };
    const opening = { timestamp, openedBy };
    const set = { collectedAt: Date.now(), ttlSeconds: expiry(), ...(counted && { counted }) };
    if (size > this.#maxNumbersInItem) {
      // Both or neither: a closed event gets no more parts.
      const part = { pk: key.pk, sk: webhookEventPartsOf(list, eventId).prefix + openedBy };
      await this.#table.tryTransact([
        this.#table.updateAction(key, { set, initial: { ...opening, size } }, isOpen),
        this.#table.updateAction(part, { set: { ttlSeconds: expiry() }, add }),
      ]);
      const item = await this.#table.get<EventItem>(key);
      if (item?.closedAt === undefined) return item && collectedIn(item);
      return collectedIn(await this.#withParts(list, eventId, item));
    }
    const change = { set, initial: opening, add };
    const hasRoom = (max: number) =>
      when`(attribute_not_exists(added) or size(added) < ${max}) and (attribute_not_exists(removed) or size(removed) < ${max})`;
    const condition = max === undefined ? isOpen : when`${isOpen} and ${hasRoom(max)}`;
    const item =
      (await this.#table.change<EventItem>(key, change, condition)) ?? (await this.#table.get<EventItem>(key));
    return item && collectedIn(item);
  }

  /**
   * Ends the collection of an event when no number has arrived for `quiet` milliseconds. Returns `open` until then, and
   * undefined when the event was deleted.
   */
  async close(
    list: BlockListOwner,
    eventId: string,
    closedBy: string,
    quietMilliseconds = 0,
  ): Promise<CollectedNumbers | 'open' | undefined> {
    const key = webhookEventKey(list, eventId);
    const now = Date.now();
    const isQuiet = when`${isOpen} and collectedAt <= ${now - quietMilliseconds}`;
    const item =
      (await this.#table.change<EventItem>(key, { set: { closedAt: now, closedBy } }, isQuiet)) ??
      (await this.#table.get<EventItem>(key));
    if (!item) return undefined;
    if (item.closedAt !== undefined) return collectedIn(item);
    if (item.size === undefined) return 'open';
    const { added, removed } = collectedIn(await this.#withParts(list, eventId, item));
    return added.size + removed.size < item.size ? 'open' : this.close(list, eventId, closedBy);
  }

  /** Returns an event with the numbers of its parts. */
  async #withParts(subject: EventSubject, eventId: string, item: EventItem): Promise<EventItem> {
    if (item.size === undefined) return item;
    const { added = new Set(), removed = new Set() } = item;
    for await (const part of this.#table.query<EventItem>(webhookEventPartsOf(subject, eventId))) {
      for (const number of part.added ?? []) added.add(number);
      for (const number of part.removed ?? []) removed.add(number);
    }
    return { ...item, added, removed };
  }

  /** Deletes the details of the events about a subject. Their deliveries continue with only ids. */
  async scrub(subject: EventSubject): Promise<void> {
    const keys: Item[] = [];
    for await (const item of this.#table.query(webhookEventsOf(subject), { keysOnly: true })) keys.push(item);
    await this.#table.deleteMany(keys);
  }

  /** Removes a number from the events of a block list. */
  async scrubNumber(list: BlockListOwner, number: string): Promise<void> {
    for await (const item of this.#table.query<EventItem>(webhookEventsOf(list))) {
      const held = (['added', 'removed'] as const).filter((kind) => item[kind]?.has(number));
      if (held.length === 0) continue;
      const remove = Object.fromEntries(held.map((kind) => [kind, new Set([number])]));
      const { pk, sk } = item;
      await this.#table.change({ pk, sk }, { remove }, exists);
    }
  }
}

const isOpen = when`attribute_not_exists(closedAt)`;

const expiry = () => Math.floor(Date.now() / 1000) + keptSeconds;

const collectedIn = (item: EventItem): CollectedNumbers => {
  const { added = new Set(), removed = new Set(), timestamp = '', openedBy, closedAt, closedBy } = item;
  return { added, removed, timestamp, openedBy, isClosed: closedAt !== undefined, closedBy };
};

const detailsOfNumbers = ({ added = new Set(), removed = new Set(), counted }: EventItem) => {
  const part = (numbers: Set<string>, count = numbers.size) => ({
    count,
    numbers: [...numbers].sort().slice(0, limits.webhookNumbers),
  });
  return { added: part(added, counted?.added), removed: part(removed, counted?.removed) };
};

export const webhookEvents = /* @__PURE__ */ service(() => new WebhookEvents(table.get()), {
  addAll: ['dynamodb:PartiQLInsert'],
  details: ['dynamodb:GetItem', 'dynamodb:Query'],
  collect: ['dynamodb:GetItem', 'dynamodb:Query', 'dynamodb:UpdateItem'],
  close: ['dynamodb:GetItem', 'dynamodb:Query', 'dynamodb:UpdateItem'],
  scrub: ['dynamodb:BatchWriteItem', 'dynamodb:Query'],
  scrubNumber: ['dynamodb:Query', 'dynamodb:UpdateItem'],
});
