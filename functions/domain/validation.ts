import * as z from 'zod/mini';
import { type ApiError, type ErrorCode, type ErrorDetail, errorStatuses, invalidRequest } from './errors.ts';
import { tooManyDigitsError } from './exact-number.ts';
import { findLostNumber } from './json.ts';
import { limits } from './limits.ts';

/** A value as its schema parses it, or the error that names each invalid field, such as a number that a double does not keep. */
export type Validated<T> = { data: T; error?: undefined } | { data?: undefined; error: ApiError };

export const validate = <S extends z.core.$ZodType>(schema: S | undefined, value: unknown): Validated<z.infer<S>> => {
  if (!schema) return { data: undefined as z.infer<S> };
  const result = z.safeParse(schema, value, { error: describeIssue });
  if (result.success) {
    const lost = findLostNumber(value, result.data);
    return lost
      ? { error: invalidRequest([{ path: lost.join('.'), message: tooManyDigitsError }]) }
      : { data: result.data };
  }
  const { issues } = result.error;
  const details: ErrorDetail[] = issues.map(({ path, message }) => ({ path: path.join('.'), message }));
  const code = issues.map((issue) => (issue.code === 'custom' ? issue.params?.code : undefined)).find(isErrorCode);
  return { error: invalidRequest(details, code) };
};

const isErrorCode = (code: unknown): code is ErrorCode => typeof code === 'string' && code in errorStatuses;

/** Returns the message of an issue whose schema has no message. It is read after the name of the field. */
const describeIssue: z.core.$ZodErrorMap = (issue): string => {
  if (issue.input === undefined) return 'is required';
  switch (issue.code) {
    case 'invalid_type':
      return `must be ${typeNames[issue.expected] ?? `of the type ${issue.expected}`}`;
    case 'invalid_value':
      return `must be ${joinAlternatives(issue.values)}`;
    case 'invalid_union':
      return Array.isArray(issue.options)
        ? `must be ${joinAlternatives(issue.options)}`
        : 'has none of the documented forms';
    case 'too_small':
      return `must ${describeBound(issue.origin, issue.minimum, 'at least')}`;
    case 'too_big':
      return `must ${describeBound(issue.origin, issue.maximum, 'at most')}`;
    case 'invalid_format':
      return `must be ${formatNames[issue.format] ?? 'of the documented format'}`;
    case 'unrecognized_keys':
      return `has unknown fields: ${issue.keys.slice(0, limits.ignoredFields).join(', ')}`;
    case 'not_multiple_of':
      return `must be a multiple of ${issue.divisor}`;
    default:
      return 'is invalid';
  }
};

const typeNames: Record<string, string> = {
  array: 'an array',
  boolean: 'true or false',
  int: 'a whole number',
  null: 'null',
  number: 'a number',
  object: 'an object',
  record: 'an object',
  string: 'a string',
};

const formatNames: Record<string, string> = {
  datetime: 'a date and time such as 2026-01-31T12:00:00Z',
  email: 'an e-mail address',
  url: 'a URL',
};

const joinAlternatives = (values: z.core.util.Primitive[]) =>
  values
    .map((value) => (typeof value === 'string' ? `"${value}"` : String(value)))
    .join(', ')
    .replace(/, ([^,]*)$/, ' or $1');

const units: Record<string, string> = {
  array: 'item',
  map: 'entry',
  object: 'field',
  set: 'item',
  string: 'character',
};

/** Returns `have at least 1 item`, or `be at most 10`. */
const describeBound = (origin: string, bound: number | bigint | Date, direction: 'at least' | 'at most') => {
  const unit = units[origin];
  return unit ? `have ${direction} ${bound} ${unit}${bound === 1 ? '' : 's'}` : `be ${direction} ${bound}`;
};
