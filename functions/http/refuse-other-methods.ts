import type { AnyEndpoint } from './endpoint.ts';
import type { ApiMiddleware } from './handler-types.ts';
import { headersOfEveryResponse, json } from './response.ts';

/** Answers other methods with 405, and like the gateway with no error code. */
export const refuseOtherMethods = ({ method }: AnyEndpoint): ApiMiddleware => ({
  before({ event }) {
    const { http, requestId } = event.requestContext;
    if (http.method === method) return;
    const headers = { ...headersOfEveryResponse, allow: method, 'x-request-id': requestId };
    return json(405, { message: 'Method Not Allowed' }, headers);
  },
});
