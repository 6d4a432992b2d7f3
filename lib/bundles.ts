import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type BuildOptions, buildSync } from 'esbuild';
import type { Permission } from '../functions/http/endpoint.ts';
import { jobs } from '../functions/jobs.ts';
import { routes } from '../functions/routes.ts';
import { bundling, bundlingWithoutModel } from './bundling.ts';

/** The name of a function's file, and the end of its own name: `addBlockedNumbers` is `add-blocked-numbers`. */
export const kebab = (name: string) => name.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`);

const root = join(import.meta.dirname, '..');
let folder: string | undefined;

/** The folder of a function's bundle. All of them are made in one go, once a process, and gone with it. */
export const bundleOf = (name: string): string => {
  folder ??= bundleAll();
  return join(folder, kebab(name));
};

const bundleAll = (): string => {
  const outdir = mkdtempSync(join(tmpdir(), 'voice-agents-bundles-'));
  process.once('exit', () => rmSync(outdir, { recursive: true, force: true }));
  const entries = [
    ...routes.map(({ name, may }) => ({ name, may, file: `functions/api/${kebab(name)}.ts` })),
    ...jobs.map(({ name, may }) => ({ name, may, file: `functions/jobs/${kebab(name)}.ts` })),
  ];
  const callsModel = ({ may }: { may: Permission[] }) => may.some((action) => action.startsWith('bedrock:'));
  const bundle = (options: BuildOptions, wanted: typeof entries) =>
    buildSync({
      ...options,
      absWorkingDir: root,
      entryPoints: wanted.map(({ name, file }) => ({ in: file, out: `${kebab(name)}/index` })),
      outdir,
      outExtension: { '.js': '.mjs' },
    });
  bundle(bundling, entries.filter(callsModel));
  bundle(
    bundlingWithoutModel,
    entries.filter((entry) => !callsModel(entry)),
  );
  return outdir;
};
