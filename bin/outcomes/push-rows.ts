import { createHash } from 'node:crypto';
import type { ApiClient } from '../../functions/openapi/client/client.ts';
import { resolvePath } from '../command-line/arguments.ts';
import { CommandError, exitCodes } from '../command-line/exit-codes.ts';
import { count, formatNumber, say } from '../command-line/output.ts';
import { ProgressFile } from '../command-line/progress-file.ts';
import { Pace } from '../command-line/sending/pace.ts';
import { sendRows } from '../command-line/sending/send-rows.ts';
import { type Operation, sender } from '../command-line/sending/sender.ts';
import { type Counts, duration, showProgress } from './display.ts';
import { ResultFile, type ResultForm, resultsFile, toResult } from './results.ts';
import type { FileRow } from './row.ts';

/** The options of a run over a file. */
export type RunOptions = {
  results?: string | undefined;
  concurrency: number;
  retries: number;
  strict?: boolean | undefined;
  restart?: boolean | undefined;
  signal: AbortSignal;
};

/** Reports the errors of a file as it is checked. */
export type Report<Item> = { add(row: FileRow<Item>): void; end(): void };

/** What the rows of a file are, and where they go. */
export type Rows<Item, Succeeded extends string> = {
  operation: Operation<Item, Succeeded>;
  /** The maximum number of rows of a request. */
  maxRows: number;
  /** Yields the rows in order, read on demand. `onBytes` receives every byte of the file. */
  read(onBytes?: (bytes: Buffer) => void): AsyncGenerator<FileRow<Item>>;
  /** The form of the results. */
  form: ResultForm;
  report: Report<Item>;
  /** What is done with a row: "set". */
  participle: string;
};

/** The service that gets the rows. `run` has the options on which the rows depend, besides the file. */
export type Target = { baseUrl: string; api: ApiClient; run: object; flagsForFailed: string };

/** The number of input rows in the results file, and its length with these rows. */
type Progress = { rows: number; resultBytes: number; counts: Counts };

/** Reads the whole file before anything is sent, counts its rows and reports the errors in them. */
const checkRows = async <Item>({ read, report }: Pick<Rows<Item, string>, 'read' | 'report'>, signal: AbortSignal) => {
  const hash = createHash('sha256');
  let total = 0;
  let invalid = 0;
  for await (const row of read((bytes) => hash.update(bytes))) {
    signal.throwIfAborted();
    total++;
    if (row.errors) invalid++;
    report.add(row);
  }
  report.end();
  return { total, invalid, sha256: hash.digest('hex') };
};

/** Checks the rows of a file and sends nothing. Fails if a row is invalid. */
export const tryRows = async <Item>(rows: Rows<Item, string>, signal: AbortSignal): Promise<void> => {
  const { total, invalid } = await checkRows(rows, signal);
  const valid = `${formatNumber(total - invalid)} valid, ${formatNumber(invalid)} invalid`;
  const summary = `${count(total, 'row')}: ${valid}. Nothing was sent.`;
  if (invalid > 0) throw new CommandError(summary);
  process.stdout.write(`${summary}\n`);
};

/** Sends every row of a file, and writes the results beside it. Continues an interrupted run. Fails unless all rows succeed. */
export const pushRows = async <Item, Succeeded extends string>(
  file: string,
  rows: Rows<Item, Succeeded>,
  { baseUrl, api, run, flagsForFailed }: Target,
  options: RunOptions,
): Promise<void> => {
  const { operation, maxRows, form, participle } = rows;
  const { total, invalid, sha256 } = await checkRows(rows, options.signal);
  if (options.strict && invalid > 0) {
    throw new CommandError(`${count(invalid, 'row is', 'rows are')} invalid. Nothing was sent.`, exitCodes.usage);
  }

  const progressFile = new ProgressFile<Progress>(`${file}.progress.json`, { baseUrl, sha256, ...run });
  const left = await progressFile.read();
  const resumes = left?.isSameRun && !options.restart;
  if (left && !resumes && !options.restart) {
    say('The file, the service or an option has changed since the interrupted run. Starting at the first row.');
  }
  if (resumes) say(`Continuing after row ${formatNumber(left.state.rows)}, where the last run was interrupted.`);
  const nothing: Counts = { [operation.status]: 0, failed: 0, invalid: 0 };
  const from = resumes ? left.state : { rows: 0, resultBytes: 0, counts: nothing };
  if (!isPrivate(baseUrl)) say(`${baseUrl} is not https: the API key is sent unencrypted.`);

  const resultPath = options.results ?? resultsFile(file, form.format);
  if (resolvePath(resultPath) === resolvePath(file)) {
    throw new CommandError('The results cannot replace the input. Name another file with --results.', exitCodes.usage);
  }
  const results = await ResultFile.open(resultPath, form, from.resultBytes);
  const progress = { rows: from.rows, resultBytes: results.bytes, counts: { ...from.counts } };
  await progressFile.write(progress);

  const display = showProgress(process.stderr, total, from.rows, participle);
  let answered = from.rows;
  const onAnswer = (done: number) => {
    answered += done;
    display.show(Math.max(answered, progress.rows), progress.counts);
  };
  const startedAt = performance.now();
  try {
    const pace = new Pace(maxRows, options.concurrency);
    const { retries, concurrency, signal } = options;
    const send = sender({ operation, api, retries, pace, onRetry: display.say, onAnswer });
    const sendItems = (batch: FileRow<Item>[], stop: AbortSignal) =>
      send(
        batch.flatMap(({ item }) => (item === undefined ? [] : [item])),
        stop,
      );
    const unsent = skipRows(from.rows, rows.read());
    for await (const sent of sendRows(unsent, sendItems, { operation, concurrency, signal, pace })) {
      const done = sent.map(toResult);
      await results.append(done);
      for (const { outcome } of done) progress.counts[outcome.status] = (progress.counts[outcome.status] ?? 0) + 1;
      progress.rows += done.length;
      progress.resultBytes = results.bytes;
      await progressFile.write(progress);
      onAnswer(done.filter(({ outcome }) => outcome.status === 'invalid').length);
    }
  } finally {
    display.end();
    await results.close();
  }
  await progressFile.remove();
  const seconds = (performance.now() - startedAt) / 1000;
  const { [operation.status]: succeeded = 0, failed, invalid: unsendable } = progress.counts;
  const before = from.rows > 0 ? ` after ${count(from.rows, 'row')} of an interrupted run` : '';
  const pace = `${count(total - from.rows, 'row')} in ${duration(seconds)}${before}`;
  process.stdout.write(
    `${formatNumber(succeeded)} ${participle}, ${formatNumber(failed)} failed, ${formatNumber(unsendable)} invalid and not sent (${pace}). Results: ${resultPath}\n`,
  );
  const undone = failed + unsendable;
  if (undone > 0)
    throw new CommandError(
      `${count(undone, 'row was', 'rows were')} not ${participle}. Correct ${undone === 1 ? 'it' : 'them'} in the results file, and send it with ${flagsForFailed}.`,
    );
};

/** Yields the rows after the first `skip`. */
async function* skipRows<Item>(skip: number, rows: AsyncGenerator<FileRow<Item>>): AsyncGenerator<FileRow<Item>> {
  let index = 0;
  for await (const row of rows) if (index++ >= skip) yield row;
}

const isPrivate = (baseUrl: string) => {
  const { protocol, hostname } = new URL(baseUrl);
  return protocol === 'https:' || /^(localhost|127\.[\d.]+|\[::1\])$/.test(hostname);
};
