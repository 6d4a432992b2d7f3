import middy from '@middy/core';
import { executionModeStandard } from '@middy/core/Standard';
import { executionModeStreamifyResponse } from '@middy/core/StreamifyResponse';
import { newUlid } from '../domain/identifiers.ts';
import { lazyServices } from '../service.ts';
import { addressOf } from './address.ts';
import { admit } from './admit.ts';
import { authenticate } from './authenticate.ts';
import { type AnyEndpoint, isStreamed, takesIdempotencyKey } from './endpoint.ts';
import { withIdempotency } from './idempotency.ts';
import { logRequests } from './log-requests.ts';
import { parseRequest } from './parse-request.ts';
import { perform } from './perform.ts';
import type { ApiEvent, ApiHandler, ApiMiddleware, ApiResult, HandlerContext, Internal } from './pipeline.ts';
import { refuseOtherMethods } from './refuse-other-methods.ts';
import { requireEdge } from './require-edge.ts';
import { errorHandler } from './response.ts';
import { canStream } from './stream.ts';
import { withFallback } from './with-fallback.ts';

/**
 * Makes an endpoint a Lambda handler for API Gateway's HTTP API (payload 2.0): the edge, request log, error responses, input,
 * authentication and authorization, then idempotency, the handler and its response schema.
 */
export const lambda = (endpoint: AnyEndpoint): ApiHandler =>
  handlerOf(endpoint, authenticate(endpoint), withIdempotency);

/** The same for an endpoint that reads no key from the table. Its bundle does not contain the DynamoDB client. */
export const lambdaWithoutKey = (endpoint: AnyEndpoint): ApiHandler => handlerOf(endpoint, admit(endpoint));

const handlerOf = (
  endpoint: AnyEndpoint,
  admission: ApiMiddleware,
  idempotently?: typeof withIdempotency,
): ApiHandler => {
  const services = lazyServices(endpoint.services ?? {});

  const handle = async (event: ApiEvent, { internal }: HandlerContext): Promise<ApiResult> => {
    const { authorized, receivedAt } = internal;
    const { requestId } = event.requestContext;
    const respond = (creationId: string) =>
      perform(endpoint, authorized, { address: addressOf(event), requestId, receivedAt, creationId }, services);
    const idempotencyKey = event.headers['idempotency-key'];
    return takesIdempotencyKey(endpoint) && idempotently && idempotencyKey !== undefined
      ? idempotently({ endpoint, request: authorized, idempotencyKey, requestId }, respond)
      : respond(newUlid());
  };

  const executionMode = isStreamed(endpoint) && canStream() ? executionModeStreamifyResponse : executionModeStandard;
  const handler = middy<ApiEvent, ApiResult, Error, HandlerContext, Internal>({
    timeoutEarlyInMillis: 500,
    executionMode,
  })
    .use(requireEdge())
    .use(endpoint.refusedMethods ? [refuseOtherMethods(endpoint)] : [])
    .use(logRequests(endpoint))
    .use(errorHandler())
    .use(parseRequest(endpoint))
    .use(admission)
    .before(({ context, internal }) => {
      context.internal = internal;
    })
    .handler(handle) as unknown as ApiHandler;
  return endpoint.fallback ? withFallback(handler, endpoint.fallback) : handler;
};
