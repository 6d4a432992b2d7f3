import { join } from 'node:path';
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
      const [, by, file] = path.split(':');
      const contents = `
        import { handler } from './${file}';
        import { warmUp } from './${by}';
        await warmUp(handler);
        export { handler };`;
      return { contents, resolveDir: root };
    });
  },
};

await build({
  ...bundling,
  plugins: [...bundling.plugins, warmEntryPoints],
  absWorkingDir: root,
  entryPoints: JSON.parse(entryPoints),
  outdir,
  outExtension: { '.js': '.mjs' },
});
