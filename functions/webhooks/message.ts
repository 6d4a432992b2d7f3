import { createHmac } from 'node:crypto';
import type { StoredEndpoint } from '../store/webhook-endpoints.ts';
import type { EndpointSecrets } from './secrets.ts';

/** What is sent to an endpoint. */
export type WebhookMessage = { id: string; type: string; timestamp: string; data: Record<string, unknown> };

/**
 * The request of a message in the form of Standard Webhooks 1.0.0, signed with every secret of the endpoint that is in
 * force: during a rotation, a receiver may know the former one or the new one.
 */
export const signedRequest = async (
  { id, ...payload }: WebhookMessage,
  { endpointId, secrets }: StoredEndpoint,
  endpointSecrets: Pick<EndpointSecrets, 'open'>,
  now = Date.now(),
): Promise<{ headers: Record<string, string>; body: string }> => {
  const body = JSON.stringify(payload);
  const seconds = String(Math.floor(now / 1000));
  const inForce = secrets.filter(({ endsAt = Number.POSITIVE_INFINITY }) => endsAt > now);
  const opened = await Promise.all(inForce.map(({ sealed }) => endpointSecrets.open(endpointId, sealed)));
  const headers = {
    'content-type': 'application/json',
    'user-agent': 'VoiceAgentPlatform-Webhooks/1.0',
    'webhook-id': id,
    'webhook-timestamp': seconds,
    'webhook-signature': opened.map((secret) => signatureOf(secret, `${id}.${seconds}.${body}`)).join(' '),
  };
  return { headers, body };
};

const signatureOf = (secret: string, content: string) => {
  const key = Buffer.from(secret.replace(/^whsec_/, ''), 'base64');
  return `v1,${createHmac('sha256', key).update(content).digest('base64')}`;
};
