import { ApiError } from '../domain/errors.ts';
import { log } from '../log.ts';
import type { AnyEndpoint } from './endpoint.ts';
import type { ApiMiddleware, KitContext } from './lambda.ts';

/** Logs one line a request, and gives every answer the headers all answers carry. */
export const logRequests = (endpoint: AnyEndpoint): ApiMiddleware => {
  const finish: ApiMiddleware['after'] = ({ event, context, response, error }) => {
    if (!response) return;
    const requestId = event.requestContext.requestId;
    response.headers = { ...headersOfEveryAnswer, ...response.headers, 'x-request-id': requestId };
    log(response.statusCode === 500 ? 'error' : 'info', {
      requestId,
      operation: endpoint.name,
      status: response.statusCode,
      milliseconds: Math.round(performance.now() - ((context as KitContext).receivedAt ?? 0)),
      uid: (context as KitContext).principal?.uid,
      keyId: (context as KitContext).principal?.keyId,
      ...(error && (error instanceof ApiError ? { code: error.code } : { cause: describe(error) })),
    });
  };
  return {
    before({ context }) {
      context.receivedAt = performance.now();
    },
    after: finish,
    onError: finish,
  };
};

const headersOfEveryAnswer = { 'cache-control': 'no-store', 'x-content-type-options': 'nosniff' };

/** What is worth knowing of an error, and nothing that it carries along. */
const describe = (error: Error): Record<string, unknown> => ({
  name: error.name,
  message: error.message,
  stack: error.stack,
  ...(error.cause instanceof Error && { cause: describe(error.cause) }),
});
