import { expect, it } from 'vitest';
import { createTable } from '../../bin/local/table.ts';
import { duringInitialization } from '../../functions/http/during-initialization.ts';
import { claimFormat, knownFormat } from '../../functions/store/format.ts';
import { formatKey } from '../../functions/store/keys.ts';
import { type Item, table } from '../../functions/store/table.ts';
import { runOperator, settings } from '../support/operator-command.ts';
import { target, unique, useTargetInThisProcess } from '../support/world.ts';

useTargetInThisProcess();
process.env.TABLE_NAME = unique('format');
const tableName = process.env.TABLE_NAME;
const { endpoints } = target;
const readFormat = async () => (await table.get().get(formatKey)) as { format?: number } | undefined;
const newer = `The table ${tableName} has data of format ${knownFormat + 1}, and this version knows formats up to ${knownFormat}: use the version that wrote them, or a newer one.`;

it('the local run writes the format into its table', async () => {
  await createTable(tableName, { endpoint: endpoints.dynamodb });
  expect(await readFormat()).toMatchObject({ format: knownFormat });
});

it('a command that makes a user writes the format into a table that has none', async () => {
  await table.get().delete(formatKey);
  const { code } = await runOperator({ ...settings, TABLE_NAME: tableName }, ['user', 'create', 'first']);
  expect([code, await readFormat()]).toMatchObject([0, { format: knownFormat }]);
});

it('a local run writes the format over an earlier one', async () => {
  await table.get().put({ ...formatKey, format: knownFormat - 1 } as Item);
  await createTable(tableName, { endpoint: endpoints.dynamodb });
  expect(await readFormat()).toMatchObject({ format: knownFormat });
});

it('a function, a command and a local run refuse a newer format with one sentence, and write nothing', async () => {
  const item = { ...formatKey, format: knownFormat + 1 };
  await table.get().put(item);
  process.env.AWS_LAMBDA_FUNCTION_NAME = 'a-function';
  await expect(duringInitialization(async () => {})).rejects.toThrow(newer);
  const { code, stderr } = await runOperator({ ...settings, TABLE_NAME: tableName }, ['user', 'create', 'second']);
  expect([code, stderr]).toEqual([1, `${newer}\n`]);
  await expect(createTable(tableName, { endpoint: endpoints.dynamodb })).rejects.toThrow(newer);
  await expect(claimFormat(table.get())).rejects.toThrow(newer);
  expect(await Array.fromAsync(table.get().query({ pk: 'USER#second' }))).toEqual([]);
});

it('a function starts on a table without a format', async () => {
  process.env.AWS_LAMBDA_FUNCTION_NAME = 'a-function';
  await table.get().delete(formatKey);
  let worked = 0;
  await duringInitialization(async () => worked++);
  expect(worked).toBe(1);
});
