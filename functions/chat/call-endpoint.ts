import { newUlid } from '../domain/identifiers.ts';
import { authenticateKey } from '../http/authenticate.ts';
import { authorize, referenceIn } from '../http/authorize.ts';
import type { AnyEndpoint, RequestContext } from '../http/endpoint.ts';
import { withIdempotency } from '../http/idempotency.ts';
import { type Input, parsed, parseInput } from '../http/parse-request.ts';
import { perform } from '../http/perform.ts';
import { lazyServices } from '../service.ts';

/** A request from within the service, with the caller's API key. */
export type InnerRequest = Partial<Input> & {
  from: { apiKey: string } & Omit<RequestContext, 'creationId'>;
  /** The request is performed once with it, even if the endpoint takes no Idempotency-Key. */
  idempotencyKey?: string | undefined;
};

/**
 * Calls an endpoint as the caller would by HTTP: with the same authentication, scope, input, access, response and errors. The
 * key is read again for each call, so that a key revoked meanwhile does nothing more.
 */
export const callEndpoint = async (endpoint: AnyEndpoint, inner: InnerRequest): Promise<unknown> => {
  const { from, params = {}, query = {}, body, idempotencyKey } = inner;
  const { apiKey, ...context } = from;
  const input = await parsed(async () => parseInput(endpoint, { params, query, body }));
  const { agentId } = referenceIn(endpoint.caller, input);
  const { principal, access } = await authenticateKey(apiKey, agentId);
  const request = authorize(endpoint, principal, input, access);
  const respond = (creationId: string) =>
    perform(endpoint, request, { ...context, creationId }, lazyServices(endpoint.services ?? {}));
  const { requestId } = context;
  const { body: text = '' } = idempotencyKey
    ? await withIdempotency({ endpoint, request, idempotencyKey, requestId }, respond)
    : await respond(newUlid());
  return JSON.parse(text);
};
