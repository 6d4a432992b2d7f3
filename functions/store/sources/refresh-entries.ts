import { isSameTimeOfDay, refreshKey } from '../keys.ts';
import { type Item, TableStore } from '../table.ts';

/** A website's plan of refreshes. `refreshFor` is its agent's owner. */
export type RefreshedWebsite = {
  agentId: string;
  id: string;
  refreshEvery?: number;
  refreshFor?: string;
  nextRefreshAt?: string;
};

export type RefreshItem = Item & { uid: string; days: number; from: number };

/** Websites by time of day. Entries outlive records at both ends: only a record decides what is due. */
export class RefreshEntries extends TableStore {
  /** Writes the entry of a website that is to be crawled again. */
  async enter(website: RefreshedWebsite): Promise<void> {
    const { refreshEvery: days, refreshFor: uid, nextRefreshAt } = website;
    if (nextRefreshAt === undefined || days === undefined || uid === undefined) return;
    const item: RefreshItem = { ...refreshKey(nextRefreshAt, website), uid, days, from: Date.parse(nextRefreshAt) };
    await this.table.put(item);
  }

  /** Deletes the entry of a website. */
  async leave(website: RefreshedWebsite): Promise<void> {
    const { nextRefreshAt } = website;
    if (nextRefreshAt !== undefined) await this.table.delete(refreshKey(nextRefreshAt, website));
  }

  /** Deletes the former entry of a website, unless it is still used. */
  async leaveFormer(former: RefreshedWebsite, { nextRefreshAt }: RefreshedWebsite): Promise<void> {
    if (former.nextRefreshAt === undefined) return;
    if (nextRefreshAt === undefined || !isSameTimeOfDay(former.nextRefreshAt, nextRefreshAt)) await this.leave(former);
  }
}
