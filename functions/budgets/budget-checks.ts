import { service } from '../service.ts';
import { exists, when } from '../store/expressions.ts';
import { budgetCheckKey } from '../store/keys.ts';
import { type Item, TableStore, table } from '../store/table.ts';

/** A check that is queued, and by whom: a repetition of its sender sends it again. */
type CheckItem = Item & { by: string; at: number };

/** A check that was queued for so long is lost. */
const lostMilliseconds = 60_000;

/** The checks of budgets that are queued: the counts of many agents are followed by one check. */
export class BudgetChecks extends TableStore {
  /** Returns true if the caller is to queue a check of a user's budget. */
  async claim(uid: string, by: string): Promise<boolean> {
    const at = Date.now();
    const item = await this.table.change<CheckItem>(budgetCheckKey(uid), { initial: { by, at } });
    if (item?.by === by) return true;
    const isLost = when`#at < ${at - lostMilliseconds}`;
    return (await this.table.change(budgetCheckKey(uid), { set: { by, at } }, isLost)) !== undefined;
  }

  /** Begins a check: what is counted from here on is followed by another one. */
  async begin(uid: string): Promise<void> {
    await this.table.delete(budgetCheckKey(uid), exists);
  }
}

export const budgetChecks = /* @__PURE__ */ service(() => new BudgetChecks(table.get()), {
  claim: ['dynamodb:UpdateItem'],
  begin: ['dynamodb:DeleteItem'],
});
