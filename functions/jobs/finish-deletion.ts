import { blockListImports } from '../block-list-import/block-list-imports.ts';
import { budgetChecks } from '../budgets/budget-checks.ts';
import { queueCheck } from '../budgets/queue-check.ts';
import { callAttempts } from '../calling/call-attempts.ts';
import { files, lakeFiles } from '../clients/files.ts';
import { queueSender } from '../clients/job-queue.ts';
import { fileKey } from '../domain/documents.ts';
import { jobMessages } from '../domain/job-messages.ts';
import { hasText } from '../domain/json.ts';
import { lakeFileKey, toMonth } from '../domain/lake.ts';
import { jobTimeoutSeconds } from '../domain/timeouts.ts';
import { duplications } from '../duplication/duplications.ts';
import { environment } from '../environment.ts';
import { callFigures } from '../figures/call-figures.ts';
import { parkedChanges } from '../parking/parked-changes.ts';
import type { ServicesOf } from '../service.ts';
import { agentDeletions } from '../store/agents/agent-deletions.ts';
import { blockList } from '../store/block-list/block-list.ts';
import { calls } from '../store/calls/calls.ts';
import { idempotency } from '../store/idempotency.ts';
import { documents } from '../store/sources/documents.ts';
import { websites } from '../store/sources/websites.ts';
import { users } from '../store/users.ts';
import { queueJob, queueWorker } from './job.ts';

/** Deletes a deleted agent's data, its trace last. A run after requests in progress deletes what these wrote. */
export const finishDeletion = queueJob({
  name: 'finishDeletion',
  message: jobMessages.finishDeletion,
  services: {
    agentDeletions: agentDeletions.for('find', 'finish'),
    calls: calls.for('removeAll'),
    callFigures: callFigures.for('days', 'removeAll'),
    lakeFiles: lakeFiles.for('delete'),
    callAttempts: callAttempts.for('removeAll'),
    blockList: blockList.for('removeAll'),
    blockListImports: blockListImports.for('removeOfAgent'),
    websites: websites.for('removeAll'),
    documents: documents.for('removeAll'),
    files: files.for('delete'),
    duplications: duplications.for('remove'),
    parkedChanges: parkedChanges.for('dropOfAgent'),
    idempotency: idempotency.for('forget'),
    users: users.for('findBudget'),
    budgetChecks: budgetChecks.for('claim'),
    jobQueue: queueSender('checkBudget', 'finishDeletion'),
  },
  isAwaited: true,
  timeoutSeconds: jobTimeoutSeconds,

  async handle({ agentId, progress }, services, { until }) {
    const { agentDeletions, calls, callFigures, callAttempts, blockList, websites, documents, files } = services;
    const { blockListImports, duplications, parkedChanges, idempotency, users, jobQueue } = services;
    const startedAt = progress?.startedAt ?? Date.now();
    const deleted = await agentDeletions.find(agentId);
    if (!deleted) return;
    const message = { job: 'finishDeletion', uid: deleted.owner, agentId } as const;
    if (environment.lake) await deleteFromLake({ uid: deleted.owner, agentId }, services);
    const emptied = await Promise.all([
      calls.removeAll(agentId, { until }),
      callFigures.removeAll(agentId, until),
      callAttempts.removeAll(agentId, until),
      blockList.removeAll({ agentId }, until),
      websites.removeAll(agentId, until),
      documents.removeAll(agentId, until, (record) => files.delete(fileKey(record))),
    ]);
    if (!emptied.every(Boolean)) return jobQueue.send(message);
    for (const uid of [deleted.owner, ...deleted.guests])
      if (!(await blockListImports.removeOfAgent(uid, agentId, until))) return jobQueue.send(message);
    await duplications.remove(agentId);
    // The calls of the agent no longer count.
    if (await users.findBudget(deleted.owner)) await queueCheck({ uid: deleted.owner, by: agentId }, services);
    await parkedChanges.dropOfAgent(agentId);
    const mentionsAgent = (body: unknown) => hasText(body, (text) => text === agentId);
    const search = { until, from: progress?.position };
    const { stoppedAt } = await idempotency.forget([deleted.owner, ...deleted.guests], mentionsAgent, search);
    if (stoppedAt) return jobQueue.send({ ...message, progress: { startedAt, position: stoppedAt } });
    await agentDeletions.finish(agentId, deleted, startedAt);
  },
});

/** Deletes the files of an agent from the lake, before the figures that know their days. */
const deleteFromLake = async (
  { uid, agentId }: { uid: string; agentId: string },
  { callFigures, lakeFiles }: Pick<ServicesOf<typeof finishDeletion.services>, 'callFigures' | 'lakeFiles'>,
): Promise<void> => {
  const days = await callFigures.days(agentId);
  for (const day of new Set([...days, ...days.map(toMonth)]))
    await lakeFiles.delete(lakeFileKey({ uid, agentId, day }));
};

export const handler = queueWorker(finishDeletion);
