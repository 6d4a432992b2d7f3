import { functionTimeoutSeconds } from '../domain/timeouts.ts';
import { environment } from '../environment.ts';

/** The time for the response and Lambda's early timeout. */
const reserveSeconds = 1;

/** Returns when a request's last call to the table begins (Unix milliseconds). */
export const findLastTableCall = (receivedAt: number): number => {
  const seconds = functionTimeoutSeconds - reserveSeconds - environment.tableTimeoutSeconds;
  return Date.now() - (performance.now() - receivedAt) + seconds * 1000;
};
