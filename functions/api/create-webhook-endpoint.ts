import { sealedSecrets } from '../clients/sealed-secrets.ts';
import { toNamedKey } from '../domain/change-maker.ts';
import { now } from '../domain/date-time.ts';
import { insufficientPermissions, invalidField } from '../domain/errors.ts';
import { formatLimit } from '../domain/format-limit.ts';
import { newIdentifier } from '../domain/identifiers.ts';
import { NewWebhookEndpoint, scopesOfEvents, WebhookEndpointWithSecret } from '../domain/webhooks.ts';
import { checkScopes } from '../http/authorize.ts';
import { endpoint } from '../http/endpoint.ts';
import { lambda } from '../http/lambda.ts';
import { credentials } from '../store/credentials.ts';
import { receiverAddresses } from '../webhooks/receiver-address.ts';
import { deriveSecret, newEndpointSecret } from '../webhooks/secrets.ts';
import { toEndpointResponse, webhookEndpoints } from '../webhooks/webhook-endpoints.ts';

/** Creates a webhook endpoint. Only this response contains its secret. */
export const createWebhookEndpoint = endpoint({
  name: 'createWebhookEndpoint',
  method: 'POST',
  path: '/webhook-endpoints',
  summary: 'Create a webhook endpoint',
  description: `Creates an endpoint that events are sent to. The response contains the \`secret\` that signs them; it is not shown again, except to a request that the same API key repeats with its \`Idempotency-Key\`. The endpoint gets the events that the scopes of the API key cover. A user can have at most ${formatLimit('webhookEndpoints')} endpoints, each with an address of its own. Until an endpoint has answered a delivery or a test with 2xx, it gets one request at a time and at most ten a minute, and its host can have no other such endpoint of the user.`,
  caller: { kind: 'key', scope: 'webhooks', user: ({ body }) => body },
  services: {
    webhookEndpoints: webhookEndpoints.for('add'),
    credentials: credentials.for('readAccess'),
    sealedSecrets,
    receiverAddresses,
  },
  body: NewWebhookEndpoint,
  confidential: true,
  response: WebhookEndpointWithSecret,
  errors: ['too_many_endpoints'],

  async handle({ principal, body: { uid, ...given }, creationId }, { webhookEndpoints, credentials, ...services }) {
    const { agentIds = [], url, events } = given;
    const { keyId, scopes } = principal;
    checkScopes(principal, scopesOfEvents(events));
    const access = agentIds.length > 0 ? await credentials.readAccess(agentIds) : undefined;
    if (!agentIds.every((agentId) => access?.get(agentId)?.has(uid))) throw insufficientPermissions();
    const problem = await services.receiverAddresses.findProblem(url);
    if (problem !== undefined) throw invalidField('url', problem);
    const endpointId = newIdentifier('endpoint', creationId);
    const sealed = await services.sealedSecrets.seal(endpointId, newEndpointSecret());
    const secrets = [{ sealed, createdBy: creationId, keyId }];
    const createdBy = { ...toNamedKey(principal), scopes };
    const made = await webhookEndpoints.add(uid, {
      endpointId,
      ...given,
      ...createdBy,
      active: true,
      createdAt: now(),
      secrets,
    });
    const first = deriveSecret(made, { creationId, keyId });
    return { ...toEndpointResponse(made), secret: await services.sealedSecrets.open(endpointId, first.sealed) };
  },
});

export const handler = lambda(createWebhookEndpoint);
