import { cpSync, existsSync } from 'node:fs';
import { basename, dirname, join, relative } from 'node:path';
import { build, type Plugin } from 'esbuild';
import { bundling } from './bundling.ts';

// This runs in its own process, because stacks are synchronous and esbuild with plugins is not.
const [outdir = '', entryPoints = '[]'] = process.argv.slice(2);
const root = join(import.meta.dirname, '..');

/** An entry point `warm:BY:FILE` has the handler of a file warmed by a module's `warmUp` while the function is initialized. */
const warmEntryPoints: Plugin = {
  name: 'warm-entry-points',
  setup({ onResolve, onLoad }) {
    onResolve({ filter: /^warm:/ }, ({ path }) => ({ path, namespace: 'warm' }));
    onLoad({ filter: /.*/, namespace: 'warm' }, ({ path }) => {
      const [, by, name, file] = path.split(':');
      const contents = `
        import { handler, ${name} } from './${file}';
        import { warmUp } from './${by}';
        await warmUp(handler, ${name});
        export { handler };`;
      return { contents, resolveDir: root };
    });
  },
};

/** Modules that functions import on demand, such as the stems of a language, by the name of their file. */
const lazyModules = new Map<string, string>();

/** Makes each dynamic import a file in a folder beside the bundle, which a function loads on demand. */
const bundleModules = (folder: string): Plugin => ({
  name: 'modules-beside',
  setup({ onResolve, resolve }) {
    onResolve({ filter: /^/ }, async ({ path, kind, importer, resolveDir, pluginData }) => {
      if (kind !== 'dynamic-import' || path.endsWith('.json') || pluginData === lazyModules) return undefined;
      const { path: file, external } = await resolve(path, { kind, importer, resolveDir, pluginData: lazyModules });
      if (external) return { path, external };
      const name = relative(root, file)
        .replace(/^node_modules\/@?|\.\w+$/g, '')
        .replace(/\W+/g, '-');
      lazyModules.set(name, file);
      return { path: `${folder}/${name}.mjs`, external: true };
    });
  },
});

/** Data files of packages, by the lazy module that needs them. They are found in `node_modules` beside the bundle. */
const packageFiles: Record<string, string[]> = {
  'pdfjs-dist-legacy-build-pdf-worker': ['package.json', 'LICENSE', 'cmaps', 'standard_fonts'].map(
    (path) => `pdfjs-dist/${path}`,
  ),
};

const options = { ...bundling, absWorkingDir: root, outExtension: { '.js': '.mjs' }, metafile: true } as const;
const { metafile } = await build({
  ...options,
  outdir,
  plugins: [...bundling.plugins, warmEntryPoints, bundleModules('./lazy')],
  entryPoints: JSON.parse(entryPoints),
});

/** The lazy modules that each lazy module imports, by the path of its file. */
const importsOf = new Map<string, string[]>();
for (let built = 0; built < lazyModules.size; ) {
  const entries = [...lazyModules].slice(built).map(([name, file]) => ({ in: file, out: name }));
  built = lazyModules.size;
  const { metafile } = await build({
    ...options,
    outdir: join(outdir, 'lazy'),
    plugins: [...bundling.plugins, bundleModules('.')],
    entryPoints: entries,
  });
  for (const [output, { imports }] of Object.entries(metafile.outputs))
    importsOf.set(basename(output), lazyImports(imports, './'));
}

/** Copies a lazy module, and those that it imports, beside a bundle. */
const copyBeside = (bundle: string, name: string) => {
  const copied = join(root, dirname(bundle), 'lazy', name);
  if (existsSync(copied)) return;
  for (const file of [name, `${name}.LEGAL.txt`].filter((one) => existsSync(join(outdir, 'lazy', one))))
    cpSync(join(outdir, 'lazy', file), join(dirname(copied), file));
  for (const path of packageFiles[name.replace(/\.mjs$/, '')] ?? [])
    cpSync(join(root, 'node_modules', path), join(root, dirname(bundle), 'node_modules', path), { recursive: true });
  for (const imported of importsOf.get(name) ?? []) copyBeside(bundle, imported);
};

for (const [bundle, { imports }] of Object.entries(metafile.outputs))
  for (const name of lazyImports(imports, './lazy/')) copyBeside(bundle, name);

function lazyImports(imports: { path: string; kind: string }[], folder: string): string[] {
  return imports
    .filter(({ path, kind }) => kind === 'dynamic-import' && path.startsWith(folder))
    .map(({ path }) => basename(path));
}
