import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { Agent, type IncomingMessage, request } from 'node:http';
import { text } from 'node:stream/consumers';
import { type SentHook, signers } from './hook-signers.ts';
import { type Answer, target } from './world.ts';

export const isForm = (platform: string) => platform === 'twilio' || platform === 'telnyx';

/** The body of a request of a platform, in its own form. */
export const encodeBody = (platform: string, body: Record<string, unknown>) =>
  isForm(platform) ? new URLSearchParams(body as Record<string, string>).toString() : JSON.stringify(body);

/** The address that platforms sign. */
export const publicUrl = target.publicUrl ?? target.baseUrl;

/** The address of a hook at the service under test. */
export const formAddress = (platform: string, query: Record<string, string>) =>
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
  const address = formAddress(platform, query);
  const sent = { address, body: encodeBody(platform, body) };
  return { ...sent, headers: signers[platform]?.(sent, secret, at) ?? {} };
};

/** A signed request of Twilio with a JSON body, whose hash is in its address. */
export const signedJsonOfTwilio = (query: Record<string, string>, body: object, secret: string): SentHook => {
  const json = JSON.stringify(body);
  const address = formAddress('twilio', { ...query, bodySHA256: createHash('sha256').update(json).digest('hex') });
  return { address, body: json, headers: signers.twilio?.({ address, body: json }, secret) ?? {} };
};

/** Sends a request as it is: `fetch` would write parts of the address in another spelling. */
export const sendSigned = async ({ address, headers, body }: SentHook): Promise<Answer> => {
  const { hostname, port } = new URL(address.startsWith(publicUrl) ? target.baseUrl : address);
  const [path = ''] = /\/hooks\/.*$/.exec(address) ?? [];
  const type = body.startsWith('{') ? 'application/json' : 'application/x-www-form-urlencoded';
  const outgoing = request({
    hostname,
    port,
    path,
    method: 'POST',
    headers: { 'content-type': type, ...headers },
    agent,
  });
  outgoing.end(body);
  const [incoming] = (await once(outgoing, 'response')) as [IncomingMessage];
  const answer = await text(incoming);
  const isJson = incoming.headers['content-type']?.startsWith('application/json');
  return {
    status: incoming.statusCode ?? 0,
    headers: new Headers(Object.entries(incoming.headers) as [string, string][]),
    text: answer,
    body: isJson ? JSON.parse(answer) : undefined,
  };
};

const agent = new Agent({ keepAlive: true, maxSockets: 20 });
