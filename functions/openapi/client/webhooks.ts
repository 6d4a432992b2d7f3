import { Webhook, WebhookVerificationError } from 'standardwebhooks';
import type { WebhookEvent } from './types.ts';

/**
 * Verifies a request to a webhook endpoint, and returns its event. Throws standardwebhooks' `WebhookVerificationError`
 * when the service did not sign it, signed it more than five minutes ago, or the secret cannot be read.
 *
 * `body` is the request's body as it arrived, before any JSON parser; `secret` is that of the endpoint, `whsec_…`.
 */
export const verifyWebhook = (
  body: string,
  headers: Headers | Record<string, string | string[] | undefined>,
  secret: string,
): WebhookEvent => {
  const entries = headers instanceof Headers ? [...headers] : Object.entries(headers);
  return createWebhook(secret).verify(
    body,
    Object.fromEntries(entries.map(([name, value]) => [name, String(value)])),
  ) as WebhookEvent;
};

const createWebhook = (secret: string): Webhook => {
  try {
    return new Webhook(secret);
  } catch {
    throw new WebhookVerificationError('The secret cannot be read. Copy that of the endpoint whole, from whsec_ on.');
  }
};
