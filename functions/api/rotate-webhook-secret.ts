import * as z from 'zod/mini';
import { sealedSecrets } from '../clients/sealed-secrets.ts';
import { describedObject } from '../domain/describe.ts';
import { noSuchEndpoint } from '../domain/errors.ts';
import { formatLimit } from '../domain/format-limit.ts';
import { Uid } from '../domain/identifiers.ts';
import { EndpointIdInPath, EndpointSecret } from '../domain/webhooks.ts';
import { endpoint } from '../http/endpoint.ts';
import { lambda } from '../http/lambda.ts';
import { deriveSecret, newEndpointSecret, withNewSecret } from '../webhooks/secrets.ts';
import { webhookEndpoints } from '../webhooks/webhook-endpoints.ts';

/** Replaces the secret of an endpoint. Both secrets sign for 24 hours. */
export const rotateWebhookSecret = endpoint({
  name: 'rotateWebhookSecret',
  method: 'POST',
  path: '/webhook-endpoints/{endpointId}/rotate-secret',
  summary: 'Rotate the secret of a webhook endpoint',
  description: `Replaces the secret of an endpoint. For ${formatLimit('replacedSecretSeconds')} every delivery has a signature by the new secret and one by the former, so that receivers can switch at any time.`,
  caller: { kind: 'key', scope: 'webhooks', user: ({ body }) => body },
  services: { webhookEndpoints: webhookEndpoints.for('change'), sealedSecrets },
  params: z.object({ endpointId: EndpointIdInPath }),
  body: z.object({ uid: Uid }),
  confidential: true,
  response: describedObject('The new secret.', { secret: EndpointSecret }),
  errors: ['endpoint_not_found'],

  async handle({ principal, params: { endpointId }, body: { uid }, creationId }, { webhookEndpoints, sealedSecrets }) {
    const { keyId } = principal;
    const sealed = await sealedSecrets.seal(endpointId, newEndpointSecret());
    const changed = await webhookEndpoints.change(uid, endpointId, (found) =>
      withNewSecret(found, { sealed, createdBy: creationId, keyId }),
    );
    if (!changed) throw noSuchEndpoint();
    const made = deriveSecret(changed, { creationId, keyId });
    return { secret: await sealedSecrets.open(endpointId, made.sealed) };
  },
});

export const handler = lambda(rotateWebhookSecret);
