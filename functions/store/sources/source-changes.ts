import { service } from '../../service.ts';
import { countKey, findItem } from '../keys.ts';
import { type Counter, countAction } from '../quotas.ts';
import { type Item, type Lookup, type Table, type TransactionAction, table } from '../table.ts';

/**
 * Returns the action that counts a change of an agent's sources. While the count stays, sources that were read are
 * unchanged.
 */
export const searchChanged = (table: Table, { agentId }: { agentId: string }): TransactionAction =>
  countAction(table, countKey({ agentId }), 0);

/** Returns the number of changes of an agent's sources; undefined if the counter was not read. */
export const readChangeCount = (counter: Item | null | undefined): number | undefined =>
  counter === undefined ? undefined : ((counter as Counter | null)?.changes ?? 0);

/** Looks up the number of changes of an agent's sources. */
export const sourceChangesLookup = (agentId: string): Lookup<number | undefined> => {
  const key = countKey({ agentId });
  return { keys: [key], read: (items) => readChangeCount(findItem(items, key) ?? null) };
};

/** Reads the number of changes of an agent's sources. */
export class SourceChanges {
  readonly #table: Table;

  constructor(table: Table) {
    this.#table = table;
  }

  async of(agentId: string): Promise<number> {
    return (await this.#table.get<Counter>(countKey({ agentId })))?.changes ?? 0;
  }
}

export const sourceChanges = /* @__PURE__ */ service(() => new SourceChanges(table.get()), {
  of: ['dynamodb:GetItem'],
});
