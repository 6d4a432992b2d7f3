import pMap from 'p-map';
import type { Agent } from '../domain/agents.ts';
import { fileKeyOf } from '../domain/documents.ts';
import { identifierOfCopy } from '../domain/identifiers.ts';
import { service } from '../service.ts';
import { Agents } from './agents.ts';
import { type DocumentRecord, Documents } from './documents.ts';
import { blockedNumberKey, blockedNumbersOf, blockListShards, duplicationKey } from './keys.ts';
import type { SourceRecord, SourceReference, Sources } from './sources.ts';
import { chunks, type Item, refusalOf, type Table, table } from './table.ts';
import { type WebsiteRecord, Websites } from './websites.ts';

/** A copy of an agent in the making. Everything of it lies under the new agent's id, which nobody can see until the end. */
export type Duplication = {
  /** The new agent, as it will be. */
  agent: Agent;
  sourceAgentId: string;
  /** The shards of the block list that are copied whole, and how many numbers they held. */
  shardsDone: number[];
  blockedNumbers: number;
  /** Of each kind of knowledge: how many sources are copied, the last of them, and whether there are more. */
  websites: Progress;
  documents: Progress;
  state: 'copying' | 'done';
};

type Progress = { copied: number; after?: string; done: boolean };

/** What a copy needs beyond the table: files are copied where they are, and a crawl that had not ended begins anew. */
export type Outside = {
  files: { copy(from: string, to: string): Promise<boolean> };
  jobQueue: {
    send(message: { job: 'crawlWebsite'; agentId: string; websiteId: string; attempt: string }): Promise<void>;
  };
};

type DuplicationItem = Item & Omit<Duplication, 'agent'> & { agent: string };
type BlockedItem = Item & { blockedUntil: number };

/** Of each shard; all of them are copied at once, so that a short list takes no longer than its longest shard. */
const batchesInFlight = 2;
const sourcesAtOnce = 8;

/**
 * Copies of agents. A copy is made of writes that can be repeated, and ends with one transaction that brings the new
 * agent into being: killed at any point, it is whole or it is not there, and whoever goes on ends in the same agent.
 */
export class Duplications {
  readonly #table: Table;
  readonly #agents: Agents;
  readonly #websites: Websites;
  readonly #documents: Documents;

  constructor(table: Table) {
    this.#table = table;
    this.#agents = new Agents(table);
    this.#websites = new Websites(table);
    this.#documents = new Documents(table);
  }

  async find(agentId: string): Promise<Duplication | undefined> {
    const item = await this.#table.get<DuplicationItem>(duplicationKey(agentId));
    return item && duplicationOf(item);
  }

  /** Begins a copy, or finds the one already begun under the new agent's id. */
  async begin(agent: Agent, sourceAgentId: string): Promise<Duplication> {
    const duplication: Duplication = {
      agent,
      sourceAgentId,
      shardsDone: [],
      blockedNumbers: 0,
      websites: { copied: 0, done: false },
      documents: { copied: 0, done: false },
      state: 'copying',
    };
    try {
      await this.#table.put(itemOf(duplication), { ConditionExpression: 'attribute_not_exists(pk)' });
      return duplication;
    } catch (error) {
      const begun = refusalOf(error) === 'condition' ? await this.find(agent.agentId) : undefined;
      if (!begun) throw error;
      return begun;
    }
  }

  /** Copies until it is whole or `until` (Unix milliseconds) is reached; gives back how far it came. */
  async proceed(duplication: Duplication, until: number, outside: Outside): Promise<Duplication> {
    if (duplication.state === 'done') return duplication;
    const { agent } = duplication;
    const reached = { ...duplication, shardsDone: [...duplication.shardsDone] };
    const missing = Array.from({ length: blockListShards }, (_, shard) => shard).filter(
      (shard) => !reached.shardsDone.includes(shard),
    );
    const copyShard = async (shard: number) => {
      const copied = await this.#copyShard(duplication, shard, until);
      if (copied === undefined) return;
      reached.shardsDone.push(shard);
      reached.blockedNumbers += copied;
    };
    const copyWebsite = async (from: WebsiteRecord, to: SourceReference) => {
      const attempt = to.id;
      const copy = await this.#websites.copy(from, to, { uid: agent.uid, at: agent.createdAt, attempt });
      if (copy?.status === 'pending') {
        await outside.jobQueue.send({ job: 'crawlWebsite', agentId: agent.agentId, websiteId: to.id, attempt });
      }
      return copy !== undefined;
    };
    const copyDocument = (from: DocumentRecord, to: SourceReference) => this.#copyDocument(from, to, agent, outside);
    [reached.websites, reached.documents] = await Promise.all([
      this.#copySources(this.#websites, duplication, duplication.websites, until, copyWebsite),
      this.#copySources(this.#documents, duplication, duplication.documents, until, copyDocument),
      ...missing.map(copyShard),
    ]);
    const isWhole = reached.shardsDone.length === blockListShards && reached.websites.done && reached.documents.done;
    return isWhole ? this.#finish(reached) : this.#remember(reached);
  }

  /** Copies sources of one kind from where an earlier run ended, and says how far it came. */
  async #copySources<R extends SourceRecord>(
    sources: Sources<R>,
    { agent, sourceAgentId }: Duplication,
    progress: Progress,
    until: number,
    copy: (from: R, to: SourceReference) => Promise<boolean>,
  ): Promise<Progress> {
    const reached = { ...progress };
    if (reached.done) return reached;
    const copyAll = async (records: R[]) => {
      const to = ({ id }: R) => ({ agentId: agent.agentId, id: identifierOfCopy(id, agent.agentId) });
      const copied = await pMap(records, (record) => copy(record, to(record)), { concurrency: sourcesAtOnce });
      reached.copied += copied.filter(Boolean).length;
      reached.after = records.at(-1)?.id ?? reached.after;
    };
    let some: R[] = [];
    for await (const record of sources.list(sourceAgentId, { after: reached.after })) {
      if (some.length === sourcesAtOnce) {
        await copyAll(some);
        some = [];
      }
      if (Date.now() >= until) return reached;
      some.push(record);
    }
    await copyAll(some);
    return { ...reached, done: true };
  }

  /** The record goes first: a file that belongs to no document is deleted by whoever finds it. */
  async #copyDocument(from: DocumentRecord, to: SourceReference, agent: Agent, { files }: Outside): Promise<boolean> {
    // A form that nobody may use: there is nothing to copy yet.
    if (from.ttlSeconds !== undefined) return false;
    const { uid, createdAt: at } = agent;
    const copy = await this.#documents.copy(from, to, { uid, at, attempt: from.attempt });
    if (!copy) return false;
    const isThere = await files.copy(fileKeyOf(from), fileKeyOf(to));
    if (isThere || (await this.#documents.find(from.agentId, from.id))) return true;
    await this.#documents.remove(to);
    return false;
  }

  /** Copies the numbers of one shard that are blocked now and says how many; undefined when time ran out. */
  async #copyShard({ agent, sourceAgentId }: Duplication, shard: number, until: number): Promise<number | undefined> {
    if (Date.now() >= until) return undefined;
    let copied = 0;
    let items: Item[] = [];
    const flush = async () => {
      await pMap(chunks(items, 25), (batch) => this.#table.putMany(batch), { concurrency: batchesInFlight });
      copied += items.length;
      items = [];
    };
    for await (const item of this.#table.query<BlockedItem>(blockedNumbersOf(sourceAgentId, shard))) {
      if (item.blockedUntil <= Date.now()) continue;
      items.push({ ...item, ...blockedNumberKey(agent.agentId, item.sk) });
      if (items.length < 25 * batchesInFlight) continue;
      await flush();
      if (Date.now() >= until) return undefined;
    }
    await flush();
    return copied;
  }

  async #remember(duplication: Duplication): Promise<Duplication> {
    await this.#table.put(itemOf(duplication), {
      ConditionExpression: '#state = :copying',
      ExpressionAttributeNames: { '#state': 'state' },
      ExpressionAttributeValues: { ':copying': 'copying' },
    });
    return duplication;
  }

  /** The one transaction after which the new agent is there, and whole. */
  async #finish(duplication: Duplication): Promise<Duplication> {
    const done: Duplication = { ...duplication, state: 'done' };
    const kept = { ...itemOf(done), ttlSeconds: Math.floor(Date.now() / 1000) + 7 * 24 * 60 * 60 };
    try {
      await this.#table.transact([
        ...this.#agents.creation(done.agent),
        { Put: { TableName: this.#table.name, Item: kept } },
      ]);
      return done;
    } catch (error) {
      // Somebody else finished it: the same copy, or this request's own write whose response was lost.
      const found = refusalOf(error) ? await this.find(done.agent.agentId) : undefined;
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
  begin: ['dynamodb:GetItem', 'dynamodb:PutItem'],
  proceed: [
    'dynamodb:BatchGetItem',
    'dynamodb:BatchWriteItem',
    'dynamodb:DeleteItem',
    'dynamodb:GetItem',
    'dynamodb:PutItem',
    'dynamodb:Query',
    'dynamodb:UpdateItem',
  ],
});
