import { text } from 'node:stream/consumers';
import type { StreamedResponse } from './endpoint.ts';
import type { ApiResult } from './handler-types.ts';

/**
 * Whether responses can be streamed here: Lambda's own process has this global, and the local gateway makes one. The AWS
 * SDK puts an empty one where there is none.
 */
export const canStream = () => 'streamifyResponse' in ((globalThis as { awslambda?: object }).awslambda ?? {});

/** A streamed response. Where nothing can be streamed, it is sent in one piece, once it is complete. */
export const streamed = async ({ headers, body }: StreamedResponse): Promise<ApiResult> => ({
  statusCode: 200,
  headers: { 'cache-control': 'no-cache', ...headers },
  body: (canStream() ? body : await text(body)) as string,
});
