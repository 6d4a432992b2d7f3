import type { ApiMiddleware } from './handler-types.ts';
import { readInnerCall } from './read-inner-call.ts';

/** Gives an inner request the id of the caller's own, for its log lines and jobs. */
export const keepRequestId = (): ApiMiddleware => ({
  before({ event, internal }) {
    const { requestId } = readInnerCall(event) ?? {};
    if (requestId) event.requestContext.requestId = requestId;
    internal.cause = { maker: { via: 'api' }, requestId: event.requestContext.requestId, inner: {} };
  },
});
