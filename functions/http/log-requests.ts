import { ApiError } from '../domain/errors.ts';
import { isIdentifier } from '../domain/identifiers.ts';
import { newSpanId, readTrace } from '../domain/trace.ts';
import { describeError, log } from '../log.ts';
import { reportSpan } from '../spans.ts';
import { rateLimitHeaders } from './count-requests.ts';
import type { AnyEndpoint } from './endpoint.ts';
import type { ApiMiddleware, Internal } from './handler-types.ts';
import { describeMetrics } from './metrics.ts';
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
    const status = response.statusCode ?? 200;
    const milliseconds = Math.round(performance.now() - internal.receivedAt);
    log(status === 500 ? 'error' : 'info', {
      requestId: internal.cause?.requestId ?? requestId,
      operation: endpoint.name,
      status,
      milliseconds,
      uid: identified?.principal.uid,
      keyId: identified?.principal.keyId,
      agentId: identified && isIdentifier(agentId) ? agentId : undefined,
      ...(error &&
        (error instanceof ApiError ? { code: error.code, ...error.logged } : { cause: describeError(error) })),
      ...describeMetrics(endpoint, event, internal, { status, milliseconds }),
    });
    const now = Date.now();
    const trace = readTrace(internal.cause?.requestId ?? requestId);
    const span = { trace, spanId: newSpanId(), kind: 'server' as const, name: endpoint.name };
    reportSpan({ ...span, startedAt: now - milliseconds, endedAt: now, isFailed: status >= 500 });
  };
  return {
    before({ internal }) {
      internal.receivedAt = performance.now();
    },
    after: finish,
    onError: finish,
  };
};
