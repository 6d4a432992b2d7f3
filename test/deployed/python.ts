import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';

const root = join(import.meta.dirname, '..', '..');
const requirements = join(import.meta.dirname, 'requirements.txt');

/** Why there is no emulated deployment on this machine, in a sentence. */
export class PythonMissingError extends Error {
  override readonly name = 'NoPython';
}

/** The folder of the programs of a Python environment of our own, made on first use and again when its packages change. */
export const pythonPrograms = (): string => {
  const wanted = createHash('sha256').update(readFileSync(requirements)).digest('hex').slice(0, 12);
  const folder = join(root, '.local', `python-${wanted}`);
  const programs = join(folder, process.platform === 'win32' ? 'Scripts' : 'bin');
  if (existsSync(join(folder, 'complete'))) return programs;
  const asked = spawnSync('python3', ['-c', 'import sys, venv, ensurepip; print(sys.version_info >= (3, 10))'], {
    encoding: 'utf8',
  });
  if (asked.stdout?.trim() !== 'True') {
    throw new PythonMissingError(
      'The emulated deployment is left out: it needs Python 3.10 or newer, with venv, as python3.',
    );
  }
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder, { recursive: true });
  run('python3', ['-m', 'venv', folder]);
  run(join(programs, 'python'), ['-m', 'pip', 'install', '--quiet', '--disable-pip-version-check', '-r', requirements]);
  mkdirSync(join(folder, 'complete'));
  return programs;
};

const run = (program: string, args: string[]) => {
  const { status, error } = spawnSync(program, args, { stdio: ['ignore', 2, 2] });
  if (status !== 0) throw error ?? new Error(`${program} ${args.join(' ')} ended with ${status}.`);
};
