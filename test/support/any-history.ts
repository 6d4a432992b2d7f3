import * as fc from 'fast-check';
import { it } from 'vitest';
import { drawNumber, isSample, limitCases } from './sample.ts';

// Each commit has its own histories. A report of vitest has no causes: the message says what failed.
fc.configureGlobal({ includeErrorInReport: true, ...(isSample && { seed: drawNumber('histories') }) });

/**
 * A random test, which runs few times in `npm test`, or not at all, and many times in `npm run test:acceptance`, or as often as
 * `HISTORIES` says.
 */
export const itInAnyHistory = (
  name: string,
  [few, many]: [few: number, many: number],
  test: (runs: number) => Promise<unknown>,
) => {
  if (few > 0) it(name, { timeout: 120_000 }, async () => void (await test(few)));
  const runs = Number(process.env.HISTORIES ?? limitCases(many));
  it(`${name}, ${runs} times`, { tags: 'heavy', timeout: 3_600_000 }, async () => void (await test(runs)));
};
