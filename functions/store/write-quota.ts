import { now } from '../domain/date-time.ts';
import { quotaExceeded } from '../domain/errors.ts';
import { formatWhole } from '../domain/format-whole.ts';
import { environment } from '../environment.ts';
import { service } from '../service.ts';

import { dailyWritesKey } from './keys.ts';
import { isAtMost } from './quotas.ts';
import { type Table, TableStore, type TransactionAction, table } from './table.ts';

const keptSeconds = 2 * 24 * 60 * 60;

/** What imports and copies write in a day of UTC: no user takes all of the table's capacity. */
export class WriteQuota extends TableStore {
  readonly #limit: number;

  constructor(table: Table, limit: number) {
    super(table);
    this.#limit = limit;
  }

  /** Counts writes in advance, or returns false above the day's quota. */
  async take(uid: string, writes: number): Promise<boolean> {
    if (writes > this.#limit) return false;
    const change = { add: { count: writes }, set: { ttlSeconds: Math.floor(Date.now() / 1000) + keptSeconds } };
    return (await this.table.change(keyToday(uid), change, isAtMost(this.#limit - writes))) !== undefined;
  }

  /** Returns the action that fails at the end of the day's quota. */
  check(uid: string): TransactionAction {
    return this.table.checkAction(keyToday(uid), isAtMost(this.#limit - 1));
  }

  exceeded(): Error {
    const limit = formatWhole(this.#limit);
    return quotaExceeded(`The imports and copies of a user can write at most ${limit} numbers a day`);
  }
}

const keyToday = (uid: string) => dailyWritesKey(uid, now().slice(0, 'yyyy-mm-dd'.length));

export const openWriteQuota = () => new WriteQuota(table.get(), environment.quotaDailyWrites);

export const writeQuota = /* @__PURE__ */ service(openWriteQuota, { take: ['dynamodb:UpdateItem'], exceeded: [] });
