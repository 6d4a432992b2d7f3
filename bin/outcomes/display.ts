import { formatNumber } from '../command-line/output.ts';

/** The rows by the status of their result. */
export type Counts = Record<'failed' | 'invalid' | (string & {}), number>;

/** The progress of a run. */
export type Display = {
  show(rows: number, counts: Counts): void;
  say(message: string): void;
  end(): void;
};

const lineSeconds = 10;

/** Writes a line every ten seconds. `done` rows were done in an earlier run. */
export const showProgress = (
  stream: NodeJS.WritableStream,
  total: number,
  done: number,
  participle = 'set',
): Display => {
  const pace = computePace(done);
  let latest = { rows: done, notSet: 0 };
  // A timer keeps the display moving, so that a slow service does not look stuck.
  const timer = setInterval(() => {
    const { rate, left } = pace(latest.rows, total);
    stream.write(
      `${formatNumber(latest.rows)} of ${formatNumber(total)} rows, ${rate} rows/s, ${left} left, ${formatNumber(latest.notSet)} not ${participle}\n`,
    );
  }, lineSeconds * 1000);
  return {
    show(rows, { failed = 0, invalid = 0 }) {
      latest = { rows, notSet: failed + invalid };
    },
    say(message) {
      stream.write(`${message}\n`);
    },
    end() {
      clearInterval(timer);
    },
  };
};

/** Measures rows per second since the start, and the time that the remaining rows take at that pace. */
const computePace = (done: number) => {
  const startedAt = performance.now();
  return (rows: number, total: number) => {
    const rate = (rows - done) / ((performance.now() - startedAt) / 1000);
    return { rate: formatNumber(Math.round(rate)), left: rate > 0 ? duration((total - rows) / rate) : '–' };
  };
};

/** Formats seconds for people: `42 s`, `3 min 5 s`, `2 h 10 min`. */
export const duration = (seconds: number): string => {
  const whole = Math.round(seconds);
  if (whole < 60) return `${whole} s`;
  if (whole < 3600) return `${Math.floor(whole / 60)} min ${whole % 60} s`;
  return `${Math.floor(whole / 3600)} h ${Math.floor((whole % 3600) / 60)} min`;
};
