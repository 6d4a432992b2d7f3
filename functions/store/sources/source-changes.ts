import { service } from '../../service.ts';
import { countKey, findItem } from '../keys.ts';
import { type Counter, countAction } from '../quotas.ts';
import { type Item, type Lookup, type Table, TableStore, type TransactionAction, table } from '../table.ts';

/** Returns the action that counts a change: while the count stays, read sources are unchanged. */
export const searchChanged = (table: Table, { agentId }: { agentId: string }): TransactionAction =>
  countAction(table, countKey({ agentId }), 0);

/** Returns how often sources changed. */
export const readChangeCount = (counter: Item | undefined): number => (counter as Counter | undefined)?.changes ?? 0;

/** Looks up the number of changes of an agent's sources. */
export const sourceChangesLookup = (agentId: string): Lookup<number> => {
  const key = countKey({ agentId });
  return { keys: [key], read: (items) => readChangeCount(findItem(items, key)) };
};

/** Reads the number of changes of an agent's sources. */
export class SourceChanges extends TableStore {
  async of(agentId: string): Promise<number> {
    return (await this.table.get<Counter>(countKey({ agentId })))?.changes ?? 0;
  }
}

export const sourceChanges = /* @__PURE__ */ service(() => new SourceChanges(table.get()), {
  of: ['dynamodb:GetItem'],
});
