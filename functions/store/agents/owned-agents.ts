import type { Agents, OwnedAgent } from './agents.ts';

/** The agents that are read at once: as many as most operations over all agents accept, and one more. */
const perPage = 201;

/** Returns the agents that a user owns, by id. Throws `tooMany` when there are more than `max`. */
export const ownedAgents = async (
  agents: Pick<Agents, 'owned'>,
  uid: string,
  bound?: { max: number; tooMany: () => Error },
): Promise<OwnedAgent[]> => {
  const owned: OwnedAgent[] = [];
  for await (const page of agents.owned(uid, perPage)) {
    owned.push(...page);
    if (bound && owned.length > bound.max) throw bound.tooMany();
  }
  return owned;
};
