import { readAgentPlatform } from '../../domain/agent-platform.ts';
import type { Agent } from '../../domain/agents.ts';
import { reconciledAgentKey } from '../keys.ts';
import type { Item, Table, TransactionAction } from '../table.ts';

/** An agent that is reconciled every hour, with its owner. Calls that ended before `comparedUntil` (Unix milliseconds) are compared. */
export type ReconciledAgent = Item & { uid: string; comparedUntil?: number };

/** Returns the action that enters an agent in the list of those that are reconciled every hour, or takes it out. */
export const moveReconciled = (
  table: Table,
  former: Partial<Pick<Agent, 'configuration'>>,
  { uid, agentId, configuration = {} }: Pick<Agent, 'uid' | 'agentId'> & Partial<Pick<Agent, 'configuration'>>,
): TransactionAction[] => {
  const was = isReconciled(former.configuration);
  const key = reconciledAgentKey(agentId);
  const entry: ReconciledAgent = { ...key, uid };
  if (isReconciled(configuration) === was) return [];
  return [was ? table.deleteAction(key) : table.putAction(entry)];
};

const isReconciled = (configuration: Agent['configuration'] = {}): boolean =>
  readAgentPlatform(configuration)?.reconcile ?? false;
