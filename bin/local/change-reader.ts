import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { DescribeTableCommand, DynamoDBClient } from '@aws-sdk/client-dynamodb';
import {
  type _Record,
  type AttributeValue,
  DescribeStreamCommand,
  DynamoDBStreamsClient,
  ExpiredIteratorException,
  GetRecordsCommand,
  type GetRecordsCommandOutput,
  GetShardIteratorCommand,
  type Shard,
  TrimmedDataAccessException,
} from '@aws-sdk/client-dynamodb-streams';
import type { DynamoDBRecord, DynamoDBStreamEvent } from 'aws-lambda';
import { handler } from '../../functions/jobs/read-changes.ts';
import { sortKeysOfChanges } from '../../functions/store/keys.ts';
import type { Disk } from './disk.ts';
import { keepFile, readKeptFile } from './kept-files.ts';
import type { Started } from './started.ts';

const pauseMilliseconds = 200;
/** The interval between checks for new shards of the stream. The end of a shard also causes a check. */
const shardsMilliseconds = 5000;
const retryMilliseconds = 1000;
const batchSize = 1000;
/** The reader is behind while it reads at least so many changes at once. */
const manyChanges = 50;

/** The position in each shard of the stream: a sequence number, or `end`. */
type Positions = { stream: string; shards: Record<string, string> };

/** The reader sets whether many changes wait: then what follows from those before takes less of the machine. */
export type Reading = { isBehind: boolean };

/** Without a disk, the data are in memory. While the disk is full, nothing is read, because reading writes events. */
type ReaderOptions = {
  endpoint: string;
  tableName: string;
  data?: string;
  disk?: Pick<Disk, 'isFull'>;
  reading?: Reading;
};

/**
 * Reads the stream of the table, and calls the function that reads it on AWS. A run that keeps its data also keeps the position.
 * However it ends, the next run continues there.
 */
export const startChangeReader = async (options: ReaderOptions, handle = handler): Promise<Started> => {
  const reader = new ChangeReader(options, handle);
  const stopping = new AbortController();
  const running = reader.run(stopping.signal);
  return {
    async stop() {
      stopping.abort();
      await Promise.race([running, sleep(1000)]);
    },
  };
};

class ChangeReader {
  readonly #client: DynamoDBStreamsClient;
  readonly #endpoint: string;
  readonly #tableName: string;
  readonly #file: string | undefined;
  readonly #disk: Pick<Disk, 'isFull'> | undefined;
  readonly #reading: Reading | undefined;
  readonly #handle: typeof handler;
  readonly #iterators = new Map<string, string>();
  /** The next records of shards, which are read while those before are handled, as Lambda does. */
  readonly #ahead = new Map<string, Promise<GetRecordsCommandOutput>>();
  #positions: Positions = { stream: '', shards: {} };

  constructor({ endpoint, tableName, data, disk, reading }: ReaderOptions, handle: typeof handler) {
    this.#disk = disk;
    this.#reading = reading;
    this.#handle = handle;
    this.#client = new DynamoDBStreamsClient({ endpoint });
    this.#endpoint = endpoint;
    this.#tableName = tableName;
    this.#file = data && join(data, 'stream-position.json');
  }

  async run(signal: AbortSignal): Promise<void> {
    let shards: string[] = [];
    let listedAt = Number.NEGATIVE_INFINITY;
    while (!signal.aborted) {
      try {
        if (this.#disk?.isFull) {
          await sleep(retryMilliseconds, undefined, { signal });
          continue;
        }
        const isOld = performance.now() - listedAt > shardsMilliseconds;
        if (isOld || shards.length === 0 || shards.some((shard) => this.#hasEnded(shard))) {
          shards = await this.#shards();
          listedAt = performance.now();
        }
        const counts = await Promise.all(shards.map((shard) => this.#read(shard)));
        // Like Lambda, this waits for several changes, because each batch costs requests.
        if (counts.every((count) => count < batchSize)) await sleep(pauseMilliseconds, undefined, { signal });
      } catch (error) {
        if (signal.aborted) return;
        console.error(error);
        await sleep(retryMilliseconds);
      }
    }
  }

  /** Returns the shards that can be read now. A shard can be read after its parent has been read to its end. */
  async #shards(): Promise<string[]> {
    if (!this.#positions.stream) this.#positions = await this.#load();
    const shards: Shard[] = [];
    let ExclusiveStartShardId: string | undefined;
    do {
      const command = new DescribeStreamCommand({ StreamArn: this.#positions.stream, ExclusiveStartShardId });
      const { StreamDescription } = await this.#client.send(command);
      shards.push(...(StreamDescription?.Shards ?? []));
      ExclusiveStartShardId = StreamDescription?.LastEvaluatedShardId;
    } while (ExclusiveStartShardId);
    const known = new Set(shards.map(({ ShardId }) => ShardId));
    const isRead = (id: string | undefined) => id === undefined || !known.has(id) || this.#hasEnded(id);
    return shards
      .filter(({ ShardId = '', ParentShardId }) => !this.#hasEnded(ShardId) && isRead(ParentShardId))
      .map(({ ShardId = '' }) => ShardId);
  }

  #hasEnded(shardId: string): boolean {
    return this.#positions.shards[shardId] === 'end';
  }

  async #load(): Promise<Positions> {
    const { Table } = await new DynamoDBClient({ endpoint: this.#endpoint }).send(
      new DescribeTableCommand({ TableName: this.#tableName }),
    );
    const stream = Table?.LatestStreamArn;
    if (!stream) throw new Error(`The table ${this.#tableName} has no stream: webhooks are not sent.`);
    const kept = this.#readPositions();
    return kept?.stream === stream ? kept : { stream, shards: {} };
  }

  /** Without a readable position, reading begins at the oldest change: a change that is read twice has one effect. */
  #readPositions(): Positions | undefined {
    try {
      return readKeptFile<Positions>(this.#file);
    } catch (error) {
      console.error(`${(error as Error).message} Changes are read from the oldest one.`);
      return undefined;
    }
  }

  /** Reads the next changes of a shard, and returns how many there were. */
  async #read(shardId: string): Promise<number> {
    try {
      const ahead = this.#ahead.get(shardId);
      this.#ahead.delete(shardId);
      const answer = await (ahead ?? this.#get(this.#iterators.get(shardId) ?? (await this.#iterator(shardId))));
      const records = answer.Records ?? [];
      const changes = records.filter(matters);
      if (changes.length >= manyChanges && answer.NextShardIterator) this.#readAhead(shardId, answer.NextShardIterator);
      if (this.#reading) this.#reading.isBehind = changes.length >= manyChanges;
      const failedAt = await this.#handleAll(changes);
      const failed = records.findIndex(({ dynamodb }) => dynamodb?.SequenceNumber === failedAt);
      const done = failed < 0 ? records : records.slice(0, failed);
      const last = done.at(-1)?.dynamodb?.SequenceNumber;
      if (failed >= 0) this.#forget(shardId);
      else if (answer.NextShardIterator) this.#iterators.set(shardId, answer.NextShardIterator);
      if (failed < 0 && !answer.NextShardIterator) this.#keep(shardId, 'end');
      else if (last !== undefined) this.#keep(shardId, last);
      if (failed >= 0) await sleep(retryMilliseconds);
      return records.length;
    } catch (error) {
      this.#forget(shardId);
      if (error instanceof ExpiredIteratorException) return 0;
      if (!(error instanceof TrimmedDataAccessException)) throw error;
      // The change at the position was deleted. The oldest remaining change is next.
      delete this.#positions.shards[shardId];
      return 0;
    }
  }

  #get(ShardIterator: string | undefined): Promise<GetRecordsCommandOutput> {
    return this.#client.send(new GetRecordsCommand({ ShardIterator, Limit: batchSize }));
  }

  #readAhead(shardId: string, iterator: string): void {
    const answer = this.#get(iterator);
    // Who takes it awaits it.
    answer.catch(() => {});
    this.#ahead.set(shardId, answer);
  }

  #forget(shardId: string): void {
    this.#iterators.delete(shardId);
    this.#ahead.delete(shardId);
  }

  /** Handles changes, and returns the sequence number of the first one that failed. Like Lambda, halves those that fail as a whole. */
  async #handleAll(records: _Record[]): Promise<string | undefined> {
    if (records.length === 0) return undefined;
    try {
      const { batchItemFailures } = await this.#handle(toStreamEvent(records));
      return batchItemFailures[0]?.itemIdentifier;
    } catch (error) {
      const [first, ...others] = records;
      if (!first) throw error;
      // The handler has reported it.
      if (others.length === 0) return first.dynamodb?.SequenceNumber;
      const middle = Math.ceil(records.length / 2);
      return (await this.#handleAll(records.slice(0, middle))) ?? this.#handleAll(records.slice(middle));
    }
  }

  async #iterator(ShardId: string): Promise<string | undefined> {
    const position = this.#positions.shards[ShardId];
    const from =
      position === undefined
        ? { ShardIteratorType: 'TRIM_HORIZON' as const }
        : { ShardIteratorType: 'AFTER_SEQUENCE_NUMBER' as const, SequenceNumber: position };
    const command = new GetShardIteratorCommand({ StreamArn: this.#positions.stream, ShardId, ...from });
    return (await this.#client.send(command)).ShardIterator;
  }

  #keep(shardId: string, position: string) {
    this.#positions.shards[shardId] = position;
    if (this.#file) keepFile(this.#file, JSON.stringify(this.#positions));
  }
}

/** Applies the filter that Lambda applies on AWS. */
const matters = ({ dynamodb }: _Record) => {
  const sk = dynamodb?.Keys?.sk?.S ?? '';
  if (dynamodb?.NewImage?.deletedBy) return true;
  return sortKeysOfChanges.exact.includes(sk) || sortKeysOfChanges.prefixes.some((prefix) => sk.startsWith(prefix));
};

/** Returns records as Lambda delivers them. */
const toStreamEvent = (records: _Record[]): DynamoDBStreamEvent => ({
  Records: records.map((record) => {
    const { ApproximateCreationDateTime: at, NewImage, OldImage } = record.dynamodb ?? {};
    const { Type: type, PrincipalId: principalId } = record.userIdentity ?? {};
    return {
      ...record,
      userIdentity: { type, principalId },
      dynamodb: {
        ...record.dynamodb,
        NewImage: NewImage && withTypes(NewImage),
        OldImage: OldImage && withTypes(OldImage),
        ApproximateCreationDateTime: at && at.getTime() / 1000,
      },
    } as unknown as DynamoDBRecord;
  }),
});

/** Names the type of empty maps, which DynamoDB Local leaves out of its stream. */
const withType = (value: AttributeValue): AttributeValue => {
  if (value.L) return { L: value.L.map(withType) };
  return value.M || Object.keys(value).length === 0 ? { M: withTypes(value.M) } : value;
};

const withTypes = (image: Record<string, AttributeValue> = {}) =>
  Object.fromEntries(Object.entries(image).map(([name, value]) => [name, withType(value)]));
