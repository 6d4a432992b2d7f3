import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { build } from 'esbuild';
import { bundling } from '../lib/bundling.ts';
import { pageAlias } from '../lib/pages.ts';

// Lists the packages whose code is deployed, with their licenses. Exits with 1 if one has a license that is not permissive.

const root = join(import.meta.dirname, '..');
const permissive = new Set([
  '0BSD',
  'Apache-2.0',
  'BlueOak-1.0.0',
  'BSD-2-Clause',
  'BSD-3-Clause',
  'CC0-1.0',
  'ISC',
  'MIT',
  'Unlicense',
  'Zlib',
]);

type Package = { name: string; version: string; license: string };

/** Returns the files that esbuild bundles for the given entry points. */
const bundledFiles = async (entryPoints: string[], platform: 'node' | 'browser') => {
  const options = {
    ...bundling,
    platform,
    minify: false,
    banner: {},
    jsx: 'automatic',
    alias: { ...bundling.alias, ...pageAlias },
    loader: { '.svg': 'text' },
  } as const;
  const { metafile } = await build({
    ...options,
    absWorkingDir: root,
    entryPoints,
    outdir: 'dist',
    metafile: true,
    write: false,
  });
  // esbuild leaves out empty inputs.
  return Object.values(metafile.outputs).flatMap(({ inputs }) =>
    Object.entries(inputs).flatMap(([file, { bytesInOutput }]) => (bytesInOutput > 0 ? [file] : [])),
  );
};

/** The entry points of pages, which load their own scripts and copy files of packages. */
const filesOfPages = async () => {
  const folder = join(root, 'functions/pages');
  const pages = readdirSync(folder, { withFileTypes: true }).filter((entry) => entry.isDirectory());
  const references = pages.flatMap(({ name }) =>
    [...readFileSync(join(folder, name, 'index.html'), 'utf8').matchAll(/(?:src|href)="(\.\/|npm:)([^"]+)"/g)].map(
      ([, scheme, path]) => (scheme === 'npm:' ? `node_modules/${path}` : `functions/pages/${name}/${path}`),
    ),
  );
  const own = references.filter((file) => /\.tsx?$/.test(file));
  return [...references, ...(await bundledFiles(own, 'browser'))];
};

const findPackage = (file: string): Package | undefined => {
  const folder = /^(.*node_modules\/(?:@[^/]+\/)?[^/]+)\//.exec(file)?.[1];
  if (!folder) return undefined;
  const { name, version, license = 'none' } = JSON.parse(readFileSync(join(root, folder, 'package.json'), 'utf8'));
  return { name, version, license };
};

/** Returns true if an alternative of a license expression, such as `(MIT OR GPL-3.0-or-later)`, is entirely permissive. */
const isPermissive = (license: string) =>
  license
    .replace(/[()]/g, '')
    .split(' OR ')
    .some((alternative) => alternative.split(' AND ').every((one) => permissive.has(one)));

const files = [
  ...(await bundledFiles(['functions/routes.ts', 'functions/jobs.ts'], 'node')),
  ...(await filesOfPages()),
];
const packages = new Map(
  files.flatMap((file) => findPackage(file) ?? []).map((one) => [`${one.name}@${one.version}`, one]),
);
for (const [name, { license }] of [...packages].sort(([a], [b]) => a.localeCompare(b)))
  console.log(`${license}\t${name}`);
const others = [...packages].filter(([, { license }]) => !isPermissive(license)).map(([name]) => name);
if (others.length > 0) {
  console.error(`Not under a permissive license: ${others.join(', ')}.`);
  process.exitCode = 1;
}
