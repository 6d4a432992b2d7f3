import { quotaExceeded } from '../domain/errors.ts';
import { environment } from '../environment.ts';
import { type Condition, conditionOf, updateOf } from './expressions.ts';
import { countKey, documentsOf, type ItemKey, websitesOf } from './keys.ts';
import type { Item, Table, TransactionAction } from './table.ts';

/** What a user or an agent may have. */
export type Quota = { limit: number; exceeded: () => Error };

export const agentQuota = (limit = environment.quotaAgents): Quota => ({
  limit,
  exceeded: () => quotaExceeded(`A user can have at most ${limit.toLocaleString('en')} agents`),
});

export const sourceQuota = (limit = environment.quotaSources): Quota => ({
  limit,
  exceeded: () =>
    quotaExceeded(`An agent can have at most ${limit.toLocaleString('en')} websites and documents together`),
});

/**
 * A counter. It changes in the transactions that create and delete what it counts; each change also counts as one in
 * `changes`, so that a recount is stored only if nothing changed meanwhile.
 */
export type Counter = Item & { count: number; changes: number; recountedAt?: number };

/** The action of a transaction that counts `by` more or fewer. With a quota, its condition is that they fit. */
export const countAction = ({ name: TableName }: Table, Key: ItemKey, by: number, quota?: Quota): TransactionAction => {
  if (quota && by > quota.limit) throw quota.exceeded();
  const change = { add: { count: by, changes: 1 } };
  return { Update: { TableName, Key, ...updateOf(change, quota && isAtMost(quota.limit - by)) } };
};

/** The action of a transaction that fails when a counter is above a quota. */
export const countCheck = ({ name: TableName }: Table, Key: ItemKey, { limit }: Quota): TransactionAction => ({
  ConditionCheck: { TableName, Key, ...conditionOf(isAtMost(limit)) },
});

const isAtMost = (most: number): Condition => ({
  expression: 'attribute_not_exists(#count) or #count <= :most',
  values: { most },
});

/**
 * Counts the sources of an agent, and corrects its counter. Records of upload forms that were never used count until
 * then: no write says when they expire. So a full agent is counted again, at most once in `seconds`. False when that was
 * not done.
 */
export const recountSources = async (table: Table, agentId: string, seconds = 60): Promise<boolean> => {
  const key = countKey({ agentId });
  for (let attempt = 0; attempt < 5; attempt++) {
    const found = await table.get<Counter>(key);
    const now = Date.now();
    if ((found?.recountedAt ?? 0) > now - seconds * 1000) return false;
    const set = { count: await countSources(table, agentId), recountedAt: now };
    const isUnchanged = found
      ? { expression: 'changes = :found', values: { found: found.changes } }
      : { expression: 'attribute_not_exists(pk)' };
    if (await table.change(key, { set, add: { changes: 1 } }, isUnchanged)) return true;
  }
  return false;
};

const countSources = async (table: Table, agentId: string): Promise<number> => {
  let count = 0;
  for (const collection of [websitesOf(agentId), documentsOf(agentId)]) {
    for await (const { fileDeadlineAt = Infinity } of table.query<Item & { fileDeadlineAt?: number }>(collection)) {
      if (fileDeadlineAt > Date.now()) count++;
    }
  }
  return count;
};
