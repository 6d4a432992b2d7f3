import { readdirSync, readFileSync } from 'node:fs';
import { basename, extname, join, relative } from 'node:path';
import { buildSync } from 'esbuild';

/** A file that a browser gets, under its path at the service's own address. */
export type PageFile = { path: string; contentType: string; cacheControl: string; body: Uint8Array };

const folder = join(import.meta.dirname, '../functions/pages');

/** The page at the address itself; any other is at the name of its folder. */
const front = 'chat';

/**
 * Sent with every page: it runs what is its own, speaks to its own address, and is shown in nobody's frame.
 */
export const pageHeaders = {
  'content-security-policy': [
    "default-src 'none'",
    "script-src 'self'",
    "style-src 'self'",
    "img-src 'self'",
    "connect-src 'self'",
    "base-uri 'none'",
    "form-action 'none'",
    "frame-ancestors 'none'",
    "require-trusted-types-for 'script'",
    "trusted-types 'none'",
  ].join('; '),
  'cross-origin-opener-policy': 'same-origin',
  'cross-origin-resource-policy': 'same-origin',
  'permissions-policy': 'camera=(), geolocation=(), microphone=()',
  'referrer-policy': 'no-referrer',
  'x-content-type-options': 'nosniff',
};

/** Builds every page: a folder with an `index.html`, and what that names by `./`, bundled under names that change with their content. */
export const buildPages = (): PageFile[] =>
  readdirSync(folder, { withFileTypes: true })
    .filter((entry) => entry.isDirectory())
    .flatMap(({ name }) => buildPage(name));

const buildPage = (name: string): PageFile[] => {
  const html = readFileSync(join(folder, name, 'index.html'), 'utf8');
  const named = [...html.matchAll(/(?:src|href)="\.\/([^"]+)"/g)].map((match) => match[1] as string);
  const { outputFiles, metafile } = buildSync({
    absWorkingDir: folder,
    entryPoints: named.map((file) => join(name, file)),
    outdir: '/assets',
    outbase: name,
    entryNames: `${name}-[hash]`,
    assetNames: `${name}-[hash]`,
    loader: { '.svg': 'copy' },
    bundle: true,
    minify: true,
    format: 'esm',
    platform: 'browser',
    target: ['chrome123', 'firefox125', 'safari17.5'],
    jsx: 'automatic',
    define: { 'process.env.NODE_ENV': '"production"' },
    legalComments: 'none',
    metafile: true,
    write: false,
    logLevel: 'error',
  });
  const built = new Map(
    Object.entries(metafile.outputs).map(([path, { entryPoint, inputs }]) => [
      relative(name, entryPoint ?? Object.keys(inputs)[0] ?? ''),
      `/assets/${basename(path)}`,
    ]),
  );
  const page = html.replace(/"\.\/([^"]+)"/g, (_, file: string) => `"${built.get(file)}"`);
  return [
    {
      path: name === front ? '/' : `/${name}`,
      contentType: 'text/html; charset=utf-8',
      cacheControl: 'no-cache',
      body: Buffer.from(page),
    },
    ...outputFiles.map(({ path, contents }) => ({
      path: `/assets/${basename(path)}`,
      contentType: contentTypes[extname(path)] ?? 'application/octet-stream',
      cacheControl: 'public, max-age=31536000, immutable',
      body: contents,
    })),
  ];
};

const contentTypes: Record<string, string> = {
  '.css': 'text/css; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.svg': 'image/svg+xml',
};
