import { readFile } from 'node:fs/promises';
import { InvalidArgumentError } from '@commander-js/extra-typings';
import * as z from 'zod/mini';
import { detailsOf, sentences } from '../../functions/http/read-form.ts';
import { Mistake } from './mistake.ts';

/** Reads a value as the HTTP operations do: the schema's own result, or every complaint in one sentence. */
export const check = <S extends z.core.$ZodType>(
  schema: S,
  value: unknown,
): { value: z.infer<S>; complaint?: never } | { complaint: string } => {
  const result = z.safeParse(schema, value, { error: sentences });
  if (result.success) return { value: result.data };
  return {
    complaint: detailsOf(result.error)
      .map(({ path, message }) => (path ? `${path}: ${message}` : message))
      .join('; '),
  };
};

/** An argument of the command line, read by a schema of the interface. What it refuses is a mistake in usage. */
export const as =
  <S extends z.core.$ZodType>(schema: S) =>
  (text: string): z.infer<S> => {
    const read = check(schema, text);
    if (read.complaint !== undefined) throw new InvalidArgumentError(`It ${read.complaint}.`);
    return read.value;
  };

/** A file of JSON, read by a schema of the interface. */
export const readJsonFile = async <S extends z.core.$ZodType>(schema: S, file: string): Promise<z.infer<S>> => {
  const text = await readFile(file, 'utf8');
  let value: unknown;
  try {
    value = JSON.parse(text.replace(/^\uFEFF/, ''));
  } catch (error) {
    throw new Mistake(`${file} is not JSON: ${(error as Error).message}`);
  }
  const read = check(schema, value);
  if (read.complaint !== undefined) throw new Mistake(`${file} is no such thing: ${read.complaint}.`);
  return read.value;
};
