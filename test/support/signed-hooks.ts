import { createHash } from 'node:crypto';
import { type SentHook, signers } from './hook-signers.ts';
import { type Answer, target } from './world.ts';

export const isForm = (platform: string) => platform === 'twilio' || platform === 'telnyx';

/** The body of a request of a platform, in its own form. */
export const bodyIn = (platform: string, body: Record<string, unknown>) =>
  isForm(platform) ? new URLSearchParams(body as Record<string, string>).toString() : JSON.stringify(body);

const publicUrl = target.publicUrl ?? target.baseUrl;

/** The address of a hook at the service under test. */
export const addressOf = (platform: string, query: Record<string, string>) =>
  `${publicUrl}/hooks/${platform}?${new URLSearchParams(query)}`;

/** A signed request of a platform. A JSON body of Twilio has its hash in the address. */
export const signedHook = (
  platform: string,
  {
    query,
    body,
    secret,
    at,
  }: { query: Record<string, string>; body: Record<string, unknown>; secret: string; at?: number },
): SentHook => {
  const address = addressOf(platform, query);
  const text = bodyIn(platform, body);
  return { address, body: text, headers: signers[platform]?.({ address, body: text }, secret, at) ?? {} };
};

/** A signed request of Twilio with a JSON body, whose hash is in its address. */
export const signedJsonOfTwilio = (query: Record<string, string>, body: object, secret: string): SentHook => {
  const text = JSON.stringify(body);
  const address = addressOf('twilio', { ...query, bodySHA256: createHash('sha256').update(text).digest('hex') });
  return { address, body: text, headers: signers.twilio?.({ address, body: text }, secret) ?? {} };
};

/** Sends a request as it is. */
export const sendSigned = async ({ address, headers, body }: SentHook): Promise<Answer> => {
  const type = body.startsWith('{') ? 'application/json' : 'application/x-www-form-urlencoded';
  const response = await fetch(address.replace(publicUrl, target.baseUrl), {
    method: 'POST',
    headers: { 'content-type': type, ...headers },
    body,
  });
  const text = await response.text();
  const isJson = response.headers.get('content-type')?.startsWith('application/json');
  return { status: response.status, headers: response.headers, text, body: isJson ? JSON.parse(text) : undefined };
};
