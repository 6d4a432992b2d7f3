import { isDeepStrictEqual } from 'node:util';
import {
  type AttributeValue,
  BatchGetItemCommand,
  BatchWriteItemCommand,
  ScanCommand,
  type WriteRequest,
} from '@aws-sdk/client-dynamodb';
import pMap from 'p-map';
import { backOff, chunks, type Table } from '../../functions/store/table.ts';
import { print, record, say } from './output.ts';
import { examples, type Operator } from './program.ts';
import { openStores } from './stores.ts';
import { UsageError } from './usage-error.ts';

type StoredItem = Record<string, AttributeValue>;

/** What is done to make one table what another is. */
export type Restoration = { same: number; written: number; deleted: number };

/** The parts that a table is read in, side by side. */
const segments = 4;

export const addRestoreCommand = (program: Operator) => {
  program
    .command('restore')
    .description('Make the table what another one is, such as its own restored from an earlier time')
    .requiredOption('--from <table>', 'the other table, in the same region')
    .option('--yes', 'do it; without this, it is only told what would be done')
    .addHelpText(
      'after',
      examples(
        'restore --stack voice-agents-prod --from voice-agents-restored',
        'restore --stack voice-agents-prod --from voice-agents-restored --yes',
      ),
    )
    .action(async (_, command) => {
      const options = command.optsWithGlobals();
      const { table } = await openStores(options);
      const { from, yes = false } = options;
      if (from === table.name) throw new UsageError('A table cannot be restored from itself: name the other one.');
      const done = await restore(table, from, yes);
      print(options, { table: table.name, from, done: yes, ...done }, () => record(done));
      if (!yes) say('Nothing is done yet: say --yes to do it.');
    });
};

/**
 * Writes every item of `from` that differs, and deletes what `from` does not have. Broken off, it is to be run again: what
 * is done is the same then.
 */
const restore = async (table: Table, from: string, yes: boolean): Promise<Restoration> => {
  const done = { same: 0, written: 0, deleted: 0 };
  await eachPage(table, from, [], async (items) => {
    const current = await lookUp(table, table.name, items);
    const different = items.filter((item) => !isDeepStrictEqual(item, current.get(nameOf(item))));
    if (yes) await write(table, different, (Item) => ({ PutRequest: { Item } }));
    done.same += items.length - different.length;
    done.written += different.length;
  });
  await eachPage(table, table.name, ['pk', 'sk'], async (items) => {
    const kept = await lookUp(table, from, items);
    const surplus = items.filter((item) => !kept.has(nameOf(item)));
    if (yes) await write(table, surplus, (item) => ({ DeleteRequest: { Key: keyOf(item) } }));
    done.deleted += surplus.length;
  });
  return done;
};

const keyOf = ({ pk, sk }: StoredItem) => ({ pk, sk }) as StoredItem;
const nameOf = (item: StoredItem) => JSON.stringify(keyOf(item));

/** Hands over a table's items, a hundred or fewer at once. */
const eachPage = async (
  { client }: Table,
  name: string,
  attributes: string[],
  take: (items: StoredItem[]) => Promise<void>,
): Promise<void> => {
  await pMap(Array.from({ length: segments }), async (_, segment) => {
    let start: StoredItem | undefined;
    do {
      const { Items = [], LastEvaluatedKey } = await client.send(
        new ScanCommand({
          TableName: name,
          ConsistentRead: true,
          Segment: segment,
          TotalSegments: segments,
          ...(attributes.length > 0 && { ProjectionExpression: attributes.join(', ') }),
          ...(start && { ExclusiveStartKey: start }),
        }),
      );
      for (const items of chunks(Items, 100)) await take(items);
      start = LastEvaluatedKey;
    } while (start);
  });
};

/** What a table has under the keys of items, by `nameOf`. */
const lookUp = async ({ client }: Table, name: string, items: StoredItem[]): Promise<Map<string, StoredItem>> => {
  const found = new Map<string, StoredItem>();
  let wanted = items.map(keyOf);
  for (let attempt = 0; wanted.length > 0; attempt++) {
    if (attempt > 0) await backOff(attempt);
    const RequestItems = { [name]: { Keys: wanted, ConsistentRead: true } };
    const { Responses, UnprocessedKeys } = await client.send(new BatchGetItemCommand({ RequestItems }));
    for (const item of Responses?.[name] ?? []) found.set(nameOf(item), item);
    wanted = UnprocessedKeys?.[name]?.Keys ?? [];
  }
  return found;
};

const write = async (
  { client, name }: Table,
  items: StoredItem[],
  requestOf: (item: StoredItem) => WriteRequest,
): Promise<void> => {
  for (const batch of chunks(items.map(requestOf), 25)) {
    let wanted = batch;
    for (let attempt = 0; wanted.length > 0; attempt++) {
      if (attempt > 0) await backOff(attempt);
      const { UnprocessedItems } = await client.send(new BatchWriteItemCommand({ RequestItems: { [name]: wanted } }));
      wanted = UnprocessedItems?.[name] ?? [];
    }
  }
};
