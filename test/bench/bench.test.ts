import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { describe, expect, it } from 'vitest';
import { jobs } from '../../functions/jobs.ts';
import { routes } from '../../functions/routes.ts';
import type { Figure } from './benchmark.ts';
import { sequentialDepth } from './proxy.ts';

const script = join(import.meta.dirname, './bench.ts');
const bench = (...args: string[]) =>
  promisify(execFile)(process.execPath, [script, ...args], { maxBuffer: 10_000_000 }).catch((error) => error);

// A busy machine takes its time for ten thousand numbers, and for thirty bundles.
describe('the benchmark', { timeout: 240_000 }, () => {
  it('finds one read, and one write for every 25 numbers', async () => {
    const { stdout, code = 0 } = await bench('add-requests', '--json');
    expect(code).toBe(0);
    const figures: Figure[] = JSON.parse(stdout)['add-requests'];
    expect(figures.map(({ ours }) => ours)).toEqual([2, 2, 3, 41, 401].map((value) => ({ value, unit: 'requests' })));
  });

  it('weighs every function, and ends with 1 exactly when one is too heavy', async () => {
    const { stdout, stderr, code = 0 } = await bench('bundles', '--json');
    const figures: Figure[] = JSON.parse(stdout).bundles;
    expect(figures.map(({ what }) => what)).toEqual([...routes, ...jobs].map(({ name }) => name));
    for (const { ours, target } of figures) {
      expect(ours.value).toBeGreaterThan(10);
      if (target) expect(target.reached).toBe(ours.value <= Number(/\d+/.exec(target.text)?.[0]));
    }
    const missed = figures.filter(({ target }) => target && !target.reached).map(({ what }) => what);
    expect(code).toBe(missed.length > 0 ? 1 : 0);
    expect(/Targets missed: (.*)\./.exec(stderr)?.[1]?.split('; ') ?? []).toEqual(missed);
  });

  it('refuses a measurement that there is not', async () => {
    const { stdout, stderr, code } = await bench('speed');
    expect({ stdout, code }).toEqual({ stdout: '', code: 1 });
    expect(stderr).toContain('round-trips');
  });

  it('takes requests for sequential only when one came after the answer to another', () => {
    const seen = (begin: number, end: number) => ({ service: 's', operation: 'o', begin, end });
    expect(sequentialDepth([])).toBe(0);
    expect(sequentialDepth([seen(0, 10), seen(1, 9), seen(2, 12)])).toBe(1);
    expect(sequentialDepth([seen(0, 10), seen(11, 20), seen(12, 30), seen(21, 25)])).toBe(3);
  });
});
