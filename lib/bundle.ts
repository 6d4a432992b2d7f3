import { join } from 'node:path';
import { build } from 'esbuild';
import { bundling } from './bundling.ts';

// A process of its own makes the bundles: the stacks cannot wait for a promise, and with plugins esbuild makes one.
const [outdir = '', entryPoints = '[]'] = process.argv.slice(2);

await build({
  ...bundling,
  absWorkingDir: join(import.meta.dirname, '..'),
  entryPoints: JSON.parse(entryPoints),
  outdir,
  outExtension: { '.js': '.mjs' },
});
