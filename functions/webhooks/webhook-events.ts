import pMap from 'p-map';
import { parseJson } from '../domain/json.ts';
import { limits } from '../domain/limits.ts';
import { service } from '../service.ts';
import { exists } from '../store/expressions.ts';
import { type BlockListOwner, type EventSubject, webhookEventCollection, webhookEventKey } from '../store/keys.ts';
import { type Item, TableStore, table } from '../store/table.ts';
import type { DomainEvent, EventNumbers } from './domain-event.ts';

/** The details of an event: JSON, or counted numbers in sets that erasures shrink. */
type EventItem = Item & {
  details?: string;
  added?: Set<string>;
  removed?: Set<string>;
  counted?: { added: number; removed: number };
  ttlSeconds: number;
};

export type EventDetails = Pick<DomainEvent, 'subject' | 'eventId' | 'details' | 'numbers'>;

const concurrency = 16;
const batchesInFlight = 20;
const keptSeconds = limits.webhookDays * 24 * 60 * 60;

/** The details of events, beside their subject: deleting them removes personal data from all deliveries. */
export class WebhookEvents extends TableStore {
  /**
   * Keeps the details of events, which are the same whenever they are kept, until a time (Unix milliseconds), and
   * returns the unwritten. Numbers are added to a set.
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
    return others.slice(await this.table.putMany(items, batchesInFlight, until));
  }

  /** Returns the details of an event, unless they were deleted. */
  async details(subject: EventSubject, eventId: string): Promise<Record<string, unknown>> {
    const item = await this.table.get<EventItem>(webhookEventKey(subject, eventId));
    if (item?.details !== undefined) return parseJson(item.details) as Record<string, unknown>;
    return item?.added || item?.removed || item?.counted ? detailsOfNumbers(item) : {};
  }

  async #addNumbers(subject: EventSubject, eventId: string, { counts, ...numbers }: EventNumbers): Promise<void> {
    const given = Object.entries(numbers).filter(([, some]) => some.length > 0);
    const add = Object.fromEntries(given.map(([kind, some]) => [kind, new Set(some)]));
    await this.table.change(webhookEventKey(subject, eventId), {
      set: { counted: counts, ttlSeconds: expiry() },
      add,
    });
  }

  /** Deletes the details about a subject. Deliveries go on with ids. */
  async scrub(subject: EventSubject): Promise<void> {
    const keys: Item[] = [];
    for await (const item of this.table.query(webhookEventCollection(subject), { keysOnly: true })) keys.push(item);
    await this.table.deleteMany(keys);
  }

  /** Removes a number from the events of a block list, and the details of those about it alone, such as a consent. */
  async scrubNumber(list: BlockListOwner, number: string): Promise<void> {
    for await (const item of this.table.query<EventItem>(webhookEventCollection(list))) {
      if (isAbout(item, number)) await this.table.delete({ pk: item.pk, sk: item.sk });
      const held = (['added', 'removed'] as const).filter((kind) => item[kind]?.has(number));
      if (held.length === 0) continue;
      const remove = Object.fromEntries(held.map((kind) => [kind, new Set([number])]));
      const { pk, sk } = item;
      await this.table.change({ pk, sk }, { remove }, exists);
    }
  }
}

const isAbout = ({ details = '{}' }: EventItem, number: string) =>
  (parseJson(details) as { number?: unknown }).number === number;

const expiry = () => Math.floor(Date.now() / 1000) + keptSeconds;

const detailsOfNumbers = ({ added = new Set(), removed = new Set(), counted }: EventItem) => {
  const part = (numbers: Set<string>, count = numbers.size) => ({
    count,
    numbers: [...numbers].sort().slice(0, limits.webhookNumbers),
  });
  return { added: part(added, counted?.added), removed: part(removed, counted?.removed) };
};

export const webhookEvents = /* @__PURE__ */ service(() => new WebhookEvents(table.get()), {
  addAll: ['dynamodb:BatchWriteItem', 'dynamodb:UpdateItem'],
  details: ['dynamodb:GetItem'],
  scrub: ['dynamodb:BatchWriteItem', 'dynamodb:Query'],
  scrubNumber: ['dynamodb:DeleteItem', 'dynamodb:Query', 'dynamodb:UpdateItem'],
});
