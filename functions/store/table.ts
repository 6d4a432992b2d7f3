import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import {
  type AttributeValue,
  BatchExecuteStatementCommand,
  DynamoDBClient,
  type DynamoDBClientConfig,
} from '@aws-sdk/client-dynamodb';
import {
  BatchGetCommand,
  BatchWriteCommand,
  type BatchWriteCommandInput,
  DeleteCommand,
  DynamoDBDocumentClient,
  GetCommand,
  PutCommand,
  type PutCommandInput,
  QueryCommand,
  ScanCommand,
  TransactWriteCommand,
  type TransactWriteCommandInput,
  UpdateCommand,
} from '@aws-sdk/lib-dynamodb';
import { convertToAttr, unmarshall } from '@aws-sdk/util-dynamodb';
import { environment } from '../environment.ts';
import { wholeService } from '../service.ts';
import { type Change, type Condition, conditionOf, updateOf } from './expressions.ts';
import type { Collection, ItemKey } from './keys.ts';
import { failedConditions, type StatementResult, writeFailure } from './write-failures.ts';

/** What every item has; each store adds the rest of its own. */
export type Item = ItemKey;
type WriteRequest = NonNullable<BatchWriteCommandInput['RequestItems']>[string][number];
export type TransactionAction = NonNullable<TransactWriteCommandInput['TransactItems']>[number];

/** A read that is made together with another one: the keys it needs, and what it finds in those of their items that exist. */
export type Lookup<Found> = { keys: ItemKey[]; read(items: Item[]): Found };

/** `after` is a position without the collection's prefix; `limit` is how many items the caller expects to take. */
export type QueryOptions = {
  after?: string | undefined;
  limit?: number | undefined;
  /** Sort keys from this one on, up to and without that one. */
  from?: string | undefined;
  to?: string | undefined;
  descending?: boolean;
  /** Brings the keys alone. */
  keysOnly?: boolean;
};

/** How often a write is tried again that meets others: with their pauses, a few seconds. */
export const maxConflicts = 12;

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
    const range = keyRange(collection, options);
    let start: ItemKey | undefined =
      options.after === undefined ? undefined : { pk: collection.pk, sk: prefix + options.after };
    do {
      const answer = await this.client.send(
        new QueryCommand({
          TableName: this.name,
          ConsistentRead: true,
          ...range,
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

  /** The items of the whole table that have a sort key, from a position on. It reads everything. */
  async *scan<T extends Item = Item>(sk: string, after?: ItemKey): AsyncGenerator<T> {
    let start = after;
    do {
      const answer = await this.client.send(
        new ScanCommand({
          TableName: this.name,
          FilterExpression: 'sk = :sk',
          ExpressionAttributeValues: { ':sk': sk },
          ...(start && { ExclusiveStartKey: start }),
        }),
        deadline(),
      );
      yield* (answer.Items ?? []) as T[];
      start = answer.LastEvaluatedKey as ItemKey | undefined;
    } while (start);
  }

  async put(item: Item, condition: Omit<PutCommandInput, 'TableName' | 'Item'> = {}): Promise<void> {
    await this.client.send(new PutCommand({ TableName: this.name, Item: item, ...condition }), deadline());
  }

  /**
   * Changes an item if a condition holds, and returns it as it is then, or as it was before (`ALL_OLD`).
   * Undefined when the condition does not hold.
   */
  async change<T extends Item = Item>(
    key: ItemKey,
    change: Change,
    condition?: Condition,
    returned: 'ALL_NEW' | 'ALL_OLD' = 'ALL_NEW',
  ): Promise<T | undefined> {
    const input = { TableName: this.name, Key: key, ReturnValues: returned, ...updateOf(change, condition) };
    try {
      const { Attributes } = await this.client.send(new UpdateCommand(input), deadline());
      return Attributes as T | undefined;
    } catch (error) {
      if (writeFailure(error) === 'condition') return undefined;
      throw error;
    }
  }

  /** Deletes an item, whether it is there or not; with a condition, only if that holds. */
  async delete(key: ItemKey, condition?: Condition): Promise<void> {
    const input = { TableName: this.name, Key: key, ...(condition && conditionOf(condition)) };
    try {
      await this.client.send(new DeleteCommand(input), deadline());
    } catch (error) {
      if (!condition || writeFailure(error) !== 'condition') throw error;
    }
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

  /** Runs up to 25 statements on distinct items, each by itself, and returns their results in the same order. */
  async execute(statements: Statement[]): Promise<StatementResult[]> {
    const command = new BatchExecuteStatementCommand({
      Statements: statements.map(({ text, values }) => ({
        Statement: text,
        Parameters: values,
        ...(text.startsWith('UPDATE') && { ReturnValuesOnConditionCheckFailure: 'ALL_OLD' }),
      })),
    });
    const { Responses = [] } = await this.client.send(command, deadline());
    return Responses.map(({ Error: error }) => ({
      error: error?.Code,
      item: error?.Item && (unmarshall(error.Item) as Item),
    }));
  }

  /** All or nothing. Of the requests with one token, DynamoDB writes one. A single put needs no transaction. */
  async transact(actions: TransactionAction[], ClientRequestToken: string = randomUUID()): Promise<void> {
    const [{ Put } = {}, ...more] = actions;
    if (Put && more.length === 0) return void (await this.client.send(new PutCommand(Put), deadline()));
    await this.client.send(new TransactWriteCommand({ TransactItems: actions, ClientRequestToken }), deadline());
  }

  /**
   * The same, tried again while another write is in its way. When conditions do not hold: whose, by their positions among
   * the actions, with the item where the action asked for it (`ALL_OLD`).
   */
  async transactUnless<T extends Item = Item>(
    actions: TransactionAction[],
  ): Promise<Map<number, T | undefined> | undefined> {
    const token = randomUUID();
    for (let attempt = 0; ; attempt++) {
      try {
        return void (await this.transact(actions, token));
      } catch (error) {
        const failure = writeFailure(error);
        if (failure === 'condition') return failedConditions<T>(error);
        if (failure === undefined || attempt === maxConflicts) throw error;
        await backOff(attempt);
      }
    }
  }
}

const keyRange = ({ pk, prefix }: Collection, { from, to }: QueryOptions) => {
  const values = Object.entries({ ':pk': pk, ':prefix': prefix, ':from': from, ':to': to });
  let range = '';
  if (prefix) range = ' and begins_with(sk, :prefix)';
  // No sort key is equal to an upper bound: `between` leaves it out all the same.
  else if (from && to) range = ' and sk between :from and :to';
  else if (from) range = ' and sk >= :from';
  else if (to) range = ' and sk < :to';
  return {
    KeyConditionExpression: `pk = :pk${range}`,
    ExpressionAttributeValues: Object.fromEntries(values.filter(([, value]) => value)),
  };
};

/** How many statements one batch takes. */
export const statementsPerBatch = 25;

/** A PartiQL statement on one item, and its parameters. */
export type Statement = { text: string; values: AttributeValue[] };
export const attributeValue = (value: unknown): AttributeValue => convertToAttr(value as string);

/** No single call to DynamoDB takes longer, retries included: a dead table is an error, not a wait. */
export const deadline = () => ({ abortSignal: AbortSignal.timeout(environment.tableTimeoutSeconds * 1000) });

/** Full jitter: 0 to 20 ms at first, doubling up to half a second. */
export const backOff = (attempt: number) => sleep(Math.random() * Math.min(500, 10 * 2 ** attempt));

export const chunks = <T>(items: T[], size: number): T[][] =>
  Array.from({ length: Math.ceil(items.length / size) }, (_, index) => items.slice(index * size, (index + 1) * size));

/** Opens a table. Where it is and who asks is for AWS's own settings to say, unless `config` does. */
export const openTable = (name: string, config: DynamoDBClientConfig = {}): Table => {
  // Two attempts fit into the timeout of the call.
  const requestTimeout = environment.tableTimeoutSeconds * 400;
  const client = new DynamoDBClient({
    maxAttempts: 3,
    requestHandler: { connectionTimeout: 1000, requestTimeout, throwOnRequestTimeout: true },
    ...config,
  });
  // It copies every request and response for a logger that is not there: a tenth of a call's work.
  client.middlewareStack.remove('loggerMiddleware');
  return new Table(DynamoDBDocumentClient.from(client, { marshallOptions: { removeUndefinedValues: true } }), name);
};

export const table = /* @__PURE__ */ wholeService(() => openTable(environment.tableName));
