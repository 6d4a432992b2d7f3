import type { Context } from 'aws-lambda';
import { sealedSecrets } from '../clients/sealed-secrets.ts';
import { duringInitialization } from '../http/during-initialization.ts';
import type { AnyEndpoint } from '../http/endpoint.ts';
import type { ApiEvent, ApiHandler } from '../http/handler-types.ts';
import { placeholderIdentity as id, warmUpEvent } from '../http/warm-up.ts';
import { redact } from '../log.ts';
import { from, performStart, to } from './warm-up-starts.ts';

/** Warms a start of each platform, and the key that encrypts secrets. */
export const warmUp = (handler: ApiHandler, endpoint: AnyEndpoint): Promise<void> =>
  duringInitialization(
    () => handler(warmUpEvent, {} as Context),
    () => redact(id),
    () => sealedSecrets.get().seal('', ''),
    ...makeUpHooks().map((event) => () => performStart(endpoint, event)),
  );

/** Makes up the start of a call as each platform reports it. */
export const makeUpHooks = (): Partial<ApiEvent>[] => {
  const form = new URLSearchParams({ CallStatus: 'ringing', CallSid: id, From: from, To: to }).toString();
  const bodies = {
    twilio: form,
    vapi: { message: { type: 'assistant-request', call: { customer: { number: from } }, phoneNumber: { number: to } } },
    retell: { event: 'call_inbound', call_inbound: { from_number: from, to_number: to } },
    elevenlabs: { caller_id: from, called_number: to, call_sid: id },
    telnyx: form,
  };
  return Object.entries(bodies).map(([platform, body]) => ({
    pathParameters: { platform },
    queryStringParameters: { uid: id, agentId: id, next: 'https://example.com/', assistantId: id },
    body: typeof body === 'string' ? body : JSON.stringify(body),
  }));
};
