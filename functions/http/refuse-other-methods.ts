import type { AnyEndpoint } from './endpoint.ts';
import type { ApiMiddleware } from './pipeline.ts';
import { headersOfEveryResponse, json } from './response.ts';

/** Middleware that answers other methods at an endpoint's path with 405. Like a gateway's own error, the response is not one of the interface's errors. */
export const refuseOtherMethods = ({ method }: AnyEndpoint): ApiMiddleware => ({
  before({ event }) {
    if (event.requestContext.http.method === method) return;
    return json(405, { message: 'Method Not Allowed' }, { ...headersOfEveryResponse, allow: method });
  },
});
