import { isDeepStrictEqual } from 'node:util';
import { BatchGetItemCommand, BatchWriteItemCommand, type WriteRequest } from '@aws-sdk/client-dynamodb';
import { unmarshall } from '@aws-sdk/util-dynamodb';
import { BlockListImports } from '../../functions/block-list-import/block-list-imports.ts';
import type { ImportFailure } from '../../functions/domain/block-list-imports.ts';
import { numbersIn } from '../../functions/domain/phone-numbers.ts';
import { type ErasureRequest, Erasures } from '../../functions/erasure/erasures.ts';
import { hashOfNumber } from '../../functions/erasure/number-hash.ts';
import { erasePerson } from '../../functions/erasure/person.ts';
import { IdempotencyStore } from '../../functions/store/idempotency.ts';
import {
  accessKey,
  type BlockListOwner,
  blockedNumbersOf,
  erasuresOf,
  type ItemKey,
  importsOf,
  numberIn,
} from '../../functions/store/keys.ts';
import { backOff, chunks, type Table } from '../../functions/store/table.ts';
import { WebhookEvents } from '../../functions/webhooks/webhook-events.ts';
import { CommandError, exitCodes } from '../command-line/exit-codes.ts';
import { print, record, say } from '../command-line/output.ts';
import { erasureSecretOf } from './erasure-secret.ts';
import { examples, type Operator } from './program.ts';
import { type StoredItem, scan } from './scan.ts';
import { openStores, storesOf } from './stores.ts';

/**
 * How many items are the same in both tables, how many a restore writes and deletes, and how many erasures of people it
 * repeats, because they ended after the other table's time.
 */
type Restoration = { same: number; written: number; deleted: number; erasures: number };

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
      const newer = await newerErasures(table, from);
      // Without it nothing is restored: people who were erased would be there again.
      const secret = yes && newer.length > 0 ? await erasureSecretOf(options) : '';
      const restored = await restore(table, from, yes, newer);
      if (secret) await repeatErasures(table, newer, secret);
      const done: Restoration = { ...restored, erasures: newer.length };
      print(options, { table: table.name, from, done: yes, ...done }, () => record(done));
      if (!yes) say('Nothing was changed. Add --yes to do it.');
    });
};

/**
 * Writes every item of `from` that differs, and deletes what `from` does not have, but for the records of newer erasures.
 * After an interruption, run it again.
 */
const restore = async (table: Table, from: string, yes: boolean, newer: EndedErasure[]) => {
  const done = { same: 0, written: 0, deleted: 0 };
  const kept = new Set(newer.map(({ name }) => name));
  const withoutKept = (items: StoredItem[]) => items.filter((item) => !kept.has(nameOf(item)));
  await scan(table, from, {}, async (all) => {
    const items = withoutKept(all);
    const current = await findItems(table, table.name, items);
    const different = items.filter((item) => !isDeepStrictEqual(item, current.get(nameOf(item))));
    if (yes) await write(table, different, (Item) => ({ PutRequest: { Item } }));
    done.same += items.length - different.length;
    done.written += different.length;
  });
  await scan(table, table.name, { ProjectionExpression: 'pk, sk' }, async (all) => {
    const items = withoutKept(all);
    const there = await findItems(table, from, items);
    const surplus = items.filter((item) => !there.has(nameOf(item)));
    if (yes) await write(table, surplus, (item) => ({ DeleteRequest: { Key: keyOf(item) } }));
    done.deleted += surplus.length;
  });
  return done;
};

/** An erasure that has ended, by the name of its item. */
type EndedErasure = Pick<ErasureRequest, 'uid' | 'erasureId' | 'numberHash' | 'blockList'> & { name: string };

/** The erasures that are done in the table, and were not yet in `from`. */
const newerErasures = async (table: Table, from: string): Promise<EndedErasure[]> => {
  const newer: EndedErasure[] = [];
  const isDone = (item: StoredItem | undefined) => item?.status?.S === 'done';
  const input = {
    FilterExpression: 'begins_with(sk, :prefix) and #status = :done',
    ExpressionAttributeNames: { '#status': 'status' },
    ExpressionAttributeValues: { ':prefix': { S: erasuresOf('').prefix }, ':done': { S: 'done' } },
  };
  await scan(table, table.name, input, async (items) => {
    const earlier = await findItems(table, from, items);
    for (const item of items) {
      const name = nameOf(item);
      if (!isDone(earlier.get(name))) newer.push({ ...(unmarshall(item) as EndedErasure), name });
    }
  });
  return newer;
};

/** Erases again whom newer erasures had erased. Their numbers are those in the table whose keyed hashes they left. */
const repeatErasures = async (table: Table, newer: EndedErasure[], secret: string): Promise<void> => {
  const { agents, calls, blockList } = storesOf(table);
  const services = {
    agents,
    calls,
    blockList,
    idempotency: new IdempotencyStore(table),
    // The imports that were under way in the backup are not: their files are gone.
    imports: withoutFiles(new BlockListImports(table)),
    files: { readPart: async () => undefined },
    erasures: new Erasures(table),
    webhookEvents: new WebhookEvents(table),
  };
  const numbers = await numbersByAgentAndUser(table);
  for (const uid of new Set(newer.map((erasure) => erasure.uid))) {
    const partitions = [blockedNumbersOf({ uid }, 0)];
    for await (const owned of agents.owned(uid)) {
      for (const { agentId, guests } of owned) {
        partitions.push(accessKey(agentId), ...guests.map((guest) => blockedNumbersOf({ uid: guest }, 0)));
      }
    }
    const candidates = new Set(partitions.flatMap(({ pk }) => [...(numbers.get(pk) ?? [])]));
    const byHash = new Map([...candidates].map((number) => [hashOfNumber(secret, uid, number), number]));
    for (const { erasureId, numberHash, blockList: mode } of newer.filter((erasure) => erasure.uid === uid)) {
      const number = byHash.get(numberHash);
      if (number === undefined) continue;
      await erasePerson({ uid, erasureId, number, blockList: mode }, Number.POSITIVE_INFINITY, services);
    }
  }
};

const withoutFiles = (imports: BlockListImports) => ({
  forget: imports.forget.bind(imports),
  unfinished: async () => [],
});

/**
 * All numbers of calls, of block lists and in the failed lines of imports, by the partition of the agent, or of the first
 * shard of the user's list.
 */
const numbersByAgentAndUser = async (table: Table): Promise<Map<string, Set<string>>> => {
  const numbers = new Map<string, Set<string>>();
  const add = (owner: BlockListOwner, number: string) => {
    const { pk } = 'agentId' in owner ? accessKey(owner.agentId) : blockedNumbersOf(owner, 0);
    numbers.set(pk, (numbers.get(pk) ?? new Set()).add(number));
  };
  await scan(table, table.name, { ProjectionExpression: 'pk, sk, uid, failures' }, async (items) => {
    for (const item of items) {
      const { pk, sk, uid, failures } = unmarshall(item) as ItemKey & { uid: string; failures: string };
      const found = numberIn({ pk, sk });
      if (found) add(found.owner, found.number);
      const isImport = sk.startsWith(importsOf(uid).prefix);
      const failed: ImportFailure[] = isImport ? JSON.parse(failures) : [];
      for (const number of failed.flatMap((failure) => numbersIn(failure.number))) add({ uid }, number);
    }
  });
  return numbers;
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
