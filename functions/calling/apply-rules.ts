import type { AgentConfiguration } from '../domain/agents.ts';
import { checkCallPermission, type OpenHours } from '../domain/call-permission.ts';
import type { Attempt } from './call-attempts.ts';

/** The facts of an outbound call that the rules use. The person's number is undefined when it is unknown. */
export type OutboundCall = {
  number: string | undefined;
  /** The time zone of the person, if the caller knows it. */
  timeZone?: string;
  /** The moment of the call in Unix milliseconds. */
  at: number;
};

/** `timeZones` are the time zones in which the hours had to hold. They are absent if the rules have no hours. */
export type RulesVerdict =
  | { allowed: true }
  | { allowed: false; cause: 'outside_hours' | 'too_many_attempts'; retryAt?: string; timeZones?: string[] };

/** Applies an agent's rules for outbound calls, given the attempts to call this number so far. */
export const applyRules = async (
  configuration: AgentConfiguration,
  call: OutboundCall,
  attempts: Attempt[],
  openHours?: OpenHours,
): Promise<RulesVerdict> => {
  const { calling: rules } = configuration;
  if (!rules) return { allowed: true };
  const timeZones = rules.hours ? await findTimeZones(call, configuration) : [];
  const moments = attempts.map(({ at }) => at);
  const verdict = checkCallPermission(rules, { at: call.at, timeZones, attempts: moments }, openHours);
  if (verdict.allowed) return verdict;
  const { cause, retryAt } = verdict;
  return {
    allowed: false,
    cause,
    ...(retryAt !== undefined && { retryAt: new Date(retryAt).toISOString() }),
    ...(rules.hours && { timeZones }),
  };
};

/** Returns the time zones in which the hours must hold: the person's, or every one in which the number may lie. */
const findTimeZones = async (
  { number, timeZone }: OutboundCall,
  { calling, timeZone: agentTimeZone }: AgentConfiguration,
): Promise<string[]> => {
  if (timeZone !== undefined) return [timeZone];
  const { timeZonesOfNumber } = await import('./number-time-zones.ts');
  const known = number === undefined ? [] : timeZonesOfNumber(number);
  if (known.length > 0) return known;
  const fallback = calling?.timeZone ?? agentTimeZone;
  return fallback === undefined ? [] : [fallback];
};
