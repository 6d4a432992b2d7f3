import { unmarshall } from '@aws-sdk/util-dynamodb';
import pMap from 'p-map';
import { counterOwnerOf, isCallEntry } from '../../functions/store/keys.ts';
import { recountAgents, recountSources } from '../../functions/store/quotas.ts';
import type { Item, Table } from '../../functions/store/table.ts';
import { writeFailure } from '../../functions/store/write-failures.ts';
import { print, record } from '../command-line/output.ts';
import { examples, type Operator } from './program.ts';
import { scan } from './scan.ts';
import { openStores } from './stores.ts';

/** Writes side by side; the table is read in four parts. */
const concurrency = 8;

export const addMigrateCommand = (program: Operator) => {
  program
    .command('migrate')
    .description('Convert the data of an earlier version; running it again changes nothing')
    .addHelpText('after', examples('migrate --stack voice-agents-prod'))
    .action(async (_, command) => {
      const options = command.optsWithGlobals();
      const { table } = await openStores(options);
      const migrated = { callEntries: await migrateCallEntries(table), counters: await migrateCounters(table) };
      print(options, { table: table.name, ...migrated }, () => record(migrated));
    });
};

/**
 * Earlier versions kept a call three times. The copies by time and by phone number become entries that hold nothing:
 * this version reads their keys only. Returns how many were changed.
 */
const migrateCallEntries = async (table: Table): Promise<number> => {
  let changed = 0;
  await scan(table, table.name, {}, async (items) => {
    const copies = items.map((item) => unmarshall(item) as Item).filter(isCallCopy);
    const emptied = await pMap(copies, (copy) => empty(table, copy), { concurrency });
    changed += emptied.filter(Boolean).length;
  });
  return changed;
};

const isCallCopy = (item: Item) => isCallEntry(item) && Object.keys(item).length > 2;

/** Removes the attributes of a copy; false when it was deleted meanwhile. */
const empty = async (table: Table, { pk, sk }: Item): Promise<boolean> => {
  try {
    await table.put({ pk, sk }, { ConditionExpression: 'attribute_exists(pk)' });
    return true;
  } catch (error) {
    if (writeFailure(error) === 'condition') return false;
    throw error;
  }
};

/** Earlier versions did not count what the quotas limit. Returns how many counters were set. */
const migrateCounters = async (table: Table): Promise<number> => {
  const users = new Set<string>();
  const agents = new Set<string>();
  await scan(table, table.name, { ProjectionExpression: 'pk, sk' }, async (items) => {
    for (const item of items) {
      const owner = counterOwnerOf(unmarshall(item) as Item);
      if (owner && 'uid' in owner) users.add(owner.uid);
      else if (owner) agents.add(owner.agentId);
    }
  });
  const set = [
    ...(await pMap(users, (uid) => recountAgents(table, uid), { concurrency })),
    ...(await pMap(agents, (agentId) => recountSources(table, agentId, true), { concurrency })),
  ];
  return set.filter(Boolean).length;
};
