import type { Context } from 'aws-lambda';
import * as z from 'zod/mini';
import { newApiKey } from '../domain/api-keys.ts';
import { validate } from '../domain/validation.ts';
import { redact } from '../log.ts';
import { lazyServices } from '../service.ts';
import type { Item } from '../store/table.ts';
import { prefetchLookup } from './authorize.ts';
import { duringInitialization } from './during-initialization.ts';
import type { AnyEndpoint } from './endpoint.ts';
import type { ApiEvent, ApiHandler } from './handler-types.ts';
import type { Input } from './input.ts';
import { perform } from './perform.ts';

/** A request with a random key: it reads the table once, and ends with 401. */
export const warmUpEvent = {
  version: '2.0',
  headers: { 'x-authorization': newApiKey() },
  requestContext: { requestId: 'warm-up', http: { sourceIp: '' } },
} as unknown as ApiEvent;

/** Warms a function that takes a key. A GET also performs a read. */
export const warmUp = (handler: ApiHandler, endpoint: AnyEndpoint): Promise<void> =>
  duringInitialization(
    () => handler(warmUpEvent, {} as Context),
    () => redact(placeholderIdentity),
    () => endpoint.method === 'GET' && performMadeUp(endpoint, placeholderInput(endpoint), []),
  );

/** An identity that no user, agent or record has. */
export const placeholderIdentity = 'warm-up';

/** Performs an operation for nobody with found items, and discards the result. */
export const performMadeUp = async (endpoint: AnyEndpoint, input: Input, items: Item[]): Promise<unknown> => {
  const principal = {
    uid: placeholderIdentity,
    keyId: placeholderIdentity,
    name: placeholderIdentity,
    scopes: undefined,
  };
  const agent = { agentId: placeholderIdentity, uid: placeholderIdentity, outcomeRules: {} };
  const authorized = { input, principal, agent, found: prefetchLookup(endpoint.caller, { input })?.read(items) };
  const context = {
    address: '',
    rawQuery: '',
    headers: {},
    requestId: placeholderIdentity,
    receivedAt: performance.now(),
    ignored: [],
  };
  const services = lazyServices(endpoint.services ?? {});
  return perform(endpoint, authorized, { ...context, creationId: placeholderIdentity }, services);
};

/** Returns an input of placeholders and examples for the required fields. */
export const placeholderInput = ({ params, query }: AnyEndpoint): Input => {
  const [placeholders, required] = [params, query].map((schema?: z.ZodMiniObject) =>
    Object.fromEntries(
      Object.entries(schema?.shape ?? {})
        .filter(([, field]) => field._zod.optin === undefined)
        .map(([name, field]) => [name, isIdentity(name) ? placeholderIdentity : firstExample(field)]),
    ),
  );
  const { data } = validate(query, required);
  return { params: placeholders, query: data, body: undefined };
};

const isIdentity = (name: string) => name === 'uid' || /Id(OrPhone)?$/.test(name);

const firstExample = (field: z.core.$ZodType) => z.globalRegistry.get(field)?.examples?.[0];
