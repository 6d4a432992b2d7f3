import * as z from 'zod/mini';
import { files } from '../clients/files.ts';
import { jobQueue } from '../clients/job-queue.ts';
import { Identifier } from '../domain/identifiers.ts';
import { duplicationNeeds, duplications } from '../store/duplications.ts';
import { job, worker } from './job.ts';

/** Finishes a copy of an agent that was too large for its answer, or whose function died: afterwards it is whole. */
export const finishDuplication = job({
  name: 'finishDuplication',
  message: z.object({ job: z.literal('finishDuplication'), agentId: Identifier }),
  may: [...duplicationNeeds.may],
  sends: [...duplicationNeeds.sends],
  uses: { duplications, files, jobQueue },
  timeoutSeconds: 300,

  async handle({ agentId }, services, until) {
    const { duplications, jobQueue } = services;
    const begun = await duplications.find(agentId);
    if (!begun) return;
    const { state } = await duplications.proceed(begun, until, services);
    if (state === 'copying') await jobQueue.send({ job: 'finishDuplication', agentId });
  },
});

export const handler = worker(finishDuplication);
