import type { Agent } from '../domain/agents.ts';
import { jobTimeoutSeconds } from '../domain/timeouts.ts';
import { service } from '../service.ts';
import { Agents, deletedCopyOf } from '../store/agents.ts';
import { accessKey, countKey, duplicationKey } from '../store/keys.ts';
import { agentQuota, countAction, countCheck, type Quota, sourceQuota } from '../store/quotas.ts';
import { type Item, type Table, table } from '../store/table.ts';

/** A copy of an agent in the making. Everything in it has the new agent's id, under which nobody can read until it is finished. */
export type Duplication = {
  /** The new agent, as it will be. */
  agent: Agent;
  sourceAgentId: string;
  /** The shards of the block list that are copied, and how many numbers they held. */
  shardsDone: number[];
  blockedNumbers: number;
  /** Of each kind of source: how many are copied, the id of the last one, and whether there are more. */
  websites: CopyProgress;
  documents: CopyProgress;
  state: 'copying' | 'done';
};

/** `toIndex` when a copied source is not indexed for the language of the agent, or is still to be read. */
export type CopyProgress = { copied: number; after?: string; done: boolean; toIndex?: true };

type DuplicationItem = Item & Omit<Duplication, 'agent'> & { agent: string };

/** A finished copy is remembered for as long as a repeated request or a late message can ask for it. */
const rememberedSeconds = 14 * 24 * 60 * 60;

/** How far the copies of agents have come. */
export class Duplications {
  readonly #table: Table;
  readonly #agents: Agents;
  readonly #quotas: { agents: Quota; sources: Quota };

  constructor(table: Table, quotas: { agents: Quota; sources: Quota }) {
    this.#table = table;
    this.#agents = new Agents(table);
    this.#quotas = quotas;
  }

  async find(agentId: string): Promise<Duplication | undefined> {
    const item = await this.#table.get<DuplicationItem>(duplicationKey(agentId));
    return item && duplicationOf(item);
  }

  /**
   * Adds a copy, or returns the one already begun under the new agent's id. The new agent counts from here on, so that a
   * copy that is begun can be finished; and its sources must fit into an agent.
   */
  async add(duplication: Duplication): Promise<Duplication> {
    const { agent, sourceAgentId } = duplication;
    const { agents, sources } = this.#quotas;
    const TableName = this.#table.name;
    const failed = await this.#table.transactUnless([
      { Put: { TableName, Item: itemOf(duplication), ConditionExpression: 'attribute_not_exists(pk)' } },
      countAction(this.#table, countKey({ uid: agent.uid }), 1, agents),
      countCheck(this.#table, countKey({ agentId: sourceAgentId }), sources),
    ]);
    if (!failed) return duplication;
    const begun = failed.has(0) ? await this.find(agent.agentId) : undefined;
    if (!begun) throw (failed.has(1) ? agents : sources).exceeded();
    return begun;
  }

  /** Remembers how far a copy has come, unless it is finished. */
  async update(duplication: Duplication): Promise<void> {
    await this.#table.put(itemOf(duplication), {
      ConditionExpression: '#state = :copying',
      ExpressionAttributeNames: { '#state': 'state' },
      ExpressionAttributeValues: { ':copying': 'copying' },
    });
  }

  /**
   * Creates the new agent, in the one transaction after which it is there, and whole. Undefined when the source was deleted
   * meanwhile: then only a part of it may be in the copy, and there is no new agent.
   */
  async finish(duplication: Duplication): Promise<Duplication | undefined> {
    const done: Duplication = { ...duplication, state: 'done' };
    const TableName = this.#table.name;
    const { sourceAgentId } = done;
    const { agentId } = done.agent;
    const item = { ...itemOf(done), ttlSeconds: Math.floor(Date.now() / 1000) + rememberedSeconds };
    const sources = { ...countKey({ agentId }), count: done.websites.copied + done.documents.copied, changes: 0 };
    const failed = await this.#table.transactUnless([
      ...this.#agents.creation(done.agent),
      { Put: { TableName, Item: item } },
      { Put: { TableName, Item: sources } },
      { ConditionCheck: { TableName, Key: accessKey(sourceAgentId), ConditionExpression: 'attribute_exists(uid)' } },
    ]);
    if (!failed) return done;
    // Another run finished the same copy.
    const found = await this.find(agentId);
    if (found?.state === 'done') return found;
    if (await this.#agents.access(sourceAgentId))
      throw new Error(`The copy ${agentId} could not be finished: it exists in part.`);
    return undefined;
  }

  /** Makes what was copied that of a deleted agent, for the job that deletes the rest of those. */
  async abandon({ agent }: Duplication): Promise<void> {
    const TableName = this.#table.name;
    const { uid, agentId } = agent;
    const Item = deletedCopyOf(agent, jobTimeoutSeconds);
    // When it fails, another run has done the same.
    await this.#table.transactUnless([
      { Put: { TableName, Item, ConditionExpression: 'attribute_not_exists(pk)' } },
      { Delete: { TableName, Key: duplicationKey(agentId) } },
      countAction(this.#table, countKey({ uid }), -1),
    ]);
  }

  /** Forgets the copy that made an agent. */
  async remove(agentId: string): Promise<void> {
    await this.#table.delete(duplicationKey(agentId));
  }
}

const itemOf = ({ agent, ...rest }: Duplication): DuplicationItem => ({
  ...duplicationKey(agent.agentId),
  ...rest,
  agent: JSON.stringify(agent),
});

const duplicationOf = ({ pk: _pk, sk: _sk, agent, ...rest }: DuplicationItem): Duplication => ({
  ...rest,
  agent: JSON.parse(agent),
});

export const duplications = /* @__PURE__ */ service(
  () => new Duplications(table.get(), { agents: agentQuota(), sources: sourceQuota() }),
  {
    find: ['dynamodb:GetItem'],
    add: ['dynamodb:ConditionCheckItem', 'dynamodb:GetItem', 'dynamodb:PutItem', 'dynamodb:UpdateItem'],
    update: ['dynamodb:PutItem'],
    finish: ['dynamodb:ConditionCheckItem', 'dynamodb:GetItem', 'dynamodb:PutItem', 'dynamodb:UpdateItem'],
    abandon: ['dynamodb:DeleteItem', 'dynamodb:PutItem', 'dynamodb:UpdateItem'],
    remove: ['dynamodb:DeleteItem'],
  },
);
