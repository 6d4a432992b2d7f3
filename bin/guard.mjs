// Runs a program and ends it when this process's standard input closes. It closes however the parent process ends, even by `kill
// -9`. Usage: `node bin/guard.mjs COMMAND [ARGUMENT…]`, with a pipe as standard input. Plain JavaScript, because it must run
// under whatever Node (20 or newer) the machine has.
import { spawn } from 'node:child_process';

const isWindows = process.platform === 'win32';
const [command, ...args] = process.argv.slice(2);
// The program has its own process group, so that its children end with it.
const program = spawn(command, args, {
  stdio: ['ignore', 'inherit', 'inherit'],
  detached: !isWindows,
  shell: isWindows,
});

const end = (signal) => {
  try {
    process.kill(isWindows ? program.pid : -program.pid, signal);
  } catch {
    // It has ended.
  }
};

process.stdin.resume().on('close', () => {
  end('SIGTERM');
  setTimeout(end, 1500, 'SIGKILL');
});
// A terminal also signals the parent, whose end closes the pipe.
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.on(signal, () => {});

program.on('error', () => process.exit(127));
program.on('exit', (code) => process.exit(code ?? 1));
