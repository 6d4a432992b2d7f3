import { bulkSender } from '../clients/job-queue.ts';
import { now } from '../domain/date-time.ts';
import { newIdentifier } from '../domain/identifiers.ts';
import { type JobMessage, jobMessages } from '../domain/job-messages.ts';
import { jobTimeoutSeconds } from '../domain/timeouts.ts';
import { reconciliations } from '../reconciliation/reconciliations.ts';
import { queueJob, queueWorker } from './job.ts';

const messagesPerSend = 100;

/** Starts the hourly reconciliations of the agents that have them. */
export const reconcileAgents = queueJob({
  name: 'reconcileAgents',
  message: jobMessages.reconcileAgents,
  services: { reconciliations: reconciliations.for('reconciledAgents'), queue: bulkSender('reconcileCalls') },
  timeoutSeconds: jobTimeoutSeconds,
  everyMinutes: 60,

  async handle(_, { reconciliations, queue }) {
    const to = now();
    let messages: JobMessage<'reconcileCalls'>[] = [];
    for await (const { uid, agentId, comparedUntil } of reconciliations.reconciledAgents()) {
      const reconciliationId = newIdentifier('reconciliation');
      messages.push({ job: 'reconcileCalls', uid, agentId, reconciliationId, hourly: { to, comparedUntil } });
      if (messages.length < messagesPerSend) continue;
      await queue.sendMany(messages);
      messages = [];
    }
    if (messages.length > 0) await queue.sendMany(messages);
  },
});

export const handler = queueWorker(reconcileAgents);
