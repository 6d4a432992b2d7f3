import { dayMilliseconds, planRefresh } from '../../domain/refresh-plan.ts';
import type { WebsiteChange } from '../../domain/websites.ts';
import { service } from '../../service.ts';
import { type Quota, sourceQuota } from '../quotas.ts';
import { type Table, table } from '../table.ts';
import { RefreshEntries } from './refresh-entries.ts';
import { isUnchanged } from './source-conditions.ts';
import type { SourceReference } from './source-reads.ts';
import { Sources, sourcePermissions } from './sources.ts';
import { type WebsiteRecord, websiteKind } from './website-reads.ts';

/** The websites of agents, with entries by which due ones are found. */
export class Websites extends Sources<WebsiteRecord> {
  protected readonly entries = new RefreshEntries(this.table);

  constructor(table: Table, quota?: Quota) {
    super(table, websiteKind, quota);
  }

  override async add(website: WebsiteRecord, quota?: Quota): Promise<WebsiteRecord> {
    await this.entries.enter(website);
    return super.add(website, quota);
  }

  /** Changes a website, or its refreshes on behalf of the agent's owner. */
  async change(
    source: SourceReference,
    { refreshEvery, ...change }: WebsiteChange,
    { uid, owner }: { uid: string; owner: string },
  ): Promise<WebsiteRecord | undefined> {
    if (refreshEvery === undefined && change.active === undefined) return this.edit(source, change, uid);
    for (;;) {
      const found = await this.find(source);
      if (!found) return undefined;
      const { active = found.active } = change;
      const planned = {
        active,
        refreshEvery: refreshEvery === undefined ? found.refreshEvery : (refreshEvery ?? undefined),
      };
      const refreshFor = planned.refreshEvery === undefined ? undefined : owner;
      const next = { ...planned, refreshFor, nextRefreshAt: planRefresh(found, planned, Date.now()) };
      await this.entries.enter({ ...source, ...next });
      const edited = await this.edit(source, { ...change, ...cleared(next) }, uid, isUnchanged(found));
      if (!edited) continue;
      await this.entries.leaveFormer(found, edited);
      return edited;
    }
  }

  /** Begins a crawl by hand. The next one is due a period later. */
  override async restart(
    source: SourceReference,
    next: { attempt: string; uid: string },
    mayRestart: (status: string) => boolean,
  ) {
    let former: WebsiteRecord | undefined;
    const begun = await super.restart(source, next, mayRestart, async (found) => {
      former = found;
      if (found.nextRefreshAt === undefined || found.refreshEvery === undefined) return {};
      const nextRefreshAt = new Date(Date.now() + found.refreshEvery * dayMilliseconds).toISOString();
      await this.entries.enter({ ...found, nextRefreshAt });
      return { nextRefreshAt };
    });
    if (former && begun?.restarted) await this.entries.leaveFormer(former, begun.record);
    return begun;
  }

  override remove(source: SourceReference): Promise<boolean> {
    return super.remove(source, this.#leave);
  }

  override removeAll(agentId: string, until: number): Promise<boolean> {
    return super.removeAll(agentId, until, this.#leave);
  }

  override deleteOrphans(source: SourceReference): Promise<void> {
    return super.deleteOrphans(source, this.#leave);
  }

  /** Deletes the entry of a website that is being deleted. */
  #leave = async (source: SourceReference): Promise<void> => {
    const found = await this.findInAnyState(source);
    if (found) await this.entries.leave(found);
  };

  override async copy(
    source: SourceReference,
    to: SourceReference,
    attempt: string | undefined,
    fields: Partial<WebsiteRecord>,
  ): Promise<WebsiteRecord | undefined> {
    await this.entries.enter({ ...fields, ...to });
    return super.copy(source, to, attempt, fields);
  }
}

/** Returns fields for a write that clears those that are undefined. */
const cleared = <F extends object>(fields: F) =>
  Object.fromEntries(Object.entries(fields).map(([name, value]) => [name, value ?? null])) as F;

/** The websites of agents. */
export const websites = /* @__PURE__ */ service(() => new Websites(table.get(), sourceQuota()), {
  ...sourcePermissions,
  change: ['dynamodb:DeleteItem', 'dynamodb:GetItem', 'dynamodb:PutItem', 'dynamodb:UpdateItem'],
  restart: ['dynamodb:DeleteItem', 'dynamodb:GetItem', 'dynamodb:PutItem', 'dynamodb:UpdateItem'],
  remove: ['dynamodb:GetItem', ...sourcePermissions.remove],
  removeAll: ['dynamodb:GetItem', ...sourcePermissions.removeAll],
});
