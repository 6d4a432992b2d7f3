import { createWriteStream } from 'node:fs';
import { rename, rm } from 'node:fs/promises';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { pathOf } from './arguments.ts';
import { describeFileError } from './describe-error.ts';
import { CommandError, exitCodes } from './exit-codes.ts';

/**
 * Writes text to a file, or to standard output when there is none. The file appears under its name when it is complete:
 * an interrupted command leaves no half file.
 */
export const writeOutput = async (
  file: string | undefined,
  text: Iterable<string> | AsyncIterable<string>,
): Promise<void> => {
  if (file === undefined) {
    await pipeline(Readable.from(text), process.stdout, { end: false });
    return;
  }
  const path = pathOf(file);
  const part = `${path}.part`;
  try {
    await pipeline(Readable.from(text), createWriteStream(part));
    await rename(part, path);
  } catch (error) {
    await rm(part, { force: true });
    const { code, syscall } = error as NodeJS.ErrnoException;
    throw code && syscall ? new CommandError(describeFileError(file, { code }), exitCodes.usage) : error;
  }
};
