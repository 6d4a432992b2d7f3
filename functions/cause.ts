import { AsyncLocalStorage } from 'node:async_hooks';
import type { ChangeMaker, StoredMaker } from './domain/change-maker.ts';
import { withoutUndefined } from './domain/json.ts';

/** The maker of the changes of the present work, and the request that caused it. */
type Cause = { maker: ChangeMaker; requestId?: string };

const current = new AsyncLocalStorage<Cause>();

/** Does work whose changes are made by a request, a command or a job. */
export const withCause = <T>(cause: Cause, work: () => T): T => current.run(cause, work);

/** Does work of a job that a request caused, however many jobs later. */
export const withRequestId = <T>(requestId: string | undefined, work: () => T): T =>
  withCause({ maker: { via: 'job' }, requestId }, work);

/** Returns the id of the request that caused the present work; undefined if no request did. */
export const currentRequestId = (): string | undefined => current.getStore()?.requestId;

/** Returns the maker of a change that is made now, for the changed item; undefined if nobody is known. */
export const currentMaker = (): StoredMaker | undefined => {
  const maker = current.getStore()?.maker;
  return maker && { ...(withoutUndefined(maker) as ChangeMaker), at: Date.now() };
};
