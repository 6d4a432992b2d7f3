import type { JobMessage } from '../domain/job-messages.ts';
import type { DeliveryAttempt } from '../domain/webhooks.ts';
import { log } from '../log.ts';
import type { Credentials } from '../store/credentials.ts';
import { signedRequest, type WebhookMessage } from './message.ts';
import { type EndpointSecrets, secretsInForce } from './secrets.ts';
import type { StoredDelivery, WebhookDeliveries } from './webhook-deliveries.ts';
import type { WebhookEndpoints } from './webhook-endpoints.ts';
import type { WebhookEvents } from './webhook-events.ts';
import type { ReceiverResponse, WebhookReceivers } from './webhook-receivers.ts';

type Services = {
  credentials: Pick<Credentials, 'accessTo'>;
  webhookDeliveries: Pick<WebhookDeliveries, 'find' | 'record'>;
  webhookEndpoints: Pick<WebhookEndpoints, 'find' | 'note'>;
  webhookEvents: Pick<WebhookEvents, 'details'>;
  jobQueue: { send(message: JobMessage<'deliverWebhook'>, delaySeconds?: number): Promise<void> };
  endpointSecrets: Pick<EndpointSecrets, 'open'>;
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
/** The maximum delay of a message in SQS. A longer wait takes several: a message that waits invisibly would count against the queue's limit. */
const maxDelaySeconds = 900;
const gone = 410;

/**
 * Makes one attempt at a delivery. Its message may come several times, early or late. The message of the next attempt
 * is sent before this one is recorded: killed in between, the attempt is made again, and never forgotten.
 */
export const deliver = async (job: JobMessage<'deliverWebhook'>, services: Services): Promise<void> => {
  const { uid, deliveryId, sequence, dueAt = 0 } = job;
  const { webhookDeliveries, webhookEndpoints, jobQueue } = services;
  const waitSeconds = Math.ceil((dueAt - Date.now()) / 1000);
  if (waitSeconds > 0) return sendLater(jobQueue, job, waitSeconds);
  const delivery = await webhookDeliveries.find(uid, deliveryId);
  if (delivery?.status !== 'pending' || delivery.sequence > sequence) return;
  const { endpointId } = delivery;
  const [endpoint, maySee] = await Promise.all([
    webhookEndpoints.find(uid, endpointId),
    maySeeNow(uid, delivery, services),
  ]);
  // Deliveries to an endpoint that was deleted or switched off, or of a user whose access was revoked, end here.
  if (!endpoint?.active || !maySee)
    return void (await webhookDeliveries.record(uid, delivery, sequence, { status: 'failed' }));
  const secrets = await secretsInForce(endpoint, services.endpointSecrets);
  const message = await messageOf(delivery, services);
  const { response, attempt } = await attemptOf(message, { url: endpoint.url, secrets }, services);
  if (attempt.cause === undefined) {
    await webhookDeliveries.record(uid, delivery, sequence, { attempt, status: 'delivered' });
    return webhookEndpoints.note(uid, endpoint, 'success');
  }
  log('warn', { failedDelivery: deliveryId, endpointId, status: response.status, reason: attempt.cause });
  const isGone = response.status === gone;
  await webhookEndpoints.note(uid, endpoint, isGone ? 'gone' : 'failure');
  const delaySeconds = isGone ? undefined : delayAfter(delivery.failures, response.retryAfterSeconds);
  if (delaySeconds === undefined) {
    return void (await webhookDeliveries.record(uid, delivery, sequence, { attempt, status: 'failed' }));
  }
  const nextAt = Date.now() + delaySeconds * 1000;
  await sendLater(jobQueue, { ...job, sequence: sequence + 1, dueAt: nextAt }, delaySeconds);
  const nextAttemptAt = new Date(nextAt).toISOString();
  await webhookDeliveries.record(uid, delivery, sequence, { attempt, status: 'pending', nextAttemptAt });
};

/** Returns whether a user may still see the subject of an event. The events of a deleted agent carry only ids. */
const maySeeNow = async (
  uid: string,
  { subject }: StoredDelivery,
  { credentials }: Pick<Services, 'credentials'>,
): Promise<boolean> => {
  if ('uid' in subject) return subject.uid === uid;
  const access = (await credentials.accessTo([subject.agentId])).get(subject.agentId);
  return access === undefined || access.has(uid);
};

/** Sends a message to a receiver once, signed with these secrets, and returns the result. */
export const attemptOf = async (
  message: WebhookMessage,
  { url, secrets }: { url: string; secrets: string[] },
  { webhookReceivers }: Pick<Services, 'webhookReceivers'>,
): Promise<{ response: ReceiverResponse; attempt: DeliveryAttempt }> => {
  const at = new Date().toISOString();
  const response = await webhookReceivers.post(url, signedRequest(message, secrets));
  const { retryAfterSeconds: _, ...shown } = response;
  return { response, attempt: { at, ...shown } };
};

/** Returns the message of a delivery, with the details that the event still has. */
export const messageOf = async (
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
