import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { isDeepStrictEqual } from 'node:util';
import { BatchExecuteStatementCommand, DynamoDBClient, type DynamoDBClientConfig } from '@aws-sdk/client-dynamodb';
import {
  BatchGetCommand,
  BatchWriteCommand,
  type BatchWriteCommandInput,
  DeleteCommand,
  DynamoDBDocumentClient,
  GetCommand,
  PutCommand,
  QueryCommand,
  ScanCommand,
  TransactWriteCommand,
  type TransactWriteCommandInput,
  UpdateCommand,
} from '@aws-sdk/lib-dynamodb';
import { unmarshall } from '@aws-sdk/util-dynamodb';
import { StandardRetryStrategy } from '@smithy/core/retry';
import { currentMaker, currentRequestId } from '../cause.ts';
import type { StoredMaker } from '../domain/change-maker.ts';
import { chunks } from '../domain/chunks.ts';
import { now } from '../domain/date-time.ts';
import { overloaded } from '../domain/errors.ts';
import { withoutUndefined } from '../domain/json.ts';
import { environment } from '../environment.ts';
import { wholeService } from '../service.ts';
import {
  buildCondition,
  buildUpdate,
  type Change,
  type Condition,
  exists,
  isAbsent,
  isDeleted,
} from './expressions.ts';
import { type Collection, hasCause, hasMaker, type ItemKey } from './keys.ts';
import type { Statement } from './statements.ts';
import {
  failedConditions,
  isThrottled,
  type StatementResult,
  throttlingCodes,
  writeFailure,
} from './write-failures.ts';

/** The attributes of every item. Each store adds its own. */
export type Item = ItemKey;
type WriteRequest = NonNullable<BatchWriteCommandInput['RequestItems']>[string][number];
export type TransactionAction = NonNullable<TransactWriteCommandInput['TransactItems']>[number];

/** A read that joins another read: its keys, and its result. */
export type Lookup<Found> = { keys: ItemKey[]; isLarge?: boolean; read(items: Item[]): Found };

/** `after` has no prefix. The first page has `limit` items, the next pages `nextLimit`. */
export type QueryOptions = {
  after?: string;
  limit?: number;
  nextLimit?: number;
  /** `from` ≤ sort key < `to`. */
  from?: string;
  to?: string;
  descending?: boolean;
  /** Returns only the keys. */
  keysOnly?: boolean;
};

/** The maximum repetitions of a conflicting write: about two seconds. */
const maxConflicts = 12;

/** The single table. Every read is strongly consistent. */
export class Table {
  readonly client: DynamoDBDocumentClient;
  readonly name: string;

  constructor(client: DynamoDBDocumentClient, name: string) {
    this.client = client;
    this.name = name;
  }

  async get<T extends Item = Item>(key: ItemKey): Promise<T | undefined> {
    const input = { TableName: this.name, Key: key, ConsistentRead: true };
    const { Item } = await untilAdmitted(() => this.client.send(new GetCommand(input), deadline()));
    return Item as T | undefined;
  }

  /** Returns existing items in any order, by the hundred and all at once. */
  async getMany<T extends Item = Item>(keys: ItemKey[]): Promise<T[]> {
    const batches = chunks(keys, 100);
    return (await Promise.all(batches.map((batch) => this.#getBatch<T>(batch)))).flat();
  }

  async #getBatch<T>(keys: ItemKey[]): Promise<T[]> {
    const found: T[] = [];
    await untilProcessed(keys, async (wanted) => {
      const input = { RequestItems: { [this.name]: { Keys: wanted, ConsistentRead: true } } };
      const answer = await this.client.send(new BatchGetCommand(input), deadline());
      found.push(...((answer.Responses?.[this.name] ?? []) as T[]));
      return answer.UnprocessedKeys?.[this.name]?.Keys as ItemKey[] | undefined;
    });
    return found;
  }

  /** Yields a collection by sort key, reading pages as they are taken. */
  async *query<T extends Item = Item>(collection: Collection, options: QueryOptions = {}): AsyncGenerator<T> {
    for await (const page of this.pages<T>(collection, options)) yield* page;
  }

  /** Yields the items of a collection in the same order, page by page. */
  async *pages<T extends Item = Item>(collection: Collection, options: QueryOptions = {}): AsyncGenerator<T[]> {
    const prefix = collection.prefix ?? '';
    const range = keyRange(collection, options);
    let { limit } = options;
    let start: ItemKey | undefined =
      options.after === undefined ? undefined : { pk: collection.pk, sk: prefix + options.after };
    do {
      const command = new QueryCommand({
        TableName: this.name,
        ConsistentRead: true,
        ...range,
        ScanIndexForward: !options.descending,
        Limit: limit || undefined,
        ProjectionExpression: options.keysOnly ? 'pk, sk' : undefined,
        ExclusiveStartKey: start,
      });
      const answer = await untilAdmitted(() => this.client.send(command, deadline()));
      yield (answer.Items ?? []) as T[];
      start = answer.LastEvaluatedKey as ItemKey | undefined;
      limit = options.nextLimit ?? limit;
    } while (start);
  }

  /** Yields the items with a sort key in one of `segments` parts. */
  async *scan<T extends Item = Item>(sk: string, segment: number, segments: number): AsyncGenerator<T> {
    let start: ItemKey | undefined;
    do {
      const command = new ScanCommand({
        TableName: this.name,
        Segment: segment,
        TotalSegments: segments,
        FilterExpression: 'sk = :sk',
        ExpressionAttributeValues: { ':sk': sk },
        ExclusiveStartKey: start,
      });
      const answer = await untilAdmitted(() => this.client.send(command, deadline()));
      yield* (answer.Items ?? []) as T[];
      start = answer.LastEvaluatedKey as ItemKey | undefined;
    } while (start);
  }

  /** Writes an item, replacing an existing one. Throws when the condition fails. */
  async put(item: Item, condition?: Condition): Promise<void> {
    await this.transact([this.putAction(item, condition)]);
  }

  /** Writes an item with a new key, or returns the existing item. A lost response counts as new. */
  async putNew<T extends Item>(item: T, condition = isAbsent): Promise<{ isNew: boolean; item: T }> {
    const written = withoutUndefined(addCause(item)) as T;
    const failed = await this.tryTransact<T>([this.#putAction(written, condition)]);
    if (!failed) return { isNew: true, item };
    const existing = failed.get(0) as T;
    return { isNew: isDeepStrictEqual(existing, written), item: existing };
  }

  /** Changes an item, and returns it after or before (`ALL_OLD`). Undefined if the condition fails. */
  async change<T extends Item = Item>(
    key: ItemKey,
    change: Change,
    condition?: Condition,
    returned: 'ALL_NEW' | 'ALL_OLD' = 'ALL_NEW',
  ): Promise<T | undefined> {
    const input = {
      TableName: this.name,
      Key: key,
      ReturnValues: returned,
      ...buildUpdate(addCauseToChange(key, change), condition),
    };
    return unlessConditionFails(async () => {
      const { Attributes } = await untilAdmitted(() => this.client.send(new UpdateCommand(input), deadline()));
      return Attributes as T | undefined;
    });
  }

  /** Deletes an item, if it exists and the condition holds. */
  async delete(key: ItemKey, condition?: Condition): Promise<void> {
    const input = { TableName: this.name, Key: key, ...buildCondition(condition) };
    await unlessConditionFails(() => untilAdmitted(() => this.client.send(new DeleteCommand(input), deadline())));
  }

  /**
   * Deletes an item, marked first as deleted: from the mark, the log of changes learns who does it. What replaces it meanwhile
   * stays. Returns false when there is none.
   */
  async deleteMarked(key: ItemKey): Promise<boolean> {
    const mark = { deletedAt: now(), version: randomUUID() };
    const isThere = (await this.change(key, { set: mark }, exists)) !== undefined;
    if (isThere) await this.delete(key, isDeleted);
    return isThere;
  }

  /**
   * Writes distinct items in batches of 25 (at most 16 MB), `inFlight` at once, until a time (Unix milliseconds). Returns
   * how many were written: the first ones.
   */
  async putMany(items: Item[], inFlight = 1, until = Number.POSITIVE_INFINITY): Promise<number> {
    let written = 0;
    for (const some of chunks(items, 25 * inFlight)) {
      if (Date.now() >= until) break;
      await Promise.all(
        chunks(some, 25).map((batch) => this.#writeBatch(batch.map((Item) => ({ PutRequest: { Item } })))),
      );
      written += some.length;
    }
    return written;
  }

  /** Deletes distinct items, if they exist. */
  async deleteMany(keys: ItemKey[]): Promise<void> {
    for (const batch of chunks(keys, 25)) {
      await this.#writeBatch(batch.map(({ pk, sk }) => ({ DeleteRequest: { Key: { pk, sk } } })));
    }
  }

  /** Deletes a collection, until a time (Unix milliseconds). Returns true at its end. */
  async deleteAll(collection: Collection, until = Number.POSITIVE_INFINITY): Promise<boolean> {
    for await (const keys of this.pages(collection, { keysOnly: true })) {
      if (Date.now() >= until) return false;
      await this.deleteMany(keys);
    }
    return true;
  }

  #writeBatch(batch: WriteRequest[]): Promise<void> {
    return untilProcessed(batch, async (wanted) => {
      const command = new BatchWriteCommand({ RequestItems: { [this.name]: wanted } });
      const { UnprocessedItems } = await this.client.send(command, deadline());
      return UnprocessedItems?.[this.name];
    });
  }

  /** Runs up to 25 statements on distinct items. If all are throttled, so is the call. */
  async execute(statements: Statement[]): Promise<StatementResult[]> {
    const command = new BatchExecuteStatementCommand({
      Statements: statements.map(({ text, values }) => ({
        Statement: text,
        Parameters: values,
        ReturnValuesOnConditionCheckFailure: text.startsWith('UPDATE') ? 'ALL_OLD' : undefined,
      })),
    });
    const pause = throttlePauses();
    for (;;) {
      const results = await this.#executeOnce(command);
      if (!results.every(({ error }) => error && throttlingCodes.has(error))) return results;
      await pause();
    }
  }

  async #executeOnce(command: BatchExecuteStatementCommand): Promise<StatementResult[]> {
    const { Responses = [] } = await untilAdmitted(() => this.client.send(command, deadline()));
    return Responses.map(({ Error: error }) => ({
      error: error?.Code,
      item: error?.Item && (unmarshall(error.Item) as Item),
    }));
  }

  // Actions of a transaction. A failed condition returns the item.

  putAction(item: Item, condition?: Condition): TransactionAction {
    return this.#putAction(addCause(item), condition);
  }

  #putAction(Item: Item, condition?: Condition): TransactionAction {
    return { Put: { TableName: this.name, Item, ...buildCondition(condition), ...returnedOnFailure } };
  }

  updateAction(key: ItemKey, change: Change, condition?: Condition): TransactionAction {
    return {
      Update: {
        TableName: this.name,
        Key: key,
        ...buildUpdate(addCauseToChange(key, change), condition),
        ...returnedOnFailure,
      },
    };
  }

  deleteAction(key: ItemKey, condition?: Condition): TransactionAction {
    return { Delete: { TableName: this.name, Key: key, ...buildCondition(condition), ...returnedOnFailure } };
  }

  checkAction(key: ItemKey, condition: Condition): TransactionAction {
    const input = buildCondition(condition) as { ConditionExpression: string };
    return { ConditionCheck: { TableName: this.name, Key: key, ...input, ...returnedOnFailure } };
  }

  /** Writes all or nothing, once for a token. A single put needs no transaction. */
  async transact(actions: TransactionAction[], ClientRequestToken: string = randomUUID()): Promise<void> {
    const [{ Put } = {}, ...more] = actions;
    if (Put && more.length === 0)
      return void (await untilAdmitted(() => this.client.send(new PutCommand(Put), deadline())));
    await untilAdmitted(() =>
      this.client.send(new TransactWriteCommand({ TransactItems: actions, ClientRequestToken }), deadline()),
    );
  }

  /** Writes all or nothing, and retries conflicts. Returns the failed conditions' items by index, if any. */
  async tryTransact<T extends Item>(actions: TransactionAction[]): Promise<Map<number, T | undefined> | undefined> {
    const token = randomUUID();
    try {
      await repeat(
        () => this.transact(actions, token),
        (failure) => failure === 'conflict',
      );
      return undefined;
    } catch (error) {
      if (writeFailure(error) !== 'condition') throw error;
      return failedConditions<T>(error);
    }
  }
}

/** A store of items of one kind, or of several kinds that belong together. */
export abstract class TableStore {
  protected readonly table: Table;

  constructor(table: Table) {
    this.table = table;
  }
}

/** Returns an item with its writer and request, if the stream's reader needs them. */
const addCause = <I extends Item>(item: I): I => (hasCause(item) ? { ...item, ...causeAttributes(item) } : item);

const addCauseToChange = (key: ItemKey, change: Change): Change => {
  if (!hasCause(key)) return change;
  const { requestId = null, madeBy = null } = causeAttributes(key);
  return { ...change, set: { ...change.set, requestId, ...(hasMaker(key) && { madeBy }) } };
};

/** Returns the attributes for who makes a change, and by which request. */
export const causeAttributes = (key: ItemKey): { requestId?: string; madeBy?: StoredMaker } => {
  const requestId = currentRequestId();
  return hasMaker(key) ? { requestId, madeBy: currentMaker() } : { requestId };
};

const returnedOnFailure = { ReturnValuesOnConditionCheckFailure: 'ALL_OLD' } as const;

/** Runs work again after a conflict. Throws `overloaded` when nothing was written in the end. */
export const untilWritten = <T>(work: (attempt: number) => Promise<T>): Promise<T> =>
  repeat(work, (failure) => failure !== undefined);

const repeat = async <T>(
  work: (attempt: number) => Promise<T>,
  isRepeated: (failure: ReturnType<typeof writeFailure>) => boolean,
): Promise<T> => {
  for (let attempt = 0; ; attempt++) {
    try {
      return await work(attempt);
    } catch (error) {
      if (!isRepeated(writeFailure(error))) throw error;
      if (attempt === maxConflicts) throw overloaded();
      await backOff(attempt);
    }
  }
};

/** Returns undefined when the condition of a single write fails. */
const unlessConditionFails = async <T>(write: () => Promise<T>): Promise<T | undefined> => {
  try {
    return await repeat(write, (failure) => failure === 'conflict');
  } catch (error) {
    if (writeFailure(error) !== 'condition') throw error;
    return undefined;
  }
};

/** Sends a call again while DynamoDB throttles it. After `environment.throttledMilliseconds`, throws `overloaded`. */
const untilAdmitted = async <T>(send: () => Promise<T>): Promise<T> => {
  const pause = throttlePauses();
  for (;;) {
    try {
      return await send();
    } catch (error) {
      if (!isThrottled(error)) throw error;
      await pause();
    }
  }
};

/** Sends a batch, then its unprocessed rest. Throws `overloaded` without progress for a time. */
const untilProcessed = async <T>(batch: T[], send: (batch: T[]) => Promise<T[] | undefined>): Promise<void> => {
  let pause = throttlePauses();
  for (let wanted = batch; wanted.length > 0; ) {
    const left = (await untilAdmitted(() => send(wanted))) ?? [];
    if (left.length < wanted.length) pause = throttlePauses();
    if (left.length > 0) await pause();
    wanted = left;
  }
};

/** Returns a wait between throttled attempts, which throws when time is over. */
const throttlePauses = () => {
  const until = Date.now() + environment.throttledMilliseconds;
  let attempt = 0;
  return async () => {
    if (Date.now() >= until) throw overloaded();
    await backOff(attempt++);
  };
};

const keyRange = ({ pk, prefix }: Collection, { from, to }: QueryOptions) => {
  const values = Object.entries({ ':pk': pk, ':prefix': prefix, ':from': from, ':to': to });
  let range = '';
  if (prefix) range = ' and begins_with(sk, :prefix)';
  // `between` includes its upper bound, which no sort key equals.
  else if (from && to) range = ' and sk between :from and :to';
  else if (from) range = ' and sk >= :from';
  else if (to) range = ' and sk < :to';
  return {
    KeyConditionExpression: `pk = :pk${range}`,
    ExpressionAttributeValues: Object.fromEntries(values.filter(([, value]) => value)),
  };
};

/** Limits a call with its retries: a dead table is an error, no wait. */
export const deadline = () => ({ abortSignal: AbortSignal.timeout(environment.tableTimeoutSeconds * 1000) });

/** Waits with full jitter: up to 10 ms, doubling up to half a second. */
export const backOff = (attempt: number) => sleep(Math.random() * Math.min(500, 10 * 2 ** attempt));

/** The pauses between the SDK's attempts at one call, with full jitter. */
const shortPauses = {
  setDelayBase() {},
  computeNextBackoffDelay: (attempt: number) => Math.random() * 20 * 2 ** attempt,
};

/** Opens a table with AWS's own settings, unless `config` has others. */
export const openTable = (name: string, config: DynamoDBClientConfig = {}): Table => {
  // Two attempts fit into the timeout of a call.
  const requestTimeout = environment.tableTimeoutSeconds * 400;
  const client = new DynamoDBClient({
    maxAttempts: 3,
    // The SDK would wait up to a second after a throttled attempt.
    retryStrategy: new StandardRetryStrategy({ maxAttempts: 3, backoff: shortPauses }),
    // A call that waits for one of 50 connections counts as connecting.
    requestHandler: { connectionTimeout: requestTimeout / 2, requestTimeout, throwOnRequestTimeout: true },
    ...config,
  });
  // It takes a tenth of a call's CPU for a missing logger.
  client.middlewareStack.remove('loggerMiddleware');
  return new Table(DynamoDBDocumentClient.from(client, { marshallOptions: { removeUndefinedValues: true } }), name);
};

export const table = /* @__PURE__ */ wholeService(() => openTable(environment.tableName));
