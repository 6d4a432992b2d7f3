/** `npm run sql -- --data data "select …"`: SQL over the calls in the lake of a local run. */
import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { Command } from 'commander';
import { lakeFolder } from '../functions/domain/lake.ts';
import { exitCodes } from './command-line/exit-codes.ts';
import { openLake, type Result, writeLakeFile } from './sql/open-lake.ts';

const help = `Usage: npm run sql -- --data <folder> [--json] "select …"

Runs SQL over the calls of a local run that was started with --data <folder> --lake. The view \`calls\` has a row for each
call. DuckDB is installed on first use. The service may run meanwhile.

Options:
  --data <folder>  the folder that keeps the data of the run
  --json           print an array of rows; big numbers and decimals are texts
  --help           print this help
`;

/** Copies the files of the lake out of the emulated bucket, to a folder that DuckDB reads. */
const copyLake = async (data: string, folder: string): Promise<void> => {
  const database = join(data, 'fauxqs.db');
  if (!existsSync(database))
    throw new Error(`${data} has no data. Name the folder that \`npm start -- --data <folder> --lake\` writes to.`);
  const bucket = new DatabaseSync(database, { readOnly: true });
  const files = bucket.prepare('select key, body from s3_objects where key like ?').iterate(`${lakeFolder}%`);
  for (const { key, body } of files) writeLakeFile(folder, String(key), body as Uint8Array);
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
  await copyLake(resolve(data), folder);
  const connection = await openLake(folder);
  print(await connection.runAndReadAll(command.args[0] as string), json);
} catch (error) {
  console.error((error as Error).message);
  process.exitCode = exitCodes.failed;
} finally {
  rmSync(folder, { recursive: true, force: true });
}
