import { randomUUID } from 'node:crypto';
import pMap from 'p-map';
import type { BlockedNumber, NumberOutcome } from '../../domain/block-list.ts';
import { fillPage, fromCursor } from '../../domain/paging.ts';
import { service } from '../../service.ts';
import { type Condition, conditionOf, updateOf } from '../expressions.ts';
import { type BlockListOwner, blockedNumberKey, blockedNumbersOf, blockListShards, type Collection } from '../keys.ts';
import {
  attributeValue,
  chunks,
  type Item,
  type Statement,
  type Table,
  type TransactionAction,
  table,
} from '../table.ts';
import {
  type BlockedItem,
  type BlockTerms,
  blockedEntryOf,
  changeOf,
  copiedBy,
  entryFor,
  entryOf,
  isBlocked,
} from './blocked-number.ts';
import { executeBatch, type Step, settleNumbers } from './settle-numbers.ts';

/** How long a removed number's item is kept, so that a repeated removal recognizes its own write. */
const removedSeconds = 24 * 60 * 60;
const maxEraseRounds = 12;
/** Batches in flight, where the caller does not say otherwise. */
const concurrency = 8;
/** Of each shard; all shards are copied side by side, so that a short list takes no longer than its longest shard. */
const copyConcurrency = 2;

/** An entry that blocks a number, and the list it is on: the agent's or its owner's. */
export type BlockingEntry = BlockedNumber & { scope: 'agent' | 'user' };

/** A number as it is stored, and the last request that removed it. */
export type StoredNumber = { number: string; isBlocked: boolean; blockedAt: string; removedBy: string };

/** The blocked numbers of agents, and of users for all their agents. */
export class BlockList {
  readonly #table: Table;
  readonly #timeoutMilliseconds: number;

  /** After `timeoutMilliseconds` a request stops, and the numbers that are not settled are `temporarily_unavailable`. */
  constructor(table: Table, timeoutMilliseconds = 20_000) {
    this.#table = table;
    this.#timeoutMilliseconds = timeoutMilliseconds;
  }

  /**
   * Blocks distinct E.164 numbers. Each is reported as `done`, `already_blocked` or `temporarily_unavailable`. A repeated
   * request gives the same `addedBy`, and finds its own entries `done`.
   */
  add(
    owner: BlockListOwner,
    phones: string[],
    terms: BlockTerms = {},
    addedBy: string = randomUUID(),
  ): Promise<Map<string, NumberOutcome>> {
    return this.addAll(owner, new Map(phones.map((phone) => [phone, terms])), changeOf(addedBy, phones));
  }

  /** The same for numbers with terms of their own. With `readFirst`, numbers that are blocked already cost a read and no write. */
  async addAll(
    owner: BlockListOwner,
    terms: Map<string, BlockTerms>,
    addedBy: string,
    { batchesInFlight = concurrency, readFirst = false } = {},
  ): Promise<Map<string, NumberOutcome>> {
    const blockedAt = new Date().toISOString();
    const newEntryOf = (phone: string) => entryFor(terms.get(phone) as BlockTerms, addedBy, blockedAt);
    // What the statements of numbers with the same terms have in common is made once.
    const inserts = new Map<string, Statement>();
    const insertWith = (entry: object): Statement => {
      const names = ['pk', 'sk', ...Object.keys(entry)].map((name) => `'${name}':?`);
      return {
        text: `INSERT INTO "${this.#table.name}" VALUE {${names}}`,
        values: Object.values(entry).map(attributeValue),
      };
    };
    const insert = (phone: string): Statement => {
      const { reason, expiresAt } = terms.get(phone) as BlockTerms;
      const same = JSON.stringify([reason, expiresAt]);
      const { text, values } = inserts.get(same) ?? insertWith(newEntryOf(phone));
      inserts.set(same, { text, values });
      const { pk, sk } = blockedNumberKey(owner, phone);
      return { text, values: [{ S: pk }, { S: sk }, ...values] };
    };
    // The item exists, but its number is no longer blocked: it expired, or was removed a while ago.
    const reclaim = (phone: string): Statement => {
      const { removedBy: _, ...renewed } = newEntryOf(phone);
      const cleared = ['reason', 'expiresAt', 'ttlSeconds'].filter((name) => !(name in renewed));
      const { pk, sk } = blockedNumberKey(owner, phone);
      const set = Object.keys(renewed).map((name) => `SET "${name}"=?`);
      const remove = cleared.map((name) => `REMOVE "${name}"`);
      return {
        text: `UPDATE "${this.#table.name}" ${[...set, ...remove].join(' ')} WHERE pk=? AND sk=? AND "blockedUntil"<=?`,
        values: [...Object.values(renewed), pk, sk, Date.now()].map(attributeValue),
      };
    };
    const judge = (item: BlockedItem | undefined): Step => {
      if (!item) return 'insert';
      if (item.addedBy === addedBy) return 'done';
      return isBlocked(item) ? 'already_blocked' : 'reclaim';
    };
    return settleNumbers(
      [...terms.keys()],
      { first: readFirst ? 'look' : 'insert', batchesInFlight, timeoutMilliseconds: this.#timeoutMilliseconds },
      {
        insert: (batch) =>
          executeBatch(this.#table, batch.map(insert), (error) => (error === 'DuplicateItem' ? 'look' : undefined)),
        look: async (batch) => {
          const items = await this.#table.getMany<BlockedItem>(batch.map((phone) => blockedNumberKey(owner, phone)));
          const byPhone = new Map(items.map((item) => [item.sk, item]));
          return batch.map((phone) => judge(byPhone.get(phone)));
        },
        reclaim: (batch) =>
          executeBatch(this.#table, batch.map(reclaim), (error, item) =>
            isConditionFailure(error) ? judge(item) : undefined,
          ),
      },
    );
  }

  /** Unblocks distinct E.164 numbers. Each is reported as `done`, `not_found` or `temporarily_unavailable`. */
  async remove(
    owner: BlockListOwner,
    phones: string[],
    removedBy: string = changeOf(randomUUID(), phones),
    batchesInFlight = concurrency,
  ): Promise<Map<string, NumberOutcome>> {
    const remove = (phone: string): Statement => {
      const { pk, sk } = blockedNumberKey(owner, phone);
      const ttlSeconds = Math.floor(Date.now() / 1000) + removedSeconds;
      return {
        text: `UPDATE "${this.#table.name}" SET "blockedUntil"=? SET "removedBy"=? SET "ttlSeconds"=? WHERE pk=? AND sk=? AND "blockedUntil">? AND "removedBy"<>?`,
        values: [0, removedBy, ttlSeconds, pk, sk, Date.now(), removedBy].map(attributeValue),
      };
    };
    return settleNumbers(
      phones,
      { first: 'remove', batchesInFlight, timeoutMilliseconds: this.#timeoutMilliseconds },
      {
        remove: (batch) =>
          executeBatch(this.#table, batch.map(remove), (error, item) => {
            if (!isConditionFailure(error)) return undefined;
            return item?.removedBy === removedBy ? 'done' : 'not_found';
          }),
      },
    );
  }

  /**
   * The entries of distinct numbers that are blocked now for an agent, by number: the agent's own entry, or its owner's.
   * One number is one round trip.
   */
  async find(agent: { agentId: string; uid: string }, phones: string[]): Promise<Map<string, BlockingEntry>> {
    const { agentId, uid } = agent;
    const keysIn = (owner: BlockListOwner) => phones.map((phone) => blockedNumberKey(owner, phone));
    const [ofAgent, ofUser] = [keysIn({ agentId }), keysIn({ uid })];
    const agentPartitions = new Set(ofAgent.map(({ pk }) => pk));
    const found = new Map<string, BlockingEntry>();
    const batches = await pMap(chunks([...ofAgent, ...ofUser], 100), (keys) => this.#table.getMany<BlockedItem>(keys), {
      concurrency,
    });
    for (const item of batches.flat()) {
      const entry = blockedEntryOf(item);
      const scope = agentPartitions.has(item.pk) ? 'agent' : 'user';
      if (entry && (scope === 'agent' || !found.has(item.sk))) found.set(item.sk, { scope, ...entry });
    }
    return found;
  }

  /** The blocked numbers after a given one, sorted as text. The shards are read side by side and merged. */
  async *list(owner: BlockListOwner, options: { after?: string | undefined; limit?: number | undefined } = {}) {
    // Numbers are spread evenly, so twice a shard's share is rarely too few. Then the next page is read.
    const limit = options.limit && Math.ceil((2 * options.limit) / blockListShards) + 1;
    const shards = Array.from({ length: blockListShards }, (_, shard) =>
      this.#table.query<BlockedItem>(blockedNumbersOf(owner, shard), { after: options.after, limit }),
    );
    const heads = await Promise.all(shards.map(async (shard) => ({ shard, next: await shard.next() })));
    for (;;) {
      const open = heads.filter((head) => !head.next.done);
      if (open.length === 0) return;
      const least = open.reduce((a, b) => ((a.next.value as Item).sk < (b.next.value as Item).sk ? a : b));
      const item = least.next.value as BlockedItem;
      if (isBlocked(item)) yield entryOf(item);
      least.next = await least.shard.next();
    }
  }

  /** The numbers of one shard after a given one, page by page, also those that are no longer blocked. */
  async *shardPages(owner: BlockListOwner, shard: number, after: string | undefined): AsyncGenerator<StoredNumber[]> {
    for await (const page of this.#table.pages<BlockedItem>(blockedNumbersOf(owner, shard), { after })) {
      yield page.map(({ sk, blockedUntil, blockedAt, removedBy }) => ({
        number: sk,
        isBlocked: blockedUntil > Date.now(),
        blockedAt,
        removedBy,
      }));
    }
  }

  /** A page of a list, as an answer carries it. */
  async page(owner: BlockListOwner, { limit, cursor }: { limit?: number | undefined; cursor?: string | undefined }) {
    const collection = `block-list:${'agentId' in owner ? owner.agentId : `user:${owner.uid}`}`;
    const after = fromCursor(collection, cursor);
    const { items, ...next } = await fillPage(this.list(owner, { after, limit }), {
      collection,
      limit,
      positionOf: ({ number }) => number,
      // Every number is in the response twice.
      weigh: (entry) => JSON.stringify(entry).length + entry.number.length + 4,
    });
    return { blockList: items.map(({ number }) => number), entries: items, ...next };
  }

  /** On how many of some lists a number is blocked. */
  async count(owners: BlockListOwner[], phone: string): Promise<number> {
    const items = await this.#table.getMany<BlockedItem>(owners.map((owner) => blockedNumberKey(owner, phone)));
    return items.filter(isBlocked).length;
  }

  /**
   * Erases a number from some lists: an entry that blocks it is deleted or, to be kept, loses its reason; an entry that
   * no longer blocks it is deleted. `counted` is written in one transaction with each entry that is erased while it blocks.
   */
  async erase(
    owners: BlockListOwner[],
    phone: string,
    mode: 'keep' | 'remove',
    counted: TransactionAction,
  ): Promise<void> {
    const TableName = this.#table.name;
    let keys = owners.map((owner) => blockedNumberKey(owner, phone));
    for (let round = 0; keys.length > 0; round++) {
      if (round === maxEraseRounds) throw new Error('An entry of a block list kept changing while it was erased.');
      const items = await this.#table.getMany<BlockedItem>(keys);
      keys = [];
      for (const item of items) {
        const Key = { pk: item.pk, sk: item.sk };
        const blocks = isBlocked(item);
        if (blocks && mode === 'keep' && item.reason === undefined) continue;
        const isUnchanged: Condition = {
          expression: 'addedBy = :addedBy and removedBy = :removedBy and blockedUntil = :blockedUntil',
          values: { addedBy: item.addedBy, removedBy: item.removedBy, blockedUntil: item.blockedUntil },
        };
        const hasReason: Condition = {
          expression: `${isUnchanged.expression} and attribute_exists(reason)`,
          values: isUnchanged.values ?? {},
        };
        const failed = await this.#table.transactUnless([
          blocks && mode === 'keep'
            ? { Update: { TableName, Key, ...updateOf({ set: { reason: null } }, hasReason) } }
            : { Delete: { TableName, Key, ...conditionOf(isUnchanged) } },
          ...(blocks ? [counted] : []),
        ]);
        if (failed) keys.push(Key);
      }
    }
  }

  /** Deletes a list, until a time (Unix milliseconds). True when nothing is left of it. */
  async removeAll(owner: BlockListOwner, until: number): Promise<boolean> {
    const shards = Array.from({ length: blockListShards }, (_, shard) => blockedNumbersOf(owner, shard));
    const removeShard = async (shard: Collection) => {
      for await (const keys of this.#table.pages(shard, { keysOnly: true })) {
        if (Date.now() >= until) return false;
        await this.#table.deleteMany(keys);
      }
      return true;
    };
    return (await pMap(shards, removeShard, { concurrency })).every(Boolean);
  }

  /** Copies the numbers of one shard that are blocked now to another agent, and returns how many. Undefined when time ran out. */
  async copyShard(from: string, to: string, shard: number, deadline: number): Promise<number | undefined> {
    if (Date.now() >= deadline) return undefined;
    let copied = 0;
    let items: Item[] = [];
    const flush = async () => {
      await pMap(chunks(items, 25), (batch) => this.#table.putMany(batch), { concurrency: copyConcurrency });
      copied += items.length;
      items = [];
    };
    for await (const item of this.#table.query<BlockedItem>(blockedNumbersOf({ agentId: from }, shard))) {
      if (!isBlocked(item)) continue;
      const copy: BlockedItem = { ...item, ...blockedNumberKey({ agentId: to }, item.sk), addedBy: copiedBy };
      items.push(copy);
      if (items.length < 25 * copyConcurrency) continue;
      await flush();
      if (Date.now() >= deadline) return undefined;
    }
    await flush();
    return copied;
  }
}

const isConditionFailure = (error: string) => error === 'ConditionalCheckFailed';

export const blockList = /* @__PURE__ */ service(() => new BlockList(table.get()), {
  add: ['dynamodb:BatchGetItem', 'dynamodb:PartiQLInsert', 'dynamodb:PartiQLUpdate'],
  addAll: ['dynamodb:BatchGetItem', 'dynamodb:PartiQLInsert', 'dynamodb:PartiQLUpdate'],
  remove: ['dynamodb:PartiQLUpdate'],
  shardPages: ['dynamodb:Query'],
  find: ['dynamodb:BatchGetItem'],
  page: ['dynamodb:Query'],
  removeAll: ['dynamodb:BatchWriteItem', 'dynamodb:Query'],
  count: ['dynamodb:BatchGetItem'],
  erase: ['dynamodb:BatchGetItem', 'dynamodb:DeleteItem', 'dynamodb:UpdateItem'],
  copyShard: ['dynamodb:BatchWriteItem', 'dynamodb:Query'],
});
