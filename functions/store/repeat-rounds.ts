import { backOff } from './table.ts';

/** Works on items until a time (Unix milliseconds), and returns the rest. `work` returns what to repeat. */
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
