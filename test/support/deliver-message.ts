import type { SQSEvent } from 'aws-lambda';
import { type AnyQueueJob, queueWorker } from '../../functions/jobs/job.ts';

/** Delivers a message to a job in this process, for the first or a later time. Returns true if the job accepted it. */
export const deliverMessage = async (job: AnyQueueJob, message: object, delivery = 1): Promise<boolean> => {
  const record = {
    messageId: 'm',
    body: JSON.stringify(message),
    attributes: { ApproximateReceiveCount: String(delivery) },
  };
  const { batchItemFailures } = await queueWorker(job)({ Records: [record] } as unknown as SQSEvent);
  return batchItemFailures.length === 0;
};
