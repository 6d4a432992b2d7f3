import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { jobs } from '../functions/jobs.ts';
import { routes } from '../functions/routes.ts';

/** The name of a function's file, and the end of its own name: `addBlockedNumbers` is `add-blocked-numbers`. */
export const kebab = (name: string) => name.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`);

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
    ...routes.map(({ name }) => ({ name, file: `functions/api/${kebab(name)}.ts` })),
    ...jobs.map(({ name }) => ({ name, file: `functions/jobs/${kebab(name)}.ts` })),
  ];
  const entryPoints = entries.map(({ name, file }) => ({ in: file, out: `${kebab(name)}/index` }));
  const bundle = join(import.meta.dirname, 'bundle.ts');
  execFileSync(process.execPath, [bundle, outdir, JSON.stringify(entryPoints)], {
    stdio: ['ignore', 'ignore', 'inherit'],
  });
  return outdir;
};
