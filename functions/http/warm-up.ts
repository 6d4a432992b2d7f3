import { setTimeout as sleep } from 'node:timers/promises';
import type { Context } from 'aws-lambda';
import { newApiKey } from '../domain/api-keys.ts';
import { environment } from '../environment.ts';
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

/** A request that nobody sent, with a key that nobody has: it reads the table once, and ends as a 401. */
export const warmUpEvent = {
  version: '2.0',
  headers: { 'x-authorization': newApiKey() },
  requestContext: { requestId: 'warm-up', http: { sourceIp: '' } },
} as unknown as ApiEvent;

/** Warms a handler that takes a key. */
export const warmUp = (handler: ApiHandler): Promise<void> =>
  duringInitialization(() => handler(warmUpEvent, {} as Context));
