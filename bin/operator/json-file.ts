import { readFile } from 'node:fs/promises';
import { parseJson } from '../../functions/domain/json.ts';
import { resolvePath } from '../command-line/arguments.ts';
import { toFileError } from '../command-line/describe-error.ts';
import { CommandError, exitCodes } from '../command-line/exit-codes.ts';

/** Reads JSON, given directly or as a file, with its numbers as they are written. */
export const readJson = async (given: string): Promise<unknown> => {
  const text = /^\s*[{[]/.test(given) ? given : await readText(given);
  try {
    return parseJson(text.replace(/^\uFEFF/, ''));
  } catch (error) {
    throw new CommandError(`${given} is not JSON: ${(error as Error).message}`, exitCodes.usage);
  }
};

const readText = (file: string) =>
  readFile(resolvePath(file), 'utf8').catch((error: NodeJS.ErrnoException) => {
    throw toFileError(file, error);
  });
