import { text } from 'node:stream/consumers';
import type { StreamedAnswer } from './endpoint.ts';
import type { ApiResult } from './lambda.ts';

/**
 * Whether answers can be streamed here: Lambda's own process has this global, and the local gateway makes one. The AWS
 * SDK puts an empty one where there is none.
 */
export const canStream = () => 'streamifyResponse' in ((globalThis as { awslambda?: object }).awslambda ?? {});

/** A streamed answer. Where nothing can be streamed, it is answered in one piece, once it is complete. */
export const streamed = async ({ headers, body }: StreamedAnswer, asItComes: boolean): Promise<ApiResult> => ({
  statusCode: 200,
  headers: { 'cache-control': 'no-cache', ...headers },
  body: (asItComes ? body : await text(body)) as string,
});
