/** `npm run client`: packs the typed client, for those who write a client of the service elsewhere. */
import { execFileSync } from 'node:child_process';
import { copyFileSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { Command } from 'commander';

const root = join(import.meta.dirname, '..');

const options = new Command('npm run client --')
  .description(
    'Makes an npm package of functions/openapi/client.ts: JavaScript with its types, to install or to publish.',
  )
  .option('--folder <folder>', 'where to make it', 'dist/client')
  .parse()
  .opts<{ folder: string }>();

const json = (file: string) => JSON.parse(readFileSync(join(root, file), 'utf8'));
const { license, devDependencies } = json('package.json');
const { info } = json('functions/openapi/document.json');

const folder = resolve(options.folder);
rmSync(folder, { recursive: true, force: true });
mkdirSync(folder, { recursive: true });
const compilerOptions = {
  target: 'es2022',
  module: 'nodenext',
  types: [],
  lib: ['es2022', 'dom'],
  strict: true,
  declaration: true,
  rewriteRelativeImportExtensions: true,
  skipLibCheck: true,
};
const flags = Object.entries(compilerOptions).flatMap(([name, value]) => [`--${name}`, String(value)]);
const compiler = join(root, 'node_modules/@typescript/native/bin/tsc');
const source = join(root, 'functions/openapi/client.ts');
execFileSync(process.execPath, [compiler, '--ignoreConfig', ...flags, '--outDir', folder, source], {
  stdio: ['ignore', 2, 2],
});
const manifest = {
  name: 'voice-agent-platform-client',
  version: info.version,
  description: `A typed client of the ${info.title}.`,
  license,
  type: 'module',
  sideEffects: false,
  exports: { types: './client.d.ts', default: './client.js' },
  dependencies: { 'openapi-fetch': devDependencies['openapi-fetch'] },
};
writeFileSync(join(folder, 'package.json'), `${JSON.stringify(manifest, null, 2)}\n`);
copyFileSync(join(root, 'functions/openapi/README.md'), join(folder, 'README.md'));
copyFileSync(join(root, 'LICENSE'), join(folder, 'LICENSE'));
const npm = process.platform === 'win32' ? 'npm.cmd' : 'npm';
const packed = execFileSync(npm, ['pack', '--silent'], { cwd: folder, encoding: 'utf8', stdio: ['ignore', 'pipe', 2] });
console.log(join(options.folder, packed.trim()));
