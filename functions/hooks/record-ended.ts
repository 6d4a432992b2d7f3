import type { Call } from '../domain/calls.ts';
import type { Principal } from '../http/endpoint.ts';
import { log } from '../log.ts';
import type { Calls } from '../store/calls/calls.ts';
import type { CallStarts, LocatedCall } from './call-starts.ts';
import { factsAfter, toStorableFacts } from './ended-call.ts';
import { foundOutcome } from './findings.ts';
import type { CallEnd } from './platforms/platform.ts';
import type { PlatformName } from './platforms/platforms.ts';

/** A call that ended, as a user's platform reports it. */
type Ended = {
  platform: PlatformName;
  end: CallEnd;
  callId: string;
  start: LocatedCall;
  /** Who reports it. A key in an address is seen by many, so that its cost replaces none. */
  principal: Pick<Principal, 'uid' | 'isKeyInAddress'>;
};

/** Records a call that ended, and sets the outcome that the platform found. */
export const recordEnded = async (
  {
    callStarts,
    calls,
  }: { callStarts: Pick<CallStarts, 'readOutcomeSettings'>; calls: Pick<Calls, 'record' | 'recordWithOutcome'> },
  { platform, end, callId, start, principal: { uid, isKeyInAddress } }: Ended,
  requestId: string,
): Promise<void> => {
  const { agentId, owner } = start.agent;
  const facts = toStorableFacts(end, start);
  const after = (found: Call | undefined) => factsAfter(end, facts, found, !isKeyInAddress);
  if (!end.findings) return void (await calls.record(agentId, callId, after));
  const settings = await callStarts.readOutcomeSettings(start);
  const findings = { fields: end.findings, callerTexts: end.callerTexts };
  const { errors, ...outcome } = foundOutcome(findings, { platform, agentId, owner, uid }, settings);
  if (errors.length > 0) log('warn', { requestId, operation: 'receiveHook', callId, leftOut: errors });
  await calls.recordWithOutcome(agentId, callId, after, outcome);
};
