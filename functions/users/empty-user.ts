import type { BlockListImports } from '../block-list-import/block-list-imports.ts';
import type { Consents } from '../consents/consents.ts';
import type { AgentSharing } from '../store/agents/agent-sharing.ts';
import type { Agents } from '../store/agents/agents.ts';
import type { BlockList } from '../store/block-list/block-list.ts';
import type { Users } from '../store/users.ts';

type EmptiedStores = {
  users: Pick<Users, 'endAccess'>;
  agents: Pick<Agents, 'countCopies' | 'list' | 'owned'>;
  agentSharing: Pick<AgentSharing, 'revoke'>;
  blockList: Pick<BlockList, 'removeAll'>;
  consents: Pick<Consents, 'removeAll'>;
  imports: Pick<BlockListImports, 'cancel' | 'isRunning'>;
};

/** Ends a user's access, and deletes agents, block list and consents. `written`: copies or imports may still write. */
export const emptyUser = async (
  uid: string,
  deleteAgents: (agentIds: string[]) => Promise<boolean>,
  { users, agents, agentSharing, blockList, consents, imports }: EmptiedStores,
  until: number,
): Promise<'unfinished' | 'written' | 'empty'> => {
  await users.endAccess(uid);
  // Each is asked before the deletion of what it writes: if it ends in between, that is deleted.
  const copies = await agents.countCopies(uid);
  for await (const owned of agents.owned(uid))
    if (!(await deleteAgents(owned.map(({ agentId }) => agentId)))) return 'unfinished';
  for await (const { agentId, uid: owner } of agents.list(uid))
    if (owner !== uid) await agentSharing.revoke(agentId, owner, uid, { stays: false });
  await imports.cancel(uid);
  const isImporting = await imports.isRunning({ uid });
  if (!(await blockList.removeAll({ uid }, until))) return 'unfinished';
  if (!(await consents.removeAll(uid, until))) return 'unfinished';
  return isImporting || copies.inProgress.length > 0 ? 'written' : 'empty';
};
