import { PassThrough } from 'node:stream';
import { afterEach, expect, it, vi } from 'vitest';
import { duration, showProgress } from '../../../bin/outcomes/display.ts';

afterEach(() => vi.useRealTimers());

/** A stream as a terminal or a log offers it, and what was written to it. */
const streamOf = (isTTY: boolean) => {
  const stream = Object.assign(new PassThrough(), { isTTY, columns: 120, cursorTo() {}, clearLine() {} });
  let text = '';
  stream.on('data', (piece) => {
    text += piece;
  });
  return { stream: stream as unknown as NodeJS.WriteStream, text: () => text };
};
const counts = { updated: 0, failed: 0, invalid: 0 };

it('the progress of a run is a bar on a terminal, with pace and time left', () => {
  vi.useFakeTimers();
  const { stream, text } = streamOf(true);
  const display = showProgress(stream, 1000, 0);
  vi.advanceTimersByTime(10_000);
  display.show(500, { ...counts, failed: 2 });
  display.say('The service responded 429. Retrying in 2.1 s.');
  display.end();
  expect(text()).toContain('████████████░░░░░░░░░░░░ 50% · 500 of 1,000 rows');
  expect(text()).toContain('50 rows/s · 10 s left · 2 not set');
  expect(text()).toContain('The service responded 429. Retrying in 2.1 s.\n');
});

it('the progress of a run is a plain line every ten seconds in a log, counting the pace from where this run began', () => {
  vi.useFakeTimers();
  const { stream, text } = streamOf(false);
  const display = showProgress(stream, 10_000, 4000);
  display.show(5000, counts);
  display.show(6000, { ...counts, invalid: 1 });
  expect(text()).toBe('');
  vi.advanceTimersByTime(10_000);
  const line = '6,000 of 10,000 rows, 200 rows/s, 20 s left, 1 not set\n';
  expect(text()).toBe(line);
  // The display distinguishes a slow service from a command that hangs.
  vi.advanceTimersByTime(10_000);
  expect(text()).toBe(`${line}${line.replace('200 rows/s, 20 s', '100 rows/s, 40 s')}`);
  display.end();
});

it('the progress of a run shows durations as a person writes them', () => {
  expect([5, 185, 7800].map(duration)).toEqual(['5 s', '3 min 5 s', '2 h 10 min']);
});
