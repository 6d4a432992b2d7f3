import { PassThrough } from 'node:stream';
import { afterEach, expect, it, vi } from 'vitest';
import { duration, showProgress } from '../../../bin/outcomes/display.ts';

afterEach(() => vi.useRealTimers());

const counts = { updated: 0, failed: 0, invalid: 0 };

it('the progress of a run is a line every ten seconds, counting the pace from where this run began', () => {
  vi.useFakeTimers();
  const stream = new PassThrough();
  let text = '';
  stream.on('data', (piece) => {
    text += piece;
  });
  const display = showProgress(stream, 10_000, 4000);
  display.show(5000, counts);
  display.show(6000, { ...counts, invalid: 1 });
  expect(text).toBe('');
  vi.advanceTimersByTime(10_000);
  const line = '6,000 of 10,000 rows, 200 rows/s, 20 s left, 1 not set\n';
  expect(text).toBe(line);
  // The display distinguishes a slow service from a command that hangs.
  vi.advanceTimersByTime(10_000);
  expect(text).toBe(`${line}${line.replace('200 rows/s, 20 s', '100 rows/s, 40 s')}`);
  display.end();
});

it('the progress of a run shows durations as a person writes them', () => {
  expect([5, 185, 7800].map(duration)).toEqual(['5 s', '3 min 5 s', '2 h 10 min']);
});
