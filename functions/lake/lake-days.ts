import { now } from '../domain/date-time.ts';
import { isMonth, type LakePeriod } from '../domain/lake.ts';
import { environment } from '../environment.ts';
import { service } from '../service.ts';
import { when } from '../store/expressions.ts';
import { lakeDayKey } from '../store/keys.ts';
import { TableStore, table } from '../store/table.ts';

/**
 * The delays of a write. A month is compacted an hour after it was noted. On AWS, the file of today is written once an hour,
 * and one of an earlier day after a quarter of an hour.
 */
const chooseDelaySeconds = (day: string): number => {
  if (isMonth(day)) return 3600;
  if (!environment.isLambda) return 5;
  return now().startsWith(day) ? 3600 : 900;
};

/** The days and months whose files in the lake will be written. */
export class LakeDays extends TableStore {
  /** Notes that the file of a period must be written. Returns when, if the caller queues the write. */
  async note({ agentId, day }: LakePeriod): Promise<{ dueAt: number } | undefined> {
    const delay = chooseDelaySeconds(day) * 1000;
    const dueAt = Date.now() + delay;
    // A write that was not made by then is queued again.
    const expectedBy = dueAt + delay;
    const set = { expectedBy, ttlSeconds: Math.ceil(expectedBy / 1000) };
    const isOverdue = when`attribute_not_exists(pk) or expectedBy < ${Date.now()}`;
    const item = await this.table.change(lakeDayKey(agentId, day), { set }, isOverdue);
    return item && { dueAt };
  }

  /** Begins a write. A change from now on queues another one. */
  async begin({ agentId, day }: LakePeriod): Promise<void> {
    await this.table.delete(lakeDayKey(agentId, day));
  }
}

export const lakeDays = /* @__PURE__ */ service(() => new LakeDays(table.get()), {
  note: ['dynamodb:UpdateItem'],
  begin: ['dynamodb:DeleteItem'],
});
