import { randomUUID } from 'node:crypto';
import pMap from 'p-map';
import { currentMaker, currentRequestId } from '../../cause.ts';
import type { BlockedNumber, NumberOutcome } from '../../domain/block-list.ts';
import { type BlockingEntry, decideBlock } from '../../domain/block-list-rules.ts';
import { chunks } from '../../domain/chunks.ts';
import { now } from '../../domain/date-time.ts';
import { listForms } from '../../domain/number-forms.ts';
import { service } from '../../service.ts';
import { when } from '../expressions.ts';
import {
  type BlockListOwner,
  blockedNumberCollection,
  blockedNumberKey,
  blockListRulesKey,
  blockListShards,
  findItem,
  type ItemKey,
} from '../keys.ts';
import { insertStatement, type Statement, updateStatement } from '../statements.ts';
import { type Item, type Table, TableStore, type TransactionAction, table } from '../table.ts';
import { readNumberRules } from './block-list-rules.ts';
import {
  type BlockedItem,
  type BlockTerms,
  copiedBy,
  encodeRequest,
  isBlocked,
  readBlockedEntry,
  startAddition,
  toAddedEntry,
} from './blocked-number.ts';
import { executeBatch, type NumberState, settleNumbers } from './settle-numbers.ts';

/** The time for which a repeated removal recognizes its own write. */
const removedSeconds = 24 * 60 * 60;
const maxEraseRounds = 12;
/** The default number of batches in flight. */
const concurrency = 8;
/** Batches in flight of each shard. All shards are copied at once. */
const copyConcurrency = 2;

/** A number as it is stored, and the last request that removed it. */
export type StoredNumber = { number: string; isBlocked: boolean; blockedAt: string; removedBy: string };

/** The blocked numbers of agents, and of users for all their agents. */
export class BlockList extends TableStore {
  readonly #timeoutMilliseconds: number;

  /** After `timeoutMilliseconds`, numbers without an outcome are reported as `temporarily_unavailable`. */
  constructor(table: Table, timeoutMilliseconds = 20_000) {
    super(table);
    this.#timeoutMilliseconds = timeoutMilliseconds;
  }

  /** Blocks distinct E.164 numbers. A repetition with the same `addedBy` finds its entries `done`. */
  add(
    owner: BlockListOwner,
    phones: string[],
    terms: BlockTerms = {},
    addedBy: string = randomUUID(),
  ): Promise<Map<string, NumberOutcome>> {
    return this.addAll(owner, new Map(phones.map((phone) => [phone, terms])), encodeRequest(addedBy, phones));
  }

  /** Blocks numbers with individual terms. After `readFirst`, blocked numbers cost no write. */
  async addAll(
    owner: BlockListOwner,
    terms: Map<string, BlockTerms>,
    addedBy: string,
    { batchesInFlight = concurrency, readFirst = false } = {},
  ): Promise<Map<string, NumberOutcome>> {
    const addition = startAddition(addedBy);
    const toBlockedItem = (phone: string): BlockedItem => ({
      ...blockedNumberKey(owner, phone),
      ...toAddedEntry(terms.get(phone) as BlockTerms, addition),
    });
    const toNumberState = (item: BlockedItem | undefined): NumberState => {
      if (!item) return { next: 'insert' };
      if (item.addedBy === addedBy) return { outcome: 'done' };
      return isBlocked(item) ? { outcome: 'already_blocked' } : { next: 'reclaim' };
    };
    const { name } = this.table;
    return settleNumbers(
      [...terms.keys()],
      { first: readFirst ? 'read' : 'insert', batchesInFlight, timeoutMilliseconds: this.#timeoutMilliseconds },
      {
        insert: (batch) =>
          executeBatch(
            this.table,
            batch.map((phone) => insertStatement(name, toBlockedItem(phone))),
            (error) => (error === 'DuplicateItem' ? { next: 'read' } : undefined),
          ),
        read: async (batch) => {
          const items = await this.table.getMany<BlockedItem>(batch.map((phone) => blockedNumberKey(owner, phone)));
          const byPhone = new Map(items.map((item) => [item.sk, item]));
          return batch.map((phone) => toNumberState(byPhone.get(phone)));
        },
        reclaim: (batch) =>
          executeBatch(
            this.table,
            batch.map((phone) => reclaimStatement(name, toBlockedItem(phone))),
            (error, item) => (isConditionFailure(error) ? toNumberState(item) : undefined),
          ),
      },
    );
  }

  /** Unblocks distinct E.164 numbers. Each is reported as `done`, `not_found` or `temporarily_unavailable`. */
  async remove(
    owner: BlockListOwner,
    phones: string[],
    removedBy: string = encodeRequest(randomUUID(), phones),
    batchesInFlight = concurrency,
  ): Promise<Map<string, NumberOutcome>> {
    const ttlSeconds = Math.floor(Date.now() / 1000) + removedSeconds;
    const [requestId, madeBy] = [currentRequestId() ?? null, currentMaker() ?? null];
    const removal = (phone: string): Statement =>
      updateStatement(
        this.table.name,
        blockedNumberKey(owner, phone),
        {
          blockedUntil: 0,
          removedBy,
          ttlSeconds,
          requestId,
          madeBy,
        },
        when`#blockedUntil > ${Date.now()} and #removedBy <> ${removedBy}`,
      );
    return settleNumbers(
      phones,
      { first: 'remove', batchesInFlight, timeoutMilliseconds: this.#timeoutMilliseconds },
      {
        remove: (batch) =>
          executeBatch(this.table, batch.map(removal), (error, item) => {
            if (!isConditionFailure(error)) return undefined;
            return { outcome: item?.removedBy === removedBy ? 'done' : 'not_found' };
          }),
      },
    );
  }

  /** Returns the entries that block numbers for an agent, by the lists and the rules of the agent and its owner. */
  async find(agent: { agentId: string; uid: string }, phones: string[]): Promise<Map<string, BlockingEntry>> {
    const owners = { agent: { agentId: agent.agentId }, user: { uid: agent.uid } };
    const scopes = ['agent', 'user'] as const;
    const forms = [...new Set(phones.flatMap(listForms))];
    const listKeys = (owner: BlockListOwner) => forms.map((form) => blockedNumberKey(owner, form));
    const rulesKeys = scopes.map((scope) => blockListRulesKey(owners[scope]));
    const keys = [...rulesKeys, ...scopes.flatMap((scope) => listKeys(owners[scope]))];
    const batches = await pMap(chunks(keys, 100), (some) => this.table.getMany<BlockedItem>(some), { concurrency });
    const items = new Map(batches.flat().map((item) => [toText(item), item]));
    const lists = scopes.map((scope, index) => {
      const rules = readNumberRules(items.get(toText(rulesKeys[index] as ItemKey)));
      const findEntry = (form: string) => readBlockedEntry(items.get(toText(blockedNumberKey(owners[scope], form))));
      return { scope, rules, findEntry };
    });
    return new Map(
      phones.flatMap((phone) => {
        const { blocked } = decideBlock(
          phone,
          lists.map(({ scope, rules, findEntry }) => {
            const [entry] = listForms(phone).flatMap((form) => findEntry(form) ?? []);
            return { scope, rules, entry };
          }),
        );
        return blocked ? [[phone, blocked] as const] : [];
      }),
    );
  }

  /** Yields the numbers of a shard page by page, even those no longer blocked. */
  async *shardPages(owner: BlockListOwner, shard: number, after: string | undefined): AsyncGenerator<StoredNumber[]> {
    for await (const page of this.table.pages<BlockedItem>(blockedNumberCollection(owner, shard), { after })) {
      yield page.map(({ sk, blockedUntil, blockedAt, removedBy }) => ({
        number: sk,
        isBlocked: blockedUntil > Date.now(),
        blockedAt,
        removedBy,
      }));
    }
  }

  /** Returns the number of lists with an entry of a phone number. */
  async count(owners: BlockListOwner[], phone: string): Promise<number> {
    return (await this.findEntries(owners, phone)).length;
  }

  /** Returns the entries of one form of a number, each with its list. */
  async findEntries<O extends BlockListOwner>(
    owners: O[],
    phone: string,
  ): Promise<{ owner: O; entry: BlockedNumber }[]> {
    const keys = owners.map((owner) => blockedNumberKey(owner, phone));
    const items = await this.table.getMany<BlockedItem>(keys);
    return owners.flatMap((owner, index) => {
      const entry = readBlockedEntry(findItem(items, keys[index]));
      return entry ? [{ owner, entry }] : [];
    });
  }

  /**
   * Returns the entries of lists that block a number, each with its list, in order: the first list is the user's. A number that
   * it allows is blocked by no prefix of any list.
   */
  async findOnLists<O extends BlockListOwner>(
    owners: [user: O, ...agents: O[]],
    number: string,
  ): Promise<{ owner: O; entry: BlockedNumber & { prefix?: string } }[]> {
    const forms = listForms(number);
    const keysOfOwners = owners.map((owner) => [
      blockListRulesKey(owner),
      ...forms.map((form) => blockedNumberKey(owner, form)),
    ]);
    const found = await this.table.getMany<BlockedItem>(keysOfOwners.flat());
    const items = new Map(found.map((item) => [toText(item), item]));
    const lists = keysOfOwners.map((keys) => {
      const [rules, ...entries] = keys.map((key) => items.get(toText(key)));
      return { rules: readNumberRules(rules), entry: entries.flatMap((item) => readBlockedEntry(item) ?? [])[0] };
    });
    const isAllowed = lists[0]?.rules?.allows(number) ?? false;
    return owners.flatMap((owner, index) => {
      const { rules, entry } = lists[index] ?? {};
      const byPrefix = isAllowed || rules?.allows(number) ? undefined : rules?.findEntry(number);
      const blocking = entry ?? byPrefix;
      return blocking ? [{ owner, entry: blocking }] : [];
    });
  }

  /** Erases a number. A kept entry loses its reason, and `counted` is written with each that blocks. */
  async erase(
    owners: BlockListOwner[],
    phone: string,
    mode: 'keep' | 'remove',
    counted: TransactionAction,
  ): Promise<void> {
    let keys = owners.map((owner) => blockedNumberKey(owner, phone));
    for (let round = 0; keys.length > 0; round++) {
      if (round === maxEraseRounds) throw new Error('An entry of a block list kept changing while it was erased.');
      const items = await this.table.getMany<BlockedItem>(keys);
      keys = [];
      // Concurrent erasures would conflict at the counter.
      for (const item of items) if (!(await this.#erase(item, mode, counted))) keys.push({ pk: item.pk, sk: item.sk });
    }
  }

  /** Erases an entry. Returns false when it has changed since it was read. */
  async #erase(item: BlockedItem, mode: 'keep' | 'remove', counted: TransactionAction): Promise<boolean> {
    const { pk, sk, addedBy, removedBy, blockedUntil } = item;
    const isUnchanged = when`addedBy = ${addedBy} and removedBy = ${removedBy} and blockedUntil = ${blockedUntil}`;
    const blocks = isBlocked(item);
    const isKept = blocks && mode === 'keep';
    // The stream delivers this mark after the change, whose event then loses the number.
    const erasedAt = now();
    if (isKept && item.reason === undefined) {
      return (await this.table.change({ pk, sk }, { set: { erasedAt } }, isUnchanged)) !== undefined;
    }
    const failed = await this.table.tryTransact([
      isKept
        ? this.table.updateAction(
            { pk, sk },
            { set: { reason: null, erasedAt } },
            when`${isUnchanged} and attribute_exists(reason)`,
          )
        : this.table.deleteAction({ pk, sk }, isUnchanged),
      ...(blocks ? [counted] : []),
    ]);
    return failed === undefined;
  }

  /** Deletes a list with its rules, until a time (Unix milliseconds). Returns true at its end. */
  async removeAll(owner: BlockListOwner, until: number): Promise<boolean> {
    await this.table.deleteMany([blockListRulesKey(owner)]);
    const shards = Array.from({ length: blockListShards }, (_, shard) => blockedNumberCollection(owner, shard));
    return (await pMap(shards, (shard) => this.table.deleteAll(shard, until), { concurrency })).every(Boolean);
  }

  /** Copies a shard, and counts its numbers. Undefined when `mayWrite` refuses, or time runs out. */
  async copyShard(
    from: string,
    to: string,
    shard: number,
    { until, mayWrite }: { until: number; mayWrite(numbers: number): Promise<boolean> },
  ): Promise<number | undefined> {
    if (Date.now() >= until) return undefined;
    let copied = 0;
    let items: Item[] = [];
    const flush = async () => {
      if (items.length > 0 && !(await mayWrite(items.length))) return false;
      await this.table.putMany(items, copyConcurrency);
      copied += items.length;
      items = [];
      return true;
    };
    for await (const item of this.table.query<BlockedItem>(blockedNumberCollection({ agentId: from }, shard))) {
      if (!isBlocked(item)) continue;
      const copy: BlockedItem = { ...item, ...blockedNumberKey({ agentId: to }, item.sk), addedBy: copiedBy };
      items.push(copy);
      if (items.length < 25 * copyConcurrency) continue;
      if (!(await flush()) || Date.now() >= until) return undefined;
    }
    return (await flush()) ? copied : undefined;
  }
}

/** Returns the statement that blocks a number again after an expired or removed block. */
const reclaimStatement = (tableName: string, { pk, sk, removedBy: _, ...entry }: BlockedItem): Statement =>
  updateStatement(
    tableName,
    { pk, sk },
    { reason: null, expiresAt: null, ttlSeconds: null, ...entry, madeBy: entry.madeBy ?? null },
    when`#blockedUntil <= ${Date.now()}`,
  );

const toText = ({ pk, sk }: ItemKey) => `${pk} ${sk}`;

const isConditionFailure = (error: string) => error === 'ConditionalCheckFailed';

export const blockList = /* @__PURE__ */ service(() => new BlockList(table.get()), {
  add: ['dynamodb:BatchGetItem', 'dynamodb:PartiQLInsert', 'dynamodb:PartiQLUpdate'],
  addAll: ['dynamodb:BatchGetItem', 'dynamodb:PartiQLInsert', 'dynamodb:PartiQLUpdate'],
  remove: ['dynamodb:PartiQLUpdate'],
  shardPages: ['dynamodb:Query'],
  find: ['dynamodb:BatchGetItem'],
  removeAll: ['dynamodb:BatchWriteItem', 'dynamodb:Query'],
  count: ['dynamodb:BatchGetItem'],
  findEntries: ['dynamodb:BatchGetItem'],
  findOnLists: ['dynamodb:BatchGetItem'],
  erase: ['dynamodb:BatchGetItem', 'dynamodb:DeleteItem', 'dynamodb:UpdateItem'],
  copyShard: ['dynamodb:BatchWriteItem', 'dynamodb:Query'],
});
