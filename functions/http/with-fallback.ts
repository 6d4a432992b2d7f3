import type { AnyEndpoint } from './endpoint.ts';
import type { ApiHandler, ApiResult, HandlerContext } from './handler-types.ts';
import { parseRequest } from './parse-request.ts';
import { custom, headersOfEveryResponse } from './response.ts';

type Fallback = NonNullable<NonNullable<AnyEndpoint['raw']>['fallback']>;

/** Lets the fallback respond for a late handler, a 5xx or a suspended user. */
export const withFallback =
  (endpoint: AnyEndpoint, handler: ApiHandler, { afterMilliseconds, respond }: Fallback): ApiHandler =>
  async (event, context): Promise<ApiResult> => {
    const responding = handler(event, context);
    let timer: NodeJS.Timeout | undefined;
    const timeout = new Promise<undefined>((resolve) => {
      timer = setTimeout(resolve, afterMilliseconds, undefined);
    });
    const response = await Promise.race([responding, timeout]).finally(() => clearTimeout(timer));
    const { requestId } = event.requestContext;
    // There is nothing yet if the request did not come through CloudFront.
    const { internal = {} } = context as { internal?: Partial<HandlerContext['internal']> };
    const { credentials, parsed, errorCode } = internal;
    if (!response) internal.isLate = true;
    const isSuspended = response !== undefined && errorCode === 'user_suspended';
    if (response && (response.statusCode ?? 200) < 500 && !isSuspended) return response;
    // Nobody hears of a suspension without a valid key or signature.
    if (credentials?.isUnsigned && !isSuspended) return responding;
    const { input } = parsed ?? (await parseRequest(endpoint, event));
    const fallback = input && respond(input, { requestId, isSuspended });
    if (!fallback) return responding;
    const result = custom(fallback);
    return { ...result, headers: { ...headersOfEveryResponse, ...result.headers, 'x-request-id': requestId } };
  };
