import { showBudget } from '../domain/budgets.ts';
import { invalidRequest } from '../domain/errors.ts';
import type { GivenQuotas, User } from '../domain/users.ts';
import { environment } from '../environment.ts';
import { lower, type Quota, sourceQuota } from './quotas.ts';
import type { Client, Users } from './users.ts';

/** Throws for quotas above those of the deployment. */
export const checkQuotas = ({ agents = 0, sources = 0 }: GivenQuotas = {}): void => {
  const { quotaAgents, quotaSources } = environment;
  const tooMany = (path: string, given: number, max: number) =>
    given > max ? [{ path: `quotas.${path}`, message: `must be at most ${max}, the quota of this deployment` }] : [];
  const details = [...tooMany('agents', agents, quotaAgents), ...tooMany('sources', sources, quotaSources)];
  if (details.length > 0) throw invalidRequest(details);
};

/** Returns quotas as a user's record has them. */
export const quotaMarks = ({ agents, sources }: GivenQuotas = {}) => ({ agentQuota: agents, sourceQuota: sources });

/** Returns a client with the quotas that hold now. */
export const shownUser = (client: Client): User => {
  const { uid, name, createdAt, maker, suspended = false, agents, agentQuota, sourceQuota } = client;
  const quotas = {
    agents: lower(environment.quotaAgents, agentQuota),
    sources: lower(environment.quotaSources, sourceQuota),
  };
  return { uid, name, createdAt, maker, suspended, quotas, budget: showBudget(client), agents };
};

/** Returns the quota of an agent's owner, read only for the key of a guest. */
export const findSourceQuota = async (
  { uid: owner }: { uid: string },
  { uid, sourceQuota: own }: { uid: string; sourceQuota?: number },
  users: Pick<Users, 'find'>,
): Promise<Quota> => sourceQuota(uid === owner ? own : (await users.find(owner))?.sourceQuota);
