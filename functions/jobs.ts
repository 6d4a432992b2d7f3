import { checkBudget } from './jobs/check-budget.ts';
import { countCalls } from './jobs/count-calls.ts';
import { crawlWebsite } from './jobs/crawl-website.ts';
import { createDeliveries } from './jobs/create-deliveries.ts';
import { deliverWebhook } from './jobs/deliver-webhook.ts';
import { erasePerson } from './jobs/erase-person.ts';
import { expireCalls } from './jobs/expire-calls.ts';
import { exportCalls } from './jobs/export-calls.ts';
import { exportPerson } from './jobs/export-person.ts';
import { extractDocument } from './jobs/extract-document.ts';
import { finishDeletion } from './jobs/finish-deletion.ts';
import { finishDuplication } from './jobs/finish-duplication.ts';
import { finishUserDeletion } from './jobs/finish-user-deletion.ts';
import { giveUp } from './jobs/give-up.ts';
import { importBlockList } from './jobs/import-block-list.ts';
import { indexKnowledge } from './jobs/index-knowledge.ts';
import type { AnyJob } from './jobs/job.ts';
import { readChanges } from './jobs/read-changes.ts';
import { reconcileAgents } from './jobs/reconcile-agents.ts';
import { reconcileCalls } from './jobs/reconcile-calls.ts';
import { refreshWebsites } from './jobs/refresh-websites.ts';
import { resumeDeliveries } from './jobs/resume-deliveries.ts';
import { retryChanges } from './jobs/retry-changes.ts';
import { writeLake } from './jobs/write-lake.ts';

/** All background work: one array, read by the stacks, the local run and the tests. */
export const jobs: AnyJob[] = [
  finishDuplication,
  crawlWebsite,
  refreshWebsites,
  extractDocument,
  indexKnowledge,
  finishDeletion,
  finishUserDeletion,
  erasePerson,
  createDeliveries,
  deliverWebhook,
  resumeDeliveries,
  expireCalls,
  countCalls,
  checkBudget,
  reconcileAgents,
  reconcileCalls,
  exportCalls,
  exportPerson,
  writeLake,
  importBlockList,
  giveUp,
  readChanges,
  retryChanges,
];

/** The jobs that messages start. Each has its own queue. */
export const queueJobs = jobs.filter((job) => job.kind === 'queue');

/** Returns the jobs that the clock starts, with their intervals. Those that run daily need a limit of the time for which calls are kept. */
export const listClockJobs = (callRetentionDays: number | undefined): { name: string; minutes: number }[] =>
  queueJobs.flatMap(({ name, daily, everyMinutes }) => {
    const minutes = daily && callRetentionDays ? 24 * 60 : everyMinutes;
    return minutes ? [{ name, minutes }] : [];
  });
