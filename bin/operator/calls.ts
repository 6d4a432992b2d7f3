import { MultiBar, Presets } from 'cli-progress';
import { type ImportListener, type ImportReport, importCalls } from './import-calls.ts';
import { print, record, say, visible } from './output.ts';
import { examples, type Operator } from './program.ts';
import { pathOf } from './read.ts';
import { openStores } from './stores.ts';
import { UsageError } from './usage-error.ts';

export const addCallsCommands = (program: Operator) => {
  const calls = program
    .command('calls')
    .description('Calls of agents')
    .addHelpText('after', examples('calls import calls.jsonl'));

  calls
    .command('import')
    .description('Import calls from a file of JSON lines')
    .argument('<file>', 'the file, one call a line')
    .addHelpText(
      'after',
      `
A line is the body of PUT /calls/{agentId}/{callId}, and the two ids:

  {"agentId":"front-desk","callId":"c-1","phone":"+14155550123","direction":"inbound","startedAt":"2026-01-31T12:00:00Z"}

also endedAt, durationSeconds and status. A line that is wrong is reported with its number and the others are
imported; the exit code is then 1. Importing a file again changes nothing. An import that was stopped goes on where
it was when the same command is given again: <file>.progress remembers that, until the import is over.
${examples('calls import calls.jsonl', 'calls import calls.jsonl --table voice-agents --region eu-central-1')}`,
    )
    .action(async (file, _, command) => {
      const options = command.optsWithGlobals();
      const stores = await openStores(options);
      const stop = new AbortController();
      const onSignal = () => stop.abort();
      for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, onSignal);
      const display = process.stderr.isTTY ? onTerminal(file) : inLines(file);
      const report = await importCalls(stores, pathOf(file), display, stop.signal).finally(() => display.end());
      if (report.stopped) {
        throw new UsageError(`Stopped after line ${report.line}: give the same command again to go on from there.`);
      }
      const { line, imported, failed, errors, resumedAfterLine } = report;
      const resumed = resumedAfterLine !== undefined && { resumedAfterLine };
      print(options, { file, lines: line, imported, failed, errors, ...resumed }, () =>
        record({ lines: line, imported, failed }),
      );
      if (failed > 0) process.exitCode = 1;
    });
};

type Display = ImportListener & { end(): void };

const resumption = ({ resumedAfterLine }: ImportReport) =>
  resumedAfterLine === undefined ? undefined : `Going on after line ${resumedAfterLine}.`;

/** A bar at the foot of the terminal, the lines that failed above it. */
const onTerminal = (file: string): Display => {
  const format = '{bar} {percentage} % · {lines} lines, {failed} failed · {eta_formatted} to go';
  const bars = new MultiBar(
    { format, hideCursor: true, gracefulExit: false, barsize: 30, etaBuffer: 500 },
    Presets.shades_classic,
  );
  const told = ({ line, failed }: ImportReport) => ({
    lines: line.toLocaleString('en'),
    failed: failed.toLocaleString('en'),
  });
  let bar: ReturnType<MultiBar['create']> | undefined;
  return {
    begin(report) {
      const sentence = resumption(report);
      if (sentence) say(sentence);
      bar = bars.create(report.bytes, report.end, told(report));
    },
    error: ({ line, message }) => bars.log(`${visible(`${file}:${line}: ${message}`)}\n`),
    progress: (report) => bar?.update(report.end, told(report)),
    end: () => bars.stop(),
  };
};

/** For a log or a pipe: a line now and then. */
const inLines = (file: string): Display => {
  const everyMilliseconds = 5000;
  let last = Date.now();
  return {
    begin(report) {
      const sentence = resumption(report);
      if (sentence) say(sentence);
    },
    error: ({ line, message }) => say(visible(`${file}:${line}: ${message}`)),
    progress({ line, failed, end, bytes }) {
      if (Date.now() - last < everyMilliseconds) return;
      last = Date.now();
      say(`${Math.floor((100 * end) / bytes)} %: ${line} lines, ${failed} failed.`);
    },
    end: () => undefined,
  };
};
