import { quotaExceeded } from '../domain/errors.ts';
import { formatWhole } from '../domain/format-whole.ts';
import { deleting, type SourceState } from '../domain/source-state.ts';
import { environment } from '../environment.ts';
import { type Change, isAbsent, when } from './expressions.ts';
import { countKey, documentCollection, type ItemKey, websiteCollection } from './keys.ts';
import type { Item, Table, TransactionAction } from './table.ts';

/** The most agents of a user, or sources of an agent. */
export type Quota = { limit: number; exceeded: () => Error };

/** Returns the lower quota: the deployment's, or the user's own. */
export const lower = (deployment: number, given = deployment) => Math.min(deployment, given);

export const agentQuota = (given?: number): Quota =>
  quotaBelow(environment.quotaAgents, given, {
    ofDeployment: (limit) => `A user can have at most ${limit} agents`,
    ofUser: (limit) => `The quota of this user is ${limit} for agents`,
  });

export const sourceQuota = (given?: number): Quota =>
  quotaBelow(environment.quotaSources, given, {
    ofDeployment: (limit) => `An agent can have at most ${limit} websites and documents together`,
    ofUser: (limit) => `The quota of this user is ${limit} for the websites and documents of each agent`,
  });

/** Returns the lower quota, with an error that says who can raise it. */
const quotaBelow = (
  deployment: number,
  given: number | undefined,
  sentences: Record<'ofDeployment' | 'ofUser', (limit: string) => string>,
): Quota => {
  const limit = lower(deployment, given);
  const text = formatWhole(limit);
  const exceeded = () =>
    limit < deployment
      ? quotaExceeded(sentences.ofUser(text), 'The creator of the user')
      : quotaExceeded(sentences.ofDeployment(text));
  return { limit, exceeded };
};

/** A counter, whose `changes` guard a recount. That of sources also counts changes for search. */
export type Counter = Item & { count: number; changes: number; recountedAt?: number };

/** Returns the action that adds to a counter, and fails above a quota. */
export const countAction = (
  table: Table,
  key: ItemKey,
  by: number,
  quota?: Quota,
  { add, remove = {} }: Pick<Change, 'add' | 'remove'> = {},
): TransactionAction => {
  if (quota && by > quota.limit) throw quota.exceeded();
  const change = { add: { count: by, changes: 1, ...add }, remove };
  return table.updateAction(key, change, quota && isAtMost(quota.limit - by));
};

/** Returns the action that fails when a counter is above a quota. */
export const countCheck = (table: Table, key: ItemKey, { limit }: Quota): TransactionAction =>
  table.checkAction(key, isAtMost(limit));

/** The condition that a counter has not passed a maximum. */
export const isAtMost = (max: number) => when`attribute_not_exists(#count) or #count <= ${max}`;

/** Corrects a counter of sources for unused forms. Returns false within `seconds` of the last time. */
export const recountSources = async (table: Table, agentId: string, seconds = 60): Promise<boolean> => {
  const key = countKey({ agentId });
  for (let attempt = 0; attempt < 5; attempt++) {
    const found = await table.get<Counter>(key);
    const now = Date.now();
    if ((found?.recountedAt ?? 0) > now - seconds * 1000) return false;
    const set = { count: await countSources(table, agentId), recountedAt: now };
    const isUnchanged = found ? when`changes = ${found.changes}` : isAbsent;
    if (await table.change(key, { set, add: { changes: 1 } }, isUnchanged)) return true;
  }
  return false;
};

const countSources = async (table: Table, agentId: string): Promise<number> => {
  let count = 0;
  for (const collection of [websiteCollection(agentId), documentCollection(agentId)]) {
    for await (const { status, fileDeadlineAt = Infinity } of table.query<Item & SourceState>(collection)) {
      if (status !== deleting && fileDeadlineAt > Date.now()) count++;
    }
  }
  return count;
};
