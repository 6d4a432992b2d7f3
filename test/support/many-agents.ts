import type { Agent } from '../../functions/domain/agents.ts';
import { now } from '../../functions/domain/date-time.ts';
import { newIdentifier } from '../../functions/domain/identifiers.ts';
import { toAgentItem } from '../../functions/store/agents/agent-items.ts';
import { accessKey, ownedAgentKey } from '../../functions/store/keys.ts';
import { table } from '../../functions/store/table.ts';

/** Puts agents of a user into the table, without a request for each. Returns their ids. */
export const putAgents = async (
  uid: string,
  count: number,
  configuration: Agent['configuration'] = {},
): Promise<string[]> => {
  const agentIds = Array.from({ length: count }, () => newIdentifier('agent'));
  const [createdAt, updatedAt] = [now(), now()];
  const items = agentIds.flatMap((agentId) => [
    toAgentItem({ uid, agentId, name: 'Agent', configuration, version: 1, createdAt, updatedAt }, {}),
    { ...accessKey(agentId), agentId, uid },
    { ...ownedAgentKey(uid, agentId), agentId },
  ]);
  await table.get().putMany(items);
  return agentIds;
};
