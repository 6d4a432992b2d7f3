import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';

const folder = join(import.meta.dirname, '../../node_modules/.cache/acceptance');
/** The installed packages: a copy of `packages.json`. */
const installed = join(folder, 'installed.json');
const importer = join(folder, 'import.mjs');

/** Installs the packages that only acceptance tests need, when `packages.json` has changed since the last time. */
export default () => {
  const packages = readFileSync(join(import.meta.dirname, 'packages.json'), 'utf8');
  if (existsSync(installed) && readFileSync(installed, 'utf8') === packages) return;
  console.error('Installing the packages of the acceptance tests (test/acceptance/packages.json) …');
  rmSync(installed, { force: true });
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, 'package.json'), JSON.stringify({ private: true, dependencies: JSON.parse(packages) }));
  writeFileSync(importer, 'export default (name) => import(name);\n');
  const flags = ['--prefix', folder, '--ignore-scripts', '--no-package-lock', '--no-audit', '--no-fund'];
  const { status } = spawnSync('npm', ['install', ...flags, '--loglevel=error'], {
    cwd: folder,
    stdio: ['ignore', 2, 2],
  });
  if (status !== 0) throw new Error('The packages of the acceptance tests could not be installed; see above.');
  writeFileSync(installed, packages);
};

/** Imports a package of `packages.json`, or a path in one. Its types are what the caller says: `npm run check` does without it. */
// biome-ignore lint/suspicious/noExplicitAny: the package is not there when types are checked
export const importPackage = async <T = any>(name: string): Promise<T> =>
  (await import(pathToFileURL(importer).href)).default(name);

/** The path of a file, such as a program, of a package of `packages.json`. */
export const packageFile = (name: string, file: string) => join(folder, 'node_modules', name, file);
