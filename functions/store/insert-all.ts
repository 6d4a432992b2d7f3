import pMap from 'p-map';
import { chunks } from '../domain/chunks.ts';
import { repeatRounds } from './repeat-rounds.ts';
import { insertStatement, statementsPerBatch } from './statements.ts';
import type { Item, Table } from './table.ts';
import { isRetryable, retryableCodes } from './write-failures.ts';

/** `present`: the key exists. `unwritten`: DynamoDB did not take the item in time. */
export type InsertOutcome = 'inserted' | 'present' | 'unwritten';

const batchesInFlight = 8;

/** Inserts items with new keys. Throttled items are retried until a time (Unix milliseconds). */
export const insertAll = async (table: Table, items: Item[], until: number): Promise<InsertOutcome[]> => {
  const outcomes: InsertOutcome[] = items.map(() => 'unwritten');
  const insert = async (batch: [index: number, item: Item][]) => {
    const statements = batch.map(([, item]) => insertStatement(table.name, item));
    const results = await table.execute(statements).catch((error: Error) => {
      if (!isRetryable(error)) throw error;
      return [];
    });
    return batch.filter(([index], position) => {
      const result = results[position];
      if (!result || retryableCodes.has(result.error ?? '')) return true;
      if (result.error && result.error !== 'DuplicateItem') throw new TypeError(`An insert failed: ${result.error}.`);
      outcomes[index] = result.error ? 'present' : 'inserted';
      return false;
    });
  };
  await repeatRounds([...items.entries()], until, async (pending) => {
    const batches = chunks(pending, statementsPerBatch);
    return (await pMap(batches, insert, { concurrency: batchesInFlight })).flat();
  });
  return outcomes;
};
