import { currentMaker, currentRequestId, withCause } from '../cause.ts';
import type { UnversionedAgent } from '../domain/agents.ts';
import type { ChangeMaker } from '../domain/change-maker.ts';
import { jobTimeoutSeconds } from '../domain/timeouts.ts';
import { service } from '../service.ts';
import { AgentAccess } from '../store/agents/agent-access.ts';
import { AgentChanges } from '../store/agents/agent-changes.ts';
import { toDeletedCopy } from '../store/agents/agent-deletions.ts';
import { isAbsent, when } from '../store/expressions.ts';
import { accessKey, countKey, duplicationKey } from '../store/keys.ts';
import { agentQuota, type Counter, countAction, countCheck, type Quota, sourceQuota } from '../store/quotas.ts';
import { type Item, type Table, TableStore, table } from '../store/table.ts';
import { openWriteQuota, type WriteQuota } from '../store/write-quota.ts';

/** A copy of an agent in progress. Its data has the new agent's id, which cannot be used until the copy is finished. */
export type Duplication = {
  /** The new agent in its final form. */
  agent: UnversionedAgent;
  /** The API key that asked for the copy. */
  keyId?: string;
  /** Who asked for the copy. A job creates the agent. */
  maker?: ChangeMaker;
  sourceAgentId: string;
  /** The shards of the block list that are copied, and how many numbers they have. */
  shardsDone: number[];
  blockedNumbers: number;
  /** The progress for each kind of source: the number of copies, the id of the last one, and whether all are copied. */
  websites: CopyProgress;
  documents: CopyProgress;
  state: 'copying' | 'done';
  /** The writes of the user's day are used up. */
  waitsForQuota?: boolean;
};

/** `toIndex` is set when a copied source is not indexed for the agent's language, or has no text yet. */
export type CopyProgress = { copied: number; after?: string; done: boolean; toIndex?: true };

type DuplicationItem = Item & Omit<Duplication, 'agent'> & { agent: string };

/** A finished copy is kept for as long as a repeated request or a late message can ask for it. */
const rememberedSeconds = 14 * 24 * 60 * 60;

/** The quotas of the user who gets a copy. */
export type Quotas = { agents: Quota; sources: Quota };

/** The progress of copies of agents. */
export class Duplications extends TableStore {
  readonly #access = new AgentAccess(this.table);
  readonly #changes = new AgentChanges(this.table);
  readonly #quotas: Quotas;
  readonly #writes: WriteQuota;

  constructor(table: Table, quotas: Quotas, writes: WriteQuota) {
    super(table);
    this.#quotas = quotas;
    this.#writes = writes;
  }

  async find(agentId: string): Promise<Duplication | undefined> {
    const item = await this.table.get<DuplicationItem>(duplicationKey(agentId));
    return item && toDuplication(item);
  }

  /** Adds a copy, or returns the begun copy. Its agent counts from now on. */
  async add(asked: Duplication, { agents, sources } = this.#quotas): Promise<Duplication> {
    const duplication = { ...asked, maker: currentMaker() };
    const { agent, sourceAgentId } = duplication;
    const failed = await this.table.tryTransact([
      this.table.putAction(toDuplicationItem(duplication), isAbsent),
      countAction(this.table, countKey({ uid: agent.uid }), 1, agents, {
        add: { copies: new Set([agent.agentId]), copiesBegun: 1 },
      }),
      countCheck(this.table, countKey({ agentId: sourceAgentId }), sources),
      this.#writes.check(agent.uid),
    ]);
    if (!failed) return duplication;
    const begun = failed.has(0) ? await this.find(agent.agentId) : undefined;
    if (!begun) throw (failed.has(1) ? agents : failed.has(2) ? sources : this.#writes).exceeded();
    return begun;
  }

  /** Stores the progress of a copy. Throws when the copy is finished. */
  async update(duplication: Duplication): Promise<void> {
    await this.table.put(toDuplicationItem(duplication), when`#state = ${'copying'}`);
  }

  /** Creates the agent in one transaction, unless the source was deleted: the copy may be incomplete. */
  async finish(duplication: Duplication): Promise<Duplication | undefined> {
    const done: Duplication = { ...duplication, state: 'done' };
    const { agent, keyId, maker = { via: 'job' }, sourceAgentId } = done;
    const { agentId } = agent;
    const item = { ...toDuplicationItem(done), ttlSeconds: Math.floor(Date.now() / 1000) + rememberedSeconds };
    const count: Counter = {
      ...countKey({ agentId }),
      count: done.websites.copied + done.documents.copied,
      changes: 0,
    };
    const failed = await this.table.tryTransact([
      ...withCause({ maker, requestId: currentRequestId() }, () => this.#changes.creation(agent, { keyId })),
      this.table.putAction(item),
      this.table.putAction(count),
      this.table.updateAction(countKey({ uid: agent.uid }), { remove: { copies: new Set([agentId]) } }),
      this.table.checkAction(accessKey(sourceAgentId), when`attribute_exists(uid)`),
    ]);
    if (!failed) return done;
    // Another run finished the same copy.
    const found = await this.find(agentId);
    if (found?.state === 'done') return found;
    if (await this.#access.find(sourceAgentId))
      throw new Error(`The copy ${agentId} could not be finished: it exists in part.`);
    return undefined;
  }

  /** Turns the copy into a deleted agent, whose data the `finishDeletion` job deletes. */
  async abandon({ agent }: Duplication): Promise<void> {
    const { uid, agentId } = agent;
    // If it fails, another run has done the same.
    await this.table.tryTransact([
      this.table.putAction(toDeletedCopy(agent, jobTimeoutSeconds), isAbsent),
      this.table.deleteAction(duplicationKey(agentId)),
      countAction(this.table, countKey({ uid }), -1, undefined, { remove: { copies: new Set([agentId]) } }),
    ]);
  }

  /** Deletes the progress of the copy that created an agent. */
  async remove(agentId: string): Promise<void> {
    await this.table.delete(duplicationKey(agentId));
  }
}

const toDuplicationItem = ({ agent, ...rest }: Duplication): DuplicationItem => ({
  ...duplicationKey(agent.agentId),
  ...rest,
  agent: JSON.stringify(agent),
});

const toDuplication = ({ pk: _pk, sk: _sk, agent, ...rest }: DuplicationItem): Duplication => ({
  ...rest,
  agent: JSON.parse(agent),
});

export const duplications = /* @__PURE__ */ service(
  () => new Duplications(table.get(), { agents: agentQuota(), sources: sourceQuota() }, openWriteQuota()),
  {
    find: ['dynamodb:GetItem'],
    add: ['dynamodb:ConditionCheckItem', 'dynamodb:GetItem', 'dynamodb:PutItem', 'dynamodb:UpdateItem'],
    update: ['dynamodb:PutItem'],
    finish: ['dynamodb:ConditionCheckItem', 'dynamodb:GetItem', 'dynamodb:PutItem', 'dynamodb:UpdateItem'],
    abandon: ['dynamodb:DeleteItem', 'dynamodb:PutItem', 'dynamodb:UpdateItem'],
    remove: ['dynamodb:DeleteItem'],
  },
);
