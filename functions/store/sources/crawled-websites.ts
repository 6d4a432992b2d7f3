import { nextDue, nextTry } from '../../domain/refresh-plan.ts';
import { hasEnded } from '../../domain/source-state.ts';
import { service } from '../../service.ts';
import { when } from '../expressions.ts';
import { table } from '../table.ts';
import { isUnchanged } from './source-conditions.ts';
import type { SourceReference } from './source-reads.ts';
import { sourcePermissions } from './sources.ts';
import type { WebsiteRecord } from './website-reads.ts';
import { Websites } from './websites.ts';

/** A crawl: the website as it is, and a new text's revision. */
export type CrawlRun = { record: WebsiteRecord; revision: string };

/** The websites of agents, as their crawls change them. */
export class CrawledWebsites extends Websites {
  /** Begins a crawl that is due for one worker, and plans the next. `running`: another worker may crawl. */
  async startDue(
    source: SourceReference,
    attempt: string,
    { dueAt, now, timeoutSeconds }: { dueAt: number; now: number; timeoutSeconds: number },
  ): Promise<CrawlRun | 'running' | undefined> {
    const found = await this.findForJob(source);
    const entry = { ...source, nextRefreshAt: new Date(dueAt).toISOString() };
    // An entry that nothing refers to is deleted here.
    if (!found?.nextRefreshAt) await this.entries.leave(entry);
    else await this.entries.leaveFormer(entry, found);
    if (!found?.nextRefreshAt || found.refreshEvery === undefined) return undefined;
    const endsAt = now + timeoutSeconds * 1000;
    const { status, deadlineAt = 0, nextRefreshAt, refreshEvery } = found;
    const isRunning = !hasEnded(status) && deadlineAt > now;
    if (found.attempt === attempt) {
      if (hasEnded(status)) return undefined;
      // The worker of this attempt has died once its time is over.
      return isRunning
        ? 'running'
        : this.begin(source, {}, endsAt, when`deadlineAt = ${deadlineAt} and ${isUnchanged(found)}`);
    }
    const from = Date.parse(nextRefreshAt);
    if (isRunning || from > now) return undefined;
    const next = new Date(nextDue({ from, days: refreshEvery }, now)).toISOString();
    return this.begin(
      source,
      { attempt, nextRefreshAt: next },
      endsAt,
      when`nextRefreshAt = ${nextRefreshAt} and ${isUnchanged(found)}`,
    );
  }

  /** Lets another worker begin the crawl of a website that is due. */
  async release(source: SourceReference, attempt: string): Promise<void> {
    await this.changeAttempt(source, attempt, { deadlineAt: Date.now() });
  }

  /** Fails a crawl; its text stays. After three failures, only every third time is tried. */
  async failCrawl(
    { record: { refreshEvery, nextRefreshAt, failedCrawls: former = 0, ...source } }: CrawlRun,
    attempt: string,
    error: string,
    fields: Partial<WebsiteRecord>,
  ): Promise<void> {
    const failedCrawls = former + 1;
    if (nextRefreshAt !== undefined && refreshEvery !== undefined) {
      const next = new Date(nextTry(Date.parse(nextRefreshAt), refreshEvery, failedCrawls)).toISOString();
      const planned = { ...fields, failedCrawls, nextRefreshAt: next };
      if (await this.fail(source, attempt, error, planned, when`nextRefreshAt = ${nextRefreshAt}`)) return;
    }
    // The plan was changed during the crawl.
    await this.fail(source, attempt, error, { ...fields, failedCrawls });
  }
}

export const crawledWebsites = /* @__PURE__ */ service(() => new CrawledWebsites(table.get()), {
  ...sourcePermissions,
  startDue: ['dynamodb:DeleteItem', 'dynamodb:GetItem', 'dynamodb:UpdateItem'],
  release: ['dynamodb:UpdateItem'],
  failCrawl: ['dynamodb:UpdateItem'],
});
