import { functionTimeoutSeconds } from '../domain/timeouts.ts';
import { environment } from '../environment.ts';

/**
 * The time reserved after the last call to the table. The response takes it, and the half second by which the function
 * times out early.
 */
const reserveSeconds = 1;

/**
 * Returns the time (Unix milliseconds) after which a request of many items begins no call to the table. One that begins
 * by then ends, retries included, before the response is due.
 */
export const lastTableCallAt = (receivedAt: number): number => {
  const seconds = functionTimeoutSeconds - reserveSeconds - environment.tableTimeoutSeconds;
  return Date.now() - (performance.now() - receivedAt) + seconds * 1000;
};
