import { AsyncLocalStorage } from 'node:async_hooks';

const current = new AsyncLocalStorage<string | undefined>();

/** Does work that a request caused: directly, or as a job, however many jobs later. */
export const withRequestId = <T>(requestId: string | undefined, work: () => T): T => current.run(requestId, work);

/** Returns the id of the request that caused the present work; undefined if no request did. */
export const currentRequestId = (): string | undefined => current.getStore();
