import { createHash, createHmac } from 'node:crypto';
import { isExactNumber } from './exact-number.ts';
import { limits } from './limits.ts';

// Callers get their JSON back exactly as they sent it, numbers included, and a double does not keep `1.50` or
// `12345678901234567890`. `JSON.parse` gives a reviver the source of a number (`context.source`), and `JSON.rawJSON` writes
// it: with both, the numbers are kept without a parser of our own.

/**
 * Reads JSON from a text or from bytes in UTF-8, so that writing it again returns the same JSON. Numbers become doubles. If a
 * double would be written differently (`12345678901234567890`, `-0`, `1e400`, `1.50`), the object or array that contains the
 * number keeps its original text.
 */
export const parseJson = (json: string | Uint8Array): unknown => {
  const text = typeof json === 'string' ? json : utf8.decode(json);
  // A reviver takes ten times as long as the parser.
  return unusualNumber.test(text)
    ? JSON.parse(text, rememberNumber as Parameters<typeof JSON.parse>[1])
    : JSON.parse(text);
};

/** Finds a number that a double may be written differently from. Texts may look like one. */
const unusualNumber = /\d[eE]|(?<!\w)-0|\.\d*0(?![\dZ+-])|\d{16}|[\d.]{17}|0\.000000/;

/** Reads JSON from UTF-8 with its numbers as doubles, in a fraction of the time. */
export const parseJsonOfDoubles = (json: Uint8Array): unknown => JSON.parse(utf8.decode(json));

/** Throws for bytes that are not UTF-8. */
export const utf8 = new TextDecoder('utf-8', { fatal: true });

export const isJsonObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

function rememberNumber(this: object, key: string, value: unknown, { source = '' }: { source?: string }) {
  if (typeof value !== 'number' || source === String(value)) return value;
  // An object that has its own field of this name keeps it, and its numbers stay doubles.
  if (Object.hasOwn(this, 'toJSON') && !numbersAsWritten.has(this)) return value;
  const numbers = numbersAsWritten.get(this) ?? new Map<string, string>();
  numbersAsWritten.set(this, numbers.set(key, source));
  // JSON.stringify calls it; it is not listed among the fields.
  Object.defineProperty(this, 'toJSON', { value: asWritten });
  return value;
}

const numbersAsWritten = new WeakMap<object, Map<string, string>>();
const { rawJSON } = JSON as typeof JSON & { rawJSON(text: string): unknown };

/** Returns the numbers of an object or an array as they were written, and its other values as they are. */
function asWritten(this: object): unknown {
  const numbers = numbersAsWritten.get(this);
  const values = Object.entries(this).map(([key, value]): [string, unknown] => {
    const written = numbers?.get(key);
    return [key, written === undefined ? value : rawJSON(written)];
  });
  return Array.isArray(this) ? values.map(([, value]) => value) : Object.fromEntries(values);
}

/** Returns the path of the first number in parsed JSON whose double lacks digits of it, if any. Infinite numbers are apart. */
export const findInexactNumber = (value: unknown): string[] | undefined => {
  if (!isContainer(value)) return undefined;
  for (const [name, source] of numbersAsWritten.get(value) ?? [])
    if (Number.isFinite(Number(source)) && !isExactNumber(source)) return [name];
  return findInside(value, findInexactNumber);
};

/** Returns the path of the first value inside for which `find` returns one. A megabyte of small values needs no list of their names. */
const findInside = (container: object, find: (value: unknown) => string[] | undefined): string[] | undefined => {
  for (const [index, value] of Object.values(container).entries()) {
    const path = find(value);
    if (path) return [Object.keys(container)[index] as string, ...path];
  }
  return undefined;
};

/** Returns the path of the first number in parsed JSON that lacks digits in a copy, which no longer knows how it was written. */
export const findLostNumber = (sent: unknown, copy: unknown): string[] | undefined => {
  if (sent === copy || !isContainer(sent) || !isContainer(copy)) return undefined;
  for (const [name, source] of numbersAsWritten.get(sent) ?? [])
    if (typeof copy[name] === 'number' && !isExactNumber(source)) return [name];
  for (const name in sent) {
    const path = findLostNumber(sent[name], copy[name]);
    if (path) return [name, ...path];
  }
  return undefined;
};

const isContainer = (value: unknown): value is Record<string, unknown> => typeof value === 'object' && value !== null;

/** Returns the fields of parsed JSON as a copy, where a number that lacks digits as a double is a text. */
export const copyFields = (object: Record<string, unknown>): Record<string, unknown> => {
  const lost = [...(numbersAsWritten.get(object) ?? [])].filter(([, source]) => !isExactNumber(source));
  return { ...object, ...Object.fromEntries(lost) };
};

/** Returns a number of parsed JSON for `JSON.stringify`, which writes it as it was written. */
export const asSent = (object: object, name: string): unknown => {
  const source = numbersAsWritten.get(object)?.get(name);
  return source === undefined ? (object as Record<string, unknown>)[name] : rawJSON(source);
};

/** Merges two JSON objects by top-level key, each value as it was written. */
export const mergeJson = (former: object, added: object): unknown => {
  const fields = [former, added].map((object) => JSON.stringify(object).slice(1, -1)).filter((text) => text !== '');
  return parseJson(`{${fields.join()}}`);
};

/** Checks whether a JSON value nests arrays and objects deeper than `max` levels; the outermost is level 1. */
export const isDeeperThan = (value: unknown, max: number): boolean => {
  if (!isContainer(value)) return false;
  return max === 0 || Object.values(value).some((inside) => isDeeperThan(inside, max - 1));
};

/** Returns the path of the first number beyond the range of a double, if any: it would be written as `null`. */
export const findInfinity = (value: unknown): string[] | undefined => {
  if (typeof value === 'number') return Number.isFinite(value) ? undefined : [];
  if (!isContainer(value)) return undefined;
  return findInside(value, findInfinity);
};

/** Checks whether a text of a JSON value matches: a value, or the name of a field. */
export const hasText = (value: unknown, matches: (text: string) => boolean): boolean => {
  if (typeof value === 'string') return matches(value);
  if (!isContainer(value)) return false;
  return Object.entries(value).some(([name, one]) => matches(name) || hasText(one, matches));
};

/** Returns the fields of an object that have a value. */
export const withoutUndefined = <T extends Record<string, unknown>>(
  fields: T,
): { [Name in keyof T]?: NonNullable<T[Name]> } =>
  Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined)) as never;

/** Returns the size of a value as JSON in UTF-8. */
export const jsonBytes = (value: unknown) => Buffer.byteLength(JSON.stringify(value) ?? '');

/** Checks whether a response fits into what Lambda returns. Lists are pages instead: `fillPage`. */
export const fitsIntoAnswer = (answer: unknown) => jsonBytes(answer) <= limits.answerBytes;

/** Returns a hash that does not depend on the order of fields. With a secret, it is an HMAC. */
export const hashOfJson = (value: unknown, secret?: string) =>
  (secret === undefined ? createHash('sha256') : createHmac('sha256', secret))
    .update(JSON.stringify(sortFields(value)))
    .digest('base64url');

/** Sorts the fields of objects. An object becomes `{ fields }`, so that it differs from every array. */
const sortFields = (value: unknown): unknown => {
  if (Array.isArray(value)) return value.map(sortFields);
  if (typeof value !== 'object' || value === null) return value;
  const object = value as Record<string, unknown>;
  return {
    fields: Object.keys(object)
      .sort()
      .map((key) => [key, sortFields(object[key])]),
  };
};
