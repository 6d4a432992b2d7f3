import { CallItem } from '../../../functions/domain/calls.ts';
import { isIdentifier } from '../../../functions/domain/identifiers.ts';
import { isDeeperThan, parseJson, utf8 } from '../../../functions/domain/json.ts';
import { limits } from '../../../functions/domain/limits.ts';
import { validate } from '../../../functions/domain/validation.ts';
import { apiClient, type CallItem as Item } from '../../../functions/openapi/client/client.ts';
import { formatDetails, resolvePath } from '../../command-line/arguments.ts';
import { CommandError, exitCodes } from '../../command-line/exit-codes.ts';
import { statFile } from '../../command-line/input-file.ts';
import { count, formatNumber, say, visible } from '../../command-line/output.ts';
import { ProgressFile } from '../../command-line/progress-file.ts';
import { Pace } from '../../command-line/sending/pace.ts';
import { maxItemsBytes, sendRows } from '../../command-line/sending/send-rows.ts';
import { type Outcome, recordCalls, type Send, sender } from '../../command-line/sending/sender.ts';
import type { Owners } from '../service.ts';
import { type Line, linesAfter } from './lines.ts';

/** The reason why a line was not imported. */
type LineError = { line: number; message: string };

/** The position of an import: every line up to `line` is imported or has failed. The errors are at most the first thousand. */
type ImportState = { line: number; end: number; imported: number; failed: number; errors: LineError[] };

type ImportReport = ImportState & { resumedAfterLine?: number };

/** A line of the file: its call with the key of the agent's owner, or the reason why it is not sent. A blank line has neither. */
type Row = Pick<ImportState, 'line' | 'end'> & { item?: Item; apiKey?: string; error?: string };

/** The number of lines in a request. Progress is saved after each. */
const linesPerRequest = 250;
const concurrency = 4;
const retries = 8;
/** The interval between messages about the progress. */
const everyMilliseconds = 5000;

/** The maximum number of errors in memory and in the progress file. */
const maxErrors = 1000;

/**
 * Imports calls from a file of JSON lines with POST /calls. Repeating an import changes nothing. A progress file beside the input
 * lets an import that was killed continue; a complete import deletes it.
 */
export const runImport = async (owners: Owners, file: string, signal: AbortSignal): Promise<ImportReport> => {
  const path = resolvePath(file);
  const { size, mtimeMs } = await statFile(file);
  const progress = new ProgressFile<ImportState>(`${path}.progress`, { ...owners.target, size, mtimeMs });
  const left = await progress.read();
  const found = left?.isSameRun ? left.state : undefined;
  const state = found ?? { line: 0, end: 0, imported: 0, failed: 0, errors: [] };
  const report: ImportReport = { ...state, resumedAfterLine: found?.line };
  if (found) say(`Continuing after line ${found.line}.`);
  let saidAt = Date.now();
  const lines = linesAfter(path, { number: report.line, end: report.end }, maxItemsBytes);
  const pace = new Pace(linesPerRequest, concurrency);
  try {
    for await (const batch of sendRows(readRows(lines, owners), sendByOwner(owners, pace), {
      operation: recordCalls,
      pace,
      concurrency,
      signal,
    })) {
      for (const { row, outcome } of batch) {
        const { line, end, error } = row;
        const message = outcome?.status === 'failed' ? outcome.message : error;
        Object.assign(report, { line, end });
        if (message === undefined) report.imported += outcome ? 1 : 0;
        else {
          report.failed += 1;
          if (report.errors.length < maxErrors) report.errors.push({ line, message });
          say(visible(`${file}:${line}: ${message}`));
        }
      }
      if (Date.now() - saidAt >= everyMilliseconds) {
        saidAt = Date.now();
        const { line, failed } = report;
        say(`${Math.floor((100 * report.end) / size)}%: ${count(line, 'line')}, ${formatNumber(failed)} failed.`);
      }
      const { line, end, imported, failed, errors } = report;
      await progress.write({ line, end, imported, failed, errors });
    }
  } catch (error) {
    if (!signal.aborted) throw error;
    throw new CommandError(
      `Stopped after line ${report.line}. Run the same command again to continue.`,
      exitCodes.unfinished,
    );
  }
  await progress.remove();
  return report;
};

/** Returns a function that sends the calls of each owner's agents with the key of that owner. */
const sendByOwner = ({ baseUrl }: Owners, pace: Pace) => {
  const senders = new Map<string, Send<Item, 'recorded'>>();
  const chooseSender = (apiKey: string) => {
    const send =
      senders.get(apiKey) ??
      sender({ operation: recordCalls, api: apiClient({ baseUrl, apiKey }), pace, retries, onRetry: say });
    senders.set(apiKey, send);
    return send;
  };
  return async (rows: Row[], signal: AbortSignal) => {
    const outcomes = new Map<Row, Outcome<'recorded'>>();
    await Promise.all(
      Array.from(
        Map.groupBy(rows, ({ apiKey }) => apiKey as string),
        async ([apiKey, ofOwner]) => {
          const items = ofOwner.map(({ item }) => item as Item);
          const results = await chooseSender(apiKey)(items, signal);
          for (const [index, row] of ofOwner.entries()) outcomes.set(row, results[index] as Outcome<'recorded'>);
        },
      ),
    );
    return rows.map((row) => outcomes.get(row) as Outcome<'recorded'>);
  };
};

async function* readRows(lines: AsyncIterable<Line>, owners: Owners): AsyncGenerator<Row> {
  for await (const line of lines) yield { line: line.number, end: line.end, ...(await readLine(line, owners)) };
}

/** Reads a line. It validates calls as the service does: one line must not fail the request of all others. */
const readLine = async ({ bytes }: Line, owners: Owners): Promise<Pick<Row, 'item' | 'apiKey' | 'error'>> => {
  if (!bytes) return { error: `is longer than ${formatNumber(maxItemsBytes)} bytes` };
  let item: unknown;
  try {
    const text = utf8.decode(bytes).trim();
    if (text === '') return {};
    item = parseJson(text);
  } catch {
    return { error: 'is not JSON in UTF-8' };
  }
  // A call is in the list of the request.
  const maxDepth = limits.jsonDepth - 2;
  if (isDeeperThan(item, maxDepth)) return { error: `is nested deeper than ${maxDepth} levels` };
  const { data, error } = validate(CallItem, item);
  if (error) return { error: formatDetails(error) };
  const { agentId } = data;
  const apiKey = isIdentifier(agentId) ? await owners.findKey(agentId) : undefined;
  if (!apiKey) return { error: `agentId: there is no agent ${agentId}` };
  return { item: item as Item, apiKey };
};
