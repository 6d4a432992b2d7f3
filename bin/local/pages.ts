import type { IncomingMessage, ServerResponse } from 'node:http';
import { type PageFile, pageHeaders } from '../../lib/pages.ts';

/**
 * Serves the pages, as CloudFront does in a deployment; returns false for any other request. It also serves the demo
 * data, which the pages use as defaults; a deployment has no such file.
 */
export const pageServer = (files: PageFile[], demo: () => object | undefined) => {
  const byPath = new Map(files.map((file) => [file.path, file]));
  const demoFile = (): PageFile => ({
    path: '/docs/demo.json',
    contentType: 'application/json',
    cacheControl: 'no-store',
    body: Buffer.from(JSON.stringify(demo())),
  });
  return ({ method, url = '/' }: IncomingMessage, response: ServerResponse): boolean => {
    if (method !== 'GET' && method !== 'HEAD') return false;
    const path = url.replace(/\?.*$/, '');
    const file = path === '/docs/demo.json' && demo() ? demoFile() : byPath.get(path);
    if (!file) return false;
    const { contentType, cacheControl, body } = file;
    response.writeHead(200, {
      ...pageHeaders,
      ...file.headers,
      'content-type': contentType,
      'cache-control': cacheControl,
      'content-length': body.length,
    });
    response.end(method === 'HEAD' ? undefined : body);
    return true;
  };
};
