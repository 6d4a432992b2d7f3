import { MultiBar, Presets } from 'cli-progress';
import { count, say, visible } from '../../command-line/output.ts';
import type { ImportListener, ImportReport } from './import-calls.ts';

type ImportDisplay = ImportListener & { end(): void };

/** Shows the progress of an import on standard error. */
export const importDisplay = (file: string): ImportDisplay => (process.stderr.isTTY ? onTerminal(file) : inLines(file));

const sayResumption = ({ resumedAfterLine }: ImportReport) => {
  if (resumedAfterLine !== undefined) say(`Continuing after line ${resumedAfterLine}.`);
};

/** Shows a bar at the bottom of the terminal, and the failed lines above it. */
const onTerminal = (file: string): ImportDisplay => {
  const format = '{bar} {percentage}% · {lines}, {failed} failed · {eta_formatted} left';
  const bars = new MultiBar(
    { format, hideCursor: true, gracefulExit: false, barsize: 30, etaBuffer: 500 },
    Presets.shades_classic,
  );
  const payload = ({ line, failed }: ImportReport) => ({
    lines: count(line, 'line'),
    failed: failed.toLocaleString('en'),
  });
  let bar: ReturnType<MultiBar['create']> | undefined;
  return {
    begin(report) {
      sayResumption(report);
      bar = bars.create(report.bytes, report.end, payload(report));
    },
    error: ({ line, message }) => bars.log(`${visible(`${file}:${line}: ${message}`)}\n`),
    progress: (report) => bar?.update(report.end, payload(report)),
    end: () => bars.stop(),
  };
};

/** Writes a line every few seconds, for logs and pipes. */
const inLines = (file: string): ImportDisplay => {
  const everyMilliseconds = 5000;
  let last = Date.now();
  return {
    begin: sayResumption,
    error: ({ line, message }) => say(visible(`${file}:${line}: ${message}`)),
    progress({ line, failed, end, bytes }) {
      if (Date.now() - last < everyMilliseconds) return;
      last = Date.now();
      say(`${Math.floor((100 * end) / bytes)}%: ${count(line, 'line')}, ${failed.toLocaleString('en')} failed.`);
    },
    end: () => undefined,
  };
};
