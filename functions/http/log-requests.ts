import { ApiError } from '../domain/errors.ts';
import { isIdentifier } from '../domain/identifiers.ts';
import { describeError, log } from '../log.ts';
import { rateLimitHeaders } from './count-requests.ts';
import type { AnyEndpoint } from './endpoint.ts';
import type { ApiMiddleware, Internal } from './handler-types.ts';
import { headersOfEveryResponse, ignoredFieldsHeader } from './response.ts';
import { warmUpEvent } from './warm-up.ts';

/** Returns the headers about a limited key, its own or those of the inner request that counted. */
const findRateLimit = ({ allowance, cause }: Internal, error: unknown): Record<string, string> | undefined => {
  const left = allowance ?? (error instanceof ApiError ? error.allowance : undefined);
  return left ? rateLimitHeaders(left) : cause?.inner?.rateLimit;
};

/** Logs one line per request, and adds the headers of every response. */
export const logRequests = (endpoint: AnyEndpoint): ApiMiddleware => {
  const finish: ApiMiddleware['after'] = ({ event, internal, response, error }) => {
    if (!response || event === warmUpEvent) return;
    const requestId = event.requestContext.requestId;
    const { parsed, identified } = internal;
    const { agentId = '' } = parsed?.reference ?? {};
    response.headers = {
      ...headersOfEveryResponse,
      ...response.headers,
      ...(!error && parsed?.input && ignoredFieldsHeader(parsed.ignored)),
      ...findRateLimit(internal, error),
      'x-request-id': requestId,
    };
    log(response.statusCode === 500 ? 'error' : 'info', {
      requestId,
      operation: endpoint.name,
      status: response.statusCode,
      milliseconds: Math.round(performance.now() - internal.receivedAt),
      uid: identified?.principal.uid,
      keyId: identified?.principal.keyId,
      agentId: identified && isIdentifier(agentId) ? agentId : undefined,
      ...(error &&
        (error instanceof ApiError ? { code: error.code, ...error.logged } : { cause: describeError(error) })),
    });
  };
  return {
    before({ internal }) {
      internal.receivedAt = performance.now();
    },
    after: finish,
    onError: finish,
  };
};
