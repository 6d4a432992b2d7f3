import { discardExports, discardServices } from '../call-exports/discard-exports.ts';
import { queueSender } from '../clients/job-queue.ts';
import { hashingSecret } from '../clients/secrets.ts';
import { jobMessages } from '../domain/job-messages.ts';
import { jobTimeoutSeconds } from '../domain/timeouts.ts';
import { incompleteErasure, isOverdue } from '../erasure/erasures.ts';
import { erasePerson as erase, eraseServices, rememberErasedPerson, rememberServices } from '../erasure/person.ts';
import { personExports } from '../person-exports/person-exports.ts';
import { discardPersonExports } from '../person-exports/run-person-export.ts';
import { queueJob, queueWorker } from './job.ts';

/** Erases a person from the data of a user. */
export const erasePerson = queueJob({
  name: 'erasePerson',
  message: jobMessages.erasePerson,
  services: {
    ...rememberServices,
    ...eraseServices,
    ...discardServices,
    personExports: personExports.for('list', 'remove'),
    secret: hashingSecret,
    jobQueue: queueSender('erasePerson', 'exportCalls'),
  },
  isAwaited: true,
  timeoutSeconds: jobTimeoutSeconds,

  async handle(message, services, { until }) {
    const { uid, erasureId, progress } = message;
    const { erasures, jobQueue } = services;
    const begun = await erasures.start(uid, erasureId);
    if (!begun) return;
    if (!progress) await rememberErasedPerson({ uid, ...begun }, services);
    const rest = await erase({ uid, erasureId, ...begun, progress }, until, services);
    if (rest === undefined) {
      await discardExports(uid, services);
      await discardPersonExports(uid, services, { secret: await services.secret.read(), number: begun.number });
      return erasures.finish(uid, erasureId);
    }
    // By then everything that the erasure waits for has ended, unless an operator must intervene.
    if (isOverdue(begun)) return erasures.fail(uid, erasureId, incompleteErasure);
    const next = { job: 'erasePerson', uid, erasureId, progress: rest.progress } as const;
    await jobQueue.send(next, rest.delaySeconds);
  },
});

export const handler = queueWorker(erasePerson);
