import { jobQueueFor } from '../clients/job-queue.ts';
import { callFigures } from '../figures/call-figures.ts';
import { markChanges } from '../figures/mark-changes.ts';
import { publishServices } from '../webhooks/publish.ts';
import { publishChanges } from '../webhooks/publish-changes.ts';
import { streamJob, streamWorker } from './job.ts';

/** Reads the table's stream, from which webhook events are sent and calls are counted again. */
export const readChanges = streamJob({
  name: 'readChanges',
  services: {
    ...publishServices,
    callFigures: callFigures.for('mark', 'marksOf'),
    jobQueue: jobQueueFor('closeBlockListEvent', 'countCalls'),
  },
  timeoutSeconds: 60,

  async handle(changes, services, deadlines) {
    const failed = await Promise.all([markChanges(changes, services), publishChanges(changes, services, deadlines)]);
    return changes.find((change) => failed.includes(change));
  },
});

export const handler = streamWorker(readChanges);
