import * as z from 'zod/mini';
import { queueSender } from '../clients/job-queue.ts';
import { toNamedKey } from '../domain/change-maker.ts';
import { insufficientPermissions, invalidField, noSuchEndpoint } from '../domain/errors.ts';
import {
  EndpointIdInPath,
  scopesOfEvents,
  WebhookEndpoint,
  WebhookEndpointChange,
  withEndpointChange,
} from '../domain/webhooks.ts';
import { checkScopes } from '../http/authorize.ts';
import { endpoint } from '../http/endpoint.ts';
import { lambda } from '../http/lambda.ts';
import { credentials } from '../store/credentials.ts';
import type { StoredEndpoint } from '../webhooks/endpoint-state.ts';
import { receiverAddresses } from '../webhooks/receiver-address.ts';
import { toEndpointResponse, webhookEndpoints } from '../webhooks/webhook-endpoints.ts';

/** Updates, enables or disables a webhook endpoint. */
export const updateWebhookEndpoint = endpoint({
  name: 'updateWebhookEndpoint',
  method: 'PATCH',
  path: '/webhook-endpoints/{endpointId}',
  summary: 'Update a webhook endpoint',
  description:
    'Updates the fields that are sent; `null` clears a field. While an endpoint is not `active`, nothing is sent to it, and its pending deliveries end as `failed`; they can be sent again. After a change of `url`, `events` or `agentIds` it gets the events that the scopes of the API key of this request cover.',
  caller: { kind: 'key', scope: 'webhooks', user: ({ body }) => body },
  services: {
    webhookEndpoints: webhookEndpoints.for('change'),
    credentials: credentials.for('readAccess'),
    receiverAddresses,
    jobQueue: queueSender('resumeDeliveries'),
  },
  params: z.object({ endpointId: EndpointIdInPath }),
  body: WebhookEndpointChange,
  response: WebhookEndpoint,
  errors: ['endpoint_not_found'],

  async handle({ principal, params: { endpointId }, body: { uid, ...change } }, { webhookEndpoints, ...services }) {
    const { scopes } = principal;
    checkScopes(principal, scopesOfEvents(change.events ?? []));
    const agentIds = change.agentIds ?? [];
    const access = agentIds.length > 0 ? await services.credentials.readAccess(agentIds) : undefined;
    if (!agentIds.every((agentId) => access?.get(agentId)?.has(uid))) throw insufficientPermissions();
    const problem = change.url === undefined ? undefined : await services.receiverAddresses.findProblem(change.url);
    if (problem !== undefined) throw invalidField('url', problem);
    // A caller who changes the destination or the selection of events receives only events that their key may read.
    const isRedirected = [change.url, change.events, change.agentIds].some((value) => value !== undefined);
    const isTriedAnew = change.url !== undefined || change.active !== undefined;
    const changed = await webhookEndpoints.change(uid, endpointId, ({ probe, ...found }) => ({
      ...withEndpointChange<StoredEndpoint>(found, change),
      ...(isRedirected && { ...toNamedKey(principal), scopes }),
      ...(probe && !isTriedAnew && { probe }),
    }));
    if (!changed) throw noSuchEndpoint();
    if (isTriedAnew) await services.jobQueue.send({ job: 'resumeDeliveries', uid, endpointId });
    return toEndpointResponse(changed);
  },
});

export const handler = lambda(updateWebhookEndpoint);
