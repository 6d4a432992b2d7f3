import * as z from 'zod/mini';
import { queueSender } from '../clients/job-queue.ts';
import { sealedSecrets } from '../clients/sealed-secrets.ts';
import { now } from '../domain/date-time.ts';
import { noSuchEndpoint } from '../domain/errors.ts';
import { formatLimit } from '../domain/format-limit.ts';
import { newIdentifier, Uid } from '../domain/identifiers.ts';
import { EndpointIdInPath, SentTest, testEventType } from '../domain/webhooks.ts';
import { endpoint } from '../http/endpoint.ts';
import { lambda } from '../http/lambda.ts';
import { sendOnce } from '../webhooks/deliver.ts';
import { endpointAfter } from '../webhooks/endpoint-state.ts';
import { openActiveSecrets } from '../webhooks/secrets.ts';
import { webhookEndpoints, withTest } from '../webhooks/webhook-endpoints.ts';
import { webhookReceivers } from '../webhooks/webhook-receivers.ts';

/** Sends a test event immediately, even to an endpoint that is not active. */
export const testWebhookEndpoint = endpoint({
  name: 'testWebhookEndpoint',
  method: 'POST',
  path: '/webhook-endpoints/{endpointId}/test',
  summary: 'Send a test event',
  description: `Sends an event of the type \`webhook_endpoint.test\` to the endpoint at once, whatever its \`events\` are and even if it is not active, and returns the result. A test that fails is not repeated, and is not in the list of deliveries. A test that succeeds confirms the endpoint: deliveries that waited for that are sent. An endpoint can be tested once in ${formatLimit('webhookTestSeconds')}.`,
  caller: { kind: 'key', scope: 'webhooks', user: ({ body }) => body },
  services: {
    webhookEndpoints: webhookEndpoints.for('change'),
    jobQueue: queueSender('resumeDeliveries'),
    sealedSecrets,
    webhookReceivers,
  },
  params: z.object({ endpointId: EndpointIdInPath }),
  body: z.object({ uid: Uid }),
  response: SentTest,
  errors: ['endpoint_not_found'],
  errorDescriptions: {
    429: `The endpoint was tested less than ${formatLimit('webhookTestSeconds')} ago, or there are too many requests.`,
  },

  async handle({ params: { endpointId }, body: { uid }, creationId }, { webhookEndpoints, jobQueue, ...services }) {
    const found = await webhookEndpoints.change(uid, endpointId, withTest);
    if (!found) throw noSuchEndpoint();
    const message = {
      id: newIdentifier('event', creationId),
      type: testEventType,
      timestamp: now(),
      data: { uid, endpointId },
    };
    const secrets = await openActiveSecrets(found, services.sealedSecrets);
    const { attempt } = await sendOnce(message, { url: found.url, secrets }, services);
    const { at, ...result } = attempt;
    if (result.cause === undefined && found.confirmedAt === undefined) {
      await webhookEndpoints.change(uid, endpointId, (current) =>
        current.url === found.url ? endpointAfter(current, { kind: 'success' }, Date.parse(at)) : current,
      );
      await jobQueue.send({ job: 'resumeDeliveries', uid, endpointId });
    }
    return { delivered: result.cause === undefined, ...result };
  },
});

export const handler = lambda(testWebhookEndpoint);
