// Runs a script with the project's own Node, after installing missing packages: `node bin/run.mjs SCRIPT [ARGUMENT…]`.
// Plain JavaScript, because it must run under whatever Node (20 or newer) the machine has.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readFileSync } from 'node:fs';
import module from 'node:module';
import { join, resolve } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';

const root = fileURLToPath(new URL('..', import.meta.url));
const packages = join(root, 'node_modules');
const node = join(packages, 'node', 'bin', process.platform === 'win32' ? 'node.exe' : 'node');
const [script = '', ...rest] = process.argv.slice(2);

/** Returns a file of Linux about a process, as text; an empty one on other systems, and when the process has ended. */
const readProcess = (pid, file) => {
  try {
    return readFileSync(`/proc/${pid}/${file}`, 'utf8');
  } catch {
    return '';
  }
};

/** Returns true if npm has ended. The process that adopts orphans, which may be npm itself in a container, then has its place. */
const isOrphan = () => {
  const isShell = /^\S*sh\0-c\0/.test(readProcess(process.ppid, 'cmdline'));
  const [, grandparent] = /^PPid:\s*(\d+)/m.exec(readProcess(process.ppid, 'status')) ?? [];
  const npm = isShell ? Number(grandparent) : process.ppid;
  const command = readProcess(npm, 'cmdline') || 'npm';
  return (npm === 1 || command.includes('systemd')) && !/\b(p?npm|yarn|bun)\b/.test(command);
};

// npm's shell forwards no signals, and lives on when npm is killed: when npm ends, this process or the shell gets another parent.
const parent = process.ppid;
if (process.env.npm_lifecycle_event) {
  if (isOrphan()) process.exit(143);
  setInterval(() => (process.ppid !== parent || isOrphan()) && process.kill(process.pid, 'SIGTERM'), 250).unref();
}

const readPackages = (file) => JSON.parse(readFileSync(file, 'utf8')).packages;

/** Compares the lock file with npm's record of installed packages, which lacks packages for other platforms. */
const isInstalled = () => {
  const record = join(packages, '.package-lock.json');
  if (!existsSync(node) || !existsSync(record)) return false;
  const installed = readPackages(record);
  return Object.entries(readPackages(join(root, 'package-lock.json'))).every(
    ([path, { version, integrity, optional }]) => {
      const found = installed[path];
      if (!found) return path === '' || optional;
      return found.version === version && found.integrity === integrity;
    },
  );
};

/**
 * The arguments of npm, without its warnings. With EBADENGINE it says that a package needs a newer Node than the one that runs npm:
 * the package runs with the Node that is about to be installed.
 */
const npmInstall = ['npm', 'ci', '--no-audit', '--no-fund', '--loglevel=error'];

const install = async () => {
  console.error('Installing dependencies (npm ci) …');
  // Its output goes to standard error, so that standard output has only the output of the script.
  const npm = spawn(process.execPath, [join(root, 'bin/guard.mjs'), ...npmInstall], {
    cwd: root,
    stdio: ['pipe', 2, 2],
  });
  const [code] = await once(npm, 'exit');
  if (code === 0) return;
  console.error('npm ci failed; see above. Nothing was started.');
  process.exit(1);
};

const asksForHelp = rest.includes('--help') || rest.includes('-h');
const help = join(root, script.replace(/\.ts$/, ''), 'help.txt');
if (script.startsWith('bin/') && ['--version', '-V'].includes(rest[0])) {
  console.log(JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')).version);
  process.exit();
}
if (asksForHelp && existsSync(help)) {
  process.stdout.write(readFileSync(help, 'utf8'));
  process.exit();
}
if (!(asksForHelp && existsSync(node)) && !isInstalled()) await install();

const path = resolve(root, script);
const bin = join(packages, '.bin');
process.env.NODE_COMPILE_CACHE ??= join(packages, '.cache', 'node');

if (Number.parseInt(process.versions.node, 10) >= 24) {
  module.enableCompileCache(process.env.NODE_COMPILE_CACHE);
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
