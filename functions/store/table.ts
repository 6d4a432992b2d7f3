import { setTimeout as sleep } from 'node:timers/promises';
import {
  ConditionalCheckFailedException,
  DynamoDBClient,
  type DynamoDBClientConfig,
  TransactionCanceledException,
} from '@aws-sdk/client-dynamodb';
import {
  BatchGetCommand,
  BatchWriteCommand,
  type BatchWriteCommandInput,
  DeleteCommand,
  type DeleteCommandInput,
  DynamoDBDocumentClient,
  GetCommand,
  PutCommand,
  type PutCommandInput,
  QueryCommand,
  TransactWriteCommand,
  type TransactWriteCommandInput,
  UpdateCommand,
  type UpdateCommandInput,
} from '@aws-sdk/lib-dynamodb';
import { unmarshall } from '@aws-sdk/util-dynamodb';
import { environment } from '../environment.ts';
import { wholeService } from '../service.ts';
import type { Collection, ItemKey } from './keys.ts';

/** What every item has; each store adds the rest of its own. */
export type Item = ItemKey;
type WriteRequest = NonNullable<BatchWriteCommandInput['RequestItems']>[string][number];
export type TransactionAction = NonNullable<TransactWriteCommandInput['TransactItems']>[number];

/** `after` is a position without the collection's prefix; `limit` is how many items the caller expects to take. */
export type QueryOptions = {
  after?: string | undefined;
  limit?: number | undefined;
  descending?: boolean;
  /** Brings the keys alone. */
  keysOnly?: boolean;
};

/** No single call to DynamoDB takes longer than this, retries included: a dead table is an error, not a wait. */
const callSeconds = 5;

/** The single table, with the few ways it is read and written. Every read is strongly consistent. */
export class Table {
  readonly client: DynamoDBDocumentClient;
  readonly name: string;

  constructor(client: DynamoDBDocumentClient, name: string) {
    this.client = client;
    this.name = name;
  }

  async get<T extends Item = Item>(key: ItemKey): Promise<T | undefined> {
    const input = { TableName: this.name, Key: key, ConsistentRead: true };
    const { Item } = await this.client.send(new GetCommand(input), deadline());
    return Item as T | undefined;
  }

  /** The items that are there, in no particular order; a hundred a round trip, all trips at once. */
  async getMany<T extends Item = Item>(keys: ItemKey[]): Promise<T[]> {
    const batches = chunks(keys, 100);
    return (await Promise.all(batches.map((batch) => this.#getBatch<T>(batch)))).flat();
  }

  async #getBatch<T>(keys: ItemKey[]): Promise<T[]> {
    const found: T[] = [];
    let wanted: ItemKey[] = keys;
    for (let attempt = 0; wanted.length > 0; attempt++) {
      if (attempt > 0) await backOff(attempt);
      if (attempt > 6) throw new Error('DynamoDB left keys of a batch unread.');
      const input = { RequestItems: { [this.name]: { Keys: wanted, ConsistentRead: true } } };
      const answer = await this.client.send(new BatchGetCommand(input), deadline());
      found.push(...((answer.Responses?.[this.name] ?? []) as T[]));
      wanted = (answer.UnprocessedKeys?.[this.name]?.Keys ?? []) as ItemKey[];
    }
    return found;
  }

  /** The items of a collection in order of their sort keys, read page by page as they are taken. */
  async *query<T extends Item = Item>(collection: Collection, options: QueryOptions = {}): AsyncGenerator<T> {
    for await (const page of this.pages<T>(collection, options)) yield* page;
  }

  /** The same, a page at a time. */
  async *pages<T extends Item = Item>(collection: Collection, options: QueryOptions = {}): AsyncGenerator<T[]> {
    const prefix = collection.prefix ?? '';
    let start: ItemKey | undefined =
      options.after === undefined ? undefined : { pk: collection.pk, sk: prefix + options.after };
    do {
      const answer = await this.client.send(
        new QueryCommand({
          TableName: this.name,
          ConsistentRead: true,
          KeyConditionExpression: prefix ? 'pk = :pk and begins_with(sk, :prefix)' : 'pk = :pk',
          ExpressionAttributeValues: { ':pk': collection.pk, ...(prefix && { ':prefix': prefix }) },
          ScanIndexForward: !options.descending,
          ...(options.limit && { Limit: options.limit }),
          ...(options.keysOnly && { ProjectionExpression: 'pk, sk' }),
          ...(start && { ExclusiveStartKey: start }),
        }),
        deadline(),
      );
      yield (answer.Items ?? []) as T[];
      start = answer.LastEvaluatedKey as ItemKey | undefined;
    } while (start);
  }

  async put(item: Item, condition: Omit<PutCommandInput, 'TableName' | 'Item'> = {}): Promise<void> {
    await this.client.send(new PutCommand({ TableName: this.name, Item: item, ...condition }), deadline());
  }

  async update(key: ItemKey, change: Omit<UpdateCommandInput, 'TableName' | 'Key'>): Promise<Item | undefined> {
    const input = { TableName: this.name, Key: key, ...change };
    const { Attributes } = await this.client.send(new UpdateCommand(input), deadline());
    return Attributes as Item | undefined;
  }

  async delete(key: ItemKey, condition: Omit<DeleteCommandInput, 'TableName' | 'Key'> = {}): Promise<void> {
    await this.client.send(new DeleteCommand({ TableName: this.name, Key: key, ...condition }), deadline());
  }

  /** Writes distinct items over what is there, `perBatch` (at most 25, together under 16 MB) a round trip, one after the other. */
  async putMany(items: Item[], perBatch = 25): Promise<void> {
    for (const batch of chunks(items, perBatch))
      await this.#writeBatch(batch.map((Item) => ({ PutRequest: { Item } })));
  }

  /** Deletes distinct items, whether they are there or not. */
  async deleteMany(keys: ItemKey[]): Promise<void> {
    for (const batch of chunks(keys, 25)) {
      await this.#writeBatch(batch.map(({ pk, sk }) => ({ DeleteRequest: { Key: { pk, sk } } })));
    }
  }

  async #writeBatch(batch: WriteRequest[]): Promise<void> {
    let wanted = batch;
    for (let attempt = 0; wanted.length > 0; attempt++) {
      if (attempt > 0) await backOff(attempt);
      if (attempt > 10) throw new Error('DynamoDB left items of a batch unwritten.');
      const command = new BatchWriteCommand({ RequestItems: { [this.name]: wanted } });
      const { UnprocessedItems } = await this.client.send(command, deadline());
      wanted = (UnprocessedItems?.[this.name] ?? []) as WriteRequest[];
    }
  }

  /** All or nothing. A lost response is no second write: the SDK repeats the request's token. */
  async transact(actions: TransactionAction[]): Promise<void> {
    await this.client.send(new TransactWriteCommand({ TransactItems: actions }), deadline());
  }
}

/** Why a write was not done: its condition did not hold (look again), or another write was in the way (try again). */
export const refusalOf = (error: unknown): 'condition' | 'conflict' | undefined => {
  if (!(error instanceof Error)) return undefined;
  if (error.name === 'ConditionalCheckFailedException') return 'condition';
  if (error.name === 'TransactionConflictException') return 'conflict';
  if (!(error instanceof TransactionCanceledException)) return undefined;
  const reasons = (error.CancellationReasons ?? []).map((reason) => reason.Code);
  if (reasons.includes('ConditionalCheckFailed')) return 'condition';
  return reasons.some((reason) => reason && retryableCodes.has(reason)) ? 'conflict' : undefined;
};

/** The item on whose account a write's condition did not hold, when the write asked for it (`ALL_OLD`). */
export const conflictingItem = <T>(error: unknown): T | undefined =>
  error instanceof ConditionalCheckFailedException && error.Item ? (unmarshall(error.Item) as T) : undefined;

/** Codes, of statements in a batch and of actions in a transaction, that mean: the same again may succeed. */
export const retryableCodes = new Set([
  'TransactionConflict',
  'ProvisionedThroughputExceeded',
  'ThrottlingError',
  'RequestLimitExceeded',
  'InternalServerError',
]);

export const deadline = () => ({ abortSignal: AbortSignal.timeout(callSeconds * 1000) });

/** Full jitter: 0 to 20 ms at first, doubling up to half a second. */
export const backOff = (attempt: number) => sleep(Math.random() * Math.min(500, 10 * 2 ** attempt));

export const chunks = <T>(items: T[], size: number): T[][] =>
  Array.from({ length: Math.ceil(items.length / size) }, (_, index) => items.slice(index * size, (index + 1) * size));

/** Opens a table. Where it is and who asks is for AWS's own settings to say, unless `config` does. */
export const openTable = (name: string, config: DynamoDBClientConfig = {}): Table => {
  const client = new DynamoDBClient({
    maxAttempts: 3,
    requestHandler: { connectionTimeout: 1000, requestTimeout: 2000, throwOnRequestTimeout: true },
    ...config,
  });
  return new Table(DynamoDBDocumentClient.from(client, { marshallOptions: { removeUndefinedValues: true } }), name);
};

export const table = wholeService(() => openTable(environment.tableName));
