import { jobMessages } from '../domain/job-messages.ts';
import { jobTimeoutSeconds } from '../domain/timeouts.ts';
import { log } from '../log.ts';
import { parkedChanges } from '../parking/parked-changes.ts';
import { followServices } from '../stream/follow-changes.ts';
import { retryParked } from '../stream/retry-parked.ts';
import { queueJob, queueWorker } from './job.ts';

/** Follows parked changes again. A deployment also starts it: the fault may be gone. */
export const retryChanges = queueJob({
  name: 'retryChanges',
  message: jobMessages.retryChanges,
  services: {
    ...followServices,
    parkedChanges: parkedChanges.for(
      'entities',
      'list',
      'read',
      'keep',
      'noteFailure',
      'drain',
      'beginRetry',
      'endRetry',
    ),
  },
  timeoutSeconds: jobTimeoutSeconds,
  everyMinutes: 5,

  async handle(_, services, { until }) {
    const { followed, parked } = await retryParked(services, { until, endsAt: Date.now() + jobTimeoutSeconds * 1000 });
    // A metric has a value, and a price, only while changes are parked.
    if (followed + parked > 0) log('info', { job: 'retryChanges', followed, parked: parked || undefined });
  },
});

export const handler = queueWorker(retryChanges);
