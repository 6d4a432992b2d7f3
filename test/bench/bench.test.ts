import { expect, it } from 'vitest';
import { capturedRun } from '../support/captured-run.ts';
import { target } from '../support/world.ts';
import type { Row } from './benchmark.ts';
import { run } from './command-line.ts';
import { sequentialDepth } from './proxy.ts';

const bench = (argv: string[], rows?: Row[]) =>
  capturedRun((args) => run(args, rows), argv, { AWS_ENDPOINT_URL_DYNAMODB: target.endpoints.dynamodb });

const rowOf = (name: string, ...reached: boolean[]): Row => ({
  name,
  title: `The row ${name}`,
  measure: async () =>
    reached.map((one, index) => ({
      what: `figure ${index} of ${name}`,
      ours: { value: 1, unit: 'ms' },
      target: { text: '≤ 2 ms', reached: one },
    })),
});

it('the benchmark ends with 1 exactly when a target is missed, and names it', async () => {
  const rows = [rowOf('fast', true, true), rowOf('slow', true, false)];
  expect(await bench(['fast'], rows)).toMatchObject({ code: 0, stderr: 'The row fast …\n' });
  const missed = await bench([], rows);
  expect(missed.code).toBe(1);
  expect(missed.stderr).toContain('\nTargets missed: figure 1 of slow.\n');
  expect(missed.stdout).toMatch(/figure 1 of fast\s+1 ms\s+≤ 2 ms\s+reached\n.*figure 1 of slow.*MISSED/s);
});

it('the benchmark measures the other rows when one breaks off, says why, and ends with 1', async () => {
  const broken: Row = { ...rowOf('broken'), measure: () => Promise.reject(new Error('The table is gone.')) };
  const { stdout, stderr, code } = await bench([], [broken, rowOf('fast', true)]);
  expect(code).toBe(1);
  expect(stderr).toMatch(/The row broken …\n {2}It broke off\. .*The table is gone.*\nBroke off: broken\.\n/s);
  expect(stdout).toMatch(/figure 0 of fast\s+1 ms\s+≤ 2 ms\s+reached/);
});

it('the benchmark rejects an unknown row', async () => {
  const { stdout, stderr, code } = await bench(['speed']);
  expect({ stdout, code }).toEqual({ stdout: '', code: 1 });
  expect(stderr).toContain('round-trips');
});

it('two requests count as sequential only when one came after the response to the other', () => {
  const seen = (begin: number, end: number) => ({ service: 's', operation: 'o', begin, end });
  expect(sequentialDepth([])).toBe(0);
  expect(sequentialDepth([seen(0, 10), seen(1, 9), seen(2, 12)])).toBe(1);
  expect(sequentialDepth([seen(0, 10), seen(11, 20), seen(12, 30), seen(21, 25)])).toBe(3);
});
