import type { Call } from '../domain/calls.ts';
import { describeError, log } from '../log.ts';
import type { Calls } from '../store/calls/calls.ts';
import type { LocatedCall } from './call-starts.ts';
import { rejectedCall } from './ended-call.ts';

/** The maximum wait of a rejection's response for its record. */
const maxMilliseconds = 500;

/** Records a rejected call. The response waits briefly, until `until` (on `performance.now()`'s clock) at most. */
export const recordRejected = async (
  calls: Pick<Calls, 'recordReported'>,
  {
    start,
    callId,
    hasHistory,
    ...rejection
  }: {
    start: LocatedCall;
    callId: string;
    cause: string;
    version: number;
    discloses: boolean;
    hasHistory: true | undefined;
  },
  { requestId, until }: { requestId: string; until: number },
): Promise<void> => {
  const milliseconds = Math.min(maxMilliseconds, until - performance.now());
  const report = (why: object) => log('warn', { requestId, operation: 'receiveHook', unrecorded: 'rejected', ...why });
  if (milliseconds <= 0) return report({ reason: 'late' });
  const toFacts = (found: Call | undefined) => rejectedCall(start, rejection, found);
  const recording = calls.recordReported(start.agent.agentId, callId, toFacts, { hasHistory });
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
