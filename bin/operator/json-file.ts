import { readFile } from 'node:fs/promises';
import type * as z from 'zod/mini';
import { validate } from '../../functions/domain/validation.ts';
import { formatDetails, resolvePath } from '../command-line/arguments.ts';
import { describeFileError } from '../command-line/describe-error.ts';
import { CommandError, exitCodes } from '../command-line/exit-codes.ts';

/** Reads JSON, given directly or as a file, and validates it against a schema of the API. */
export const readJsonFile = async <S extends z.core.$ZodType>(schema: S, file: string): Promise<z.infer<S>> => {
  const text = await readJsonText(file);
  let value: unknown;
  try {
    value = JSON.parse(text.replace(/^\uFEFF/, ''));
  } catch (error) {
    throw new CommandError(`${file} is not JSON: ${(error as Error).message}`, exitCodes.usage);
  }
  const { data, error } = validate(schema, value);
  if (error) throw new CommandError(`${file} is not valid: ${formatDetails(error)}.`, exitCodes.usage);
  return data;
};

/** Returns the given JSON, or the text of the file that is named instead. */
export const readJsonText = async (given: string): Promise<string> =>
  /^\s*[{[]/.test(given) ? given : readText(given);

const readText = (file: string) =>
  readFile(resolvePath(file), 'utf8').catch((error: NodeJS.ErrnoException) => {
    throw new CommandError(describeFileError(file, error), exitCodes.usage);
  });
