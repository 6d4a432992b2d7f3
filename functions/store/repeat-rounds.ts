import { backOff } from './table.ts';

/**
 * Works on items until nothing is left, or until a time (Unix milliseconds). `work` returns the items that must be worked on
 * again, after a pause. Returns those that are left.
 */
export const repeatRounds = async <T>(
  items: T[],
  until: number,
  work: (items: T[], round: number) => Promise<T[]>,
): Promise<T[]> => {
  let left = items;
  for (let round = 0; left.length > 0 && Date.now() < until; round++) {
    if (round > 0) await backOff(round);
    left = await work(left, round);
  }
  return left;
};
