import { insufficientPermissions, noSuchUser } from '../domain/errors.ts';
import { isIdentifier } from '../domain/identifiers.ts';
import { hasScope } from '../http/authorize.ts';
import type { Principal } from '../http/endpoint.ts';
import type { Agents } from '../store/agents/agents.ts';
import type { Users } from '../store/users.ts';
import { chooseMaker } from './chosen-maker.ts';

/** Returns the guests of an agent of the own user (scope `agents`) or a client (`users`). Throws otherwise. */
export const guestsOfAdministered = async (
  principal: Principal,
  { uid, agentId }: { uid: string; agentId: string },
  { agents, users }: { agents: Pick<Agents, 'access'>; users: Pick<Users, 'findClient'> },
): Promise<string[]> => {
  const isOwn = uid === principal.uid && hasScope(principal, 'agents');
  if (!isOwn && !hasScope(principal, 'users')) throw insufficientPermissions();
  if (!isOwn && !(await users.findClient(chooseMaker(principal), uid))) throw noSuchUser();
  const access = isIdentifier(agentId) ? await agents.access(agentId) : undefined;
  if (access?.owner !== uid) throw insufficientPermissions();
  return access.guests;
};
