import { hash } from 'node:crypto';

/**
 * `SAMPLE=seed npm run test:acceptance` runs a fourth of the heavy tests, which the seed chooses; without it, all run. Where a test
 * tries some of many cases, the seed also chooses those, so that it repeats the run of a failure.
 */
export const isSample = process.env.SAMPLE !== undefined;
export const seed = process.env.SAMPLE ?? String(Date.now());

const unsampled = process.env.UNSAMPLED?.split('\n') ?? [];

/** Returns true if all heavy tests of a file run, because it stands beside what has changed. */
export const isUnsampled = (file: string): boolean => unsampled.includes(file);

/** Returns a whole number for a name, which differs with each seed. */
export const drawNumber = (name: string): number => Number.parseInt(hash('sha256', `${seed} ${name}`).slice(0, 8), 16);

/** Returns true if this run includes a name: one name in four in a sample, otherwise every name. */
export const isTried = (name: string): boolean => !isSample || drawNumber(name) % 4 === 0;

/** Returns how many cases a heavy test tries: a third of them in a sample, which has others than the last one. */
export const limitCases = (cases: number): number => (isSample ? Math.ceil(cases / 3) : cases);

/** Returns some of the items, which the seed chooses. */
export const pickSome = <T>(items: T[], count: number, getName: (item: T) => string): T[] =>
  items.toSorted((one, other) => drawNumber(getName(one)) - drawNumber(getName(other))).slice(0, count);
