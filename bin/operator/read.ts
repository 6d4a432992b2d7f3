import { readFile } from 'node:fs/promises';
import { resolve } from 'node:path';
import { InvalidArgumentError } from '@commander-js/extra-typings';
import type * as z from 'zod/mini';
import type { ApiError } from '../../functions/domain/errors.ts';
import { validate } from '../../functions/domain/validation.ts';
import { UsageError } from './usage-error.ts';

/** Everything a refusal of the interface complains about, in one sentence without its full stop. */
export const complaintOf = ({ details = [] }: ApiError) =>
  details.map(({ path, message }) => (path ? `${path}: ${message}` : message)).join('; ');

/** An argument of the command line, read by a schema of the interface. What it refuses is a mistake in usage. */
export const as =
  <S extends z.core.$ZodType>(schema: S) =>
  (text: string): z.infer<S> => {
    const { data, error } = validate(schema, text);
    if (error) throw new InvalidArgumentError(`It ${complaintOf(error)}.`);
    return data;
  };

/** A file as a person names it: from the folder they are in, which is not the one that npm starts us in. */
export const pathOf = (file: string) => resolve(process.env.INIT_CWD ?? '.', file);

/** A file of JSON, read by a schema of the interface. */
export const readJsonFile = async <S extends z.core.$ZodType>(schema: S, file: string): Promise<z.infer<S>> => {
  const text = await readFile(pathOf(file), 'utf8');
  let value: unknown;
  try {
    value = JSON.parse(text.replace(/^\uFEFF/, ''));
  } catch (error) {
    throw new UsageError(`${file} is not JSON: ${(error as Error).message}`);
  }
  const { data, error } = validate(schema, value);
  if (error) throw new UsageError(`${file} is refused: ${complaintOf(error)}.`);
  return data;
};
