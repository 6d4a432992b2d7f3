import { cpSync, globSync, mkdirSync, rmSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { pythonPrograms, runPython } from './python-environment.ts';

const root = join(import.meta.dirname, '../..');

/** Generates the Python client in a folder, and returns the path of its wheel. */
export const packForPython = (name: string): string => {
  const programs = pythonPrograms(join(import.meta.dirname, 'python-requirements.txt'));
  const folder = resolve(name);
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder, { recursive: true });
  const source = join(folder, 'source');
  runPython(join(programs, 'openapi-python-client'), [
    'generate',
    ...['--path', join(root, 'functions/openapi/document.json')],
    ...['--config', join(import.meta.dirname, 'python-config.yaml')],
    ...['--custom-template-path', join(import.meta.dirname, 'python-templates')],
    ...['--output-path', source],
    '--fail-on-warning',
  ]);
  cpSync(join(import.meta.dirname, 'python-files'), join(source, 'voice_agent_platform_client'), { recursive: true });
  const pip = ['-m', 'pip', 'wheel', '--quiet', '--no-deps', '--no-build-isolation', '--disable-pip-version-check'];
  runPython(join(programs, 'python'), [...pip, '--wheel-dir', folder, source]);
  const [wheel = ''] = globSync('*.whl', { cwd: folder });
  return join(name, wheel);
};
