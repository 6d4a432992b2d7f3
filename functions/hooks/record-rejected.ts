import { describeError, log } from '../log.ts';
import type { Calls } from '../store/calls/calls.ts';
import type { LocatedCall } from './call-starts.ts';
import { rejectedCall } from './ended-call.ts';

/** The maximum time for which the response to a rejected call waits for its record. */
const maxMilliseconds = 500;

/**
 * Records a rejected call. The response waits briefly, and never past `until` (on the clock of `performance.now()`).
 * The log reports a failed or late record.
 */
export const recordRejected = async (
  calls: Pick<Calls, 'record'>,
  { start, callId, ...rejection }: { start: LocatedCall; callId: string; cause: string; version: number },
  { requestId, until }: { requestId: string; until: number },
): Promise<void> => {
  const milliseconds = Math.min(maxMilliseconds, until - performance.now());
  const report = (why: object) => log('warn', { requestId, operation: 'receiveHook', unrecorded: 'rejected', ...why });
  if (milliseconds <= 0) return report({ reason: 'late' });
  const recording = calls.record(start.agent.agentId, callId, (found) => rejectedCall(start, rejection, found));
  let timer: NodeJS.Timeout | undefined;
  const timeout = new Promise<void>((resolve) => {
    timer = setTimeout(() => resolve(report({ reason: 'late' })), milliseconds);
  });
  const reported = recording.then(
    () => {},
    (error: Error) => report({ error: describeError(error) }),
  );
  await Promise.race([reported, timeout]).finally(() => clearTimeout(timer));
};
