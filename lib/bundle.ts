import { cpSync, existsSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { build, type Plugin } from 'esbuild';
import { bundling } from './bundling.ts';

// Runs in a process of its own: stacks are synchronous, and esbuild with plugins is not.
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

/** By the file beside a bundle that has it: a module that functions import when they need it, such as the stems of a language. */
const lazyModules = new Map<string, string>();

/** What is imported dynamically is a file beside the bundle, which a function loads when it needs it. */
const modulesBeside: Plugin = {
  name: 'modules-beside',
  setup({ onResolve, resolve }) {
    onResolve({ filter: /^/ }, async ({ path, kind, importer, resolveDir, pluginData }) => {
      if (kind !== 'dynamic-import' || path.endsWith('.json') || pluginData === modulesBeside) return undefined;
      const { path: file, external } = await resolve(path, { kind, importer, resolveDir, pluginData: modulesBeside });
      if (external) return { path, external };
      const name = `lazy/${relative(root, file)
        .replace(/^node_modules\/@?|\.\w+$/g, '')
        .replace(/\W+/g, '-')}`;
      lazyModules.set(name, file);
      return { path: `./${name}.mjs`, external: true };
    });
  },
};

const options = { ...bundling, absWorkingDir: root, outdir, outExtension: { '.js': '.mjs' } };
const { metafile } = await build({
  ...options,
  plugins: [...bundling.plugins, warmEntryPoints, modulesBeside],
  entryPoints: JSON.parse(entryPoints),
  metafile: true,
});
await build({ ...options, entryPoints: [...lazyModules].map(([name, file]) => ({ in: file, out: name })) });
for (const [output, { imports }] of Object.entries(metafile.outputs)) {
  for (const { path } of imports) {
    if (!path.startsWith('./lazy/')) continue;
    for (const file of [path, `${path}.LEGAL.txt`].filter((one) => existsSync(join(outdir, one)))) {
      cpSync(join(outdir, file), join(root, dirname(output), file));
    }
  }
}
