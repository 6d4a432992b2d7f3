import { createHmac } from 'node:crypto';

/** A message to an endpoint. */
export type WebhookMessage = { id: string; type: string; timestamp: string; data: Record<string, unknown> };

/** Returns the request of a message as in Standard Webhooks 1.0.0. During a rotation, both secrets sign. */
export const signedRequest = (
  { id, ...payload }: WebhookMessage,
  secrets: string[],
): { headers: Record<string, string>; body: string } => {
  const body = JSON.stringify(payload);
  const seconds = String(Math.floor(Date.now() / 1000));
  const headers = {
    'content-type': 'application/json',
    'user-agent': 'VoiceAgentPlatform-Webhooks/1.0',
    'webhook-id': id,
    'webhook-timestamp': seconds,
    'webhook-signature': secrets.map((secret) => signContent(secret, `${id}.${seconds}.${body}`)).join(' '),
  };
  return { headers, body };
};

const signContent = (secret: string, content: string) => {
  const key = Buffer.from(secret.replace(/^whsec_/, ''), 'base64');
  return `v1,${createHmac('sha256', key).update(content).digest('base64')}`;
};
