import type { IncomingMessage, ServerResponse } from 'node:http';
import { findPage, sentHeaders } from '../../functions/pages/serve-pages.ts';
import { buildPages, type PageFile, pageHeaders } from '../../lib/pages.ts';

/** The pages, and the data that they use as defaults. The first request for a page builds all of them. */
export type Pages = { files(): Map<string, PageFile>; demo: object };

export const bundlePages = (demo: object): Pages => {
  let files: Map<string, PageFile> | undefined;
  return {
    files() {
      files ??= new Map(buildPages().map((file) => [file.path, file]));
      return files;
    },
    demo,
  };
};

/**
 * Serves a page, as CloudFront does in a deployment; returns false for any other request. It also serves the demo
 * data; a deployment has no such file.
 */
export const sendPage = (pages: Pages, { method, url = '/' }: IncomingMessage, response: ServerResponse): boolean => {
  if (method !== 'GET' && method !== 'HEAD') return false;
  const path = url.replace(/\?.*$/, '');
  const { page: file, isMissing } =
    path === demoPath ? { page: demoFile(pages.demo), isMissing: false } : findPage(pages.files(), path);
  if (!file) return false;
  const { contentType, cacheControl, body } = file;
  response.writeHead(isMissing ? 404 : 200, {
    ...sentHeaders({ ...pageHeaders, ...file.headers }),
    'content-type': contentType,
    'cache-control': cacheControl,
    'content-length': body.length,
  });
  response.end(method === 'HEAD' ? undefined : body);
  return true;
};

const demoPath = '/docs/demo.json';

const demoFile = (demo: object): PageFile => ({
  path: demoPath,
  contentType: 'application/json',
  cacheControl: 'no-store',
  body: Buffer.from(JSON.stringify(demo)),
});
