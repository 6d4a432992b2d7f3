import type { Secret } from '../clients/secrets.ts';
import type { Call } from '../domain/calls.ts';
import { listTexts, toStoredTranscript } from '../domain/transcripts.ts';
import type { PlatformName } from '../domain/voice-platforms.ts';
import type { Principal } from '../http/endpoint.ts';
import { log } from '../log.ts';
import type { Calls } from '../store/calls/calls.ts';
import type { ErasedPeople } from '../store/erased-people.ts';
import type { CallStarts, LocatedCall } from './call-starts.ts';
import { toCallStartReference, withoutGuess } from './decide-call-start.ts';
import { factsAfter, isOver, toStorableFacts, withRules } from './ended-call.ts';
import { foundOutcome } from './findings.ts';
import type { CallEnd } from './platforms/platform.ts';

/** A call that ended, as a user's platform reports it. */
type Ended = {
  platform: PlatformName;
  end: CallEnd;
  callId: string;
  start: LocatedCall;
  /** Who reports it. A key in an address is seen by many, so that its cost replaces none. */
  principal: Pick<Principal, 'uid' | 'isKeyInAddress'>;
};

type Services = {
  callStarts: Pick<CallStarts, 'readEndFacts'>;
  calls: Pick<Calls, 'recordReported'>;
  erasedPeople: Pick<ErasedPeople, 'wasErasedAfter'>;
  secret: Pick<Secret, 'read'>;
};

/** Records a call that ended, and sets the outcome that the platform found. A call of an erased person is left out. */
export const recordEnded = async (
  { callStarts, calls, erasedPeople, secret }: Services,
  { platform, end, callId, start, principal: { uid, isKeyInAddress } }: Ended,
  requestId: string,
): Promise<void> => {
  const { agentId, owner } = start.agent;
  const facts = toStorableFacts(end, start);
  const { settings, erasedAt, rules, lookedUp } = await callStarts.readEndFacts(start, { callId, end });
  const { phone: number, startedAt: time } = facts;
  // Only a call that began before somebody was erased is looked for among them.
  const mayBeErased = erasedAt !== undefined && Date.parse(time) < Date.parse(erasedAt);
  if (number && mayBeErased && (await erasedPeople.wasErasedAfter(await secret.read(), { uid: owner, number, time })))
    return;
  const isListed = end.facts.details.source !== undefined;
  // Of a call that is over, a list says nothing new.
  const after = (found: Call | undefined) =>
    found && isListed && isOver(found)
      ? found
      : withRules(factsAfter(end, facts, found, !isKeyInAddress), found, end, rules);
  const { transcripts, hasHistory } = settings.outcomeRules;
  const more = { transcript: toStoredTranscript(end.turns, platform, transcripts), hasHistory, lookedUp };
  if (!end.findings) return calls.recordReported(agentId, callId, after, more);
  const findings = { fields: end.findings, callerTexts: listTexts(end.turns, 'caller') };
  const { errors, ...outcome } = foundOutcome(findings, { platform, agentId, owner, uid }, settings);
  if (errors.length > 0) log('warn', { requestId, operation: 'receiveHook', callId, leftOut: errors });
  await calls.recordReported(agentId, callId, after, { ...more, outcome });
};

/** Records an end that a platform's list of calls reports, as its webhook would have. */
export const recordListedEnd = (
  services: Services,
  { agentId, uid, ...listed }: Omit<Ended, 'start' | 'principal'> & { agentId: string; uid: string },
  requestId: string,
): Promise<void> => {
  const { end } = listed;
  const { details, ...facts } = end.facts;
  const reference = toCallStartReference({ uid, agentId, ...end });
  const start = withoutGuess({ ...reference, agent: { agentId, owner: uid }, read: new Set<never>(), items: {} });
  const marked = { ...end, facts: { ...facts, details: { ...details, source: 'reconciled' as const } } };
  return recordEnded(services, { ...listed, end: marked, start, principal: { uid } }, requestId);
};
