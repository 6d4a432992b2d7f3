import { newUlid } from '../domain/identifiers.ts';
import { authorize, referenceIn } from '../http/authorize.ts';
import type { AnyEndpoint, Principal, RequestContext } from '../http/endpoint.ts';
import { withIdempotency } from '../http/idempotency.ts';
import { type Input, parsed, parseInput } from '../http/parse-request.ts';
import { perform } from '../http/perform.ts';
import { lazyServices } from '../service.ts';
import { credentials } from '../store/credentials.ts';

/** A request from within the service, on behalf of an authenticated principal. */
export type InnerRequest = Partial<Input> & {
  from: { principal: Principal } & Omit<RequestContext, 'creationId'>;
  /** The request is performed once with it, even if the endpoint takes no Idempotency-Key. */
  idempotencyKey?: string | undefined;
};

/** Calls an endpoint as its principal would by HTTP: the same scope, input and access, the same response, the same errors. */
export const callEndpoint = async (endpoint: AnyEndpoint, inner: InnerRequest): Promise<unknown> => {
  const { from, params = {}, query = {}, body, idempotencyKey } = inner;
  const { principal, ...context } = from;
  const input = await parsed(async () => parseInput(endpoint, { params, query, body }));
  const { agentId } = referenceIn(endpoint.caller, input);
  const access = agentId === undefined ? undefined : await credentials.get().accessTo([agentId]);
  const request = authorize(endpoint, principal, input, agentId === undefined ? undefined : access?.get(agentId));
  const respond = (creationId: string) =>
    perform(endpoint, request, { ...context, creationId }, lazyServices(endpoint.services ?? {}));
  const { requestId } = context;
  const { body: text = '' } = idempotencyKey
    ? await withIdempotency({ endpoint, request, idempotencyKey, requestId }, respond)
    : await respond(newUlid());
  return JSON.parse(text);
};
