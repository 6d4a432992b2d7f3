import { dayMilliseconds, dueBetween } from '../../domain/refresh-plan.ts';
import { service } from '../../service.ts';
import { lastLookKey, refreshCollection, refreshPosition, websiteOfRefresh } from '../keys.ts';
import { type Item, TableStore, table } from '../table.ts';
import type { RefreshItem } from './refresh-entries.ts';

/** A website that is due. */
export type DueWebsite = { uid: string; agentId: string; websiteId: string; dueAt: number };

type LastLook = Item & { until: number };

/** Finds the websites that are due by their entries. */
export class DueWebsites extends TableStore {
  /** Yields the websites that have become due between two looks (Unix milliseconds). */
  async *between(after: number, until: number): AsyncGenerator<DueWebsite> {
    for (const range of rangesBetween(after, until)) {
      for await (const { sk, uid, days, from } of this.table.query<RefreshItem>(refreshCollection, range)) {
        const dueAt = dueBetween({ from, days }, after, until);
        if (dueAt !== undefined) yield { uid, ...websiteOfRefresh(sk), dueAt };
      }
    }
  }

  /** Returns the time up to which due websites have been found (Unix milliseconds). */
  async lastLook(): Promise<number> {
    return (await this.table.get<LastLook>(lastLookKey))?.until ?? 0;
  }

  async saveLook(until: number): Promise<void> {
    await this.table.put({ ...lastLookKey, until } as LastLook);
  }
}

/** Returns the parts of a day between two times, as sort keys. */
const rangesBetween = (after: number, until: number): { from?: string; to?: string }[] => {
  if (until - after >= dayMilliseconds) return [{}];
  const [from, to] = [after, until].map((time) => refreshPosition(new Date(time).toISOString())) as [string, string];
  // A tilde follows every sign of a sort key.
  const end = `${to}~`;
  return from <= to ? [{ from, to: end }] : [{ from }, { to: end }];
};

export const dueWebsites = /* @__PURE__ */ service(() => new DueWebsites(table.get()), {
  between: ['dynamodb:Query'],
  lastLook: ['dynamodb:GetItem'],
  saveLook: ['dynamodb:PutItem'],
});
