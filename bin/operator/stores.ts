import { readFile } from 'node:fs/promises';
import { resolve } from 'node:path';
import { Agents } from '../../functions/store/agents.ts';
import { ApiKeys } from '../../functions/store/api-keys.ts';
import { Calls } from '../../functions/store/calls.ts';
import { openTable, type Table } from '../../functions/store/table.ts';
import { Users } from '../../functions/store/users.ts';
import { tableOf } from './stack.ts';
import { UsageError } from './usage-error.ts';

/** What the operator works on: the stores of one table. */
export type Stores = { table: Table; users: Users; apiKeys: ApiKeys; agents: Agents; calls: Calls };

/** The options that say which table is meant. `runFile` is where the local run notes how to reach it, while it runs. */
export type TableOptions = {
  table?: string | undefined;
  stack?: string | undefined;
  region?: string | undefined;
  runFile: string;
};

type LocalRun = {
  pid: number;
  baseUrl: string;
  tableName: string;
  endpoints: { dynamodb: string };
  region: string;
  credentials: { accessKeyId: string; secretAccessKey: string };
};

export const storesOf = (table: Table): Stores => ({
  table,
  users: new Users(table),
  apiKeys: new ApiKeys(table),
  agents: new Agents(table),
  calls: new Calls(table),
});

/**
 * The stores of the table that is named, by `--table`, by the `--stack` it is in or by `TABLE_NAME`, with AWS's own
 * settings; when none is named, of the local run.
 */
export const openStores = async (options: TableOptions): Promise<Stores> => {
  const { stack, region: named } = options;
  const name = options.table ?? (stack ? await tableOf(stack, named) : process.env.TABLE_NAME);
  if (name) return storesOf(openTable(name, named ? { region: named } : {}));
  const { tableName, endpoints, region, credentials } = await localRun(options.runFile);
  return storesOf(openTable(tableName, { endpoint: endpoints.dynamodb, region, credentials }));
};

/** The local run, as it notes how to reach it while it runs. */
export const localRun = async (runFile: string): Promise<LocalRun> => {
  const file = resolve(import.meta.dirname, '..', '..', runFile);
  const text = await readFile(file, 'utf8').catch(() => undefined);
  const run = text === undefined ? undefined : parse(text);
  if (run && isAlive(run.pid)) return run;
  throw new UsageError(
    'No local run was found: start one with npm start, or name a deployment with --stack, or a table with --table.',
  );
};

/** It is written while we read it, or by something else: then there is no run we could use. */
const parse = (text: string): LocalRun | undefined => {
  try {
    return JSON.parse(text) as LocalRun;
  } catch {
    return undefined;
  }
};

const isAlive = (pid: number) => {
  try {
    return process.kill(pid, 0);
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM';
  }
};
