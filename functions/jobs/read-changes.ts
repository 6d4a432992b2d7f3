import { queueSender } from '../clients/job-queue.ts';
import { callFigures } from '../figures/call-figures.ts';
import { log } from '../log.ts';
import { followChanges, readChange } from '../stream/follow-changes.ts';
import { publishServices } from '../webhooks/publish.ts';
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
    const { failures, events, unwanted } = await followChanges(changes.map(readChange), services, deadlines);
    log('info', { job: 'readChanges', changes: changes.length, events, unwanted });
    return changes.find((change) => failures.has(change));
  },
});

export const handler = streamWorker(readChanges);
