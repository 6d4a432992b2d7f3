import { currentRequestId } from '../cause.ts';
import type { SealedSecrets } from '../clients/sealed-secrets.ts';
import type { JobMessage } from '../domain/job-messages.ts';
import type { DeliveryAttempt } from '../domain/webhooks.ts';
import { log } from '../log.ts';
import type { Credentials } from '../store/credentials.ts';
import { signedRequest, type WebhookMessage } from './message.ts';
import { openActiveSecrets } from './secrets.ts';
import type { StoredDelivery, WebhookDeliveries } from './webhook-deliveries.ts';
import {
  type DeliveryOutcome,
  endpointAfter,
  isParked,
  type StoredEndpoint,
  untilNextTrial,
  type WebhookEndpoints,
  withTrial,
} from './webhook-endpoints.ts';
import type { WebhookEvents } from './webhook-events.ts';
import type { ReceiverResponse, WebhookReceivers } from './webhook-receivers.ts';

type Services = {
  credentials: Pick<Credentials, 'accessTo'>;
  webhookDeliveries: Pick<WebhookDeliveries, 'find' | 'record' | 'park'>;
  webhookEndpoints: Pick<WebhookEndpoints, 'find' | 'note' | 'change'>;
  webhookEvents: Pick<WebhookEvents, 'details'>;
  jobQueue: { send(message: JobMessage<'deliverWebhook' | 'resumeDeliveries'>, delaySeconds?: number): Promise<void> };
  sealedSecrets: Pick<SealedSecrets, 'open'>;
  webhookReceivers: Pick<WebhookReceivers, 'post'>;
};

const minutes = 60;
const hours = 60 * minutes;

/** Seconds after each failed attempt, as Standard Webhooks recommends. */
const retrySeconds = [
  5,
  5 * minutes,
  30 * minutes,
  2 * hours,
  5 * hours,
  10 * hours,
  14 * hours,
  20 * hours,
  24 * hours,
];
const jitter = 0.1;
const maxRetryAfterSeconds = 24 * hours;
/** SQS's maximum delay. A longer invisible wait would count against the queue's limit. */
const maxDelaySeconds = 900;
const gone = 410;

/**
 * Makes one attempt at a delivery. The next is sent before this attempt is recorded: a killed function loses no
 * delivery.
 */
export const deliver = async (job: JobMessage<'deliverWebhook'>, services: Services): Promise<void> => {
  const { uid, deliveryId, sequence, dueAt = 0 } = job;
  const { webhookDeliveries, webhookEndpoints, jobQueue } = services;
  const waitSeconds = Math.ceil((dueAt - Date.now()) / 1000);
  if (waitSeconds > 0) return sendLater(jobQueue, job, waitSeconds);
  const delivery = await webhookDeliveries.find(uid, deliveryId);
  if (delivery?.status !== 'pending' || delivery.sequence > sequence) return;
  const { endpointId } = delivery;
  const [found, maySee] = await Promise.all([
    webhookEndpoints.find(uid, endpointId),
    maySeeNow(uid, delivery, services),
  ]);
  // An address that has never answered with 2xx gets few deliveries, one at a time.
  const isTrial = found?.active && maySee && found.confirmedAt === undefined && !isParked(found, deliveryId);
  const triedAt = Date.now();
  const endpoint = isTrial
    ? await webhookEndpoints.change(uid, endpointId, (current) => withTrial(current, deliveryId, triedAt))
    : found;
  if (isTrial && endpoint && !isParked(endpoint, deliveryId) && endpoint.confirmedAt === undefined) {
    const waitMilliseconds = endpoint.triedAt === triedAt ? 0 : untilNextTrial(endpoint);
    if (waitMilliseconds > 0) return sendLater(jobQueue, job, waitMilliseconds / 1000);
  }
  // Deliveries end here if the endpoint is off, or the user may see it no more.
  if (!endpoint?.active || !maySee) {
    if (endpoint?.probe?.deliveryId === deliveryId)
      await recordOutcome(uid, endpoint, { kind: 'failure', deliveryId }, services);
    return void (await webhookDeliveries.record(uid, delivery, sequence, { status: 'failed' }));
  }
  const { isSuspended = false, confirmedAt } = endpoint;
  // The owner may ask for a delivery, unless the address has never confirmed.
  const mustPark = !job.isRequested || isSuspended || confirmedAt === undefined;
  if (mustPark && isParked(endpoint, deliveryId)) return parkDelivery(uid, delivery, sequence, services);
  const secrets = await openActiveSecrets(endpoint, services.sealedSecrets);
  const message = await buildMessage(delivery, services);
  const { response, attempt } = await sendOnce(message, { url: endpoint.url, secrets }, services);
  if (attempt.cause === undefined) {
    await recordOutcome(uid, endpoint, { kind: 'success' }, services);
    return void (await webhookDeliveries.record(uid, delivery, sequence, { attempt, status: 'delivered' }));
  }
  log('warn', {
    requestId: currentRequestId(),
    failedDelivery: deliveryId,
    endpointId,
    status: response.status,
    reason: attempt.cause,
  });
  const isGone = response.status === gone;
  const delaySeconds = isGone ? undefined : delayAfter(delivery.failures, response.retryAfterSeconds);
  const nextAt = delaySeconds && Date.now() + delaySeconds * 1000;
  const outcome: DeliveryOutcome = isGone ? { kind: 'gone' } : { kind: 'failure', deliveryId, nextAt };
  const current = await recordOutcome(uid, endpoint, outcome, services);
  if (delaySeconds === undefined || nextAt === undefined) {
    return void (await webhookDeliveries.record(uid, delivery, sequence, { attempt, status: 'failed' }));
  }
  if (current && isParked(current, deliveryId)) {
    await parkDelivery(uid, delivery, sequence + 1, services);
    return void (await webhookDeliveries.record(uid, delivery, sequence, { attempt, status: 'pending' }));
  }
  await sendLater(jobQueue, { ...job, isRequested: undefined, sequence: sequence + 1, dueAt: nextAt }, delaySeconds);
  const nextAttemptAt = new Date(nextAt).toISOString();
  await webhookDeliveries.record(uid, delivery, sequence, { attempt, status: 'pending', nextAttemptAt });
};

/** Notes the outcome of a delivery. A delayed message resumes parked deliveries even if this function is killed. */
const recordOutcome = async (
  uid: string,
  endpoint: StoredEndpoint,
  outcome: DeliveryOutcome,
  { webhookEndpoints, jobQueue }: Pick<Services, 'webhookEndpoints' | 'jobQueue'>,
): Promise<StoredEndpoint | undefined> => {
  const after = endpointAfter(endpoint, outcome, Date.now());
  if (after === endpoint) return endpoint;
  const isConfirmed = endpoint.confirmedAt === undefined && after.confirmedAt !== undefined;
  const hasRecovered = isConfirmed || (endpoint.failingSince !== undefined && after.failingSince === undefined);
  const mustResume = hasRecovered || !after.active || after.probe === undefined;
  const message = { job: 'resumeDeliveries', uid, endpointId: endpoint.endpointId } as const;
  if (mustResume) await jobQueue.send(message, resumeRescueSeconds);
  const current = await webhookEndpoints.note(uid, endpoint, outcome);
  if (mustResume) await jobQueue.send(message);
  return current;
};

/** The delay of that message: longer than the function's timeout. */
const resumeRescueSeconds = 60;

const parkDelivery = async (
  uid: string,
  delivery: StoredDelivery,
  sequence: number,
  services: Services,
): Promise<void> => {
  const { endpointId, deliveryId } = delivery;
  await services.webhookDeliveries.park(uid, delivery, sequence);
  // Parked deliveries may have been resumed just before this delivery was parked.
  const endpoint = await services.webhookEndpoints.find(uid, endpointId);
  if (endpoint && isParked(endpoint, deliveryId)) return;
  await services.jobQueue.send({ job: 'resumeDeliveries', uid, endpointId });
};

/** Checks whether a user may still see a subject. Events of a deleted agent carry only ids. */
const maySeeNow = async (
  uid: string,
  { subject }: StoredDelivery,
  { credentials }: Pick<Services, 'credentials'>,
): Promise<boolean> => {
  if ('uid' in subject) return subject.uid === uid;
  const access = (await credentials.accessTo([subject.agentId])).get(subject.agentId);
  return access === undefined || access.has(uid);
};

/** Sends a signed message to a receiver once. */
export const sendOnce = async (
  message: WebhookMessage,
  { url, secrets }: { url: string; secrets: string[] },
  { webhookReceivers }: Pick<Services, 'webhookReceivers'>,
): Promise<{ response: ReceiverResponse; attempt: DeliveryAttempt }> => {
  const at = new Date().toISOString();
  const response = await webhookReceivers.post(url, signedRequest(message, secrets));
  const { retryAfterSeconds: _, ...shown } = response;
  return { response, attempt: { at, ...shown } };
};

/** Returns the message of a delivery with the details that are left. */
export const buildMessage = async (
  delivery: StoredDelivery,
  { webhookEvents }: Pick<Services, 'webhookEvents'>,
): Promise<WebhookMessage> => {
  const { eventId, type, timestamp, ids, subject } = delivery;
  const details = await webhookEvents.details(subject, eventId);
  return { id: eventId, type, timestamp, data: { ...ids, ...details } };
};

/** Returns the seconds until the next attempt; undefined after the last one. */
const delayAfter = (failures: number, retryAfterSeconds: number | undefined): number | undefined => {
  const scheduled = retrySeconds[failures];
  if (scheduled === undefined) return undefined;
  if (retryAfterSeconds !== undefined) return Math.min(Math.max(1, retryAfterSeconds), maxRetryAfterSeconds);
  return scheduled * (1 + jitter * (2 * Math.random() - 1));
};

const sendLater = (jobQueue: Services['jobQueue'], message: JobMessage<'deliverWebhook'>, seconds: number) =>
  jobQueue.send(message, Math.min(Math.ceil(seconds), maxDelaySeconds));
