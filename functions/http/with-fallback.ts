import type { AnyEndpoint } from './endpoint.ts';
import type { ApiHandler, ApiResult } from './pipeline.ts';
import { custom, headersOfEveryResponse } from './response.ts';

/** Responds with the endpoint's fallback, if it has one for this request, when the handler is late or fails with 500. */
export const withFallback =
  (handler: ApiHandler, { afterMilliseconds, respond }: NonNullable<AnyEndpoint['fallback']>): ApiHandler =>
  async (event, context): Promise<ApiResult> => {
    const responding = handler(event, context);
    let timer: NodeJS.Timeout | undefined;
    const timeout = new Promise<undefined>((resolve) => {
      timer = setTimeout(resolve, afterMilliseconds, undefined);
    });
    const response = await Promise.race([responding, timeout]).finally(() => clearTimeout(timer));
    if (response && response.statusCode !== 500) return response;
    const fallback = respond(event);
    if (!fallback) return responding;
    const result = custom(fallback);
    const { requestId } = event.requestContext;
    return { ...result, headers: { ...headersOfEveryResponse, ...result.headers, 'x-request-id': requestId } };
  };
