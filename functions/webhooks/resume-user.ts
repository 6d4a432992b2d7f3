import type { JobMessage } from '../domain/job-messages.ts';
import type { WebhookEndpoints } from './webhook-endpoints.ts';

type Services = {
  webhookEndpoints: Pick<WebhookEndpoints, 'list'>;
  jobQueue: { send(message: JobMessage<'resumeDeliveries'>, delaySeconds?: number): Promise<void> };
};

/** The delay of the messages that are sent in advance. It is longer than the timeout of the function that sends them. */
const rescueSeconds = 45;

/**
 * Ends the suspension of a user, and resumes the deliveries that waited for it. Delayed messages for this are also sent in
 * advance, so that a killed function loses no delivery.
 */
export const resumeUser = async <T>(uid: string, services: Services, endSuspension: () => Promise<T>): Promise<T> => {
  await resumeAll(uid, services, rescueSeconds);
  const ended = await endSuspension();
  await resumeAll(uid, services);
  return ended;
};

const resumeAll = async (uid: string, { webhookEndpoints, jobQueue }: Services, delaySeconds?: number) => {
  for (const { endpointId } of await webhookEndpoints.list(uid))
    await jobQueue.send({ job: 'resumeDeliveries', uid, endpointId }, delaySeconds);
};
