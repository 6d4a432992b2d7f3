import { enterCause } from '../cause.ts';
import { toReference } from '../domain/trace.ts';
import type { ApiMiddleware } from './handler-types.ts';
import { readInnerCall } from './read-inner-call.ts';

/** Gives an inner request the id of the caller's own, for its log lines and jobs, and each request its trace. */
export const identifyRequest = (): ApiMiddleware => ({
  before({ event, internal }) {
    const { requestId } = readInnerCall(event) ?? {};
    if (requestId) event.requestContext.requestId = requestId;
    const reference = toReference(event.requestContext.requestId, event.headers);
    internal.cause = { maker: { via: 'api' }, requestId: reference, inner: {} };
    enterCause(internal.cause);
  },
});
