import { isSameTimeOfDay, refreshKey } from '../keys.ts';
import type { Item, Table } from '../table.ts';

/** A website as far as its refreshes go. `refreshFor` is the owner of its agent. */
export type RefreshedWebsite = {
  agentId: string;
  id: string;
  refreshEvery?: number;
  refreshFor?: string;
  nextRefreshAt?: string;
};

export type RefreshItem = Item & { uid: string; days: number; from: number };

/**
 * The websites that are crawled again, each at its time of the day. An entry is written before the record, and deleted
 * after it. Only the record decides whether a website is due.
 */
export class RefreshEntries {
  readonly #table: Table;

  constructor(table: Table) {
    this.#table = table;
  }

  /** Writes the entry of a website that is to be crawled again. */
  async enter(website: RefreshedWebsite): Promise<void> {
    const { refreshEvery: days, refreshFor: uid, nextRefreshAt } = website;
    if (nextRefreshAt === undefined || days === undefined || uid === undefined) return;
    const item: RefreshItem = { ...refreshKey(nextRefreshAt, website), uid, days, from: Date.parse(nextRefreshAt) };
    await this.#table.put(item);
  }

  /** Deletes the entry of a website. */
  async leave(website: RefreshedWebsite): Promise<void> {
    const { nextRefreshAt } = website;
    if (nextRefreshAt !== undefined) await this.#table.delete(refreshKey(nextRefreshAt, website));
  }

  /** Deletes the former entry of a website that has another one now, or none. */
  async leaveFormer(former: RefreshedWebsite, { nextRefreshAt }: RefreshedWebsite): Promise<void> {
    if (former.nextRefreshAt === undefined) return;
    if (nextRefreshAt === undefined || !isSameTimeOfDay(former.nextRefreshAt, nextRefreshAt)) await this.leave(former);
  }
}
