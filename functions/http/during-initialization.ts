import { setTimeout as sleep } from 'node:timers/promises';
import { environment } from '../environment.ts';
import { checkFormat, NewerFormatError } from '../store/format.ts';
import { table } from '../store/table.ts';

const maxMilliseconds = 1000;

/** Warms a function on Lambda while initialization has a full core. Only a newer table format makes it fail. */
export const duringInitialization = async (...works: (() => unknown)[]): Promise<void> => {
  if (!environment.isLambda) return;
  const warm = () => Promise.allSettled(works.map(async (work) => work()));
  const done = Promise.all([checkFormat(table.get()), warm()]).catch((error) => {
    if (error instanceof NewerFormatError) throw error;
  });
  await Promise.race([done, sleep(maxMilliseconds, undefined, { ref: false })]);
};
