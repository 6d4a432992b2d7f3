import { callerMarkHeader, type InnerCall, readCallerMark } from '../domain/caller-mark.ts';
import { environment } from '../environment.ts';
import type { ApiEvent, ApiMiddleware } from './handler-types.ts';

/** Returns the part of the service that sends this request with a caller's key; undefined for a request of a caller. */
export const readInnerCall = ({ headers }: ApiEvent): InnerCall | undefined => {
  const { [callerMarkHeader]: mark, 'x-authorization': apiKey } = headers;
  return mark && apiKey ? readCallerMark(mark, environment.callerMarkSecrets, apiKey) : undefined;
};

/** Gives a request of the build chat or the server of AI clients the id of the caller's request, which then finds its log line and its jobs. */
export const keepRequestId = (): ApiMiddleware => ({
  before({ event }) {
    const { requestId } = readInnerCall(event) ?? {};
    if (requestId) event.requestContext.requestId = requestId;
  },
});
