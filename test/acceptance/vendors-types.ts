import { spawn } from 'node:child_process';
import { rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { unique } from '../support/world.ts';
import { packageFile } from './packages.ts';

/** Returns the compiler's errors for values that are declared as types of a package. */
export const compile = async (statements: string[]): Promise<string> => {
  const folder = packageFile('..', '');
  const file = join(folder, `${unique('values')}.ts`);
  writeFileSync(file, statements.join('\n'));
  const flags = [
    '--noEmit',
    '--strict',
    '--skipLibCheck',
    '--ignoreConfig',
    '--module',
    'nodenext',
    '--target',
    'es2023',
  ];
  const compiler = spawn(process.execPath, ['node_modules/@typescript/native/bin/tsc', ...flags, file]);
  const printed = await text(compiler.stdout);
  rmSync(file);
  return printed;
};

/** Declares a value as one of a type. */
export const declare = (type: string, value: unknown) =>
  `export const ${unique('value').replace('-', '_')}: ${type} = ${JSON.stringify(value)};`;
