import { currentRequestId } from '../cause.ts';
import { secondsUntil } from '../clients/job-queue.ts';
import type { SealedSecrets } from '../clients/sealed-secrets.ts';
import type { JobMessage } from '../domain/job-messages.ts';
import { newSpanId, readTrace, traceHeaders } from '../domain/trace.ts';
import type { DeliveryAttempt } from '../domain/webhooks.ts';
import { log } from '../log.ts';
import { reportSpan } from '../spans.ts';
import type { Credentials } from '../store/credentials.ts';
import type { Users } from '../store/users.ts';
import type { StoredEndpoint } from './endpoint-state.ts';
import {
  type DeliveryOutcome,
  type DeliveryStep,
  decideDelivery,
  endpointAfter,
  endpointState,
  endpointTried,
} from './endpoint-state.ts';
import { signedRequest, type WebhookMessage } from './message.ts';
import { openActiveSecrets } from './secrets.ts';
import type { StoredDelivery, WebhookDeliveries } from './webhook-deliveries.ts';
import type { WebhookEndpoints } from './webhook-endpoints.ts';
import type { WebhookEvents } from './webhook-events.ts';
import type { ReceiverResponse, WebhookReceivers } from './webhook-receivers.ts';

type Services = {
  credentials: Pick<Credentials, 'readAccess'>;
  users: Pick<Users, 'find'>;
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
const gone = 410;

/**
 * Makes one attempt at a delivery, if the state of its endpoint allows it. The next is sent before this attempt is
 * recorded: a killed function loses no delivery.
 */
export const deliver = async (job: JobMessage<'deliverWebhook'>, services: Services): Promise<void> => {
  const { uid, deliveryId, sequence, dueAt = 0 } = job;
  const { webhookDeliveries, webhookEndpoints, jobQueue } = services;
  if (dueAt > Date.now()) return sendAt(dueAt, job, jobQueue);
  const delivery = await webhookDeliveries.find(uid, deliveryId);
  if (delivery?.status !== 'pending' || delivery.sequence > sequence) return;
  const [endpoint, maySee] = await Promise.all([
    webhookEndpoints.find(uid, delivery.endpointId),
    maySeeNow(uid, delivery, services),
  ]);
  // Deliveries end here if the endpoint is deleted, or the user may see their subject no more.
  if (!endpoint || !maySee) return endUnsent(job, delivery, endpoint, services);
  const { step, endpoint: admitted } = await admit(job, endpoint, webhookEndpoints);
  switch (step.kind) {
    case 'send':
      return attemptDelivery(job, delivery, admitted, services);
    case 'later':
      return sendAt(step.at, job, jobQueue);
    case 'park':
      return parkDelivery(uid, delivery, sequence, services);
    case 'end':
      return endUnsent(job, delivery, admitted, services);
  }
};

/** Decides what happens to a delivery now. One that tries an unconfirmed endpoint keeps all others from it. */
const admit = async (
  job: JobMessage<'deliverWebhook'>,
  endpoint: StoredEndpoint,
  webhookEndpoints: Services['webhookEndpoints'],
): Promise<{ step: DeliveryStep; endpoint: StoredEndpoint }> => {
  const { uid, deliveryId } = job;
  const at = Date.now();
  const state = endpointState(endpoint, at);
  const step = decideDelivery(state, job, at);
  if (state.name !== 'unconfirmed' || step.kind !== 'send') return { step, endpoint };
  const tried = await webhookEndpoints.change(uid, endpoint.endpointId, (current) =>
    endpointTried(current, deliveryId, at),
  );
  if (!tried) return { step: { kind: 'end' }, endpoint };
  const isAdmitted = tried.triedAt === at && tried.probe?.deliveryId === deliveryId;
  return { step: isAdmitted ? step : decideDelivery(endpointState(tried, at), job, at), endpoint: tried };
};

const attemptDelivery = async (
  job: JobMessage<'deliverWebhook'>,
  delivery: StoredDelivery,
  endpoint: StoredEndpoint,
  services: Services,
): Promise<void> => {
  const { uid, deliveryId, sequence } = job;
  const { webhookDeliveries, jobQueue } = services;
  const secrets = await openActiveSecrets(endpoint, services.sealedSecrets);
  const message = await buildMessage(delivery, services);
  const { response, attempt } = await sendOnce(message, { url: endpoint.url, secrets }, services);
  if (attempt.cause === undefined) {
    await recordOutcome(uid, endpoint, { kind: 'success' }, services);
    await webhookDeliveries.record(uid, delivery, sequence, { attempt, status: 'delivered' });
    return;
  }
  const { status } = response;
  const { endpointId } = endpoint;
  log('warn', {
    requestId: currentRequestId(),
    failedDelivery: deliveryId,
    endpointId,
    status,
    reason: attempt.cause,
  });
  const nextAt = status === gone ? undefined : nextAttemptAfter(delivery.failures, response.retryAfterSeconds);
  const outcome: DeliveryOutcome = status === gone ? { kind: 'gone' } : { kind: 'failure', deliveryId, nextAt };
  const current = await recordOutcome(uid, endpoint, outcome, services);
  if (nextAt === undefined) {
    await webhookDeliveries.record(uid, delivery, sequence, { attempt, status: 'failed' });
    return;
  }
  if (current && decideDelivery(endpointState(current), { deliveryId }).kind === 'park') {
    await parkDelivery(uid, delivery, sequence + 1, services);
    await webhookDeliveries.record(uid, delivery, sequence, { attempt, status: 'pending' });
    return;
  }
  await sendAt(nextAt, { ...job, isRequested: undefined, sequence: sequence + 1, dueAt: nextAt }, jobQueue);
  const nextAttemptAt = new Date(nextAt).toISOString();
  await webhookDeliveries.record(uid, delivery, sequence, { attempt, status: 'pending', nextAttemptAt });
};

/** Ends a delivery without an attempt. If it was to probe its endpoint, another one does. */
const endUnsent = async (
  { uid, sequence }: JobMessage<'deliverWebhook'>,
  delivery: StoredDelivery,
  endpoint: StoredEndpoint | undefined,
  services: Services,
): Promise<void> => {
  const { deliveryId } = delivery;
  if (endpoint?.probe?.deliveryId === deliveryId)
    await recordOutcome(uid, endpoint, { kind: 'failure', deliveryId }, services);
  await services.webhookDeliveries.record(uid, delivery, sequence, { status: 'failed' });
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
  if (endpoint && decideDelivery(endpointState(endpoint), { deliveryId }).kind === 'park') return;
  await services.jobQueue.send({ job: 'resumeDeliveries', uid, endpointId });
};

/** Checks whether a user may still see a subject. Events of a deleted agent carry only ids. */
const maySeeNow = async (
  uid: string,
  { subject }: StoredDelivery,
  { credentials, users }: Pick<Services, 'credentials' | 'users'>,
): Promise<boolean> => {
  // A maker gets events about its clients.
  if ('uid' in subject) return subject.uid === uid || (await users.find(subject.uid))?.maker === uid;
  const access = (await credentials.readAccess([subject.agentId])).get(subject.agentId);
  return access === undefined || access.has(uid);
};

/** Sends a signed message to a receiver once. */
export const sendOnce = async (
  message: WebhookMessage,
  { url, secrets }: { url: string; secrets: string[] },
  { webhookReceivers }: Pick<Services, 'webhookReceivers'>,
): Promise<{ response: ReceiverResponse; attempt: DeliveryAttempt }> => {
  const at = new Date().toISOString();
  const { headers, body } = signedRequest(message, secrets);
  const [trace, spanId, startedAt] = [readTrace(currentRequestId() ?? message.id), newSpanId(), Date.now()];
  const sent = { headers: { ...headers, ...traceHeaders(trace, spanId) }, body };
  const response = await webhookReceivers.post(url, sent);
  const isFailed = response.cause !== undefined;
  reportSpan({ trace, spanId, kind: 'client', name: 'deliverWebhook', startedAt, endedAt: Date.now(), isFailed });
  const { retryAfterSeconds: _, ...shown } = response;
  return { response, attempt: { at, ...shown } };
};

/** Returns the message of a delivery with the details that are left. */
export const buildMessage = async (
  delivery: StoredDelivery,
  { webhookEvents }: Pick<Services, 'webhookEvents'>,
): Promise<WebhookMessage> => {
  const { eventId, type, timestamp, ids, subject, sourceId = eventId } = delivery;
  const details = await webhookEvents.details(subject, sourceId);
  return { id: eventId, type, timestamp, data: { ...ids, ...details } };
};

/** Returns when the next attempt is due (Unix milliseconds); undefined after the last one. */
const nextAttemptAfter = (failures: number, retryAfterSeconds: number | undefined): number | undefined => {
  const scheduled = retrySeconds[failures];
  if (scheduled === undefined) return undefined;
  const seconds =
    retryAfterSeconds === undefined
      ? scheduled * (1 + jitter * (2 * Math.random() - 1))
      : Math.min(Math.max(1, retryAfterSeconds), maxRetryAfterSeconds);
  return Date.now() + seconds * 1000;
};

/** Sends a message that is handled at a time (Unix milliseconds), or waits again until then. */
const sendAt = (at: number, message: JobMessage<'deliverWebhook'>, jobQueue: Services['jobQueue']) =>
  jobQueue.send(message, secondsUntil(at));
