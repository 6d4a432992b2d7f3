import * as z from 'zod/mini';
import en from 'zod/v4/locales/en.js';
import { type ApiError, type ErrorCode, type ErrorDetail, errors, invalidRequest } from './errors.ts';

/** A value as its schema parses it, or the error that names each bad field. */
export type Validated<T> = { data: T; error?: undefined } | { data?: undefined; error: ApiError };

export const validate = <S extends z.core.$ZodType>(schema: S | undefined, value: unknown): Validated<z.infer<S>> => {
  if (!schema) return { data: undefined as z.infer<S> };
  const result = z.safeParse(schema, value, { error: sentences });
  if (result.success) return { data: result.data };
  const { issues } = result.error;
  const details: ErrorDetail[] = issues.map(({ path, message }) => ({ path: path.join('.'), message }));
  const code = issues.map((issue) => (issue.code === 'custom' ? issue.params?.code : undefined)).find(isErrorCode);
  return { error: invalidRequest(details, code) };
};

const isErrorCode = (code: unknown): code is ErrorCode => typeof code === 'string' && code in errors;

/** `zod/mini` has no messages of its own. A missing field is `undefined` to it. */
const english = en().localeError;
const sentences: z.core.$ZodErrorMap = (issue) => (issue.input === undefined ? 'is required' : english(issue));
