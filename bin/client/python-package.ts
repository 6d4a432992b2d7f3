import { copyFileSync, cpSync, globSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { fillInLimits } from '../../functions/openapi/guides.ts';
import { pythonPrograms, runPython } from './python-environment.ts';
import { pythonOperations } from './python-operations.ts';
import { clientSchemas } from './schemas.ts';

const root = join(import.meta.dirname, '../..');

/** Makes the Python client in a folder, and returns the path of its wheel: generated models, and the operations that take them. */
export const packForPython = (name: string): string => {
  const programs = pythonPrograms(join(import.meta.dirname, 'python-requirements.txt'));
  const folder = resolve(name);
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder, { recursive: true });
  const source = join(folder, 'source');
  const document = JSON.parse(readFileSync(join(root, 'functions/openapi/document.json'), 'utf8'));
  const { openapi, info } = document;
  const models = { openapi, info, paths: {}, components: { schemas: clientSchemas(document) } };
  writeFileSync(join(folder, 'models.json'), JSON.stringify(models));
  runPython(join(programs, 'openapi-python-client'), [
    'generate',
    ...['--path', join(folder, 'models.json')],
    ...['--config', join(import.meta.dirname, 'python-config.yaml')],
    ...['--custom-template-path', join(import.meta.dirname, 'python-templates')],
    ...['--output-path', source],
    '--fail-on-warning',
  ]);
  const module = join(source, 'voice_agent_platform_client');
  rmSync(join(module, 'api'), { recursive: true });
  cpSync(join(import.meta.dirname, 'python-files'), module, { recursive: true });
  writeFileSync(join(module, 'operations.py'), pythonOperations(document));
  const readme = readFileSync(join(root, 'functions/openapi/guides/python-client.md'), 'utf8');
  writeFileSync(join(source, 'README.md'), fillInLimits(readme));
  copyFileSync(join(root, 'LICENSE'), join(source, 'LICENSE'));
  const pip = ['-m', 'pip', 'wheel', '--quiet', '--no-deps', '--no-build-isolation', '--disable-pip-version-check'];
  runPython(join(programs, 'python'), [...pip, '--wheel-dir', folder, source]);
  const [wheel = ''] = globSync('*.whl', { cwd: folder });
  return join(name, wheel);
};
