import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import type * as dynamodb from '@aws-sdk/client-dynamodb';
import type { PutCommandInput, TransactWriteCommandInput, UpdateCommandInput } from '@aws-sdk/lib-dynamodb';
import { marshall, unmarshall } from '@aws-sdk/util-dynamodb';
import { AwsError, AwsService, type AwsSettings } from '../aws.ts';
import { environment } from '../environment.ts';
import { service } from '../service.ts';
import type { Collection, ItemKey } from './keys.ts';

/** What every item has; each store adds the rest of its own. */
export type Item = ItemKey;
export type TransactionAction = NonNullable<TransactWriteCommandInput['TransactItems']>[number];

/** `after` is a position without the collection's prefix; `limit` is how many items the caller expects to take. */
export type QueryOptions = { after?: string | undefined; limit?: number | undefined; descending?: boolean };

/** What we ask of DynamoDB, in its own words. */
export type DynamoDb = AwsService<{
  BatchExecuteStatement: [dynamodb.BatchExecuteStatementInput, dynamodb.BatchExecuteStatementOutput];
  BatchGetItem: [dynamodb.BatchGetItemInput, dynamodb.BatchGetItemOutput];
  BatchWriteItem: [dynamodb.BatchWriteItemInput, dynamodb.BatchWriteItemOutput];
  DescribeTable: [dynamodb.DescribeTableInput, dynamodb.DescribeTableOutput];
  GetItem: [dynamodb.GetItemInput, dynamodb.GetItemOutput];
  PutItem: [dynamodb.PutItemInput, dynamodb.PutItemOutput];
  Query: [dynamodb.QueryInput, dynamodb.QueryOutput];
  TransactWriteItems: [dynamodb.TransactWriteItemsInput, dynamodb.TransactWriteItemsOutput];
  UpdateItem: [dynamodb.UpdateItemInput, dynamodb.UpdateItemOutput];
}>;

/** No single call to DynamoDB takes longer than this, retries included: a dead table is an error, not a wait. */
const callSeconds = 5;

/** The single table, with the few ways it is read and written. Every read is strongly consistent. */
export class Table {
  readonly client: DynamoDb;
  readonly name: string;

  constructor(client: DynamoDb, name: string) {
    this.client = client;
    this.name = name;
  }

  async get<T extends Item = Item>(key: ItemKey): Promise<T | undefined> {
    const input = { TableName: this.name, Key: toWire(key), ConsistentRead: true };
    const { Item } = await this.client.call('GetItem', input, deadline());
    return Item && fromWire<T>(Item);
  }

  /** The items that are there, in no particular order; a hundred a round trip, all trips at once. */
  async getMany<T extends Item = Item>(keys: ItemKey[]): Promise<T[]> {
    const batches = chunks(keys, 100);
    return (await Promise.all(batches.map((batch) => this.#getBatch<T>(batch)))).flat();
  }

  async #getBatch<T>(keys: ItemKey[]): Promise<T[]> {
    const found: T[] = [];
    let wanted = keys.map(toWire);
    for (let attempt = 0; wanted.length > 0; attempt++) {
      if (attempt > 0) await backOff(attempt);
      if (attempt > 6) throw new Error('DynamoDB left keys of a batch unread.');
      const input = { RequestItems: { [this.name]: { Keys: wanted, ConsistentRead: true } } };
      const answer = await this.client.call('BatchGetItem', input, deadline());
      found.push(...(answer.Responses?.[this.name] ?? []).map((item) => fromWire<T>(item)));
      wanted = answer.UnprocessedKeys?.[this.name]?.Keys ?? [];
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
    let start = options.after === undefined ? undefined : toWire({ pk: collection.pk, sk: prefix + options.after });
    do {
      const input = {
        TableName: this.name,
        ConsistentRead: true,
        KeyConditionExpression: prefix ? 'pk = :pk and begins_with(sk, :prefix)' : 'pk = :pk',
        ExpressionAttributeValues: toWire({ ':pk': collection.pk, ...(prefix && { ':prefix': prefix }) }),
        ScanIndexForward: !options.descending,
        ...(options.limit && { Limit: options.limit }),
        ...(start && { ExclusiveStartKey: start }),
      };
      const answer = await this.client.call('Query', input, deadline());
      yield (answer.Items ?? []).map((item) => fromWire<T>(item));
      start = answer.LastEvaluatedKey;
    } while (start);
  }

  async put(item: Item, condition: Omit<PutCommandInput, 'TableName' | 'Item'> = {}): Promise<void> {
    const input = inWireForm({ TableName: this.name, Item: item, ...condition });
    await this.client.call('PutItem', input, deadline());
  }

  async update(key: ItemKey, change: Omit<UpdateCommandInput, 'TableName' | 'Key'>): Promise<Item | undefined> {
    const input = inWireForm({ TableName: this.name, Key: key, ...change });
    const { Attributes } = await this.client.call('UpdateItem', input, deadline());
    return Attributes && fromWire(Attributes);
  }

  /** Writes distinct items over what is there, 25 a round trip, one trip after the other. */
  async putMany(items: Item[]): Promise<void> {
    for (const batch of chunks(items, 25)) {
      await this.#writeBatch(batch.map((item) => ({ PutRequest: { Item: toWire(item) } })));
    }
  }

  async #writeBatch(batch: dynamodb.WriteRequest[]): Promise<void> {
    let wanted = batch;
    for (let attempt = 0; wanted.length > 0; attempt++) {
      if (attempt > 0) await backOff(attempt);
      if (attempt > 10) throw new Error('DynamoDB left items of a batch unwritten.');
      const input = { RequestItems: { [this.name]: wanted } };
      const { UnprocessedItems } = await this.client.call('BatchWriteItem', input, deadline());
      wanted = UnprocessedItems?.[this.name] ?? [];
    }
  }

  /** All or nothing. A lost response is no second write: every attempt carries the same token. */
  async transact(actions: TransactionAction[]): Promise<void> {
    const TransactItems = actions.map((action) => mapValues(action, inWireForm) as dynamodb.TransactWriteItem);
    await this.client.call('TransactWriteItems', { TransactItems, ClientRequestToken: randomUUID() }, deadline());
  }
}

type WireItem = Record<string, dynamodb.AttributeValue>;
const toWire = (item: object): WireItem => marshall(item, { removeUndefinedValues: true });
const fromWire = <T = Item>(item: WireItem) => unmarshall(item) as T;

/** A request with those of its fields that hold values as DynamoDB spells them. */
const inWireForm = <R extends object>(request: R) =>
  mapValues(request, (value, name) => (valueFields.has(name) ? toWire(value as object) : value)) as {
    [Name in keyof R]: Name extends 'Item' | 'Key' | 'ExpressionAttributeValues' ? WireItem : R[Name];
  };
const valueFields = new Set(['Item', 'Key', 'ExpressionAttributeValues']);

const mapValues = (object: object, change: (value: never, name: string) => unknown) =>
  Object.fromEntries(Object.entries(object).map(([name, value]) => [name, change(value as never, name)]));

/** Why a write was not done: its condition did not hold (look again), or another write was in the way (try again). */
export const refusalOf = (error: unknown): 'condition' | 'conflict' | undefined => {
  if (!(error instanceof Error)) return undefined;
  if (error.name === 'ConditionalCheckFailedException') return 'condition';
  if (error.name === 'TransactionConflictException') return 'conflict';
  if (error.name !== 'TransactionCanceledException') return undefined;
  const { CancellationReasons = [] } = error as Error &
    Pick<dynamodb.TransactionCanceledException, 'CancellationReasons'>;
  const reasons = CancellationReasons.map((reason) => reason.Code);
  if (reasons.includes('ConditionalCheckFailed')) return 'condition';
  return reasons.some((reason) => reason && retryableCodes.has(reason)) ? 'conflict' : undefined;
};

/** The item on whose account a write's condition did not hold, when the write asked for it (`ALL_OLD`). */
export const itemInTheWay = <T>(error: unknown): T | undefined => {
  if (!(error instanceof AwsError) || error.name !== 'ConditionalCheckFailedException') return undefined;
  const { Item } = error as { Item?: WireItem };
  return Item && fromWire<T>(Item);
};

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

export const openTable = (name: string, settings: AwsSettings): Table =>
  new Table(new AwsService('dynamodb', 'DynamoDB_20120810', settings), name);

export const table = service(() => openTable(environment.tableName, environment.dynamodb));
