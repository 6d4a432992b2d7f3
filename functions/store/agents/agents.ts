import type { Agent } from '../../domain/agents.ts';
import { service } from '../../service.ts';
import type { AccessItem } from '../credentials.ts';
import { accessKey, agentCollection, agentKey, countKey } from '../keys.ts';
import type { Counter } from '../quotas.ts';
import { type Item, TableStore, table } from '../table.ts';
import { AgentAccess } from './agent-access.ts';
import { type AgentItem, toAgent } from './agent-items.ts';
import { entryKeys, type UniqueEntry, type UniqueValues, uniqueFields } from './unique-values.ts';

/** The agents for which work is done at once. */
const ownedPerPage = 100;

/** A job reads a segment of a terabyte's table within its time. */
export const agentSegments = 200;

/** The counter of a user's agents, with the notes of `Duplications` about copies. */
type UserCounter = Counter & { copies?: Set<string>; copiesBegun?: number };
/** A guest's entry of an agent, under the key that its record has for the owner. */
export type SharedAgentItem = Item & { agentId: string; owner: string };

/** Finds agents. The small access item, which every request reads, repeats what outcomes and figures need. */
export class Agents extends TableStore {
  readonly #access = new AgentAccess(this.table);

  async find(owner: string, agentId: string): Promise<Agent | undefined> {
    const item = await this.table.get<AgentItem>(agentKey(owner, agentId));
    return item && toAgent(item);
  }

  /** Lists the agents that a user may use. Shared agents cost another read a page. */
  async *list(uid: string, options: { after?: string; limit?: number } = {}): AsyncGenerator<Agent> {
    for await (const page of this.table.pages<AgentItem | SharedAgentItem>(agentCollection(uid), options)) {
      const shared = page.filter((item) => 'owner' in item);
      const others = await this.table.getMany<AgentItem>(shared.map(({ owner, agentId }) => agentKey(owner, agentId)));
      const byId = new Map(others.map((item) => [item.agentId, item]));
      for (const item of page) {
        const record = 'owner' in item ? byId.get(item.agentId) : item;
        if (record) yield toAgent(record);
      }
    }
  }

  /** Lists a user's own agents with their guests, page by page. */
  owned(uid: string): ReturnType<AgentAccess['owned']> {
    return this.#access.owned(uid, ownedPerPage);
  }

  /** Returns how many copies a user has begun, and those in progress. */
  async countCopies(uid: string): Promise<{ begun: number; inProgress: string[] }> {
    const item = await this.table.get<UserCounter>(countKey({ uid }));
    return { begun: item?.copiesBegun ?? 0, inProgress: [...(item?.copies ?? [])] };
  }

  /** Lists the agents in one of `agentSegments` parts of the table, also during their deletion, with what they keep of calls. */
  async *inSegment(segment: number): AsyncGenerator<Pick<AccessItem, 'agentId' | 'transcripts'>> {
    const { sk } = accessKey('');
    yield* this.table.scan<AccessItem>(sk, segment, agentSegments);
  }

  /** Returns the user's agent with this number, this key, or both. */
  async findUnique(owner: string, wanted: UniqueValues): Promise<Agent | undefined> {
    const given = uniqueFields.filter(({ field }) => wanted[field] !== undefined);
    const [entryKey] = entryKeys(owner, wanted, given);
    const entry = entryKey && (await this.table.get<UniqueEntry>(entryKey));
    const agent = entry && (await this.find(owner, entry.agentId));
    return agent && given.every(({ field }) => agent[field] === wanted[field]) ? agent : undefined;
  }

  /** Returns an agent's language. Without `owner`, one more read finds it. */
  async findLanguage(agentId: string, owner?: string): Promise<string | undefined> {
    const uid = owner ?? (await this.access(agentId))?.owner;
    const agent = uid === undefined ? undefined : await this.find(uid, agentId);
    return agent?.configuration.language;
  }

  /** Returns what the access item of an agent says. */
  access(agentId: string): ReturnType<AgentAccess['find']> {
    return this.#access.find(agentId);
  }
}

export const agents = /* @__PURE__ */ service(() => new Agents(table.get()), {
  find: ['dynamodb:GetItem'],
  findUnique: ['dynamodb:GetItem'],
  findLanguage: ['dynamodb:GetItem'],
  list: ['dynamodb:BatchGetItem', 'dynamodb:Query'],
  inSegment: ['dynamodb:Scan'],
  owned: ['dynamodb:BatchGetItem', 'dynamodb:Query'],
  countCopies: ['dynamodb:GetItem'],
  access: ['dynamodb:GetItem'],
});
