import type { Agent } from '../../domain/agents.ts';
import { withoutUndefined } from '../../domain/json.ts';
import { idempotencyClaimSeconds } from '../../domain/timeouts.ts';
import { service } from '../../service.ts';
import type { AccessItem } from '../credentials.ts';
import { when } from '../expressions.ts';
import {
  accessKey,
  agentKey,
  agentTrafficKey,
  countKey,
  deletedAgentCollection,
  deletedAgentKey,
  itemsOfAgent,
  ownedAgentKey,
  runningImportKey,
} from '../keys.ts';
import { countAction } from '../quotas.ts';
import { causeAttributes, type Item, TableStore, table, untilWritten } from '../table.ts';
import { type AgentItem, isUnchanged, toAgent } from './agent-items.ts';
import type { SharedAgentItem } from './agents.ts';
import { moveReconciled } from './reconciled-agents.ts';
import { moveEntries } from './unique-values.ts';

/** A deleted agent with its former users. Nothing earlier writes after `quietAt` (Unix milliseconds). */
export type DeletedAgent = { owner: string; guests: string[]; quietAt: number };
type DeletedItem = Item & {
  agentId: string;
  formerOwner: string;
  formerGuests: Iterable<string>;
  quietAt: number;
};

/** The deletions of agents. An agent is gone at once, and its data in the background. */
export class AgentDeletions extends TableStore {
  /** Deletes an agent, if it exists. Its access item reserves the id until the data are gone. */
  async remove(owner: string, agentId: string): Promise<boolean> {
    return untilWritten(async () => {
      const found = await this.table.get<AgentItem | SharedAgentItem>(agentKey(owner, agentId));
      // A guest has an entry of the agent under the same key.
      if (!found || 'owner' in found) return false;
      const former = toAgent(found);
      await this.table.transact([
        this.table.deleteAction(agentKey(owner, agentId), isUnchanged(found)),
        this.table.deleteAction(ownedAgentKey(owner, agentId)),
        ...moveEntries(this.table, former, { uid: owner, agentId }),
        ...moveReconciled(this.table, former, { uid: owner, agentId }),
        { Update: { TableName: this.table.name, Key: accessKey(agentId), ...moveToDeleted(agentId, owner) } },
        countAction(this.table, countKey({ uid: owner }), -1),
      ]);
      return true;
    });
  }

  /** Returns a deleted agent whose data may not be deleted yet. */
  async find(agentId: string): Promise<DeletedAgent | undefined> {
    const item = await this.table.get<DeletedItem>(accessKey(agentId));
    return item?.quietAt === undefined
      ? undefined
      : { owner: item.formerOwner, guests: [...item.formerGuests], quietAt: item.quietAt };
  }

  /** Deletes the items beside the access item of a deleted agent, and after `quietAt` that item itself. */
  async finish(agentId: string, { guests, quietAt }: DeletedAgent, startedAt: number): Promise<void> {
    const apart = [...guests.map((guest) => agentKey(guest, agentId)), runningImportKey({ agentId })];
    await this.table.deleteMany([...apart, agentTrafficKey(agentId)]);
    const access = accessKey(agentId);
    for await (const items of this.table.pages(itemsOfAgent(agentId), { keysOnly: true })) {
      await this.table.deleteMany(items.filter(({ sk }) => sk !== access.sk));
    }
    if (startedAt >= quietAt) await this.table.delete(access, when`attribute_not_exists(uid)`);
  }

  /** Notes the agents of a user whose deletions will be waited for. */
  async note(owner: string, agentIds: string[]): Promise<void> {
    await this.table.putMany(agentIds.map((agentId) => deletedAgentKey(owner, agentId)));
  }

  /** Returns true when all data of the agents are gone that were noted. */
  async areFinished(owner: string): Promise<boolean> {
    const { prefix } = deletedAgentCollection(owner);
    for await (const noted of this.table.pages(deletedAgentCollection(owner), { keysOnly: true, limit: 100 })) {
      const keys = noted.map(({ sk }) => accessKey(sk.slice(prefix.length)));
      const items = await this.table.getMany<AccessItem & Partial<DeletedItem>>(keys);
      if (items.some(({ uid, formerOwner }) => uid === owner || formerOwner === owner)) return false;
    }
    return true;
  }
}

/** Turns an access item into a deleted agent's. A `Change` cannot move attributes. */
const moveToDeleted = (agentId: string, owner: string) => {
  const cause = Object.entries(withoutUndefined(causeAttributes(accessKey(agentId))));
  const set = cause.map(([name]) => `, ${name} = :${name}`).join('');
  return {
    UpdateExpression: `set formerOwner = uid, formerGuests = if_not_exists(guests, :none), quietAt = :quietAt${set} remove uid, guests, blockOnOutcomes, outcomes, valueCurrency, transcripts, hasHistory`,
    ConditionExpression: 'uid = :owner',
    ExpressionAttributeValues: {
      ':owner': owner,
      ':none': [],
      ':quietAt': Date.now() + idempotencyClaimSeconds * 1000,
      ...Object.fromEntries(cause.map(([name, value]) => [`:${name}`, value])),
    },
  };
};

/** Returns the access item of an abandoned copy, which may be written for `seconds` more. */
export const toDeletedCopy = ({ agentId, uid }: Pick<Agent, 'agentId' | 'uid'>, seconds: number): DeletedItem => ({
  ...accessKey(agentId),
  agentId,
  formerOwner: uid,
  formerGuests: [],
  quietAt: Date.now() + seconds * 1000,
});

export const agentDeletions = /* @__PURE__ */ service(() => new AgentDeletions(table.get()), {
  remove: ['dynamodb:DeleteItem', 'dynamodb:GetItem', 'dynamodb:UpdateItem'],
  find: ['dynamodb:GetItem'],
  finish: ['dynamodb:BatchWriteItem', 'dynamodb:DeleteItem', 'dynamodb:Query'],
  note: ['dynamodb:BatchWriteItem'],
  areFinished: ['dynamodb:BatchGetItem', 'dynamodb:Query'],
});
