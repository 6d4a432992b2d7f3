import { statfsSync } from 'node:fs';
import { type Started, StartupError } from './started.ts';

/** The minimum free space for writes. DynamoDB Local acknowledges writes that a full disk loses. */
const minFreeBytes = 200 * 1024 * 1024;
const pauseMilliseconds = 1000;

/** The disk with the data. While `isFull` is true, nothing may be written. */
export type Disk = Started & { readonly isFull: boolean };

/** Watches the free space of the data folder; without a folder, the data are in memory. */
export const watchDisk = (
  folder: string | undefined,
  report: (line: string) => void,
  freeBytes: (folder: string) => number = measureFreeBytes,
): Disk => {
  let isFull = false;
  if (folder === undefined) return { isFull, stop: async () => {} };
  if (freeBytes(folder) < minFreeBytes) {
    throw new StartupError(
      `The disk of ${folder} has less than ${minFree} left: free some space, or name another folder, as in \`npm start -- --data data2\`.`,
    );
  }
  const timer = setInterval(() => {
    const wasFull = isFull;
    isFull = freeBytes(folder) < minFreeBytes;
    if (isFull && !wasFull)
      report(`The disk of ${folder} has less than ${minFree} left: writes are refused until there is room.`);
    if (wasFull && !isFull) report(`The disk of ${folder} has room again: writes are accepted.`);
  }, pauseMilliseconds).unref();
  return {
    get isFull() {
      return isFull;
    },
    stop: async () => clearInterval(timer),
  };
};

const minFree = `${minFreeBytes / 1024 / 1024} MB`;

const measureFreeBytes = (folder: string) => {
  const { bavail, bsize } = statfsSync(folder);
  return bavail * bsize;
};
