import { blockListImports } from '../block-list-import/block-list-imports.ts';
import { deleteExports, discardServices } from '../call-exports/discard-exports.ts';
import { queueSender } from '../clients/job-queue.ts';
import { consents } from '../consents/consents.ts';
import { jobMessages } from '../domain/job-messages.ts';
import { jobRescueDelaySeconds, jobTimeoutSeconds, rescueDelaySeconds } from '../domain/timeouts.ts';
import { parkedChanges } from '../parking/parked-changes.ts';
import { discardPersonExports, discardPersonServices } from '../person-exports/run-person-export.ts';
import type { ServicesOf } from '../service.ts';
import { agentDeletions } from '../store/agents/agent-deletions.ts';
import { agentSharing } from '../store/agents/agent-sharing.ts';
import { agents } from '../store/agents/agents.ts';
import { blockList } from '../store/block-list/block-list.ts';
import { users } from '../store/users.ts';
import { emptyUser } from '../users/empty-user.ts';
import { queueJob, queueWorker } from './job.ts';

/** The delay after which a deletion looks again whether others have ended: requests, imports, copies, the deletions of agents. */
const waitSeconds = 15;

const services = {
  users: users.for('findDeletion', 'noteDeletionRun', 'endAccess', 'remove'),
  agents: agents.for('owned', 'list', 'countCopies'),
  agentDeletions: agentDeletions.for('remove', 'note', 'areFinished'),
  agentSharing: agentSharing.for('revoke'),
  blockList: blockList.for('removeAll'),
  consents: consents.for('removeAll'),
  imports: blockListImports.for('cancel', 'isRunning'),
  ...discardServices,
  ...discardPersonServices,
  parkedChanges: parkedChanges.for('dropOfUser'),
  jobQueue: queueSender('finishDeletion', 'finishUserDeletion'),
};

/**
 * Deletes a deleted user's data in repeated runs, since earlier requests may still write. The last run frees the id.
 * A further message begins the work again if a run is lost.
 */
export const finishUserDeletion = queueJob({
  name: 'finishUserDeletion',
  message: jobMessages.finishUserDeletion,
  services,
  timeoutSeconds: jobTimeoutSeconds,

  async handle({ uid, isRescue }, services, { until }) {
    const { users, agentDeletions, jobQueue } = services;
    const deletion = await users.findDeletion(uid);
    if (!deletion) return;
    const message = { job: 'finishUserDeletion', uid } as const;
    if (isRescue) {
      await jobQueue.send({ ...message, isRescue }, jobRescueDelaySeconds);
      if (deletion.isUnderWay) return;
    }
    await users.noteDeletionRun(uid);
    const state = await emptyUser(uid, (agentIds) => removeAgents(uid, agentIds, services, until), services, until);
    if (state === 'unfinished') return jobQueue.send(message);
    if (state === 'written' || !deletion.isQuiet || !(await agentDeletions.areFinished(uid)))
      return jobQueue.send(message, waitSeconds);
    await deleteExports(uid, services);
    await discardPersonExports(uid, services);
    await services.parkedChanges.dropOfUser(uid);
    await users.remove(uid);
  },
});

/** Deletes agents of a user until a time. Returns true if none is left. */
const removeAgents = async (
  uid: string,
  agentIds: string[],
  { agentDeletions, jobQueue }: ServicesOf<typeof services>,
  until: number,
) => {
  await agentDeletions.note(uid, agentIds);
  for (const agentId of agentIds) {
    const message = { job: 'finishDeletion', uid, agentId } as const;
    await jobQueue.send(message, rescueDelaySeconds);
    if (await agentDeletions.remove(uid, agentId)) await jobQueue.send(message);
    if (Date.now() >= until) return false;
  }
  return true;
};

export const handler = queueWorker(finishUserDeletion);
