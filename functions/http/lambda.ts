import middy from '@middy/core';
import { executionModeStandard } from '@middy/core/Standard';
import { executionModeStreamifyResponse } from '@middy/core/StreamifyResponse';
import { withCause } from '../cause.ts';
import { newUlid } from '../domain/identifiers.ts';
import { lazyServices } from '../service.ts';
import { clientAddress } from './address.ts';
import { admit } from './admit.ts';
import { answerHead } from './answer-head.ts';
import { authenticate } from './authenticate.ts';
import { type AnyEndpoint, isStreamed, takesIdempotencyKey } from './endpoint.ts';
import type { ApiEvent, ApiHandler, ApiMiddleware, ApiResult, HandlerContext, Internal } from './handler-types.ts';
import { withIdempotency } from './idempotency.ts';
import { identifyMaker } from './identify-maker.ts';
import { identifyRequest } from './inner-call.ts';
import { logRequests } from './log-requests.ts';
import { perform } from './perform.ts';
import { refuseOtherMethods } from './refuse-other-methods.ts';
import { requireEdge } from './require-edge.ts';
import { errorHandler } from './response.ts';
import { canStream } from './stream.ts';
import { withFallback } from './with-fallback.ts';

/** Returns the handler of an endpoint for API Gateway's HTTP API (payload 2.0). */
export const lambda = (endpoint: AnyEndpoint): ApiHandler =>
  buildHandler(endpoint, authenticate(endpoint), withIdempotency);

/** Returns the handler of an endpoint without keys, whose bundle has no DynamoDB client. */
export const lambdaWithoutKey = (endpoint: AnyEndpoint): ApiHandler => buildHandler(endpoint, admit(endpoint));

const buildHandler = (
  endpoint: AnyEndpoint,
  admission: ApiMiddleware,
  idempotently?: typeof withIdempotency,
): ApiHandler => {
  const services = lazyServices(endpoint.services ?? {});

  const handle = async (event: ApiEvent, { internal }: HandlerContext): Promise<ApiResult> => {
    const { authorized, parsed, receivedAt, cause } = internal;
    const { headers, rawQueryString: rawQuery, requestContext } = event;
    const { requestId } = requestContext;
    const context = {
      address: clientAddress(event),
      rawQuery,
      headers,
      requestId,
      receivedAt,
      ignored: parsed?.input ? parsed.ignored : [],
    };
    cause.maker = identifyMaker(endpoint, authorized.principal, event);
    const respond = (creationId: string) =>
      withCause(cause, () => perform(endpoint, authorized, { ...context, creationId }, services));
    const idempotencyKey = headers['idempotency-key'];
    return takesIdempotencyKey(endpoint) && idempotently && idempotencyKey !== undefined
      ? idempotently({ endpoint, request: authorized, idempotencyKey, requestId }, respond)
      : respond(newUlid());
  };

  const { refusedMethods, fallback } = endpoint.raw ?? {};
  const executionMode = isStreamed(endpoint) && canStream() ? executionModeStreamifyResponse : executionModeStandard;
  const handler = middy<ApiEvent, ApiResult, Error, HandlerContext, Internal>({
    timeoutEarlyInMillis: 500,
    executionMode,
  })
    .use(requireEdge())
    .use(endpoint.method === 'GET' ? [answerHead()] : [])
    .use(refusedMethods ? [refuseOtherMethods(endpoint)] : [])
    .before(({ context, internal }) => {
      context.internal = internal;
    })
    .use(logRequests(endpoint))
    .use(errorHandler(endpoint))
    .use(identifyRequest())
    .use(admission)
    .handler(handle) as unknown as ApiHandler;
  return fallback ? withFallback(endpoint, handler, fallback) : handler;
};
