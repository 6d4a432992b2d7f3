/** `npm run sql -- --data data "select …"`: SQL over the calls in the lake of a local run. */
import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { pathToFileURL } from 'node:url';
import { Command } from 'commander';
import { createParquetFile } from '../functions/call-exports/parquet-file.ts';
import { lakeFileKey, lakeFolder } from '../functions/domain/lake.ts';
import { type ExitCode, exitCodes } from './command-line/exit-codes.ts';

type Result = { columnNames(): string[]; getRowObjectsJson(): Record<string, unknown>[] };
type Connection = { run(sql: string): Promise<unknown>; runAndReadAll(sql: string): Promise<Result> };

const root = resolve(import.meta.dirname, '..');

const help = `Usage: npm run sql -- --data <folder> [--json] "select …"

Runs SQL over the calls of a local run that was started with --data <folder> --lake. The view \`calls\` has a row for each
call. DuckDB is installed on first use. The service may run meanwhile.

Options:
  --data <folder>  the folder that keeps the data of the run
  --json           print an array of rows; big numbers and decimals are texts
  --help           print this help
`;

/** Ends with a sentence for the caller. */
class SqlError extends Error {
  readonly code: ExitCode;

  constructor(message: string, code: ExitCode = exitCodes.failed) {
    super(message);
    this.code = code;
  }
}

/** Imports DuckDB, whose program of some 60 MB is installed on first use. */
const importDuckDb = async (): Promise<{
  DuckDBInstance: { create(): Promise<{ connect(): Promise<Connection> }> };
}> => {
  const folder = join(root, 'node_modules/.cache/sql');
  const packages = readFileSync(join(import.meta.dirname, 'sql/packages.json'), 'utf8');
  const installed = join(folder, 'installed.json');
  const importer = join(folder, 'import.mjs');
  if (!existsSync(installed) || readFileSync(installed, 'utf8') !== packages) {
    console.error('Installing DuckDB …');
    mkdirSync(folder, { recursive: true });
    writeFileSync(join(folder, 'package.json'), JSON.stringify({ private: true, dependencies: JSON.parse(packages) }));
    writeFileSync(importer, "export * from '@duckdb/node-api';\n");
    const flags = ['--prefix', folder, '--no-package-lock', '--no-audit', '--no-fund', '--loglevel=error'];
    const { status } = spawnSync('npm', ['install', ...flags], { cwd: folder, stdio: ['ignore', 2, 2] });
    if (status !== 0) throw new SqlError('DuckDB could not be installed; see above.');
    writeFileSync(installed, packages);
  }
  return import(pathToFileURL(importer).href);
};

/** Copies the files of the lake out of the emulated bucket, to a folder that DuckDB reads. */
const copyLake = async (data: string, folder: string): Promise<void> => {
  const database = join(data, 'fauxqs.db');
  if (!existsSync(database))
    throw new SqlError(`${data} has no data. Name the folder that \`npm start -- --data <folder> --lake\` writes to.`);
  const write = (key: string, bytes: Uint8Array) => {
    mkdirSync(dirname(join(folder, key)), { recursive: true });
    writeFileSync(join(folder, key), bytes);
  };
  // A file without calls gives the columns of a lake without files.
  const none = lakeFileKey({ uid: 'none', agentId: 'none', day: '1970-01-01' });
  write(none, await createParquetFile().finish());
  const bucket = new DatabaseSync(database, { readOnly: true });
  const files = bucket.prepare('select key, body from s3_objects where key like ?').iterate(`${lakeFolder}%`);
  for (const { key, body } of files) write(String(key), body as Uint8Array);
  bucket.close();
};

const print = (result: Result, json: boolean): void => {
  const rows = result.getRowObjectsJson();
  if (json) {
    console.log(JSON.stringify(rows, null, 2));
    return;
  }
  const names = result.columnNames();
  const cells = [names, ...rows.map((row) => names.map((name) => toText(row[name])))];
  const widths = names.map((_, index) => Math.max(...cells.map((line) => (line[index] ?? '').length)));
  for (const line of cells)
    console.log(
      line
        .map((cell, index) => cell.padEnd(widths[index] ?? 0))
        .join('  ')
        .trimEnd(),
    );
};

const toText = (value: unknown) =>
  typeof value === 'object' && value !== null ? JSON.stringify(value) : String(value ?? '');

const command = new Command('npm run sql --')
  .configureHelp({ formatHelp: () => help })
  .requiredOption('--data <folder>')
  .option('--json')
  .argument('<sql>')
  .exitOverride(({ exitCode }) => process.exit(exitCode === 0 ? exitCodes.done : exitCodes.usage))
  .parse();

const { data, json = false } = command.opts<{ data: string; json?: true }>();
const folder = mkdtempSync(join(tmpdir(), 'voice-agents-lake-'));
try {
  const { DuckDBInstance } = await importDuckDb();
  await copyLake(resolve(data), folder);
  const connection = await (await DuckDBInstance.create()).connect();
  const files = join(folder, lakeFolder, '*/*/*.parquet').replaceAll("'", "''");
  await connection.run(`set timezone = 'UTC'`);
  await connection.run(
    `create view call_files as select * from read_parquet('${files}', hive_partitioning = true, hive_types = {'uid': varchar, 'day': date})`,
  );
  await connection.run(readFileSync(join(root, 'functions/lake/calls.sql'), 'utf8'));
  print(await connection.runAndReadAll(command.args[0] as string), json);
} catch (error) {
  console.error((error as Error).message);
  process.exitCode = error instanceof SqlError ? error.code : exitCodes.failed;
} finally {
  rmSync(folder, { recursive: true, force: true });
}
