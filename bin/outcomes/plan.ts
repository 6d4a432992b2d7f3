import { Readable } from 'node:stream';
import { stringify } from 'csv-stringify/sync';
import type { CountryCode } from 'libphonenumber-js/max';
import { chunks } from '../../functions/domain/chunks.ts';
import { limits } from '../../functions/domain/limits.ts';
import { apiClient, dataOf } from '../../functions/openapi/client/client.ts';
import { encodeUtf8, isUnreadable, showUnreadable } from '../../functions/sheets/decode-sheet.ts';
import { CommandError, exitCodes } from '../command-line/exit-codes.ts';
import { count } from '../command-line/output.ts';
import { writeOutput } from '../command-line/output-file.ts';
import { readNumber } from './checked-row.ts';
import { readCsv } from './read-csv.ts';
import { decodeFile } from './text-of-file.ts';

export type PlanOptions = {
  baseUrl: string;
  agentId: string;
  /** The column with the number. */
  column: string;
  /** The time to plan for. Default: now. */
  at?: string | undefined;
  /** The country of numbers without a country code. */
  country?: CountryCode | undefined;
  apiKey(): Promise<string>;
  signal: AbortSignal;
};

type Plan = { cause: string; retryAt: string };

/**
 * Splits a CSV file with a header into two beside it: `….now.csv` has the rows whose number may be called. `….later.csv` has the
 * others, with the reason and the time to try again.
 */
export const plan = async (file: string, options: PlanOptions): Promise<void> => {
  const [head, ...rows] = await Array.fromAsync(readCsv(file, decodeFile(file)));
  const { cells: header, delimiter } = head as NonNullable<typeof head>;
  const records = rows.map(({ cells }) => cells);
  const index = header.indexOf(options.column);
  if (index < 0) {
    const columns = header.map(showUnreadable).join(', ');
    const advice = header.some(isUnreadable) ? ' They are not in UTF-8: save the file in UTF-8, and try again.' : '';
    const message = `${file} has no column ${options.column}. Its columns are ${columns}.${advice}`;
    throw new CommandError(message, exitCodes.usage);
  }
  const read = new Map(records.map((record) => [record, normalizeRowNumber(record[index] ?? '', options.country)]));
  const plans = await readPlans([...read.values()], options);
  const parsePlan = (record: string[]): Plan | undefined => {
    const number = read.get(record);
    return number === undefined ? { cause: 'invalid_format', retryAt: '' } : plans.get(number);
  };
  const now = records.filter((record) => !parsePlan(record));
  const later = records.flatMap((record) => {
    const found = parsePlan(record);
    return found ? [[...record, found.cause, found.retryAt]] : [];
  });
  const write = async (name: string, rows: string[][]) => {
    const path = `${file.replace(/\.csv$/i, '')}.${name}.csv`;
    await writeOutput(path, Readable.from(rows.map((row) => encodeUtf8(stringify([row], { delimiter })))));
    return path;
  };
  const nowFile = await write('now', [header, ...now]);
  const laterFile = await write('later', [[...header, 'cause', 'retryAt'], ...later]);
  process.stdout.write(`${count(now.length, 'row')} to call now: ${nowFile}\n`);
  process.stdout.write(`${count(later.length, 'row')} for later: ${laterFile}\n`);
};

/** Returns a number that can be called; undefined for anything else. */
const normalizeRowNumber = (text: string, country: CountryCode | undefined): string | undefined => {
  const number = readNumber(text, country);
  return number === 'ambiguous' ? undefined : number;
};

/** Returns the plans of numbers that may not be called: the reason, and the time to try again. */
const readPlans = async (read: (string | undefined)[], options: PlanOptions): Promise<Map<string, Plan>> => {
  const { baseUrl, agentId, at, signal } = options;
  const numbers = [...new Set(read.flatMap((number) => number ?? []))];
  if (numbers.length === 0) return new Map();
  const connection = { baseUrl, apiKey: await options.apiKey(), timeoutSeconds: 35 };
  const { uid } = dataOf(await apiClient(connection).key.get({ signal }));
  const api = apiClient({ ...connection, uid });
  const plans = new Map<string, Plan>();
  for (const batch of chunks(numbers, limits.callStartsPerRequest)) {
    const { rejected } = dataOf(await api.callStartChecks.check({ agentId, numbers: batch, at }, { signal }));
    for (const { number, cause, retryAt = '' } of rejected) plans.set(number, { cause, retryAt });
  }
  return plans;
};
