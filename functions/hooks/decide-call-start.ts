import { attemptCall, type CountedCall } from '../calling/attempt-call.ts';
import { attemptsUntil, noAttempts } from '../calling/call-attempts.ts';
import type { Agent } from '../domain/agents.ts';
import type { Attestation } from '../domain/attestations.ts';
import { refusesCall } from '../domain/budgets.ts';
import { historyNames, readCallerHistory } from '../domain/caller-history.ts';
import { type ConsentCause, requireConsent } from '../domain/consent-decisions.ts';
import { chooseDisclosure } from '../domain/disclosures.ts';
import { insufficientPermissions, noAgentWithNumber } from '../domain/errors.ts';
import { type ReportedNumber, reportedNumber } from '../domain/phone-numbers.ts';
import type { Principal } from '../http/endpoint.ts';
import type { CallStart, CallStartFacts, CallStartReference, LocatedCall } from './call-starts.ts';

/** A call that starts, as the API's caller or a platform reports it. */
export type CallStartRequest = {
  uid: string;
  agentId?: string;
  direction: 'inbound' | 'outbound';
  from?: string | null;
  to?: string | null;
  callId?: string;
  attestation?: Attestation;
};

export type CallStartDecision = {
  decision: 'accept' | 'reject';
  cause?:
    | 'blocked'
    | 'budget'
    | 'withheld_number'
    | 'attestation'
    | ConsentCause
    | 'outside_hours'
    | 'too_many_attempts';
  /** The other party's number, when it is known. */
  number?: string;
  attestation?: Attestation;
  scope?: 'agent' | 'user';
  prefix?: string;
  reason?: string;
  /** The first moment within a year at which all outbound rules hold. */
  retryAt?: string;
  /** The time zones in which the hours of outbound calls had to hold. */
  timeZones?: string[];
  /** The consent by which an accepted outbound call is made, where the agent needs one. */
  consentId?: string;
  agentId: string;
  /** The version of the agent that this caller gets. */
  version: number;
};

/** What carriers send for a withheld number: ANONYMOUS, RESTRICTED, BLOCKED, UNKNOWN, UNAVAILABLE on a keypad. */
const withheldNumbers = new Set(['+266696687', '+7378742833', '+2562533', '+8656696', '+86282452253']);

/** Returns a call with numbers in E.164 format; undefined if withheld. The other party's may be a guess. */
export const toCallStartReference = ({
  uid,
  agentId,
  direction,
  from,
  to,
  callId,
  attestation,
}: CallStartRequest): CallStartReference => {
  const [other, own] = (direction === 'inbound' ? [from, to] : [to, from]).map(knownNumber);
  return {
    uid,
    agentId,
    direction,
    callId,
    attestation,
    other: other?.number,
    isGuess: other?.isGuess ?? false,
    own: own?.isGuess ? undefined : own?.number,
  };
};

const knownNumber = (text: string | null | undefined): ReportedNumber | undefined => {
  const reported = text ? reportedNumber(text) : undefined;
  return reported && !withheldNumbers.has(reported.number) ? reported : undefined;
};

/** Returns a call without a guessed number, unless the guess is blocked. */
export const withoutGuess = <C extends CallStartReference>(call: C, facts?: CallStartFacts): C =>
  call.isGuess && !facts?.blocked ? { ...call, other: undefined } : call;

/** Returns a call without an attestation that its platform did not sign. */
export const withoutUnsigned = <C extends CallStartReference>(call: C, { isAttestationUnsigned }: Principal): C =>
  isAttestationUnsigned ? { ...call, attestation: undefined } : call;

/** Returns a call with its agent. Throws if the user has or may use no such agent. */
export const locatedCall = ({ agent, ...start }: CallStart): LocatedCall => {
  if (agent === 'none') throw noAgentWithNumber();
  if (agent === 'forbidden') throw insufficientPermissions();
  return { ...start, agent };
};

/** An outbound call's time (Unix milliseconds), time zone, and the call to count. */
export type OutboundStart = {
  timeZone?: string;
  at?: number;
  counted?: CountedCall;
};

/** A call's outbound facts, and what the budget of the caller's user does to calls. */
export type StartContext = OutboundStart & Pick<Principal, 'budgetMark'>;

/** Decides on a call by block lists and configuration. `counted` makes an accepted outbound call an attempt. */
export const decide = async (
  { agent: { agentId, owner }, uid, direction, other: number, attestation }: LocatedCall,
  { blocked, isAllowed, agent, attempts = noAttempts, consents = [], ownersBudget }: CallStartFacts,
  { timeZone, at, counted, budgetMark }: StartContext,
): Promise<CallStartDecision> => {
  const known = { agentId, version: agent.version, number, attestation };
  if (blocked) {
    const { scope, prefix, reason } = blocked;
    return { decision: 'reject', cause: 'blocked', scope, prefix, reason, ...known };
  }
  const wasAccepted = attempts.attempts.some(({ callId }) => callId === counted?.callId);
  if (!wasAccepted && refusesCall(owner === uid ? budgetMark : ownersBudget, direction)) {
    return { decision: 'reject', cause: 'budget', ...known };
  }
  if (number === undefined && agent.configuration.rejectWithheldNumbers === true) {
    return { decision: 'reject', cause: 'withheld_number', ...known };
  }
  if (direction === 'inbound') {
    const rejected = isAllowed ? [] : agent.configuration.rejectAttestations;
    const isRejected = rejected?.some((one) => one === attestation);
    return isRejected ? { decision: 'reject', cause: 'attestation', ...known } : { decision: 'accept', ...known };
  }
  const rule = agent.configuration.calling?.consent;
  const moment = at ?? Date.now();
  const consent = rule && requireConsent(rule, number === undefined ? [] : consents, moment);
  if (consent?.cause) return { decision: 'reject', cause: consent.cause, ...known };
  // The clocks of functions differ, so without a given time every attempt counts.
  const soFar = at === undefined ? attempts : attemptsUntil(attempts, at);
  const call = { number, timeZone, at: moment };
  const { allowed, ...verdict } = await attemptCall(agent, call, soFar, counted);
  return {
    decision: allowed ? 'accept' : 'reject',
    ...verdict,
    consentId: allowed ? consent?.consentId : undefined,
    ...known,
  };
};

/** Returns the variables of the call and of the configuration, as platforms accept them. */
export const collectVariables = (
  agent: Agent | undefined,
  { other, own }: CallStartReference,
  direction: 'inbound' | 'outbound',
  history: Record<string, string | number> = {},
): Record<string, string | number | boolean> => {
  const configured = Object.entries(agent?.configuration.variables ?? {}).filter(
    (entry): entry is [string, string | number | boolean] => ['string', 'number', 'boolean'].includes(typeof entry[1]),
  );
  const ofHistory = readCallerHistory(agent?.configuration) ? historyNames : [];
  const ofCall = ['caller_number', 'called_number', 'direction', ...ofHistory];
  const [caller, called] = direction === 'inbound' ? [other, own] : [own, other];
  const disclosure = agent && chooseDisclosure(agent.configuration);
  return {
    ...Object.fromEntries(configured.filter(([name]) => !ofCall.includes(name))),
    ...history,
    ...(disclosure !== undefined && { disclosure }),
    ...(caller !== undefined && { caller_number: caller }),
    ...(called !== undefined && { called_number: called }),
    direction,
  };
};
