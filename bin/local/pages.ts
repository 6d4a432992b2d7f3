import type { IncomingMessage, ServerResponse } from 'node:http';
import { type PageFile, pageHeaders } from '../../lib/pages.ts';

/** Answers requests for pages, as CloudFront does where the service is deployed; says whether it was one. */
export const pageServer = (files: PageFile[]) => {
  const byPath = new Map(files.map((file) => [file.path, file]));
  return ({ method, url = '/' }: IncomingMessage, response: ServerResponse): boolean => {
    const file = method === 'GET' || method === 'HEAD' ? byPath.get(url.replace(/\?.*$/, '')) : undefined;
    if (!file) return false;
    const { contentType, cacheControl, body } = file;
    response.writeHead(200, {
      ...pageHeaders,
      'content-type': contentType,
      'cache-control': cacheControl,
      'content-length': body.length,
    });
    response.end(method === 'HEAD' ? undefined : body);
    return true;
  };
};
