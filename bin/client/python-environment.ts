import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';

const root = join(import.meta.dirname, '../..');

/** Thrown when the machine has no suitable Python. The message says what is needed. */
export class PythonMissingError extends Error {
  override readonly name = 'PythonMissingError';
}

/**
 * Returns the folder of the programs in a virtual environment in `.local/` with the packages of a requirements file. The
 * environment is created on first use, and again when the file has changed.
 */
export const pythonPrograms = (requirements: string): string => {
  const hash = createHash('sha256').update(readFileSync(requirements)).digest('hex').slice(0, 12);
  const folder = join(root, '.local', `python-${hash}`);
  const programs = join(folder, process.platform === 'win32' ? 'Scripts' : 'bin');
  if (existsSync(join(folder, 'complete'))) return programs;
  const asked = spawnSync('python3', ['-c', 'import sys, venv, ensurepip; print(sys.version_info >= (3, 11))'], {
    encoding: 'utf8',
  });
  if (asked.stdout?.trim() !== 'True') {
    throw new PythonMissingError('Python 3.11 or newer with venv is needed, as python3.');
  }
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder, { recursive: true });
  runPython('python3', ['-m', 'venv', folder]);
  const install = [
    '-m',
    'pip',
    'install',
    '--quiet',
    '--disable-pip-version-check',
    '--require-hashes',
    '-r',
    requirements,
  ];
  runPython(join(programs, 'python'), install);
  mkdirSync(join(folder, 'complete'));
  return programs;
};

/** Runs a program to its end, with its output on standard error. */
export const runPython = (program: string, args: string[]) => {
  const { status, error } = spawnSync(program, args, { stdio: ['ignore', 2, 2] });
  if (status !== 0) throw error ?? new Error(`${program} ${args.join(' ')} exited with ${status}.`);
};
