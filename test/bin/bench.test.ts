import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { describe, expect, it } from 'vitest';
import { sequentialDepth } from '../../bin/bench/proxy.ts';

const script = join(import.meta.dirname, '../../bin/bench.ts');
const bench = (...args: string[]) =>
  promisify(execFile)(process.execPath, [script, ...args], { maxBuffer: 10_000_000 }).catch((error) => error);

describe('the benchmark', () => {
  it('counts requests, bounds bundles, and reaches its targets', async () => {
    const { stdout, stderr, code = 0 } = await bench('add-requests', 'bundles', '--json');
    expect({ code, missed: /Targets missed.*/.exec(stderr)?.[0] }).toEqual({ code: 0, missed: undefined });
    const result = JSON.parse(stdout);
    expect(result['add-requests'].map(({ ours }: { ours: object }) => ours)).toEqual(
      [2, 2, 3, 41, 401].map((value) => ({ value, unit: 'requests' })),
    );
    const [first] = result.bundles;
    expect(first).toMatchObject({ what: 'addBlockedNumbers', target: { reached: true } });
    expect(first.ours.value).toBeGreaterThan(20);
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
