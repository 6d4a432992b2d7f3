import { globSync, mkdtempSync, rmSync, truncateSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, it } from 'vitest';
import { startDynamoDb } from '../../../bin/local/dynamodb.ts';
import { findJava } from '../../../bin/local/java.ts';
import { createTable } from '../../../bin/local/table.ts';
import { useOwnDatabaseInThisProcess } from '../../support/world.ts';

const cache = mkdtempSync(join(tmpdir(), 'class-archive-'));
afterAll(() => rmSync(cache, { recursive: true }));
const files = (name: string) => globSync(join(cache, '*', name));

/** Starts DynamoDB Local, and ends it when it has a table and `isDone`. */
const run = async (makeAfterSeconds: number, isDone = () => true, folder = cache) => {
  const dynamodb = await startDynamoDb(await findJava(() => {}), undefined, { cache: folder, makeAfterSeconds });
  try {
    await createTable('archive', dynamodb);
    await expect.poll(isDone).toBe(true);
  } finally {
    await dynamodb.stop();
  }
};

it('a run that is long enough archives the classes of DynamoDB Local, which starts with any archive and with none', {
  tags: 'heavy',
}, async () => {
  useOwnDatabaseInThisProcess();
  await run(60, () => files('*.classes').length === 1);
  expect(files('*')).toEqual([]);
  await run(5, () => files('*.jsa').length === 1);
  expect(files('*').length).toBe(2);
  // What it loads is not listed again.
  await run(60, () => files('*').length === 2);

  const [archive = ''] = files('*.jsa');
  truncateSync(archive, 1_000_000);
  await run(60);
  await run(0, undefined, archive);
});
