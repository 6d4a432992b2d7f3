import { isDeepStrictEqual } from 'node:util';
import { BatchGetItemCommand, BatchWriteItemCommand, type WriteRequest } from '@aws-sdk/client-dynamodb';
import { backOff, chunks, type Table } from '../../functions/store/table.ts';
import { CommandError, exitCodes } from '../command-line/exit-codes.ts';
import { print, record, say } from '../command-line/output.ts';
import { examples, type Operator } from './program.ts';
import { type StoredItem, scan } from './scan.ts';
import { openStores } from './stores.ts';

/** How many items are the same in both tables, and how many a restore writes and deletes. */
export type Restoration = { same: number; written: number; deleted: number };

export const addRestoreCommand = (program: Operator) => {
  program
    .command('restore')
    .description("Replace the table's contents with another table's, such as a point-in-time restore")
    .requiredOption('--from <table>', 'the other table, in the same region')
    .option('--yes', 'do it; without this option, the changes are only counted')
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
      if (from === table.name) {
        throw new CommandError('A table cannot be restored from itself. Name another table.', exitCodes.usage);
      }
      const done = await restore(table, from, yes);
      print(options, { table: table.name, from, done: yes, ...done }, () => record(done));
      if (!yes) say('Nothing was changed. Add --yes to do it.');
    });
};

/** Writes every item of `from` that differs, and deletes what `from` does not have. After an interruption, run it again. */
const restore = async (table: Table, from: string, yes: boolean): Promise<Restoration> => {
  const done = { same: 0, written: 0, deleted: 0 };
  await scan(table, from, {}, async (items) => {
    const current = await findItems(table, table.name, items);
    const different = items.filter((item) => !isDeepStrictEqual(item, current.get(nameOf(item))));
    if (yes) await write(table, different, (Item) => ({ PutRequest: { Item } }));
    done.same += items.length - different.length;
    done.written += different.length;
  });
  await scan(table, table.name, { ProjectionExpression: 'pk, sk' }, async (items) => {
    const kept = await findItems(table, from, items);
    const surplus = items.filter((item) => !kept.has(nameOf(item)));
    if (yes) await write(table, surplus, (item) => ({ DeleteRequest: { Key: keyOf(item) } }));
    done.deleted += surplus.length;
  });
  return done;
};

const keyOf = ({ pk, sk }: StoredItem) => ({ pk, sk }) as StoredItem;
const nameOf = (item: StoredItem) => JSON.stringify(keyOf(item));

/** The items of a table that have the same keys as `items`, by `nameOf`. */
const findItems = async ({ client }: Table, name: string, items: StoredItem[]): Promise<Map<string, StoredItem>> => {
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
