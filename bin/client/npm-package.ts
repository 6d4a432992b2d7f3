import { execFileSync } from 'node:child_process';
import { copyFileSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';

const root = join(import.meta.dirname, '../..');
const json = (file: string) => JSON.parse(readFileSync(join(root, file), 'utf8'));

/** Makes the npm package of the typed client in a folder, and returns the path of its archive. */
export const packForNpm = (name: string): string => {
  const { license, repository, homepage, devDependencies } = json('package.json');
  const { info } = json('functions/openapi/document.json');
  const folder = resolve(name);
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder, { recursive: true });
  compileTo(folder);
  const manifest = {
    name: 'voice-agent-platform-client',
    version: info.version,
    description: `A typed client of the ${info.title}.`,
    license,
    repository,
    homepage,
    // Older versions of Node get no fixes.
    engines: { node: '>=22' },
    type: 'module',
    sideEffects: false,
    // Compilers that do not read `exports` need this.
    main: './client.js',
    types: './client.d.ts',
    exports: { types: './client.d.ts', default: './client.js' },
    dependencies: { standardwebhooks: `^${devDependencies.standardwebhooks}` },
  };
  writeFileSync(join(folder, 'package.json'), `${JSON.stringify(manifest, null, 2)}\n`);
  copyFileSync(join(root, 'functions/openapi/client/README.md'), join(folder, 'README.md'));
  copyFileSync(join(root, 'LICENSE'), join(folder, 'LICENSE'));
  const npm = process.platform === 'win32' ? 'npm.cmd' : 'npm';
  const packed = execFileSync(npm, ['pack', '--silent'], {
    cwd: folder,
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 2],
  });
  return join(name, packed.trim());
};

const compileTo = (folder: string) => {
  const compilerOptions = {
    target: 'es2022',
    module: 'nodenext',
    types: [],
    lib: ['es2022', 'dom', 'dom.iterable', 'dom.asynciterable'],
    strict: true,
    declaration: true,
    rewriteRelativeImportExtensions: true,
    skipLibCheck: true,
  };
  const flags = Object.entries(compilerOptions).flatMap(([name, value]) => [`--${name}`, String(value)]);
  const compiler = join(root, 'node_modules/@typescript/native/bin/tsc');
  const source = join(root, 'functions/openapi/client/client.ts');
  execFileSync(process.execPath, [compiler, '--ignoreConfig', ...flags, '--outDir', folder, source], {
    stdio: ['ignore', 2, 2],
  });
};
