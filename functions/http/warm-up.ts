import { setTimeout as sleep } from 'node:timers/promises';
import type { Context } from 'aws-lambda';
import { newApiKey } from '../domain/api-keys.ts';
import { environment } from '../environment.ts';
import { lazyServices } from '../service.ts';
import type { AnyEndpoint } from './endpoint.ts';
import { perform } from './perform.ts';
import type { ApiEvent, ApiHandler } from './pipeline.ts';

const maxMilliseconds = 1000;

/**
 * Does some work while a function is initialized. Lambda gives a full core for that and a share of one afterwards: what is
 * compiled, connected and signed here does not take the first caller's time. A failure is ignored, and nothing is done
 * anywhere but on Lambda.
 */
export const duringInitialization = async (work: () => Promise<unknown>): Promise<void> => {
  if (!environment.isLambda) return;
  const done = work().catch(() => {});
  await Promise.race([done, sleep(maxMilliseconds, undefined, { ref: false })]);
};

/** A request with a random key, which no user has: it reads the table once, and ends with 401. */
export const warmUpEvent = {
  version: '2.0',
  headers: { 'x-authorization': newApiKey() },
  requestContext: { requestId: 'warm-up', http: { sourceIp: '' } },
} as unknown as ApiEvent;

/** Warms a function that takes a key: with that request and, where the operation is a GET, by performing it for a user who does not exist. */
export const warmUp = (handler: ApiHandler, endpoint: AnyEndpoint): Promise<void> =>
  duringInitialization(() =>
    Promise.allSettled([handler(warmUpEvent, {} as Context), endpoint.method === 'GET' && performForNobody(endpoint)]),
  );

/** The value of all identifiers while a function is warmed. What is found, if anything, is discarded. */
const nobody = 'warm-up';
const identifiers = [
  'uid',
  'agentId',
  'callIdOrPhone',
  'websiteId',
  'documentId',
  'importId',
  'erasureId',
  'endpointId',
];
const nothing = { ...Object.fromEntries(identifiers.map((name) => [name, nobody])), number: '+10000000000' };

/** Performs an operation with these identifiers, as if the request had been authorized. */
const performForNobody = async (endpoint: AnyEndpoint) => {
  const principal = { uid: nobody, keyId: nobody, scopes: undefined };
  const agent = { agentId: nobody, uid: nobody, blockOnOutcomes: [] };
  const authorized = { input: { params: nothing, query: nothing, body: undefined }, principal, agent, prefetched: [] };
  const context = { address: '', requestId: 'warm-up', receivedAt: performance.now(), creationId: nobody };
  await perform(endpoint, authorized, context, lazyServices(endpoint.services ?? {}));
};
