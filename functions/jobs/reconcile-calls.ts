import type * as z from 'zod/mini';
import { queueSender } from '../clients/job-queue.ts';
import { ApiError } from '../domain/errors.ts';
import { jobMessages } from '../domain/job-messages.ts';
import { jobTimeoutSeconds } from '../domain/timeouts.ts';
import { log } from '../log.ts';
import { findAssistants } from '../reconciliation/begin-reconciliation.ts';
import { reconciliations, type StoredReconciliation } from '../reconciliation/reconciliations.ts';
import { reconcileServices, runReconciliation } from '../reconciliation/run-reconciliation.ts';
import type { ServicesOf } from '../service.ts';
import { agents } from '../store/agents/agents.ts';
import { queueJob, queueWorker } from './job.ts';

const services = {
  ...reconcileServices,
  reconciliations: reconciliations.for('add', 'find', 'save', 'finish'),
  agents: agents.for('find'),
  jobQueue: queueSender('reconcileCalls'),
};

/** Each pass lists this period again: a platform may list a call late. See decisions/0041. */
const hourlyMilliseconds = 26 * 60 * 60 * 1000;

/** Compares the calls of an agent with its platform's list, and records those that are missing. */
export const reconcileCalls = queueJob({
  name: 'reconcileCalls',
  message: jobMessages.reconcileCalls,
  services,
  isAwaited: true,
  timeoutSeconds: jobTimeoutSeconds,
  // A page of calls with their transcripts is tens of megabytes.
  memoryMegabytes: 1024,

  async handle(message, services, { until }) {
    const { agentId, reconciliationId } = message;
    const found = message.hourly
      ? await beginHourly(message, message.hourly, services)
      : await services.reconciliations.find(agentId, reconciliationId);
    const rest = await runReconciliation(found, until, services);
    const { hourly: _, ...next } = message;
    if (rest) await services.jobQueue.send(next, rest.delaySeconds);
  },
});

type Message = z.infer<typeof jobMessages.reconcileCalls>;

/** Adds the reconciliation of an hour. Undefined: the agent cannot be reconciled now. */
const beginHourly = async (
  { uid, agentId, reconciliationId }: Message,
  { to, comparedUntil }: NonNullable<Message['hourly']>,
  { agents, platformKeys, reconciliations }: ServicesOf<typeof services>,
): Promise<StoredReconciliation | undefined> => {
  const agent = await agents.find(uid, agentId);
  if (!agent) return undefined;
  try {
    const assistants = await findAssistants(agent, platformKeys);
    const from = new Date(Date.parse(to) - hourlyMilliseconds).toISOString();
    const time = { from, to, comparedUntil, dryRun: false, isHourly: true } as const;
    const request = { reconciliationId, agentId, uid, ...assistants, ...time };
    return await reconciliations.add(request, { status: 'running' });
  } catch (error) {
    if (!(error instanceof ApiError) || error.code === 'overloaded') throw error;
    log('info', { job: 'reconcileCalls', uid, agentId, skipped: error.code, reason: error.message });
    return undefined;
  }
};

export const handler = queueWorker(reconcileCalls);
