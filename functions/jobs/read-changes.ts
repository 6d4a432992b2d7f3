import { log } from '../log.ts';
import { parkedChanges } from '../parking/parked-changes.ts';
import { followBatch } from '../stream/follow-batch.ts';
import { followServices } from '../stream/follow-changes.ts';
import { streamJob, streamWorker } from './job.ts';

/** Reads the table's stream, and starts all that follows from a change. */
export const readChanges = streamJob({
  name: 'readChanges',
  services: { ...followServices, parkedChanges: parkedChanges.for('entities', 'park') },
  timeoutSeconds: 60,

  async handle(records, services, deadlines) {
    const { events, unwanted, parked, comesAgain } = await followBatch(records, services, deadlines);
    log('info', { job: 'readChanges', changes: records.length, events, unwanted, parked: parked || undefined });
    return comesAgain;
  },
});

export const handler = streamWorker(readChanges);
