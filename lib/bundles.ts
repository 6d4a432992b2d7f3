import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { toKebabCase } from '../functions/domain/text.ts';
import { type AnyEndpoint, isStreamed } from '../functions/http/endpoint.ts';
import { jobs } from '../functions/jobs.ts';
import type { PackedPage } from '../functions/pages/serve-pages.ts';
import { routes } from '../functions/routes.ts';
import { buildPages, pageHeaders } from './pages.ts';

/** The function that serves the pages. It is not an operation. */
export const pagesFunction = 'servePages';

let folder: string | undefined;

/** Returns the folder of a function's bundle. All bundles are built together, once per process, and deleted when it ends. */
export const bundlePath = (name: string): string => {
  folder ??= bundleAll();
  return join(folder, toKebabCase(name));
};

/** Returns the folder of the function that serves the pages, with those of a deployment. */
export const pagesBundlePath = (pages: { hasChat: boolean }): string => {
  const path = bundlePath(pagesFunction);
  packPages(path, pages);
  return path;
};

const bundleAll = (): string => {
  const outdir = mkdtempSync(join(tmpdir(), 'voice-agents-bundles-'));
  process.once('exit', () => rmSync(outdir, { recursive: true, force: true }));
  const entries = [
    ...routes.map((endpoint) => ({ name: endpoint.name, file: chooseEntry(endpoint) })),
    ...jobs.map(({ name }) => ({
      name,
      file: `warm:functions/jobs/warm-up.ts:${name}:functions/jobs/${toKebabCase(name)}.ts`,
    })),
    { name: pagesFunction, file: `functions/pages/${toKebabCase(pagesFunction)}.ts` },
  ];
  const entryPoints = entries.map(({ name, file }) => ({ in: file, out: `${toKebabCase(name)}/index` }));
  const bundle = join(import.meta.dirname, 'bundle.ts');
  execFileSync(process.execPath, [bundle, outdir, JSON.stringify(entryPoints)], {
    stdio: ['ignore', 'ignore', 'inherit'],
  });
  return outdir;
};

/** Returns the entry point of an endpoint's bundle. A function that reads a key from the table is warmed while it is initialized. */
const chooseEntry = (endpoint: AnyEndpoint) => {
  const { name, caller } = endpoint;
  const file = `functions/api/${toKebabCase(name)}.ts`;
  if (isStreamed(endpoint)) return `warm:functions/chat/warm-up.ts:${name}:${file}`;
  if (name === 'receiveHook') return `warm:functions/hooks/warm-up-hooks.ts:${name}:${file}`;
  if (name === 'decideCallStart') return `warm:functions/hooks/warm-up-starts.ts:${name}:${file}`;
  return caller.kind === 'key' && !caller.forwarded ? `warm:functions/http/warm-up.ts:${name}:${file}` : file;
};

/** Writes the pages beside the function that serves them, with an index in `pages.json`. */
const packPages = (folder: string, pages: { hasChat: boolean }) => {
  const packed = buildPages(pages).map(({ path, contentType, cacheControl, body, headers }, index): PackedPage => {
    const file = `${index}.gz`;
    writeFileSync(join(folder, file), gzipSync(body, { level: 9 }));
    return {
      path,
      file,
      headers: { ...pageHeaders, ...headers, 'content-type': contentType, 'cache-control': cacheControl },
    };
  });
  writeFileSync(join(folder, 'pages.json'), JSON.stringify(packed));
};
