import { callerMarkHeader, type InnerCall, readCallerMark } from '../domain/caller-mark.ts';
import { environment } from '../environment.ts';
import type { ApiEvent, ApiMiddleware } from './handler-types.ts';

/** Returns the part of the service that sends this request, if any. */
export const readInnerCall = ({ headers }: ApiEvent): InnerCall | undefined => {
  const { [callerMarkHeader]: mark, 'x-authorization': apiKey } = headers;
  return mark && apiKey ? readCallerMark(mark, environment.callerMarkSecrets, apiKey) : undefined;
};

/** Gives an inner request the id of the caller's own, for its log lines and jobs. */
export const keepRequestId = (): ApiMiddleware => ({
  before({ event }) {
    const { requestId } = readInnerCall(event) ?? {};
    if (requestId) event.requestContext.requestId = requestId;
  },
});
