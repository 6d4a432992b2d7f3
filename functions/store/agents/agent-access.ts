import type { OutcomeRules } from '../../domain/declared-outcomes.ts';
import { service } from '../../service.ts';
import { type AccessItem, type RepeatedFields, readAccess } from '../credentials.ts';
import { when } from '../expressions.ts';
import { accessKey, ownedAgentCollection } from '../keys.ts';
import { type Item, TableStore, table } from '../table.ts';

/** An agent that a user owns, as the item for lists has it. */
export type OwnedAgent = Pick<RepeatedFields, 'valueCurrency'> & { agentId: string };
export type OwnedItem = Item & OwnedAgent;

/** The access items of agents: users, and what they repeat of records. */
export class AgentAccess extends TableStore {
  /** Lists a user's own agents by id with their guests, so many at once. */
  async *owned(uid: string, limit: number): AsyncGenerator<{ agentId: string; guests: string[] }[]> {
    for await (const page of this.table.pages<OwnedItem>(ownedAgentCollection(uid), { limit })) {
      const items = await this.table.getMany<AccessItem>(page.map(({ agentId }) => accessKey(agentId)));
      yield items
        .filter((item) => item.uid === uid)
        .map(({ agentId, guests }) => ({ agentId, guests: [...(guests ?? [])] }));
    }
  }

  /** Returns a user's own agents by id. Throws `tooMany` above `max`. */
  async allOwned(uid: string, bound?: { max: number; tooMany: () => Error }): Promise<OwnedAgent[]> {
    const owned: OwnedAgent[] = [];
    const items = this.table.query<OwnedItem>(ownedAgentCollection(uid), { limit: bound && bound.max + 1 });
    for await (const { agentId, valueCurrency } of items) {
      if (bound && owned.length === bound.max) throw bound.tooMany();
      owned.push({ agentId, valueCurrency });
    }
    return owned;
  }

  /** Returns an agent's owner, guests, rules for outcomes and currency. */
  async find(
    agentId: string,
  ): Promise<
    (Pick<OwnedAgent, 'valueCurrency'> & { owner: string; guests: string[]; outcomeRules: OutcomeRules }) | undefined
  > {
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
  allOwned: ['dynamodb:Query'],
  find: ['dynamodb:GetItem'],
});
