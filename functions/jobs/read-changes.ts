import { queueSender } from '../clients/job-queue.ts';
import { callFigures } from '../figures/call-figures.ts';
import { markChanges } from '../figures/mark-changes.ts';
import { publishServices } from '../webhooks/publish.ts';
import { publishChanges } from '../webhooks/publish-changes.ts';
import { streamJob, streamWorker } from './job.ts';

/** Reads the table's stream, and starts all that follows from a change. */
export const readChanges = streamJob({
  name: 'readChanges',
  services: {
    ...publishServices,
    callFigures: callFigures.for('mark', 'getMarks'),
    jobQueue: queueSender('countCalls', 'resumeDeliveries'),
  },
  timeoutSeconds: 60,

  async handle(changes, services, deadlines) {
    const failed = await Promise.all([markChanges(changes, services), publishChanges(changes, services, deadlines)]);
    return changes.find((change) => failed.includes(change));
  },
});

export const handler = streamWorker(readChanges);
