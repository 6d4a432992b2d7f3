import { readCallerHistory, toHistoryVariables } from '../domain/caller-history.ts';
import { describeError, log } from '../log.ts';
import type { CallRecords } from '../store/calls/call-records.ts';
import type { CallStartFacts, CallStartReference } from './call-starts.ts';

/** The time after the arrival of a request in which the history must be known: a caller waits. */
const knownWithinMilliseconds = 1500;

/**
 * Returns the variables about the earlier calls of a number, for an agent that has them. Without a history in time, there are
 * none: the call is accepted all the same.
 */
export const collectHistory = async (
  callRecords: Pick<CallRecords, 'readHistory'>,
  { agent }: CallStartFacts,
  { other: phone, callId }: Pick<CallStartReference, 'other' | 'callId'>,
  { receivedAt, requestId, operation }: { receivedAt: number; requestId: string; operation: string },
): Promise<Record<string, string | number>> => {
  const settings = readCallerHistory(agent.configuration);
  if (!settings || phone === undefined) return {};
  const report = (why: object) => log('warn', { requestId, operation, left: 'callerHistory', ...why });
  const milliseconds = receivedAt + knownWithinMilliseconds - performance.now();
  const reading = callRecords
    .readHistory(agent.agentId, phone, { ...settings, except: callId })
    .then(({ latest, count }) => toHistoryVariables(latest, count, settings))
    .catch((error: Error) => {
      report({ error: describeError(error) });
      return {};
    });
  let timer: NodeJS.Timeout | undefined;
  const timeout = new Promise<Record<string, never>>((resolve) => {
    timer = setTimeout(
      () => {
        report({ reason: 'late' });
        resolve({});
      },
      Math.max(0, milliseconds),
    );
  });
  return Promise.race([reading, timeout]).finally(() => clearTimeout(timer));
};
