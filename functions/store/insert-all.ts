import pMap from 'p-map';
import { chunks } from '../domain/chunks.ts';
import { insertStatement, statementsPerBatch } from './statements.ts';
import { backOff, type Item, type Table } from './table.ts';
import { isRetryable, retryableCodes } from './write-failures.ts';

/** `present`: the key exists. `unwritten`: DynamoDB did not take the item in time. */
export type InsertOutcome = 'inserted' | 'present' | 'unwritten';

const batchesInFlight = 8;

/**
 * Inserts items with distinct keys, unless their keys exist, and returns the outcome of each. Only items that DynamoDB
 * throttles are retried, until a time (Unix milliseconds).
 */
export const insertAll = async (table: Table, items: Item[], until: number): Promise<InsertOutcome[]> => {
  const outcomes: InsertOutcome[] = items.map(() => 'unwritten');
  let pending = [...items.entries()].map(([index, item]) => ({ index, item }));
  for (let round = 0; pending.length > 0 && Date.now() < until; round++) {
    if (round > 0) await backOff(round);
    const left = await pMap(
      chunks(pending, statementsPerBatch),
      async (batch) => {
        const statements = batch.map(({ item }) => insertStatement(table.name, item));
        const results = await table.execute(statements).catch((error: Error) => {
          if (!isRetryable(error)) throw error;
          return [];
        });
        return batch.filter(({ index }, position) => {
          const result = results[position];
          if (!result || retryableCodes.has(result.error ?? '')) return true;
          if (result.error && result.error !== 'DuplicateItem')
            throw new TypeError(`An insert failed: ${result.error}.`);
          outcomes[index] = result.error ? 'present' : 'inserted';
          return false;
        });
      },
      { concurrency: batchesInFlight },
    );
    pending = left.flat();
  }
  return outcomes;
};
