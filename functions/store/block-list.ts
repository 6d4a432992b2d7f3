import { randomUUID } from 'node:crypto';
import { BatchExecuteStatementCommand, type BatchStatementResponse } from '@aws-sdk/client-dynamodb';
import { convertToAttr, unmarshall } from '@aws-sdk/util-dynamodb';
import pMap from 'p-map';
import type { BlockedNumber, NumberOutcome } from '../domain/block-list.ts';
import { service } from '../service.ts';
import { blockedNumberKey, blockedNumbersOf, blockListShards } from './keys.ts';
import { backOff, chunks, deadline, type Item, retryableCodes, type Table, table } from './table.ts';

/** Milliseconds no clock reaches: a number blocked for good is blocked until then. */
const forGood = 253_402_300_799_000;
/** How long a removed number's item is kept, so that a repeated removal can tell that it was done. */
const removedSeconds = 24 * 60 * 60;
const statementsPerBatch = 25;
const batchesInFlight = 8;

/**
 * A number's item. It is blocked while `blockedUntil` (Unix milliseconds) lies ahead; removing it sets that to 0.
 * `addedBy` and `removedBy` name the last request that did so, by which a request whose response was lost on the
 * way knows its own write again.
 */
type BlockedItem = Item & {
  blockedUntil: number;
  blockedAt: string;
  reason?: string;
  expiresAt?: string;
  addedBy: string;
  removedBy: string;
  ttlSeconds?: number;
};

/** What is kept with a number: why it is blocked, and until when. */
export type BlockTerms = { reason?: string | undefined; expiresAt?: string | undefined };

/** What an attempt at one number came to: settled, or the next thing to try. */
type Step = NumberOutcome | 'insert' | 'look' | 'reclaim' | 'remove';
type Statement = { text: string; values: unknown[] };

/** The numbers each agent does not take calls from. */
export class BlockList {
  readonly #table: Table;
  readonly #patienceMilliseconds: number;

  /** After `patienceMilliseconds` a request stops trying, and says which numbers it could not settle. */
  constructor(table: Table, patienceMilliseconds = 20_000) {
    this.#table = table;
    this.#patienceMilliseconds = patienceMilliseconds;
  }

  /** Blocks distinct E.164 numbers. A request that is repeated gives the same `addedBy`, and finds its own entries. Each is `done`, `already_blocked` or `temporarily_unavailable`, and that is true. */
  async add(
    agentId: string,
    phones: string[],
    terms: BlockTerms = {},
    addedBy: string = randomUUID(),
  ): Promise<Map<string, NumberOutcome>> {
    const entry = {
      blockedUntil: terms.expiresAt ? Date.parse(terms.expiresAt) : forGood,
      blockedAt: new Date().toISOString(),
      addedBy,
      removedBy: '',
      ...(terms.reason !== undefined && { reason: terms.reason }),
      ...(terms.expiresAt && { expiresAt: terms.expiresAt, ttlSeconds: Math.ceil(Date.parse(terms.expiresAt) / 1000) }),
    };
    const insert = (phone: string): Statement => {
      const item = { ...blockedNumberKey(agentId, phone), ...entry };
      const names = Object.keys(item).map((name) => `'${name}':?`);
      return { text: `INSERT INTO "${this.#table.name}" VALUE {${names}}`, values: Object.values(item) };
    };
    // An item is there, but its number is no longer blocked: expired, or removed a while ago.
    const reclaim = (phone: string): Statement => {
      const { removedBy: _, ...renewed } = entry;
      const cleared = ['reason', 'expiresAt', 'ttlSeconds'].filter((name) => !(name in renewed));
      const { pk, sk } = blockedNumberKey(agentId, phone);
      const set = Object.keys(renewed).map((name) => `SET "${name}"=?`);
      const remove = cleared.map((name) => `REMOVE "${name}"`);
      return {
        text: `UPDATE "${this.#table.name}" ${[...set, ...remove].join(' ')} WHERE pk=? AND sk=? AND "blockedUntil"<=?`,
        values: [...Object.values(renewed), pk, sk, Date.now()],
      };
    };
    const judge = (item: BlockedItem | undefined): Step => {
      if (!item) return 'insert';
      if (item.addedBy === addedBy) return 'done';
      return item.blockedUntil > Date.now() ? 'already_blocked' : 'reclaim';
    };
    return this.#settle(phones, 'insert', {
      insert: (batch) => this.#execute(batch.map(insert), (error) => (error === 'DuplicateItem' ? 'look' : undefined)),
      look: async (batch) => {
        const items = await this.#table.getMany<BlockedItem>(batch.map((phone) => blockedNumberKey(agentId, phone)));
        const byPhone = new Map(items.map((item) => [item.sk, item]));
        return batch.map((phone) => judge(byPhone.get(phone)));
      },
      reclaim: (batch) =>
        this.#execute(batch.map(reclaim), (error, item) => (isRefused(error) ? judge(item) : undefined)),
    });
  }

  /** Unblocks distinct E.164 numbers. Each is `done`, `not_found` or `temporarily_unavailable`, and that is true. */
  async remove(agentId: string, phones: string[]): Promise<Map<string, NumberOutcome>> {
    const removedBy = randomUUID();
    const remove = (phone: string): Statement => {
      const { pk, sk } = blockedNumberKey(agentId, phone);
      const ttlSeconds = Math.floor(Date.now() / 1000) + removedSeconds;
      return {
        text: `UPDATE "${this.#table.name}" SET "blockedUntil"=? SET "removedBy"=? SET "ttlSeconds"=? WHERE pk=? AND sk=? AND "blockedUntil">? AND "removedBy"<>?`,
        values: [0, removedBy, ttlSeconds, pk, sk, Date.now(), removedBy],
      };
    };
    return this.#settle(phones, 'remove', {
      remove: (batch) =>
        this.#execute(batch.map(remove), (error, item) => {
          if (!isRefused(error)) return undefined;
          return item?.removedBy === removedBy ? 'done' : 'not_found';
        }),
    });
  }

  /** The entry of a number that is blocked now. One point read. */
  async find(agentId: string, phone: string): Promise<BlockedNumber | undefined> {
    const item = await this.#table.get<BlockedItem>(blockedNumberKey(agentId, phone));
    return item && item.blockedUntil > Date.now() ? entryOf(item) : undefined;
  }

  /** The blocked numbers after a given one, sorted as text: the shards are read side by side and merged. */
  async *list(agentId: string, options: { after?: string | undefined; limit?: number | undefined } = {}) {
    // Numbers spread evenly: twice a shard's share is seldom too few, and then the next page is read.
    const limit = options.limit && Math.ceil((2 * options.limit) / blockListShards) + 1;
    const shards = Array.from({ length: blockListShards }, (_, shard) =>
      this.#table.query<BlockedItem>(blockedNumbersOf(agentId, shard), { after: options.after, limit }),
    );
    const heads = await Promise.all(shards.map(async (shard) => ({ shard, next: await shard.next() })));
    for (;;) {
      const open = heads.filter((head) => !head.next.done);
      if (open.length === 0) return;
      const least = open.reduce((a, b) => ((a.next.value as Item).sk < (b.next.value as Item).sk ? a : b));
      const item = least.next.value as BlockedItem;
      if (item.blockedUntil > Date.now()) yield entryOf(item);
      least.next = await least.shard.next();
    }
  }

  /**
   * Takes every number through its steps until all are settled or the request's patience is over. A step that
   * fails as a whole, or a number whose statement was throttled or in conflict, is tried again after a pause.
   */
  async #settle(
    phones: string[],
    first: Step,
    steps: Partial<Record<Step, (batch: string[]) => Promise<(Step | undefined)[]>>>,
  ): Promise<Map<string, NumberOutcome>> {
    const givesUpAt = Date.now() + this.#patienceMilliseconds;
    const at = new Map<string, Step>(phones.map((phone) => [phone, first]));
    for (let round = 0; ; round++) {
      const unsettled = [...at].filter(([, step]) => step in steps);
      if (unsettled.length === 0) return at as Map<string, NumberOutcome>;
      const batches = Object.entries(Object.groupBy(unsettled, ([, step]) => step)).flatMap(([step, numbers]) =>
        chunks(numbers, step === 'look' ? 100 : statementsPerBatch).map((batch) => ({
          step: step as Step,
          batch: batch.map(([phone]) => phone),
        })),
      );
      let hindered = false;
      await pMap(
        batches,
        async ({ step, batch }) => {
          const next = Date.now() < givesUpAt ? await steps[step]?.(batch).catch(tolerateFaults) : undefined;
          for (const [index, phone] of batch.entries()) {
            const reached = next?.[index];
            if (reached !== undefined) at.set(phone, reached);
            else hindered = true;
          }
        },
        { concurrency: batchesInFlight },
      );
      if (Date.now() >= givesUpAt) {
        for (const [phone, step] of at) if (step in steps) at.set(phone, 'temporarily_unavailable');
      }
      if (hindered) await backOff(round + 1);
    }
  }

  /** Runs one batch. Says per statement `done`, what `read` makes of its error, or nothing when it is to be sent again. */
  async #execute(
    statements: Statement[],
    read: (error: string | undefined, item: BlockedItem | undefined) => Step | undefined,
  ): Promise<(Step | undefined)[]> {
    const command = new BatchExecuteStatementCommand({
      Statements: statements.map(({ text, values }) => ({
        Statement: text,
        Parameters: values.map((value) => convertToAttr(value as string)),
        ReturnValuesOnConditionCheckFailure: text.startsWith('UPDATE') ? 'ALL_OLD' : 'NONE',
      })),
    });
    const { Responses = [] } = await this.#table.client.send(command, deadline());
    return Responses.map(({ Error: error }: BatchStatementResponse) => {
      if (!error) return 'done';
      const step = read(error.Code, error.Item && (unmarshall(error.Item) as BlockedItem));
      if (step === undefined && !retryableCodes.has(error.Code ?? '')) throw new Error(`Block list: ${error.Code}.`);
      return step;
    });
  }
}

const isRefused = (error: string | undefined) => error === 'ConditionalCheckFailed';

/** A fault of the network or of DynamoDB leaves the batch to be tried again; a mistake of ours is thrown. */
const tolerateFaults = (error: Error & { $fault?: string; $metadata?: { httpStatusCode?: number } }) => {
  const status = error.$metadata?.httpStatusCode;
  if (error.$fault === 'client' && status === 400 && !throttled.has(error.name)) throw error;
  if (error instanceof TypeError || error.message.startsWith('Block list:')) throw error;
  return undefined;
};
const throttled = new Set(['ProvisionedThroughputExceededException', 'ThrottlingException', 'RequestLimitExceeded']);

const entryOf = (item: BlockedItem): BlockedNumber => ({
  number: item.sk,
  ...(item.reason !== undefined && { reason: item.reason }),
  blockedAt: item.blockedAt,
  ...(item.expiresAt !== undefined && { expiresAt: item.expiresAt }),
});

export const blockList = service(() => new BlockList(table.get()), {
  add: ['dynamodb:BatchGetItem', 'dynamodb:PartiQLInsert', 'dynamodb:PartiQLUpdate'],
  remove: ['dynamodb:PartiQLUpdate'],
  find: ['dynamodb:GetItem'],
  list: ['dynamodb:Query'],
});
