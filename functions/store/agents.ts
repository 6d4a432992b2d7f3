import { randomUUID } from 'node:crypto';
import { isDeepStrictEqual } from 'node:util';
import type { Agent } from '../domain/agents.ts';
import { phoneNumberInUse } from '../domain/errors.ts';
import { idempotencyClaimSeconds } from '../domain/timeouts.ts';
import { service } from '../service.ts';
import type { AccessItem } from './credentials.ts';
import { type Condition, updateOf } from './expressions.ts';
import {
  accessKey,
  agentIdIn,
  agentKey,
  agentNumberKey,
  agentsOf,
  countKey,
  itemsOfAgent,
  runningImportKey,
  userKey,
} from './keys.ts';
import { agentQuota, countAction, type Quota } from './quotas.ts';
import { backOff, type Item, maxConflicts, type Table, type TransactionAction, table } from './table.ts';
import { writeFailure } from './write-failures.ts';

/** The configuration is stored as JSON text, so that every value is returned as it was sent. */
export type AgentItem = Item & Omit<Agent, 'configuration'> & { configuration: string; version: string };
export type NumberItem = Item & { agentId: string };
type SharedAgentItem = Item & { agentId: string; owner: string };

/** An agent is created whose id is another user's, or a deleted one's. */
export class AgentExistsError extends Error {
  override readonly name = 'AgentExistsError';
}

/**
 * Agents. A record is stored once, with its owner. Access is a small item of its own, which every request reads together
 * with its key, so that no request pays for a configuration it does not use.
 * It repeats `blockOnOutcomes`, which a change of an outcome needs.
 */
export class Agents {
  readonly #table: Table;
  readonly #quota: Quota | undefined;

  /** Without a quota, users may have any number of agents. */
  constructor(table: Table, quota?: Quota) {
    this.#table = table;
    this.#quota = quota;
  }

  async find(owner: string, agentId: string): Promise<Agent | undefined> {
    const item = await this.#table.get<AgentItem>(agentKey(owner, agentId));
    return item && agentOf(item);
  }

  /** The agents a user owns or was given access to, by id. One query a page, and one more read for those of others. */
  async *list(
    uid: string,
    options: { after?: string | undefined; limit?: number | undefined } = {},
  ): AsyncGenerator<Agent> {
    for await (const page of this.#table.pages<AgentItem | SharedAgentItem>(agentsOf(uid), options)) {
      const shared = page.filter((item) => 'owner' in item);
      const others = await this.#table.getMany<AgentItem>(shared.map(({ owner, agentId }) => agentKey(owner, agentId)));
      const byId = new Map(others.map((item) => [item.agentId, item]));
      for (const item of page) {
        const record = 'owner' in item ? byId.get(item.agentId) : item;
        if (record) yield agentOf(record);
      }
    }
  }

  /** The agents that a user owns, with their guests, a page at a time. No record is read. */
  async *owned(uid: string): AsyncGenerator<{ agentId: string; guests: string[] }[]> {
    for await (const keys of this.#table.pages(agentsOf(uid), { keysOnly: true, limit: 100 })) {
      const items = await this.#table.getMany<AccessItem>(keys.map(({ sk }) => accessKey(agentIdIn(sk))));
      yield items
        .filter((item) => item.uid === uid)
        .map(({ agentId, guests }) => ({ agentId, guests: [...(guests ?? [])] }));
    }
  }

  /** The ids of all agents, also of deleted ones of which something is left, in the table's own order after a given one. */
  async *all(after?: string): AsyncGenerator<string> {
    const start = after === undefined ? undefined : accessKey(after);
    for await (const { agentId } of this.#table.scan<AccessItem>(accessKey('').sk, start)) yield agentId;
  }

  /** The user's own agent that has a phone number. */
  async findByNumber(owner: string, phoneNumber: string): Promise<Agent | undefined> {
    const item = await this.#table.get<NumberItem>(agentNumberKey(owner, phoneNumber));
    return item && this.find(owner, item.agentId);
  }

  /** Creates an agent. If its id exists, its own creation wrote it before, and that agent is returned. */
  async create(agent: Agent): Promise<Agent> {
    const { uid, agentId } = agent;
    const creation = this.creation(agent);
    const count = countAction(this.#table, countKey({ uid }), 1, this.#quota);
    for (let attempt = 0; ; attempt++) {
      const failed = await this.#table.transactUnless([...creation, count]);
      if (!failed) return agent;
      const existing = await this.find(uid, agentId);
      if (existing) return existing;
      if (failed.has(0) || failed.has(1)) throw new AgentExistsError(`Another user has an agent ${agentId}.`);
      await this.#checkNumber(agent);
      if (this.#quota && failed.has(creation.length)) throw this.#quota.exceeded();
      // The agent that had the number has lost it meanwhile.
      if (attempt === maxConflicts) throw new Error(`The agent ${agentId} could not be created.`);
    }
  }

  /** The writes that create an agent: its record, its access item and the entry of its number, all or none. */
  creation(agent: Agent): TransactionAction[] {
    const { uid, agentId } = agent;
    const ConditionExpression = 'attribute_not_exists(pk)';
    const { blockOnOutcomes } = agent.configuration;
    const access: AccessItem = { ...accessKey(agentId), agentId, uid, ...(blockOnOutcomes && { blockOnOutcomes }) };
    return [
      { Put: { TableName: this.#table.name, Item: itemOf(agent), ConditionExpression } },
      { Put: { TableName: this.#table.name, Item: access, ConditionExpression } },
      ...this.#numberChange(undefined, agent),
    ];
  }

  /** Changes an agent. Of two concurrent changes, the later one sees the earlier one's result. */
  async change(owner: string, agentId: string, change: (agent: Agent) => Agent): Promise<Agent | undefined> {
    for (let attempt = 0; ; attempt++) {
      const found = await this.#table.get<AgentItem>(agentKey(owner, agentId));
      if (!found) return undefined;
      const former = agentOf(found);
      const changed = change(former);
      const condition = {
        ConditionExpression: 'version = :found',
        ExpressionAttributeValues: { ':found': found.version },
      };
      const put = { Put: { TableName: this.#table.name, Item: itemOf(changed), ...condition } };
      try {
        await this.#table.transact([
          put,
          ...this.#numberChange(former, changed),
          ...this.#accessChange(former, changed),
        ]);
        return changed;
      } catch (error) {
        if (writeFailure(error) === undefined || attempt === maxConflicts) throw error;
        await this.#checkNumber(changed);
        await backOff(attempt);
      }
    }
  }

  /** The writes that move the entry of an agent's number. It is taken only from nobody, so that a number has one agent. */
  #numberChange(former: Agent | undefined, { uid, agentId, phoneNumber }: Agent): TransactionAction[] {
    if (former?.phoneNumber === phoneNumber) return [];
    const TableName = this.#table.name;
    const isOwn = { ExpressionAttributeValues: { ':agentId': agentId } };
    const ConditionExpression = 'attribute_not_exists(pk) or agentId = :agentId';
    return [
      ...(former?.phoneNumber
        ? [{ Delete: { TableName, Key: agentNumberKey(uid, former.phoneNumber), ConditionExpression, ...isOwn } }]
        : []),
      ...(phoneNumber
        ? [
            {
              Put: { TableName, Item: { ...agentNumberKey(uid, phoneNumber), agentId }, ConditionExpression, ...isOwn },
            },
          ]
        : []),
    ];
  }

  /** The write that keeps the outcomes which block in the access item, when they have changed. */
  #accessChange(former: Agent, { uid, agentId, configuration }: Agent): TransactionAction[] {
    const { blockOnOutcomes = null } = configuration;
    if (isDeepStrictEqual(former.configuration.blockOnOutcomes ?? null, blockOnOutcomes)) return [];
    const update = updateOf({ set: { blockOnOutcomes } }, isOwnedBy(uid));
    return [{ Update: { TableName: this.#table.name, Key: accessKey(agentId), ...update } }];
  }

  /** Throws when another agent of the user has the number: that is why a write failed. */
  async #checkNumber({ uid, agentId, phoneNumber }: Agent): Promise<void> {
    const item = phoneNumber && (await this.#table.get<NumberItem>(agentNumberKey(uid, phoneNumber)));
    if (item && item.agentId !== agentId) throw phoneNumberInUse();
  }

  /**
   * Deletes an agent: from here on it is unknown to everyone, and its number is free. Its access item remains, with
   * nobody in it, until the rest is deleted: until then no agent gets the same id. False when there is no such agent.
   */
  async remove(owner: string, agentId: string): Promise<boolean> {
    const TableName = this.#table.name;
    for (;;) {
      const found = await this.#table.get<AgentItem | SharedAgentItem>(agentKey(owner, agentId));
      // A guest has an entry of the agent under the same key.
      if (!found || 'owner' in found) return false;
      const { phoneNumber: _, ...withoutNumber } = agentOf(found);
      const condition = {
        ConditionExpression: 'version = :found',
        ExpressionAttributeValues: { ':found': found.version },
      };
      const failed = await this.#table.transactUnless([
        { Delete: { TableName, Key: agentKey(owner, agentId), ...condition } },
        ...this.#numberChange(agentOf(found), withoutNumber),
        { Update: { TableName, Key: accessKey(agentId), ...deletionOf(owner) } },
        countAction(this.#table, countKey({ uid: owner }), -1),
      ]);
      if (!failed) return true;
    }
  }

  /** A deleted agent of which something may be left. */
  async findDeleted(agentId: string): Promise<DeletedAgent | undefined> {
    const item = await this.#table.get<DeletedItem>(accessKey(agentId));
    return item?.quietAt === undefined
      ? undefined
      : { owner: item.formerOwner, guests: [...item.formerGuests], quietAt: item.quietAt };
  }

  /** Deletes what a deleted agent's former guests list, what is kept beside it and, once it is quiet, last its access item. */
  async finishRemoval(agentId: string, { guests, quietAt }: DeletedAgent, startedAt: number): Promise<void> {
    await this.#table.deleteMany([...guests.map((guest) => agentKey(guest, agentId)), runningImportKey({ agentId })]);
    const access = accessKey(agentId);
    for await (const items of this.#table.pages(itemsOfAgent(agentId), { keysOnly: true })) {
      await this.#table.deleteMany(items.filter(({ sk }) => sk !== access.sk));
    }
    if (startedAt >= quietAt) await this.#table.delete(access, { expression: 'attribute_not_exists(uid)' });
  }

  /** Lets another user use an agent. */
  async grant(agentId: string, owner: string, guest: string): Promise<void> {
    if (guest === owner) throw ownerIsNoGuest();
    const TableName = this.#table.name;
    const shared = { ...agentKey(guest, agentId), agentId, owner };
    await this.#table.transact([
      { ConditionCheck: { TableName, Key: userKey(guest), ConditionExpression: 'attribute_exists(pk)' } },
      {
        Update: {
          TableName,
          Key: accessKey(agentId),
          ...updateOf({ add: { guests: new Set([guest]) } }, isOwnedBy(owner)),
        },
      },
      { Put: { TableName, Item: shared } },
    ]);
  }

  /** Ends a user's access to somebody else's agent, from the next request on. */
  async revoke(agentId: string, owner: string, guest: string): Promise<void> {
    if (guest === owner) throw ownerIsNoGuest();
    const TableName = this.#table.name;
    await this.#table.transact([
      {
        Update: {
          TableName,
          Key: accessKey(agentId),
          ...updateOf({ remove: { guests: new Set([guest]) } }, isOwnedBy(owner)),
        },
      },
      { Delete: { TableName, Key: agentKey(guest, agentId) } },
    ]);
  }

  /** The language that an agent is set to. Without its owner, it takes another read to find that. */
  async languageOf(agentId: string, owner?: string): Promise<string | undefined> {
    const uid = owner ?? (await this.access(agentId))?.owner;
    const agent = uid === undefined ? undefined : await this.find(uid, agentId);
    return agent?.configuration.language;
  }

  /** The owner of an agent, who else may use it, and the outcomes that block. */
  async access(agentId: string): Promise<{ owner: string; guests: string[]; blockOnOutcomes: string[] } | undefined> {
    const item = await this.#table.get<AccessItem>(accessKey(agentId));
    if (item?.uid === undefined) return undefined;
    return { owner: item.uid, guests: [...(item.guests ?? [])], blockOnOutcomes: item.blockOnOutcomes ?? [] };
  }
}

/**
 * A deleted agent, and who had access to it. From `quietAt` (Unix milliseconds) on, no request or job that began before
 * the deletion writes anything more.
 */
export type DeletedAgent = { owner: string; guests: string[]; quietAt: number };
type DeletedItem = Item & { agentId: string; formerOwner: string; formerGuests: Iterable<string>; quietAt: number };

/** Makes an access item that of a deleted agent. */
const deletionOf = (owner: string) => ({
  UpdateExpression:
    'set formerOwner = uid, formerGuests = if_not_exists(guests, :none), quietAt = :quietAt remove uid, guests, blockOnOutcomes',
  ConditionExpression: 'uid = :owner',
  ExpressionAttributeValues: { ':owner': owner, ':none': [], ':quietAt': Date.now() + idempotencyClaimSeconds * 1000 },
});

/** The access item of a copy that never became an agent: another run of the copy may go on for `seconds`. */
export const deletedCopyOf = ({ agentId, uid }: Pick<Agent, 'agentId' | 'uid'>, seconds: number): DeletedItem => ({
  ...accessKey(agentId),
  agentId,
  formerOwner: uid,
  formerGuests: [],
  quietAt: Date.now() + seconds * 1000,
});

const isOwnedBy = (owner: string): Condition => ({ expression: 'uid = :owner', values: { owner } });

/** A guest's entry has the key of an owner's record: writing one for the owner would overwrite the agent. */
const ownerIsNoGuest = () => new Error('The owner of an agent cannot be its guest.');

const itemOf = ({ configuration, ...rest }: Agent): AgentItem => ({
  ...agentKey(rest.uid, rest.agentId),
  ...rest,
  configuration: JSON.stringify(configuration),
  version: randomUUID(),
});

/** The agent that an item holds. */
export const agentOf = ({ pk: _pk, sk: _sk, version: _version, configuration, ...rest }: AgentItem): Agent => ({
  ...rest,
  configuration: JSON.parse(configuration),
});

export const agents = /* @__PURE__ */ service(() => new Agents(table.get(), agentQuota()), {
  find: ['dynamodb:GetItem'],
  findByNumber: ['dynamodb:GetItem'],
  languageOf: ['dynamodb:GetItem'],
  list: ['dynamodb:BatchGetItem', 'dynamodb:Query'],
  all: ['dynamodb:Scan'],
  owned: ['dynamodb:BatchGetItem', 'dynamodb:Query'],
  create: ['dynamodb:GetItem', 'dynamodb:PutItem', 'dynamodb:UpdateItem'],
  change: ['dynamodb:DeleteItem', 'dynamodb:GetItem', 'dynamodb:PutItem', 'dynamodb:UpdateItem'],
  remove: ['dynamodb:DeleteItem', 'dynamodb:GetItem', 'dynamodb:UpdateItem'],
  findDeleted: ['dynamodb:GetItem'],
  finishRemoval: ['dynamodb:BatchWriteItem', 'dynamodb:DeleteItem', 'dynamodb:Query'],
});
