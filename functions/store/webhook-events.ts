import { parseJson } from '../domain/json.ts';
import { limits } from '../domain/limits.ts';
import { service } from '../service.ts';
import { type EventSubject, webhookEventKey, webhookEventsOf } from './keys.ts';
import { type Item, type Table, table, writeFailure } from './table.ts';

type EventItem = Item & { details?: string; ttlSeconds: number };

const keptSeconds = limits.webhookDays * 24 * 60 * 60;

/**
 * What events say beside their ids, kept beside what they are about for as long as their deliveries are. Deleting it is
 * enough to take personal data out of all deliveries, those under way included.
 */
export class WebhookEvents {
  readonly #table: Table;

  constructor(table: Table) {
    this.#table = table;
  }

  /** Keeps the details of an event, unless they were kept before. */
  async add(subject: EventSubject, eventId: string, details: Record<string, unknown>): Promise<void> {
    const item: EventItem = {
      ...webhookEventKey(subject, eventId),
      details: JSON.stringify(details),
      ttlSeconds: Math.floor(Date.now() / 1000) + keptSeconds,
    };
    try {
      await this.#table.put(item, { ConditionExpression: 'attribute_not_exists(pk)' });
    } catch (error) {
      if (writeFailure(error) !== 'condition') throw error;
    }
  }

  /** The details of an event; nothing when there are none, or they were deleted. */
  async details(subject: EventSubject, eventId: string): Promise<Record<string, unknown>> {
    const item = await this.#table.get<EventItem>(webhookEventKey(subject, eventId));
    return item?.details === undefined ? {} : (parseJson(item.details) as Record<string, unknown>);
  }

  /** Deletes what the events about a subject say. Their deliveries go on with ids alone. */
  async scrub(subject: EventSubject): Promise<void> {
    const keys: Item[] = [];
    for await (const item of this.#table.query(webhookEventsOf(subject), { keysOnly: true })) keys.push(item);
    await this.#table.deleteMany(keys);
  }
}

export const webhookEvents = service(() => new WebhookEvents(table.get()), {
  add: ['dynamodb:PutItem'],
  details: ['dynamodb:GetItem'],
  scrub: ['dynamodb:BatchWriteItem', 'dynamodb:Query'],
});
