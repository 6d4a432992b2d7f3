import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { createParquetFile } from '../../functions/call-exports/parquet-file.ts';
import { lakeFileKey, lakeFolder } from '../../functions/domain/lake.ts';

export type Result = { columnNames(): string[]; getRowObjectsJson(): Record<string, unknown>[] };
export type Connection = { run(sql: string): Promise<unknown>; runAndReadAll(sql: string): Promise<Result> };

const root = resolve(import.meta.dirname, '../..');

/** Imports DuckDB, whose program of some 60 MB is installed on first use. */
const importDuckDb = async (): Promise<{
  DuckDBInstance: { create(): Promise<{ connect(): Promise<Connection> }> };
}> => {
  const folder = join(root, 'node_modules/.cache/sql');
  const packages = readFileSync(join(import.meta.dirname, 'packages.json'), 'utf8');
  const installed = join(folder, 'installed.json');
  const importer = join(folder, 'import.mjs');
  if (!existsSync(installed) || readFileSync(installed, 'utf8') !== packages) {
    console.error('Installing DuckDB …');
    mkdirSync(folder, { recursive: true });
    writeFileSync(join(folder, 'package.json'), JSON.stringify({ private: true, dependencies: JSON.parse(packages) }));
    writeFileSync(importer, "export * from '@duckdb/node-api';\n");
    const flags = ['--prefix', folder, '--no-package-lock', '--no-audit', '--no-fund', '--loglevel=error'];
    const { status } = spawnSync('npm', ['install', ...flags], { cwd: folder, stdio: ['ignore', 2, 2] });
    if (status !== 0) throw new Error('DuckDB could not be installed; see above.');
    writeFileSync(installed, packages);
  }
  return import(pathToFileURL(importer).href);
};

/** The partitions of the lake's files: their view, its column, and the type of that. */
const partitions = [
  { view: 'call_files', column: 'day', type: 'date', none: '1970-01-01' },
  { view: 'month_files', column: 'month', type: 'varchar', none: '1970-01' },
];

/** Writes a file under its key in the bucket to a folder that DuckDB reads. */
export const writeLakeFile = (folder: string, key: string, bytes: Uint8Array): void => {
  mkdirSync(dirname(join(folder, key)), { recursive: true });
  writeFileSync(join(folder, key), bytes);
};

/** Opens DuckDB with the view `calls` over a folder that has the files of a lake under their keys. */
export const openLake = async (folder: string): Promise<Connection> => {
  const { DuckDBInstance } = await importDuckDb();
  const connection = await (await DuckDBInstance.create()).connect();
  await connection.run(`set timezone = 'UTC'`);
  // A file without calls gives the columns of a lake without files.
  const empty = await createParquetFile().finish();
  for (const { view, column, type, none } of partitions) {
    writeLakeFile(folder, lakeFileKey({ uid: 'none', agentId: 'none', day: none }), empty);
    const files = join(folder, lakeFolder, `*/${column}=*/*.parquet`).replaceAll("'", "''");
    const types = `{'uid': varchar, '${column}': ${type}}`;
    await connection.run(
      `create view ${view} as select * from read_parquet('${files}', hive_partitioning = true, hive_types = ${types})`,
    );
  }
  await connection.run(readFileSync(join(root, 'functions/lake/calls.sql'), 'utf8'));
  return connection;
};
