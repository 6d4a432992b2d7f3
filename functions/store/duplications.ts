import type { Agent } from '../domain/agents.ts';
import { service } from '../service.ts';
import { Agents } from './agents.ts';
import { duplicationKey } from './keys.ts';
import { type Item, type Table, table, writeFailure } from './table.ts';

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

export type CopyProgress = { copied: number; after?: string; done: boolean };

type DuplicationItem = Item & Omit<Duplication, 'agent'> & { agent: string };

/** A finished copy is remembered for as long as a repeated request or a late message can ask for it. */
const rememberedSeconds = 14 * 24 * 60 * 60;

/** How far the copies of agents have come. */
export class Duplications {
  readonly #table: Table;
  readonly #agents: Agents;

  constructor(table: Table) {
    this.#table = table;
    this.#agents = new Agents(table);
  }

  async find(agentId: string): Promise<Duplication | undefined> {
    const item = await this.#table.get<DuplicationItem>(duplicationKey(agentId));
    return item && duplicationOf(item);
  }

  /** Adds a copy, or returns the one already begun under the new agent's id. */
  async add(duplication: Duplication): Promise<Duplication> {
    try {
      await this.#table.put(itemOf(duplication), { ConditionExpression: 'attribute_not_exists(pk)' });
      return duplication;
    } catch (error) {
      const begun = writeFailure(error) === 'condition' ? await this.find(duplication.agent.agentId) : undefined;
      if (!begun) throw error;
      return begun;
    }
  }

  /** Remembers how far a copy has come, unless it is finished. */
  async update(duplication: Duplication): Promise<void> {
    await this.#table.put(itemOf(duplication), {
      ConditionExpression: '#state = :copying',
      ExpressionAttributeNames: { '#state': 'state' },
      ExpressionAttributeValues: { ':copying': 'copying' },
    });
  }

  /** Creates the new agent, in the one transaction after which it is there, and whole. */
  async finish(duplication: Duplication): Promise<Duplication> {
    const done: Duplication = { ...duplication, state: 'done' };
    const item = { ...itemOf(done), ttlSeconds: Math.floor(Date.now() / 1000) + rememberedSeconds };
    try {
      await this.#table.transact([
        ...this.#agents.creation(done.agent),
        { Put: { TableName: this.#table.name, Item: item } },
      ]);
      return done;
    } catch (error) {
      // Another run finished the same copy, or this very write succeeded and its response was lost.
      const found = writeFailure(error) ? await this.find(done.agent.agentId) : undefined;
      if (found?.state !== 'done') throw error;
      return found;
    }
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

export const duplications = service(() => new Duplications(table.get()), {
  find: ['dynamodb:GetItem'],
  add: ['dynamodb:GetItem', 'dynamodb:PutItem'],
  update: ['dynamodb:PutItem'],
  finish: ['dynamodb:GetItem', 'dynamodb:PutItem'],
});
