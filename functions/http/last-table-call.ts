import { functionTimeoutSeconds } from '../domain/timeouts.ts';
import { environment } from '../environment.ts';

/** The time reserved for the response, and for Lambda's early timeout, after the last call to the table. */
const reserveSeconds = 1;

/**
 * Returns the time (Unix milliseconds) of a request's last call to the table, which ends before the response is due.
 */
export const lastTableCallAt = (receivedAt: number): number => {
  const seconds = functionTimeoutSeconds - reserveSeconds - environment.tableTimeoutSeconds;
  return Date.now() - (performance.now() - receivedAt) + seconds * 1000;
};
