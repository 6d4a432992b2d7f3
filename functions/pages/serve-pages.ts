import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import type { APIGatewayProxyEventV2, APIGatewayProxyStructuredResultV2 } from 'aws-lambda';
import { bucketUrl } from '../clients/files.ts';
import { environment } from '../environment.ts';

/** A gzipped file beside this one, with the path and the headers of its response. */
export type PackedPage = { path: string; file: string; headers: Record<string, string> };

/** The page that answers an unknown path of a page. */
export const notFoundPath = '/docs/not-found';

/**
 * Returns the page at a path, and whether it is only the one that says so of a missing page. Every view of the console is the same
 * page. Other files of the documentation than pages have an extension.
 */
export const findPage = <Page>(pages: ReadonlyMap<string, Page>, path: string): { page?: Page; isMissing: boolean } => {
  const page = pages.get(path.replace(/^\/console\/[^/.]+$/, '/console'));
  const isMissing = page === undefined && /^\/docs\/[^/.]+$/.test(path);
  return { page: isMissing ? pages.get(notFoundPath) : page, isMissing };
};

/** The placeholder for the bucket's origin in the headers of a page that uploads files. It is replaced when the page is served. */
export const filesOrigin = '{files-origin}';

/** Returns the headers of a page as they are sent. */
export const sentHeaders = (headers: Record<string, string>): Record<string, string> => {
  const policy = headers['content-security-policy'];
  if (!policy?.includes(filesOrigin)) return headers;
  const { origin } = new URL(bucketUrl({ bucket: environment.filesBucket, ...environment.s3 }));
  return { ...headers, 'content-security-policy': policy.replace(filesOrigin, origin) };
};

let pages: Promise<Map<string, PackedPage>> | undefined;

const readPages = async () => {
  const list = JSON.parse(await readFile(join(import.meta.dirname, 'pages.json'), 'utf8')) as PackedPage[];
  return new Map(list.map((page) => [page.path, page]));
};

/** Serves the pages of a deployment and their assets. */
export const handler = async (event: APIGatewayProxyEventV2): Promise<APIGatewayProxyStructuredResultV2> => {
  pages ??= readPages();
  const { page, isMissing } = findPage(await pages, event.rawPath);
  if (!page) {
    const body = JSON.stringify({ message: 'Not Found' });
    return { statusCode: 404, headers: { 'content-type': 'application/json' }, body };
  }
  const gzipped = await readFile(join(import.meta.dirname, page.file));
  const takesGzip = /\bgzip\b/.test(event.headers['accept-encoding'] ?? '');
  const body = takesGzip ? gzipped : gunzipSync(gzipped);
  return {
    statusCode: isMissing ? 404 : 200,
    headers: {
      ...sentHeaders(page.headers),
      vary: 'accept-encoding',
      'content-length': String(body.length),
      ...(takesGzip && { 'content-encoding': 'gzip' }),
    },
    body: event.requestContext.http.method === 'HEAD' ? '' : body.toString('base64'),
    isBase64Encoded: true,
  };
};
