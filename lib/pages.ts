import { createHash } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { basename, extname, join, normalize, relative } from 'node:path';
import { runInNewContext } from 'node:vm';
import { buildSync } from 'esbuild';
import { filesOrigin } from '../functions/pages/serve-pages.ts';
import { documentationPages } from './documentation-pages.ts';

/** A file that is served to browsers, with its path. */
export type PageFile = {
  path: string;
  contentType: string;
  cacheControl: string;
  body: Uint8Array;
  /** Headers that override those in `pageHeaders`. */
  headers?: Record<string, string>;
};

/** The pages are written for React and built with Preact, which has the same interface and a tenth of the code. */
export const pageAlias = { react: 'preact/compat', 'react-dom': 'preact/compat' };

const root = join(import.meta.dirname, '..');
const folder = join(root, 'functions/pages');

/** The paths of the pages, by their folders. */
const paths: Record<string, string> = {
  chat: '/chat',
  console: '/console',
  docs: '/docs',
  reference: '/docs/reference',
};

/** Allows a page to load from and call only its own origin, and forbids framing. */
const policy = {
  'default-src': "'none'",
  'script-src': "'self'",
  'style-src': "'self'",
  'img-src': "'self'",
  'connect-src': "'self'",
  'base-uri': "'none'",
  'form-action': "'none'",
  'frame-ancestors': "'none'",
  'require-trusted-types-for': "'script'",
  'trusted-types': "'none'",
};
type Policy = Partial<Record<keyof typeof policy | 'font-src' | 'media-src', string | undefined>>;

/**
 * Exceptions: the console uploads files to the bucket, and plays recordings from the hosts of voice platforms. Scalar adds
 * inline styles, and has its own fonts and HTML.
 */
const looser: Record<string, Policy> = {
  console: { 'connect-src': `'self' ${filesOrigin}`, 'media-src': 'https:' },
  reference: {
    'style-src': "'self' 'unsafe-inline'",
    'img-src': "'self' data:",
    'font-src': 'data:',
    'require-trusted-types-for': undefined,
    'trusted-types': undefined,
  },
};

const policyHeader = (policy: Policy) =>
  Object.entries(policy)
    .flatMap(([directive, value]) => (value === undefined ? [] : `${directive} ${value}`))
    .join('; ');

/** Headers that are sent with every page. */
export const pageHeaders = {
  'content-security-policy': policyHeader(policy),
  'cross-origin-opener-policy': 'same-origin',
  'cross-origin-resource-policy': 'same-origin',
  'permissions-policy': 'camera=(), geolocation=(), microphone=()',
  'referrer-policy': 'no-referrer',
  'x-content-type-options': 'nosniff',
};

/**
 * Builds every page: a folder with an `index.html`. Files that it references by `./` or `../` are bundled under names that
 * contain a hash of their content. `<style src>` becomes the style sheet itself, which the document then has before any other
 * file arrives. A reference by `npm:` is a package's own bundle: a file, or with `#name` the script that
 * a module of the package has in this variable. `<!-- header -->` becomes the header that all pages share. A deployment
 * without the chat has neither its page nor a link to it. The root address leads to the console.
 */
export const buildPages = ({ hasChat = true } = {}): PageFile[] =>
  readdirSync(folder, { withFileTypes: true })
    .filter((entry) => entry.isDirectory() && (hasChat || entry.name !== 'chat'))
    .flatMap(({ name }) => buildPage(name, hasChat))
    .flatMap((file) => (file.path === paths.docs ? documentation(file) : file))
    .concat(toConsole);

const toConsole: PageFile = {
  path: '/',
  contentType: 'text/html; charset=utf-8',
  cacheControl: 'no-cache',
  body: Buffer.from(`<!doctype html>
<html lang="en">
  <title>Voice Agent Platform</title>
  <meta http-equiv="refresh" content="0; url=${paths.console}">
  <a href="${paths.console}">Console</a>
</html>
`),
};

/** Returns the pages of the documentation. The page in the folder is their template. */
const documentation = (template: PageFile): PageFile[] =>
  documentationPages(Buffer.from(template.body).toString()).map(({ body, ...file }) => ({
    ...template,
    ...file,
    body: typeof body === 'string' ? Buffer.from(body) : body,
  }));

const buildPage = (name: string, hasChat: boolean): PageFile[] => {
  const path = paths[name] ?? `/${name}`;
  const html = readFileSync(join(folder, name, 'index.html'), 'utf8').replace('<!-- header -->', () =>
    buildHeader(path, hasChat),
  );
  const named = [...html.matchAll(/(?:src|href)="(\.{1,2}\/[^"]+)"/g)].map((match) => match[1] as string);
  const { outputFiles, metafile } = buildSync({
    absWorkingDir: folder,
    entryPoints: named.map((file) => join(name, file)),
    outdir: '/assets',
    outbase: name,
    entryNames: `${name}-[hash]`,
    assetNames: `${name}-[hash]`,
    chunkNames: `${name}-[hash]`,
    // Each dynamic import becomes a separate file.
    splitting: true,
    loader: { '.svg': 'copy' },
    bundle: true,
    minify: true,
    format: 'esm',
    platform: 'browser',
    target: ['chrome123', 'firefox125', 'safari17.5'],
    jsx: 'automatic',
    alias: pageAlias,
    define: { 'process.env.NODE_ENV': '"production"', hasChat: String(hasChat) },
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
  const copied = [...html.matchAll(/(?:src|href)="npm:([^"]+)"/g)].map((match) => copyFile(match[1] as string));
  for (const { name: file, path } of copied) built.set(file, path);
  const files = outputFiles.map(({ path, contents }) => asset(`/assets/${basename(path)}`, contents));
  const inDocument = new Map<PageFile, string>();
  const page = html
    .replace(/"(?:npm:([^"]+)|(\.{1,2}\/[^"]+))"/g, (_, npm?: string, file = '') => {
      return `"${built.get(npm ?? normalize(file))}"`;
    })
    .replace(/<style src="([^"]+)">/g, (_, path: string) => {
      const file = files.find((file) => file.path === path) as PageFile;
      const text = Buffer.from(file.body).toString();
      inDocument.set(file, `'sha256-${createHash('sha256').update(text).digest('base64')}'`);
      return `<style>${text}`;
    });
  const own: Policy = { ...looser[name] };
  if (inDocument.size > 0) own['style-src'] = ["'self'", ...inDocument.values()].join(' ');
  return [
    {
      path,
      contentType: 'text/html; charset=utf-8',
      cacheControl: 'no-cache',
      body: Buffer.from(page),
      headers: { 'content-security-policy': policyHeader({ ...policy, ...own }) },
    },
    ...copied.map(({ path, body }) => asset(path, body)),
    ...files.filter((file) => !inDocument.has(file)),
  ];
};

/** Returns the header of a page, which marks the link to it. */
const buildHeader = (path: string, hasChat: boolean): string => {
  const lines = readFileSync(join(folder, 'header.html'), 'utf8').trimEnd().split('\n');
  const kept = hasChat ? lines : lines.filter((line) => !line.includes(`<a href="${paths.chat}">`));
  return kept.join('\n').replace(`<a href="${path}">`, `<a href="${path}" aria-current="true">`);
};

const copyFile = (name: string) => {
  const [file = '', variable] = name.split('#');
  const source = readFileSync(join(root, 'node_modules', file), 'utf8');
  const body = Buffer.from(variable ? extractScript(source, variable) : source);
  const hash = createHash('sha256').update(body).digest('hex').slice(0, 8);
  const extension = extname(file);
  return { name, path: `/assets/${variable ?? basename(file, extension)}-${hash}${extension}`, body };
};

/** Returns the value of a string literal that a line of a module assigns to a variable. */
const extractScript = (source: string, variable: string): string => {
  const start = `var ${variable} = "`;
  const line = source.split('\n').find((text) => text.startsWith(start));
  if (!line) throw new Error(`A package has no script in a variable ${variable}.`);
  return runInNewContext(line.slice(start.length - 1, line.lastIndexOf('"') + 1)) as string;
};

const asset = (path: string, body: Uint8Array): PageFile => ({
  path,
  contentType: contentTypes[extname(path)] ?? 'application/octet-stream',
  cacheControl: 'public, max-age=31536000, immutable',
  body,
});

const contentTypes: Record<string, string> = {
  '.css': 'text/css; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.svg': 'image/svg+xml',
};
