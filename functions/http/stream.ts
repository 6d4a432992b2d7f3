import { text } from 'node:stream/consumers';
import type { StreamedResponse } from './endpoint.ts';
import type { ApiResult } from './handler-types.ts';

/** Checks whether this process can stream. The AWS SDK creates an empty global. */
export const canStream = () => 'streamifyResponse' in ((globalThis as { awslambda?: object }).awslambda ?? {});

/** Returns a streamed response, in one piece where nothing can be streamed. */
export const streamed = async ({ headers, body }: StreamedResponse): Promise<ApiResult> => ({
  statusCode: 200,
  headers: { 'cache-control': 'no-cache', ...headers },
  body: (canStream() ? body : await text(body)) as string,
});
