import type { Stats } from 'node:fs';
import { stat } from 'node:fs/promises';
import { resolvePath } from './arguments.ts';
import { toFileError } from './describe-error.ts';
import { CommandError, exitCodes } from './exit-codes.ts';

/** Returns the size and the time of an input file. Fails for a path that is no file. */
export const statFile = async (file: string): Promise<Stats> => {
  const found = await stat(resolvePath(file)).catch((error: NodeJS.ErrnoException) => {
    throw toFileError(file, error);
  });
  if (!found.isFile()) throw new CommandError(`${file} is not a file.`, exitCodes.usage);
  return found;
};
