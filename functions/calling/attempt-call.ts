import type { AgentConfiguration } from '../domain/agents.ts';
import { untilWritten } from '../store/table.ts';
import type { OutboundCall, RulesVerdict } from './apply-rules.ts';
import type { CallAttempts, CountedAttempts } from './call-attempts.ts';

/** The id of a call that counts as an attempt if it is accepted. */
export type CountedCall = { callId: string; callAttempts: Pick<CallAttempts, 'find' | 'add'> };

/** Applies rules to an outbound call. A counted call is one attempt; concurrent callers never exceed a maximum. */
export const attemptCall = async (
  { agentId, configuration }: { agentId: string; configuration: AgentConfiguration },
  call: OutboundCall,
  known: CountedAttempts,
  counted?: CountedCall,
): Promise<RulesVerdict> => {
  const { calling: rules } = configuration;
  if (!rules) return { allowed: true };
  // A function that decides on inbound calls does not load it.
  const { applyRules } = await import('./apply-rules.ts');
  const { number, at } = call;
  if (!counted || !rules.attempts || number === undefined) return applyRules(configuration, call, known.attempts);
  const { callId, callAttempts } = counted;
  return untilWritten(async (attempt) => {
    const soFar = attempt === 0 ? known : await callAttempts.find(agentId, number);
    if (soFar.attempts.some((counted) => counted.callId === callId)) return { allowed: true };
    const verdict = await applyRules(configuration, call, soFar.attempts);
    if (verdict.allowed) await callAttempts.add(agentId, number, { callId, at }, soFar, rules);
    return verdict;
  });
};
