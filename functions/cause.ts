import { AsyncLocalStorage } from 'node:async_hooks';
import type { ChangeMaker, StoredMaker } from './domain/change-maker.ts';
import { withoutUndefined } from './domain/json.ts';

/** The maker of the changes of the present work, and the request that caused it. */
export type Cause = { maker: ChangeMaker; requestId?: string };

const current = new AsyncLocalStorage<Cause>();

/** Does work whose changes are made by a request, a command or a job. */
export const withCause = <T>(cause: Cause, work: () => T): T => current.run(cause, work);

/** Notes the request that caused the present work of a job, where its message could not name it. */
export const noteRequestId = (requestId: string | undefined): void => {
  const cause = current.getStore();
  if (cause) cause.requestId = requestId;
};

/** Returns the id of the request that caused the present work; undefined if no request did. */
export const currentRequestId = (): string | undefined => current.getStore()?.requestId;

/** Returns the maker of a change that is made now, for the changed item; undefined if nobody is known. */
export const currentMaker = (): StoredMaker | undefined => {
  const maker = current.getStore()?.maker;
  return maker && { ...(withoutUndefined(maker) as ChangeMaker), at: Date.now() };
};
