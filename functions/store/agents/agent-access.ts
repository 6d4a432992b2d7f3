import type { OutcomeRules } from '../../domain/declared-outcomes.ts';
import { service } from '../../service.ts';
import { type AccessItem, type RepeatedFields, readAccess } from '../credentials.ts';
import { accessKey, agentCollection, listedAgentId } from '../keys.ts';
import { type Table, table } from '../table.ts';

/** An agent that a user owns, from its access item. */
export type OwnedAgent = Pick<RepeatedFields, 'valueCurrency'> & { agentId: string; guests: string[] };

/** The agents that are read at once: as many as most operations over all agents accept, and one more. */
const agentsPerPage = 201;

/** The access items of agents: their users, and what the items repeat of the records. */
export class AgentAccess {
  readonly #table: Table;

  constructor(table: Table) {
    this.#table = table;
  }

  /** Lists the agents that a user owns, by id, with their guests, a page at a time. Reads no record. */
  async *owned(uid: string, limit = agentsPerPage): AsyncGenerator<OwnedAgent[]> {
    for await (const keys of this.#table.pages(agentCollection(uid), { keysOnly: true, limit })) {
      const items = await this.#table.getMany<AccessItem>(keys.map(({ sk }) => accessKey(listedAgentId(sk))));
      yield items
        .filter((item) => item.uid === uid)
        .map(({ agentId, guests, valueCurrency }) => ({ agentId, guests: [...(guests ?? [])], valueCurrency }));
    }
  }

  /** Returns all agents that a user owns, by id. Throws `tooMany` when there are more than `max`. */
  async allOwned(uid: string, bound?: { max: number; tooMany: () => Error }): Promise<OwnedAgent[]> {
    const owned: OwnedAgent[] = [];
    for await (const page of this.owned(uid)) {
      owned.push(...page);
      if (bound && owned.length > bound.max) throw bound.tooMany();
    }
    return owned;
  }

  /** Returns an agent's owner, its guests, its rules for outcomes, and the currency of its values. */
  async find(
    agentId: string,
  ): Promise<(Omit<OwnedAgent, 'agentId'> & { owner: string; outcomeRules: OutcomeRules }) | undefined> {
    const item = await this.#table.get<AccessItem>(accessKey(agentId));
    const access = readAccess(item);
    if (!item || !access) return undefined;
    const { owner, outcomeRules } = access;
    return { owner, guests: [...(item.guests ?? [])], outcomeRules, valueCurrency: item.valueCurrency };
  }
}

/** For functions that only read who owns agents: their bundles contain no code that writes them. */
export const agentAccess = /* @__PURE__ */ service(() => new AgentAccess(table.get()), {
  allOwned: ['dynamodb:BatchGetItem', 'dynamodb:Query'],
  find: ['dynamodb:GetItem'],
});
