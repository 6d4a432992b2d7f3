import * as z from 'zod/mini';
import { insufficientPermissions } from '../domain/errors.ts';
import { newUlid } from '../domain/identifiers.ts';
import { agentOf, allows, namedBy } from '../http/authenticate.ts';
import type { Admission, AnyEndpoint } from '../http/endpoint.ts';
import { once } from '../http/idempotency.ts';
import type { FormRead } from '../http/lambda.ts';
import { readParts } from '../http/parse-request.ts';
import { json } from '../http/response.ts';
import { lazyServices } from '../service.ts';
import { credentials } from '../store/credentials.ts';

/** A request from within, on behalf of the holder of a key that was already found to be good. */
export type InnerRequest = Partial<FormRead> & {
  from: Pick<Admission, 'principal' | 'address' | 'requestId' | 'receivedAt'>;
  /** Under it the request is answered once, whether or not the endpoint offers that to callers. */
  idempotencyKey?: string | undefined;
};

/**
 * Calls an endpoint as its caller would by HTTP: the same scope, form and access, the same answer, the same refusals.
 * What one part of the service does for a user thus goes no other way to the data than the user's own requests.
 */
export const callEndpoint = async (endpoint: AnyEndpoint, request: InnerRequest): Promise<unknown> => {
  const { caller } = endpoint;
  const { from, params = {}, query = {}, body, idempotencyKey: key } = request;
  const { principal, address, requestId, receivedAt } = from;
  const admission = { principal, address, requestId, receivedAt };
  if (caller.kind !== 'key') throw new Error(`${endpoint.name} takes no key: it is not called for its holder.`);
  if (!allows(principal, caller.scope)) throw insufficientPermissions();
  const form = readParts(endpoint, { params, query, body });
  const named = namedBy(caller, form);
  const access = named.agentId === undefined ? undefined : await credentials.get().accessTo([named.agentId]);
  const agent = agentOf(principal, named, access?.get(named.agentId as string)) ?? { agentId: '', uid: '' };
  const services = lazyServices(endpoint.uses ?? {});
  const answer = async (creationId: string) =>
    json(
      200,
      z.parse(endpoint.response, await endpoint.handle({ ...form, ...admission, agent, creationId }, services)),
    );
  const { body: text = '' } = key
    ? await once({ endpoint, principal, form, key, requestId }, answer)
    : await answer(newUlid());
  return JSON.parse(text);
};
