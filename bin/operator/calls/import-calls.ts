import { readFile, rename, rm, stat, writeFile } from 'node:fs/promises';
import { setTimeout as sleep } from 'node:timers/promises';
import { DescribeTableCommand } from '@aws-sdk/client-dynamodb';
import { pMapIterable } from 'p-map';
import * as z from 'zod/mini';
import { CallFacts } from '../../../functions/domain/calls.ts';
import { ApiError } from '../../../functions/domain/errors.ts';
import { Identifier } from '../../../functions/domain/identifiers.ts';
import { isDeeperThan } from '../../../functions/domain/json.ts';
import { limits } from '../../../functions/domain/limits.ts';
import { validate } from '../../../functions/domain/validation.ts';
import { deadline } from '../../../functions/store/table.ts';
import { detailsOf } from '../../command-line/arguments.ts';
import { describeFileError } from '../../command-line/describe-error.ts';
import { CommandError, exitCodes } from '../../command-line/exit-codes.ts';
import type { Stores } from '../stores.ts';
import { type Line, linesAfter } from './lines.ts';

/** A line of the import: the body of PUT /calls and the two ids of its path. */
export const ImportedCall = z.extend(CallFacts, { agentId: Identifier, callId: Identifier });
type ImportedCall = z.infer<typeof ImportedCall>;

/** Why a line was not imported. */
type LineError = { line: number; message: string };

/** The position of an import. Every line up to `line` is imported or has failed. */
type ImportState = {
  line: number;
  end: number;
  imported: number;
  failed: number;
  /** At most the first thousand. */
  errors: LineError[];
};

export type ImportReport = ImportState & { bytes: number; resumedAfterLine?: number; stopped?: true };

/** Receives the progress of an import. */
export type ImportListener = {
  begin(report: ImportReport): void;
  error(error: LineError): void;
  progress(report: ImportReport): void;
};

const concurrency = 32;

/** The maximum number of calls that overtake a slow one. */
const maxCallsAhead = 256;

/** The maximum number of errors in memory and in the progress file. */
const maxErrors = 1000;
const saveEveryMilliseconds = 500;

/** They take about thirty seconds. */
const maxAttempts = 8;

/**
 * Imports calls from a file of JSON lines. Repeating an import changes nothing. A progress file beside the input lets an
 * import that was killed continue; a complete import deletes it.
 */
export const runImport = async (
  stores: Stores,
  file: string,
  listener: ImportListener,
  signal: AbortSignal,
): Promise<ImportReport> => {
  const input = await stat(file).catch((error: NodeJS.ErrnoException) => {
    throw new CommandError(describeFileError(file, error), exitCodes.usage);
  });
  if (!input.isFile()) throw new CommandError(`${file} is not a file.`, exitCodes.usage);
  const { size, mtimeMs } = input;
  const progress = progressFile(file, { table: await identityOf(stores), size, mtimeMs });
  const found = await progress.read();
  const report: ImportReport = {
    ...(found ?? { line: 0, end: 0, imported: 0, failed: 0, errors: [] }),
    bytes: size,
    ...(found && { resumedAfterLine: found.line }),
  };
  listener.begin(report);

  const failure = new AbortController();
  const importLine = lineImporter(stores, AbortSignal.any([signal, failure.signal]));
  const lines = untilAborted(signal, linesAfter(file, toPosition(report), limits.bodyBytes));
  // Results come in the order of the lines: every line before a saved position is settled.
  const results = pMapIterable(lines, importLine, { concurrency, backpressure: maxCallsAhead });
  let saved = Date.now();
  try {
    for await (const { line, outcome } of results) {
      report.line = line.number;
      report.end = line.end;
      if (outcome === 'imported') report.imported += 1;
      else if (outcome !== 'blank') {
        const error = { line: line.number, message: outcome };
        report.failed += 1;
        if (report.errors.length < maxErrors) report.errors.push(error);
        listener.error(error);
      }
      listener.progress(report);
      if (Date.now() - saved < saveEveryMilliseconds) continue;
      await progress.write(report);
      saved = Date.now();
    }
  } catch (error) {
    failure.abort();
    await progress.write(report);
    if (!signal.aborted) throw error;
  }
  if (signal.aborted) {
    await progress.write(report);
    return { ...report, stopped: true };
  }
  await progress.remove();
  return report;
};

const toPosition = ({ line, end }: ImportState) => ({ number: line, end });

/** Stops taking items at a signal. Items already taken are still processed. */
async function* untilAborted<T>(signal: AbortSignal, items: AsyncIterable<T>) {
  for await (const item of items) {
    if (signal.aborted) return;
    yield item;
  }
}

/** Identifies a table, also among deleted ones of the same name. */
const identityOf = async ({ table }: Stores) => {
  const { Table } = await table.client.send(new DescribeTableCommand({ TableName: table.name }), deadline());
  return Table?.TableId ?? `${Table?.TableArn} ${Table?.CreationDateTime?.toISOString()}`;
};

/** Imports one line. The outcome is `imported`, `blank`, or the reason why it failed. */
const lineImporter = ({ agents, calls }: Stores, signal: AbortSignal) => {
  const known = new Map<string, Promise<boolean>>();
  const exists = (agentId: string) => {
    const found = known.get(agentId) ?? withRetries(async () => (await agents.access(agentId)) !== undefined, signal);
    known.set(agentId, found);
    return found;
  };
  // Lines of one call are imported one after the other: the last one wins.
  const running = new Map<string, Promise<unknown>>();
  const record = async ({ agentId, callId, ...facts }: ImportedCall) => {
    const id = JSON.stringify([agentId, callId]);
    const before = running.get(id);
    const recorded = (async () => {
      await before?.catch(() => undefined);
      await withRetries(() => calls.record(agentId, callId, facts), signal);
    })();
    running.set(id, recorded);
    await recorded;
    if (running.get(id) === recorded) running.delete(id);
  };
  return async (line: Line): Promise<{ line: Line; outcome: string }> => {
    const read = readLine(line);
    if (read.call === undefined) return { line, outcome: read.outcome };
    const { agentId } = read.call;
    if (!(await exists(agentId))) return { line, outcome: `agentId: there is no agent ${agentId}` };
    await record(read.call);
    return { line, outcome: 'imported' };
  };
};

const utf8 = new TextDecoder('utf-8', { fatal: true });

const readLine = ({ bytes }: Line): { call: ImportedCall } | { call?: never; outcome: string } => {
  if (!bytes) return { outcome: `is longer than ${limits.bodyBytes.toLocaleString('en')} bytes` };
  let value: unknown;
  try {
    const text = utf8.decode(bytes).trim();
    if (text === '') return { outcome: 'blank' };
    value = JSON.parse(text);
  } catch {
    return { outcome: 'is not JSON in UTF-8' };
  }
  if (isDeeperThan(value, limits.jsonDepth)) return { outcome: `is nested deeper than ${limits.jsonDepth} levels` };
  const { data, error } = validate(ImportedCall, value);
  return error ? { outcome: detailsOf(error) } : { call: data };
};

/** Retries while the table is throttled or briefly unreachable. */
const withRetries = async <T>(work: () => Promise<T>, signal: AbortSignal): Promise<T> => {
  for (let attempt = 1; ; attempt++) {
    try {
      return await work();
    } catch (error) {
      if (attempt === maxAttempts || signal.aborted || !isTransient(error)) throw error;
      await sleep(Math.min(8000, 100 * 2 ** attempt) * (0.5 + Math.random() / 2), undefined, { signal });
    }
  }
};

/** Returns true if a retry may succeed. A client error is final unless AWS marks it as retryable. */
const isTransient = (error: unknown) => {
  const { name, $fault, $retryable } = error as Error & { $fault?: string; $retryable?: object };
  if (error instanceof ApiError || error instanceof TypeError || name === 'CredentialsProviderError') return false;
  return $fault !== 'client' || $retryable !== undefined || /Throttl|Throughput|LimitExceeded|Transaction/.test(name);
};

const Progress = z.object({
  table: z.string(),
  size: z.number(),
  mtimeMs: z.number(),
  state: z.object({
    line: z.int(),
    end: z.int(),
    imported: z.int(),
    failed: z.int(),
    errors: z.array(z.object({ line: z.int(), message: z.string() })),
  }),
});

/** Returns the progress file of an import. A saved position is valid only for the same input and table. */
const progressFile = (file: string, source: { table: string; size: number; mtimeMs: number }) => {
  const path = `${file}.progress`;
  return {
    async read(): Promise<ImportState | undefined> {
      const text = await readFile(path, 'utf8').catch(() => '');
      const { data } = z.safeParse(Progress, parseOrUndefined(text));
      const same = data?.table === source.table && data.size === source.size && data.mtimeMs === source.mtimeMs;
      return same ? data.state : undefined;
    },
    async write({ line, end, imported, failed, errors }: ImportState) {
      const state = { line, end, imported, failed, errors };
      // Written beside it and renamed: a kill while writing leaves the former file.
      await writeFile(`${path}.new`, JSON.stringify({ ...source, state }))
        .then(() => rename(`${path}.new`, path))
        .catch((error: Error) => {
          throw new CommandError(`The progress file ${path} cannot be written: ${error.message}.`);
        });
    },
    remove: () => rm(path, { force: true }),
  };
};

const parseOrUndefined = (text: string): unknown => {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
};
