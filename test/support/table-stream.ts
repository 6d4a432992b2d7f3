import { setTimeout as sleep } from 'node:timers/promises';
import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { DynamoDBDocumentClient } from '@aws-sdk/lib-dynamodb';
import type { DynamoDBRecord } from 'aws-lambda';
import { startChangeReader } from '../../bin/local/change-reader.ts';
import { createTable } from '../../bin/local/table.ts';
import { Table } from '../../functions/store/table.ts';
import { target, unique, useOwnDatabaseInThisProcess } from './world.ts';

/** Creates a table of its own, whose changes nobody else reads. */
export const startTableWithStream = async (prefix: string) => {
  useOwnDatabaseInThisProcess();
  const { dynamodb } = target.endpoints;
  const tableName = unique(prefix);
  await createTable(tableName, { endpoint: dynamodb });
  const read: DynamoDBRecord[] = [];
  const reader = await startChangeReader({ endpoint: dynamodb, tableName }, async ({ Records }) => {
    read.push(...Records);
    return { batchItemFailures: [] };
  });
  /** Opens the table with a client of its own, so that faults can be injected into it. */
  const open = (endpoint = dynamodb) => {
    const options = { marshallOptions: { removeUndefinedValues: true } };
    return new Table(DynamoDBDocumentClient.from(new DynamoDBClient({ endpoint, maxAttempts: 3 }), options), tableName);
  };
  const sound = open();
  return {
    open,
    stop: () => reader.stop(),
    /** Returns the changes since the last time, in their order. */
    async changesSoFar(): Promise<DynamoDBRecord[]> {
      const marker = { pk: `AGENT#${unique('marker')}`, sk: 'ACCESS' };
      await sound.put(marker);
      const deadline = performance.now() + 50_000;
      while (!read.some(({ dynamodb }) => dynamodb?.Keys?.pk?.S === marker.pk)) {
        if (performance.now() > deadline) throw new Error('The stream did not bring the last change.');
        await sleep(20);
      }
      return read.splice(0);
    },
  };
};
