import { stat } from 'node:fs/promises';
import { setTimeout as sleep } from 'node:timers/promises';
import { DescribeTableCommand } from '@aws-sdk/client-dynamodb';
import { type AgentOfCall, toRecording } from '../../../functions/domain/call-outcomes.ts';
import { CallItem } from '../../../functions/domain/calls.ts';
import { now } from '../../../functions/domain/date-time.ts';
import { ApiError } from '../../../functions/domain/errors.ts';
import { isIdentifier } from '../../../functions/domain/identifiers.ts';
import { holdsInfinity, isDeeperThan, parseJson, utf8 } from '../../../functions/domain/json.ts';
import { limits } from '../../../functions/domain/limits.ts';
import { validate } from '../../../functions/domain/validation.ts';
import type { Recording } from '../../../functions/store/calls/record-calls.ts';
import { deadline } from '../../../functions/store/table.ts';
import { formatDetails } from '../../command-line/arguments.ts';
import { describeFileError } from '../../command-line/describe-error.ts';
import { CommandError, exitCodes } from '../../command-line/exit-codes.ts';
import { ProgressFile } from '../../command-line/progress-file.ts';
import { operatorKeyId } from '../operator-key.ts';
import type { Stores } from '../stores.ts';
import { type Line, linesAfter } from './lines.ts';

/** The reason why a line was not imported. */
export type LineError = { line: number; message: string };

/** The position of an import: every line up to `line` is imported or has failed. The errors are at most the first thousand. */
type ImportState = { line: number; end: number; imported: number; failed: number; errors: LineError[] };

export type ImportReport = ImportState & { bytes: number; resumedAfterLine?: number; stopped?: true };

/** Receives the progress of an import. */
export type ImportListener = {
  begin(report: ImportReport): void;
  error(error: LineError): void;
  progress(report: ImportReport): void;
};

/** The number of lines that are imported together. Progress is saved after each batch. */
const linesPerBatch = 250;

/** The maximum number of errors in memory and in the progress file. */
const maxErrors = 1000;

/** The number of attempts, which together take about thirty seconds. */
const maxAttempts = 8;
const attemptMilliseconds = 20_000;

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
  const run = { table: await readIdentity(stores), size, mtimeMs };
  const progress = new ProgressFile<ImportState>(`${file}.progress`, run);
  const left = await progress.read();
  const found = left?.isSameRun ? left.state : undefined;
  const report: ImportReport = {
    ...(found ?? { line: 0, end: 0, imported: 0, failed: 0, errors: [] }),
    bytes: size,
    ...(found && { resumedAfterLine: found.line }),
  };
  listener.begin(report);
  const importLines = lineImporter(stores, signal);
  const lines = linesAfter(file, { number: report.line, end: report.end }, limits.bodyBytes);
  for await (const batch of collectBatches(lines)) {
    const outcomes = await importLines(batch).catch((error) => {
      if (signal.aborted) return undefined;
      throw error;
    });
    if (!outcomes) return { ...report, stopped: true };
    for (const [index, { number: line, end }] of batch.entries()) {
      const outcome = outcomes[index] as LineOutcome;
      Object.assign(report, { line, end });
      if (outcome === 'imported') report.imported += 1;
      else if (outcome !== 'blank') {
        report.failed += 1;
        const error = { line, message: outcome.error };
        if (report.errors.length < maxErrors) report.errors.push(error);
        listener.error(error);
      }
    }
    listener.progress(report);
    const { line, end, imported, failed, errors } = report;
    await progress.write({ line, end, imported, failed, errors });
    if (signal.aborted) return { ...report, stopped: true };
  }
  await progress.remove();
  return report;
};

async function* collectBatches(lines: AsyncIterable<Line>): AsyncGenerator<Line[]> {
  let batch: Line[] = [];
  for await (const line of lines) {
    batch.push(line);
    if (batch.length < linesPerBatch) continue;
    yield batch;
    batch = [];
  }
  if (batch.length > 0) yield batch;
}

/** Identifies a table, even among deleted tables of the same name. */
const readIdentity = async ({ table }: Stores) => {
  const { Table } = await table.client.send(new DescribeTableCommand({ TableName: table.name }), deadline());
  return Table?.TableId ?? `${Table?.TableArn} ${Table?.CreationDateTime?.toISOString()}`;
};

type LineOutcome = 'imported' | 'blank' | { error: string };

/** Returns a function that imports lines, and returns the outcome of each. The last line of a call wins. */
const lineImporter = ({ agents, calls }: Stores, signal: AbortSignal) => {
  const known = new Map<string, ReturnType<typeof agents.access>>();
  const accessTo = (agentId: string) => {
    if (!isIdentifier(agentId)) return undefined;
    const found = known.get(agentId) ?? withRetries(() => agents.access(agentId), signal);
    known.set(agentId, found);
    return found;
  };
  const record = async (recordings: Recording[]) => {
    const results = await calls.recordMany(recordings, Date.now() + attemptMilliseconds);
    for (const result of results) if (result instanceof Error) throw result;
  };
  return async (lines: Line[]): Promise<LineOutcome[]> => {
    const at = now();
    const recordings: Recording[] = [];
    const outcomes: LineOutcome[] = [];
    for (const line of lines) {
      const read = readLine(line);
      if ('call' in read) {
        const access = await accessTo(read.call.agentId);
        const error = access
          ? accept(recordings, read.call, access, at)
          : `agentId: there is no agent ${read.call.agentId}`;
        outcomes.push(error === undefined ? 'imported' : { error });
      } else outcomes.push(read.outcome);
    }
    // All lines are sent again: recorded calls are not written twice, and the lines of a call stay in order.
    await withRetries(() => record(recordings), signal);
    return outcomes;
  };
};

/** Adds a call to those to record. Returns the error of an outcome that its agent does not declare. */
const accept = (
  recordings: Recording[],
  call: CallItem,
  access: Omit<AgentOfCall, 'agentId'>,
  at: string,
): string | undefined => {
  try {
    recordings.push(toRecording(call, access, { uid: access.owner, keyId: operatorKeyId, at }));
    return undefined;
  } catch (error) {
    if (error instanceof ApiError) return formatDetails(error);
    throw error;
  }
};

const readLine = ({ bytes }: Line): { call: CallItem } | { outcome: LineOutcome } => {
  const failed = (error: string) => ({ outcome: { error } });
  if (!bytes) return failed(`is longer than ${limits.bodyBytes.toLocaleString('en')} bytes`);
  let value: unknown;
  try {
    const text = utf8.decode(bytes).trim();
    if (text === '') return { outcome: 'blank' };
    value = parseJson(text);
  } catch {
    return failed('is not JSON in UTF-8');
  }
  if (isDeeperThan(value, limits.jsonDepth)) return failed(`is nested deeper than ${limits.jsonDepth} levels`);
  if (holdsInfinity(value)) return failed('has a number that is too large');
  const { data, error } = validate(CallItem, value);
  return error ? failed(formatDetails(error)) : { call: data };
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
