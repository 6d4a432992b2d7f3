import type { OutcomeRules } from '../../domain/declared-outcomes.ts';
import { service } from '../../service.ts';
import { type AccessItem, type RepeatedFields, readAccess } from '../credentials.ts';
import { when } from '../expressions.ts';
import { accessKey, agentCollection, listedAgentId } from '../keys.ts';
import { TableStore, table } from '../table.ts';

/** An agent that a user owns, from its access item. */
export type OwnedAgent = Pick<RepeatedFields, 'valueCurrency'> & { agentId: string; guests: string[] };

/** The agents that are read at once: one more than most operations accept. */
const agentsPerPage = 201;

/** The access items of agents: users, and what they repeat of records. */
export class AgentAccess extends TableStore {
  /** Lists a user's own agents by id with their guests, page by page. */
  async *owned(uid: string, limit = agentsPerPage): AsyncGenerator<OwnedAgent[]> {
    for await (const keys of this.table.pages(agentCollection(uid), { keysOnly: true, limit })) {
      const items = await this.table.getMany<AccessItem>(keys.map(({ sk }) => accessKey(listedAgentId(sk))));
      yield items
        .filter((item) => item.uid === uid)
        .map(({ agentId, guests, valueCurrency }) => ({ agentId, guests: [...(guests ?? [])], valueCurrency }));
    }
  }

  /** Returns a user's own agents by id. Throws `tooMany` above `max`. */
  async allOwned(uid: string, bound?: { max: number; tooMany: () => Error }): Promise<OwnedAgent[]> {
    const owned: OwnedAgent[] = [];
    for await (const page of this.owned(uid)) {
      owned.push(...page);
      if (bound && owned.length > bound.max) throw bound.tooMany();
    }
    return owned;
  }

  /** Returns an agent's owner, guests, rules for outcomes and currency. */
  async find(
    agentId: string,
  ): Promise<(Omit<OwnedAgent, 'agentId'> & { owner: string; outcomeRules: OutcomeRules }) | undefined> {
    const item = await this.table.get<AccessItem>(accessKey(agentId));
    const access = readAccess(item);
    if (!item || !access) return undefined;
    const { owner, outcomeRules } = access;
    return { owner, guests: [...(item.guests ?? [])], outcomeRules, valueCurrency: item.valueCurrency };
  }
}

/** The condition that an agent still has this owner. */
export const hasOwner = (owner: string) => when`uid = ${owner}`;

/** For functions whose bundles need no code that writes agents. */
export const agentAccess = /* @__PURE__ */ service(() => new AgentAccess(table.get()), {
  allOwned: ['dynamodb:BatchGetItem', 'dynamodb:Query'],
  find: ['dynamodb:GetItem'],
});
