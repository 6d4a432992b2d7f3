import { setTimeout as sleep } from 'node:timers/promises';
import { environment } from '../environment.ts';
import { checkFormat, NewerFormatError } from '../store/format.ts';
import { table } from '../store/table.ts';

const maxMilliseconds = 1000;

/**
 * Does pieces of work side by side while a function is initialized. Initialization has a full core, later requests a share
 * of one. What is compiled and opened here does not take the first caller's time. Also checks the table's format: a
 * function that does not know it fails to start. Any other failure is ignored, and ends no other piece. Does nothing
 * outside Lambda.
 */
export const duringInitialization = async (...works: (() => unknown)[]): Promise<void> => {
  if (!environment.isLambda) return;
  const warm = () => Promise.allSettled(works.map(async (work) => work()));
  const done = Promise.all([checkFormat(table.get()), warm()]).catch((error) => {
    if (error instanceof NewerFormatError) throw error;
  });
  await Promise.race([done, sleep(maxMilliseconds, undefined, { ref: false })]);
};
