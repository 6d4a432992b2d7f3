import { AsyncLocalStorage } from 'node:async_hooks';
import type { ChangeMaker, StoredMaker } from './domain/change-maker.ts';
import { withoutUndefined } from './domain/json.ts';
import type { RequestReference } from './domain/trace.ts';

/** The maker of the changes of the present work, and the reference to the request that caused it. */
export type Cause = { maker: ChangeMaker; requestId?: RequestReference; inner?: InnerRequests };

/**
 * The requests to the service's own operations that a request causes. The first one counts against the limit of the key; its
 * headers are those of the caller's response.
 */
export type InnerRequests = { isCounted?: true; rateLimit?: Record<string, string> };

const current = new AsyncLocalStorage<Cause>();

/** Does work whose changes are made by a request, a command or a job. */
export const withCause = <T>(cause: Cause, work: () => T): T => current.run(cause, work);

/** Notes the request that caused the present work of a job, where its message could not name it. */
export const noteRequestId = (requestId: string | undefined): void => {
  const cause = current.getStore();
  if (cause) cause.requestId = requestId;
};

/** Returns true for the first request to an own operation, which counts for the request that causes it. */
export const claimCount = (): boolean => {
  const inner = current.getStore()?.inner;
  if (!inner || inner.isCounted) return false;
  inner.isCounted = true;
  return true;
};

/** Keeps the headers about the limit of the key for the response to the request that caused the present one. */
export const noteRateLimit = (headers: Record<string, string>): void => {
  const inner = current.getStore()?.inner;
  if (inner) inner.rateLimit = headers;
};

/** Begins to log with the trace of a request, up to the end of its handler. */
export const enterCause = (cause: Cause): void => current.enterWith(cause);

/** Returns the reference to the request that caused the present work; undefined if no request did. */
export const currentRequestId = (): RequestReference | undefined => current.getStore()?.requestId;

/** Returns the maker of a change that is made now, for the changed item; undefined if nobody is known. */
export const currentMaker = (): StoredMaker | undefined => {
  const maker = current.getStore()?.maker;
  return maker && { ...(withoutUndefined(maker) as ChangeMaker), at: Date.now() };
};
