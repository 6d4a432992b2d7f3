// Runs a script with the project's own Node, after installing what is missing: `node bin/run.mjs SCRIPT [ARGUMENT…]`.
// Plain JavaScript, because it must run under whatever Node (20 or newer) the machine has.
import { spawn, spawnSync } from 'node:child_process';
import { existsSync, statSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';

const root = fileURLToPath(new URL('..', import.meta.url));
const lockFile = join(root, 'package-lock.json');
const installed = join(root, 'node_modules', '.package-lock.json');
const node = join(root, 'node_modules', 'node', 'bin', process.platform === 'win32' ? 'node.exe' : 'node');

const isInstalled = () =>
  existsSync(installed) && existsSync(node) && statSync(installed).mtimeMs >= statSync(lockFile).mtimeMs;

if (!isInstalled()) {
  console.error('Installing what is missing (npm ci) …');
  // Its output goes to standard error: what the script prints is the only thing on standard output.
  const { status } = spawnSync('npm', ['ci', '--no-audit', '--no-fund'], {
    cwd: root,
    stdio: ['ignore', 2, 2],
    shell: process.platform === 'win32',
  });
  if (status !== 0) {
    console.error('npm ci failed; see above. Nothing was started.');
    process.exit(1);
  }
}

// npm tells its shell to end, and the shell does not tell us: who has lost the parent that npm gave it ends by itself.
const parent = process.ppid;
if (process.env.npm_lifecycle_event) {
  const orphaned = () => process.ppid !== parent && process.kill(process.pid, 'SIGTERM');
  setInterval(orphaned, 250).unref();
}

const [script = '', ...rest] = process.argv.slice(2);
const path = resolve(root, script);
const bin = join(root, 'node_modules', '.bin');

if (Number.parseInt(process.versions.node, 10) >= 24) {
  process.argv.splice(1, 2, path);
  await import(pathToFileURL(path).href);
} else {
  const separator = process.platform === 'win32' ? ';' : ':';
  const child = spawn(node, [path, ...rest], {
    stdio: 'inherit',
    env: { ...process.env, PATH: bin + separator + process.env.PATH },
  });
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.on(signal, () => child.kill(signal));
  child.on('exit', (code, signal) => process.exit(code ?? (signal ? 1 : 0)));
}
