import type { ApiMiddleware } from './handler-types.ts';

/** Answers HEAD as GET, without the body. */
export const answerHead = (): ApiMiddleware => {
  const omitBody: ApiMiddleware['after'] = ({ event, response }) => {
    if (!response || event.requestContext.http.method !== 'HEAD') return;
    response.headers = { ...response.headers, 'content-length': String(Buffer.byteLength(response.body ?? '')) };
    response.body = '';
  };
  return { after: omitBody, onError: omitBody };
};
