import { readFile, rename, rm, stat, writeFile } from 'node:fs/promises';
import { setTimeout as sleep } from 'node:timers/promises';
import { DescribeTableCommand } from '@aws-sdk/client-dynamodb';
import { pMapIterable } from 'p-map';
import * as z from 'zod/mini';
import { CallFacts, withFacts } from '../../functions/domain/calls.ts';
import { ApiError } from '../../functions/domain/errors.ts';
import { Identifier } from '../../functions/domain/identifiers.ts';
import { isDeeperThan } from '../../functions/domain/json.ts';
import { limits } from '../../functions/domain/limits.ts';
import { validate } from '../../functions/domain/validation.ts';
import { deadline } from '../../functions/store/table.ts';
import { type Line, linesAfter } from './lines.ts';
import { complaintOf } from './read.ts';
import type { Stores } from './stores.ts';
import { UsageError } from './usage-error.ts';

/** A line of the import: the body of PUT /calls, with the two ids of its path. */
export const ImportedCall = z.extend(CallFacts, { agentId: Identifier, callId: Identifier });
type ImportedCall = z.infer<typeof ImportedCall>;

/** A line that was not imported, and why. */
export type LineError = { line: number; message: string };

/** How far an import has come. Every line up to `line` is settled. */
export type ImportState = {
  line: number;
  end: number;
  imported: number;
  failed: number;
  /** The first thousand lines that failed. */
  errors: LineError[];
};

export type ImportReport = ImportState & { bytes: number; resumedAfterLine?: number; stopped?: true };

/** Told while an import runs. */
export type ImportListener = {
  begin(report: ImportReport): void;
  error(error: LineError): void;
  progress(report: ImportReport): void;
};

const callsInFlight = 32;
/** How far the other calls may run ahead of a slow one. */
const callsAhead = 256;
/** What is kept in memory, and in the progress file, of the lines that failed. */
const errorsKept = 1000;
const saveEveryMilliseconds = 500;
/** A table that has not taken a call after so many attempts, some thirty seconds, is not going to. */
const attempts = 8;

/**
 * Imports calls from a file of JSON lines. Repeating an import changes nothing. A file beside the input remembers
 * how far it came, so that an import that was killed goes on from there; it is gone when the import is over.
 */
export const importCalls = async (
  stores: Stores,
  file: string,
  listener: ImportListener,
  signal: AbortSignal,
): Promise<ImportReport> => {
  const input = await stat(file);
  if (!input.isFile()) throw new UsageError(`${file} is not a file.`);
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
  const lines = untilAborted(signal, linesAfter(file, toPlace(report), limits.bodyBytes));
  // Results come in the order of the lines: what is remembered as done has nothing undone before it.
  const results = pMapIterable(lines, importLine, { concurrency: callsInFlight, backpressure: callsAhead });
  let saved = Date.now();
  try {
    for await (const { line, outcome } of results) {
      report.line = line.number;
      report.end = line.end;
      if (outcome === 'imported') report.imported += 1;
      else if (outcome !== 'blank') {
        const error = { line: line.number, message: outcome };
        report.failed += 1;
        if (report.errors.length < errorsKept) report.errors.push(error);
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

const toPlace = ({ line, end }: ImportState) => ({ number: line, end });

/** Takes from an iteration until a signal; what was taken before it still comes to its end. */
async function* untilAborted<T>(signal: AbortSignal, items: AsyncIterable<T>) {
  for await (const item of items) {
    if (signal.aborted) return;
    yield item;
  }
}

/** What tells this table from every other, also from one of the same name that was deleted. */
const identityOf = async ({ table }: Stores) => {
  const { Table } = await table.client.send(new DescribeTableCommand({ TableName: table.name }), deadline());
  return Table?.TableId ?? `${Table?.TableArn} ${Table?.CreationDateTime?.toISOString()}`;
};

/** Imports one line, and says what came of it: `imported`, `blank`, or the complaint about it. */
const lineImporter = ({ agents, calls }: Stores, signal: AbortSignal) => {
  const known = new Map<string, Promise<boolean>>();
  const exists = (agentId: string) => {
    const asked = known.get(agentId) ?? persistently(async () => (await agents.access(agentId)) !== undefined, signal);
    known.set(agentId, asked);
    return asked;
  };
  // Lines about one call are taken one after the other, so that the last one counts.
  const underWay = new Map<string, Promise<unknown>>();
  const record = async ({ agentId, callId, ...facts }: ImportedCall) => {
    const id = JSON.stringify([agentId, callId]);
    const before = underWay.get(id);
    const recorded = (async () => {
      await before?.catch(() => undefined);
      const target = { agentId, reference: { callId } };
      await persistently(() => calls.change(target, (found) => withFacts(found, agentId, callId, facts)), signal);
    })();
    underWay.set(id, recorded);
    await recorded;
    if (underWay.get(id) === recorded) underWay.delete(id);
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
  return error ? { outcome: complaintOf(error) } : { call: data };
};

/** Does something with the table, again and again while the table is only busy or away for a moment. */
const persistently = async <T>(work: () => Promise<T>, signal: AbortSignal): Promise<T> => {
  for (let attempt = 1; ; attempt++) {
    try {
      return await work();
    } catch (error) {
      if (attempt === attempts || signal.aborted || !mayPass(error)) throw error;
      await sleep(Math.min(8000, 100 * 2 ** attempt) * (0.5 + Math.random() / 2), undefined, { signal });
    }
  }
};

/** Whether a fault may pass by itself. A refusal of ours or of AWS does not, unless it asks for patience. */
const mayPass = (error: unknown) => {
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

/** What remembers how far an import came: for this input, as it is now, and for this table. */
const progressFile = (file: string, source: { table: string; size: number; mtimeMs: number }) => {
  const path = `${file}.progress`;
  return {
    async read(): Promise<ImportState | undefined> {
      const text = await readFile(path, 'utf8').catch(() => '');
      const { data } = z.safeParse(Progress, parsed(text));
      const same = data?.table === source.table && data.size === source.size && data.mtimeMs === source.mtimeMs;
      return same ? data.state : undefined;
    },
    async write({ line, end, imported, failed, errors }: ImportState) {
      const state = { line, end, imported, failed, errors };
      // Renamed into place: whoever is killed while writing leaves the former one.
      await writeFile(`${path}.new`, JSON.stringify({ ...source, state }))
        .then(() => rename(`${path}.new`, path))
        .catch((error: Error) => {
          throw new UsageError(`The progress of the import cannot be kept in ${path}: ${error.message}.`);
        });
    },
    remove: () => rm(path, { force: true }),
  };
};

const parsed = (text: string): unknown => {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
};
