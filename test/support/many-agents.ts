import { now } from '../../functions/domain/date-time.ts';
import { newIdentifier } from '../../functions/domain/identifiers.ts';
import { toAgentItem } from '../../functions/store/agents/agent-items.ts';
import { accessKey } from '../../functions/store/keys.ts';
import { table } from '../../functions/store/table.ts';

/** Puts agents of a user into the table, without a request for each. Returns their ids. */
export const putAgents = async (uid: string, count: number): Promise<string[]> => {
  const agentIds = Array.from({ length: count }, () => newIdentifier('agent'));
  const [createdAt, updatedAt] = [now(), now()];
  const items = agentIds.flatMap((agentId) => [
    toAgentItem({ uid, agentId, name: 'Agent', configuration: {}, version: 1, createdAt, updatedAt }, {}),
    { ...accessKey(agentId), agentId, uid },
  ]);
  await table.get().putMany(items);
  return agentIds;
};
