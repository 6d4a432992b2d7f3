import { createHash } from 'node:crypto';
import { pMapIterable } from 'p-map';
import { limits } from '../../functions/domain/limits.ts';
import { displayOn, duration } from './display.ts';
import { InputFileError } from './input-file-error.ts';
import { type Counts, ProgressFile } from './progress.ts';
import { invalid, type Result, ResultFile } from './results.ts';
import type { ReadOptions, Row } from './row.ts';
import { formatOf, mistakesOf, rowsOf } from './rows.ts';
import { callOf, type Outcome, type Sender, sender } from './send.ts';

export type PushOptions = ReadOptions & {
  baseUrl: string;
  results?: string | undefined;
  concurrency: number;
  retries: number;
  dryRun?: boolean | undefined;
  strict?: boolean | undefined;
  restart?: boolean | undefined;
  /** Asked only when something is to be sent. */
  apiKey(): Promise<string>;
  signal: AbortSignal;
};

/** How many mistakes are shown; all of them are in the result file. */
const mistakesShown = 20;
/** A request stays below the service's own bound, whatever else it carries. */
const batchBytes = limits.bodyBytes - 16 * 1024;

/** Sets the outcome of every row of a file. Returns whether all were set. */
export const push = async (file: string, options: PushOptions): Promise<boolean> => {
  const say = (message: string) => process.stderr.write(`${message}\n`);
  const checked = await checkFile(file, options, say);
  const { rows: total, wrong } = checked;
  if (options.dryRun) {
    console.log(
      `${number(total)} ${total === 1 ? 'row' : 'rows'}: ${number(total - wrong)} right, ${number(wrong)} wrong. Nothing was sent.`,
    );
    return wrong === 0;
  }
  if (options.strict && wrong > 0) throw new InputFileError(`${rowsAre(wrong)} wrong. Nothing was sent.`);

  const progressFile = new ProgressFile(`${file}.progress.json`);
  const { baseUrl, agentId, ignoreUnknown } = options;
  const run = { baseUrl, sha256: checked.sha256, agentId, ignoreUnknown };
  const left = await progressFile.read();
  const goesOn = left && !options.restart && JSON.stringify(left.run) === JSON.stringify(run);
  if (left && !goesOn && !options.restart)
    say('The file or the service is another one than in the interrupted run: starting anew.');
  if (goesOn) say(`Going on after row ${number(left.rows)}, where the last run was interrupted.`);
  const from = goesOn ? left : { rows: 0, resultBytes: 0, counts: { updated: 0, failed: 0, invalid: 0 } };
  const apiKey = await options.apiKey();
  if (!isPrivate(baseUrl)) say(`${baseUrl} is not https: the API key travels unencrypted.`);

  const resultPath = options.results ?? `${file}.results.${formatOf(file)}`;
  const results = await ResultFile.open(resultPath, formatOf(file), from.resultBytes);
  const progress = { pid: process.pid, run, rows: from.rows, resultBytes: results.bytes, counts: { ...from.counts } };
  await progressFile.write(progress);

  const display = displayOn(process.stderr, total, from.rows);
  const startedAt = performance.now();
  const ended = new AbortController();
  const signal = AbortSignal.any([options.signal, ended.signal]);
  try {
    const service = sender({ ...options, apiKey, signal, onRetry: display.say });
    for await (const done of sentRows(file, options, from.rows, service)) {
      await results.append(done);
      count(progress.counts, done);
      progress.rows += done.length;
      progress.resultBytes = results.bytes;
      await progressFile.write(progress);
      display.show(progress.rows, progress.counts);
    }
  } finally {
    ended.abort();
    display.end();
    await results.close();
  }
  await progressFile.remove();
  const seconds = (performance.now() - startedAt) / 1000;
  summarise(progress.counts, { rows: total - from.rows, seconds, resultPath });
  return progress.counts.failed + progress.counts.invalid === 0;
};

/** Reads the whole file once before anything is sent: how many rows there are, and what is wrong with them. */
const checkFile = async (file: string, options: PushOptions, say: (message: string) => void) => {
  const hash = createHash('sha256');
  let rows = 0;
  let wrong = 0;
  let shown = 0;
  for await (const row of rowsOf(file, options, (bytes) => hash.update(bytes))) {
    options.signal.throwIfAborted();
    rows++;
    if (!row.mistakes) continue;
    wrong++;
    for (const mistake of mistakesOf(file, row)) if (shown++ < mistakesShown) say(mistake);
  }
  if (shown > mistakesShown) say(`… and ${number(shown - mistakesShown)} more mistakes.`);
  return { rows, wrong, sha256: hash.digest('hex') };
};

/** The results of the rows after the first `skip`, batch by batch, in the order of the file. */
const sentRows = (file: string, options: PushOptions, skip: number, service: Sender) => {
  const latest = new Map<string, Promise<unknown>>();
  return pMapIterable(
    batchesOf(file, options, skip),
    async (batch): Promise<Result[]> => {
      const items = batch.flatMap(({ item }) => item ?? []);
      const calls = new Set(items.map(callOf));
      // Of two rows for one call the later one counts: its batch waits for the earlier one's.
      const before = new Set([...calls].flatMap((call) => latest.get(call) ?? []));
      const sending = Promise.allSettled(before).then(() => (items.length > 0 ? service.send(items) : []));
      for (const call of calls) latest.set(call, sending);
      const outcomes = await sending;
      for (const call of calls) if (latest.get(call) === sending) latest.delete(call);
      let next = 0;
      return batch.map((row) => (row.item ? { row, outcome: outcomes[next++] as Outcome } : invalid(row)));
    },
    { concurrency: options.concurrency },
  );
};

async function* batchesOf(file: string, options: ReadOptions, skip: number): AsyncGenerator<Row[]> {
  let batch: Row[] = [];
  let bytes = 0;
  let index = 0;
  for await (const row of rowsOf(file, options)) {
    if (index++ < skip) continue;
    const weight = row.item ? Buffer.byteLength(JSON.stringify(row.item)) + 1 : 0;
    if (batch.length === limits.outcomesPerRequest || bytes + weight > batchBytes) {
      yield batch;
      batch = [];
      bytes = 0;
    }
    batch.push(row);
    bytes += weight;
  }
  if (batch.length > 0) yield batch;
}

const isPrivate = (baseUrl: string) => {
  const { protocol, hostname } = new URL(baseUrl);
  return protocol === 'https:' || /^(localhost|127\.[\d.]+|\[::1\])$/.test(hostname);
};

const count = (counts: Counts, results: Result[]) => {
  for (const { outcome } of results) counts[outcome.status]++;
};

const summarise = (counts: Counts, run: { rows: number; seconds: number; resultPath: string }) => {
  const { updated, failed, invalid } = counts;
  const pace = `${number(run.rows)} ${run.rows === 1 ? 'row' : 'rows'} in ${duration(run.seconds)}`;
  console.log(
    `${number(updated)} set, ${number(failed)} failed, ${number(invalid)} wrong and not sent (${pace}). Each row's result is in ${run.resultPath}.`,
  );
};

const rowsAre = (count: number) => (count === 1 ? '1 row is' : `${number(count)} rows are`);

const number = (value: number) => value.toLocaleString('en');
