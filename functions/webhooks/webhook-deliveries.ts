import { limits } from '../domain/limits.ts';
import { fillPage, fromCursor } from '../domain/paging.ts';
import { pickFields } from '../domain/pick-fields.ts';
import { toRequestId } from '../domain/trace.ts';
import { type DeliveryAttempt, type DeliveryStatus, WebhookDelivery } from '../domain/webhooks.ts';
import { service } from '../service.ts';
import { exists, when } from '../store/expressions.ts';
import { insertAll } from '../store/insert-all.ts';
import {
  type EventSubject,
  fetchedDeliveryCollection,
  fetchedDeliveryKey,
  parkedDeliveryCollections,
  parkedDeliveryKey,
  webhookDeliveryCollections,
  webhookDeliveryKey,
} from '../store/keys.ts';
import { firstPageSize, mergePages } from '../store/merge-pages.ts';
import { type Item, TableStore, table } from '../store/table.ts';
import type { StoredEndpoint } from './endpoint-state.ts';
import { findWait } from './endpoint-state.ts';

/** A stored delivery. `sequence` is its next attempt; `failures` counts since it began or was requested again. */
export type StoredDelivery = WebhookDelivery & {
  timestamp: string;
  /** The ids in the event's data, which are always sent. */
  ids: Record<string, string>;
  subject: EventSubject;
  /** The event whose data the event has, if another one. */
  sourceId?: string;
  sequence: number;
  failures: number;
};
/** A delivery with the user whose endpoint it goes to. */
export type UserDelivery = { uid: string; delivery: StoredDelivery };
type DeliveryItem = Item & StoredDelivery & { ttlSeconds: number };

/** A delivery that rests, and the number of its next attempt. */
export type ParkedDelivery = Pick<StoredDelivery, 'deliveryId' | 'sequence' | 'requestId'>;
type RestingItem = Item & ParkedDelivery & { ttlSeconds: number };

/** The result of an attempt, as it is written to the delivery. */
export type DeliveryResult = {
  attempt?: DeliveryAttempt;
  status: DeliveryStatus;
  nextAttemptAt?: string;
};

type DeliveryFilter = { endpointId?: string; status?: DeliveryStatus };

const keptSeconds = limits.webhookDays * 24 * 60 * 60;
const keptAttempts = 20;
/** The time for which a delivery waits for a command that listens. */
const fetchedWithinSeconds = 60 * 60;
const offersPerPage = 50;
/** The deliveries that are read at once for a filter. */
const filteredPerPage = 2000;

/** The deliveries of events to the endpoints of users. */
export class WebhookDeliveries extends TableStore {
  /** Adds new deliveries, until a time (Unix milliseconds). Returns those without an attempt, and the unwritten. */
  async addAll<D extends UserDelivery>(all: D[], until: number): Promise<{ waiting: D[]; unwritten: D[] }> {
    const ttlSeconds = Math.floor(Date.now() / 1000) + keptSeconds;
    const items = all.map(
      ({ uid, delivery }): DeliveryItem => ({
        ...webhookDeliveryKey(uid, delivery.deliveryId),
        ...delivery,
        ttlSeconds,
      }),
    );
    const outcomes = await insertAll(this.table, items, until);
    const present = items.filter((_, index) => outcomes[index] === 'present');
    const stored = await this.table.getMany<DeliveryItem>(present.map(({ pk, sk }) => ({ pk, sk })));
    const attempted = new Set(stored.filter(({ sequence }) => sequence > 0).map(({ deliveryId }) => deliveryId));
    const isWaiting = ({ delivery }: D) => !attempted.has(delivery.deliveryId);
    return {
      waiting: all.filter((one, index) => outcomes[index] !== 'unwritten' && isWaiting(one)),
      unwritten: all.filter((_, index) => outcomes[index] === 'unwritten'),
    };
  }

  /** Adds a delivery to an endpoint whose events a command fetches. */
  async offer(uid: string, delivery: StoredDelivery): Promise<void> {
    const key = fetchedDeliveryKey(uid, delivery.endpointId, delivery.deliveryId);
    await this.table.put({
      ...key,
      ...delivery,
      ttlSeconds: Math.floor(Date.now() / 1000) + fetchedWithinSeconds,
    } as Item);
  }

  /** Returns the deliveries that a command has to fetch, oldest first. */
  async *offered(uid: string, endpointId: string): AsyncGenerator<StoredDelivery> {
    const query = this.table.query<DeliveryItem>(fetchedDeliveryCollection(uid, endpointId), { limit: offersPerPage });
    for await (const item of query) yield toStoredDelivery(item);
  }

  /** Ends a delivery that a command has fetched. */
  async take(uid: string, { endpointId, deliveryId }: StoredDelivery): Promise<void> {
    await this.table.delete(fetchedDeliveryKey(uid, endpointId, deliveryId));
  }

  async find(uid: string, deliveryId: string): Promise<StoredDelivery | undefined> {
    const item = await this.table.get<DeliveryItem>(webhookDeliveryKey(uid, deliveryId));
    return item && toStoredDelivery(item);
  }

  /** Ends attempt number `sequence`. Returns false if it has already ended. */
  async record(uid: string, delivery: StoredDelivery, sequence: number, result: DeliveryResult): Promise<boolean> {
    const { attempt, status, nextAttemptAt } = result;
    const change = {
      set: {
        ...(attempt && { attempts: [...delivery.attempts, attempt].slice(-keptAttempts) }),
        status,
        nextAttemptAt: nextAttemptAt ?? null,
        sequence: sequence + 1,
        failures: delivery.failures + (attempt && status !== 'delivered' ? 1 : 0),
      },
    };
    const key = webhookDeliveryKey(uid, delivery.deliveryId);
    return (await this.table.change(key, change, when`#sequence <= ${sequence}`)) !== undefined;
  }

  /** Parks a delivery before its attempt with this number. */
  async park(uid: string, { endpointId, deliveryId, requestId }: StoredDelivery, sequence: number): Promise<void> {
    const ttlSeconds = Math.floor(Date.now() / 1000) + keptSeconds;
    const item: RestingItem = {
      ...parkedDeliveryKey(uid, endpointId, deliveryId),
      deliveryId,
      sequence,
      requestId,
      ttlSeconds,
    };
    await this.table.put(item);
  }

  /** Yields the deliveries to an endpoint that rest, page by page. */
  async *parked(uid: string, endpointId: string): AsyncGenerator<ParkedDelivery[]> {
    for (const shard of parkedDeliveryCollections(uid, endpointId)) {
      for await (const page of this.table.pages<RestingItem>(shard)) if (page.length > 0) yield page;
    }
  }

  /** Returns a delivery if it rests. */
  async findParked(uid: string, endpointId: string, deliveryId: string): Promise<ParkedDelivery[]> {
    const item = await this.table.get<RestingItem>(parkedDeliveryKey(uid, endpointId, deliveryId));
    return item ? [item] : [];
  }

  /** Ends the rest of deliveries. */
  async unpark(uid: string, endpointId: string, deliveries: ParkedDelivery[]): Promise<void> {
    await this.table.deleteMany(deliveries.map(({ deliveryId }) => parkedDeliveryKey(uid, endpointId, deliveryId)));
  }

  /** Begins a delivery again, and returns the number of its next attempt. */
  async restart(uid: string, delivery: StoredDelivery): Promise<number | undefined> {
    const change = {
      set: { status: 'pending' as const, failures: 0, nextAttemptAt: null },
      add: { sequence: 1 },
    };
    const item = await this.table.change<DeliveryItem>(webhookDeliveryKey(uid, delivery.deliveryId), change, exists);
    return item?.sequence;
  }

  /** Returns a page of a user's deliveries, newest first. */
  async page(
    uid: string,
    { endpointId, status, limit, cursor }: DeliveryFilter & { limit?: number; cursor?: string },
  ): Promise<{ items: StoredDelivery[]; nextCursor?: string }> {
    const isFiltered = endpointId !== undefined || status !== undefined;
    const collection = `webhook-deliveries:${uid}:${JSON.stringify([endpointId, status])}`;
    const after = fromCursor(collection, cursor);
    const expected = isFiltered ? filteredPerPage : limit && limit + 1;
    return fillPage(this.#list(uid, { after, limit: expected }), {
      collection,
      limit,
      getPosition: ({ deliveryId }) => deliveryId,
      includes: (delivery) =>
        (endpointId === undefined || delivery.endpointId === endpointId) &&
        (status === undefined || delivery.status === status),
      isOver: (examined) => isFiltered && examined >= limits.deliveriesExamined,
    });
  }

  async *#list(uid: string, options: { after?: string; limit?: number }) {
    const shards = webhookDeliveryCollections(uid);
    const query = { ...options, limit: options.limit && firstPageSize(options.limit, shards.length), descending: true };
    const pages = shards.map((shard) => this.table.pages<DeliveryItem>(shard, query));
    for await (const item of mergePages(pages, query)) {
      // DynamoDB deletes an item some time after it has expired.
      if (item.ttlSeconds > Date.now() / 1000) yield toStoredDelivery(item);
    }
  }
}

const toStoredDelivery = ({ pk: _pk, sk: _sk, ttlSeconds: _ttlSeconds, ...delivery }: DeliveryItem): StoredDelivery =>
  delivery;

/** Returns a delivery to an endpoint for a response, without the content of its event. */
export const toDeliveryResponse = (delivery: StoredDelivery, endpoint: StoredEndpoint | undefined): WebhookDelivery => {
  const { nextAttemptAt, ...fields } = pickFields(delivery, WebhookDelivery);
  const shown = { ...fields, requestId: toRequestId(fields.requestId) };
  if (delivery.status !== 'pending') return shown;
  const waitsFor = findWait(delivery, endpoint);
  // A delivery that waits for something else is not attempted at its time.
  const isTimed = waitsFor === 'attempt' || waitsFor === 'retry';
  return { ...shown, waitsFor, nextAttemptAt: isTimed ? nextAttemptAt : undefined };
};

export const webhookDeliveries = /* @__PURE__ */ service(() => new WebhookDeliveries(table.get()), {
  addAll: ['dynamodb:BatchGetItem', 'dynamodb:PartiQLInsert'],
  offer: ['dynamodb:PutItem'],
  offered: ['dynamodb:Query'],
  take: ['dynamodb:DeleteItem'],
  find: ['dynamodb:GetItem'],
  record: ['dynamodb:UpdateItem'],
  park: ['dynamodb:PutItem'],
  findParked: ['dynamodb:GetItem'],
  parked: ['dynamodb:Query'],
  unpark: ['dynamodb:BatchWriteItem'],
  restart: ['dynamodb:UpdateItem'],
  page: ['dynamodb:Query'],
});
