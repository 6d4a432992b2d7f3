import { createHash } from 'node:crypto';
import { limits } from '../../functions/domain/limits.ts';
import { resolvePath } from '../command-line/arguments.ts';
import { CommandError, exitCodes } from '../command-line/exit-codes.ts';
import { count, formatNumber, say } from '../command-line/output.ts';
import { ProgressFile } from '../command-line/progress-file.ts';
import { Pace } from '../command-line/sending/pace.ts';
import { sendRows } from '../command-line/sending/send-rows.ts';
import { callReference, sender } from '../command-line/sending/sender.ts';
import { outcomeCheck } from './declared-outcomes.ts';
import { detectDialect } from './dialect.ts';
import { type Counts, duration, showProgress } from './display.ts';
import { ResultFile, resultsFile, toResult } from './results.ts';
import type { ReadOptions, Row } from './row.ts';
import { describeErrors, fileFormat, readFileRows } from './rows.ts';

export type PushOptions = ReadOptions & {
  baseUrl: string;
  results?: string | undefined;
  concurrency: number;
  retries: number;
  dryRun?: boolean | undefined;
  strict?: boolean | undefined;
  restart?: boolean | undefined;
  apiKey(): Promise<string>;
  signal: AbortSignal;
};

/** The number of input rows in the results file, and its length with these rows. */
type Progress = { rows: number; resultBytes: number; counts: Counts };

/** Further errors are in the results file. */
const maxErrorsShown = 20;
const maxLinesShown = 3;
/** The different errors that are counted. */
const maxErrorsCounted = 1000;

/** Sets the outcome of every row of a file. Fails unless all of them are set. */
export const push = async (file: string, given: PushOptions): Promise<void> => {
  const form = { format: fileFormat(file), dialect: await detectDialect(file) };
  // The key comes first, so that a missing one is reported before a long file is checked.
  const apiKey = given.dryRun ? '' : await given.apiKey();
  const options = given.dryRun ? given : { ...given, checkOutcome: outcomeCheck({ ...given, apiKey }) };
  const checked = await checkFile(file, options);
  const { rows: total, invalidRows } = checked;
  if (options.dryRun) {
    const summary = `${count(total, 'row')}: ${formatNumber(total - invalidRows)} valid, ${formatNumber(invalidRows)} invalid. Nothing was sent.`;
    if (invalidRows > 0) throw new CommandError(summary);
    process.stdout.write(`${summary}\n`);
    return;
  }
  if (options.strict && invalidRows > 0) {
    throw new CommandError(`${count(invalidRows, 'row is', 'rows are')} invalid. Nothing was sent.`, exitCodes.usage);
  }

  const { baseUrl, agentId, ignoreUnknown, onlyFailed, map, decimalComma, country } = options;
  const run = { baseUrl, sha256: checked.sha256, agentId, ignoreUnknown, onlyFailed, map, decimalComma, country };
  const progressFile = new ProgressFile<Progress>(`${file}.progress.json`, run);
  const left = await progressFile.read();
  const resumes = left?.isSameRun && !options.restart;
  if (left && !resumes && !options.restart) {
    say('The file, the service or an option has changed since the interrupted run. Starting at the first row.');
  }
  if (resumes) say(`Continuing after row ${formatNumber(left.state.rows)}, where the last run was interrupted.`);
  const from = resumes ? left.state : { rows: 0, resultBytes: 0, counts: { updated: 0, failed: 0, invalid: 0 } };
  if (!isPrivate(baseUrl)) say(`${baseUrl} is not https: the API key is sent unencrypted.`);

  const resultPath = options.results ?? resultsFile(file, form.format);
  if (resolvePath(resultPath) === resolvePath(file)) {
    throw new CommandError('The results cannot replace the input. Name another file with --results.', exitCodes.usage);
  }
  const results = await ResultFile.open(resultPath, form, from.resultBytes);
  const progress = { rows: from.rows, resultBytes: results.bytes, counts: { ...from.counts } };
  await progressFile.write(progress);

  const display = showProgress(process.stderr, total, from.rows);
  let answered = from.rows;
  const onAnswer = (rows: number) => {
    answered += rows;
    display.show(Math.max(answered, progress.rows), progress.counts);
  };
  const startedAt = performance.now();
  try {
    const pace = new Pace(limits.outcomesPerRequest, options.concurrency);
    const send = sender({ ...options, status: 'updated', apiKey, pace, onRetry: display.say, onAnswer });
    const sendItems = (rows: Row[], signal: AbortSignal) =>
      send(
        rows.flatMap(({ item }) => item ?? []),
        signal,
      );
    const rows = readRowsAfter(from.rows, file, options);
    for await (const sent of sendRows(rows, sendItems, { ...options, pace })) {
      const done = sent.map(toResult);
      await results.append(done);
      for (const { outcome } of done) progress.counts[outcome.status]++;
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
  printSummary(progress.counts, { rows: total - from.rows, before: from.rows, seconds, resultPath });
  const notSet = progress.counts.failed + progress.counts.invalid;
  if (notSet > 0)
    throw new CommandError(
      `${count(notSet, 'row was', 'rows were')} not set. Correct them in the results file, and send it with ${flagsForFailed(options)}.`,
    );
};

/** Returns the options with which the results of a run are read. Their headings are the names of the fields, and those of skipped columns. */
const flagsForFailed = ({ country, decimalComma, map = {} }: PushOptions): string => {
  const fields = Object.values(map);
  const further = Object.entries(map).filter(([, field], index) => fields.indexOf(field) < index);
  return [
    '--only-failed',
    ...(country === undefined ? [] : [`--country ${country}`]),
    ...(decimalComma === undefined ? [] : [decimalComma ? '--decimal-comma' : '--no-decimal-comma']),
    ...further.map(([column, field]) => `--map "${column}=${field}"`),
  ].join(' ');
};

/** Reads the whole file before anything is sent, counts its rows and prints the errors in them. */
const checkFile = async (file: string, options: PushOptions) => {
  const hash = createHash('sha256');
  let rows = 0;
  let invalidRows = 0;
  const errors = new ErrorList();
  const calls = new Set<string>();
  let repeated = 0;
  for await (const row of readFileRows(file, options, (bytes) => hash.update(bytes))) {
    options.signal.throwIfAborted();
    rows++;
    if (row.item) {
      if (calls.has(callReference(row.item))) repeated++;
      calls.add(callReference(row.item));
    }
    if (!row.errors) continue;
    invalidRows++;
    errors.add(file, row);
  }
  errors.say();
  if (repeated > 0)
    say(`${count(repeated, 'row names', 'rows name')} a call of an earlier row: the last row of a call wins.`);
  return { rows, invalidRows, sha256: hash.digest('hex') };
};

/** The errors of a file. Where they are many, those of the same words are one line. */
class ErrorList {
  readonly #first: string[] = [];
  /** The lines of the errors of the same words, and how the first one is shown. */
  readonly #kinds = new Map<string, { text: string; lines: number[] }>();
  #count = 0;

  add(file: string, row: Row): void {
    const texts = describeErrors(file, row);
    for (const [index, { column, message }] of (row.errors ?? []).entries()) {
      this.#count++;
      const kind = column === undefined ? message : `${column}: ${message}`;
      const text = texts[index] ?? kind;
      if (this.#first.length < maxErrorsShown) this.#first.push(text);
      const found = this.#kinds.get(kind);
      if (found) found.lines.push(row.line);
      else if (this.#kinds.size < maxErrorsCounted) this.#kinds.set(kind, { text, lines: [row.line] });
    }
  }

  say(): void {
    let left = this.#count;
    if (left <= maxErrorsShown) {
      for (const text of this.#first) say(text);
      return;
    }
    const kinds = [...this.#kinds].sort(([, one], [, other]) => other.lines.length - one.lines.length);
    for (const [kind, { text, lines }] of kinds.slice(0, maxErrorsShown)) {
      left -= lines.length;
      const shown = lines.slice(0, maxLinesShown).map(formatNumber).join(', ');
      const others = lines.length > maxLinesShown ? ', …' : '';
      say(lines.length === 1 ? text : `${count(lines.length, 'row')}: ${kind} (lines ${shown}${others})`);
    }
    if (left > 0) say(`… and ${count(left, 'more error')}.`);
  }
}

/** Yields the rows of a file after the first `skip`. */
async function* readRowsAfter(skip: number, file: string, options: ReadOptions): AsyncGenerator<Row> {
  let index = 0;
  for await (const row of readFileRows(file, options)) if (index++ >= skip) yield row;
}

const isPrivate = (baseUrl: string) => {
  const { protocol, hostname } = new URL(baseUrl);
  return protocol === 'https:' || /^(localhost|127\.[\d.]+|\[::1\])$/.test(hostname);
};

const printSummary = (counts: Counts, run: { rows: number; before: number; seconds: number; resultPath: string }) => {
  const { updated, failed, invalid } = counts;
  const before = run.before > 0 ? ` after ${count(run.before, 'row')} of an interrupted run` : '';
  const pace = `${count(run.rows, 'row')} in ${duration(run.seconds)}${before}`;
  process.stdout.write(
    `${formatNumber(updated)} set, ${formatNumber(failed)} failed, ${formatNumber(invalid)} invalid and not sent (${pace}). Results: ${run.resultPath}\n`,
  );
};
