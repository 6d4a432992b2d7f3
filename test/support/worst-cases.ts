import type { JsonSchema, OpenApiDocument } from '../../functions/openapi/openapi.ts';
import { resolve } from '../../functions/openapi/schemas.ts';

/** A body at the limit of an operation that is expensive to process completely: in one field, a value of one kind. */
export type WorstCase = { field: string; kind: string; body(): string };

/** Repeats a text up to a length. */
const filled = (text: string, length: number) => text.repeat(Math.max(1, Math.floor(length / text.length)));

/** Texts on which regular expressions, parsers and tables of characters take longest. None has a character that JSON escapes. */
export const worstTexts: Record<string, (length: number) => string> = {
  letters: (length) => filled('a', length),
  blanks: (length) => `x${filled(' ', length - 2)}x`,
  digits: (length) => filled('1', length),
  signs: (length) => filled('+', length),
  brackets: (length) => filled('[](', length),
  'open brackets': (length) => filled('(', length),
  'quantified groups': (length) => filled('x{1000}', length),
  'nested groups': (length) => `${filled('(a', length / 3)}${filled('*)', length / 3)}`,
  subtags: (length) =>
    `en${Array.from({ length: Math.max(1, Math.floor((length - 2) / 9)) }, (_, n) => `-${10_000_000 + n}`).join('')}`,
  'times of day': (length) => `2026-01-01T00:00:00.${filled('0', length - 21)}`,
  addresses: (length) => `https://${filled('a.', length - 9)}`,
  dots: (length) => filled('../', length),
  'combining marks': (length) => `a${filled('\u0301', length / 2)}`,
  surrogates: (length) => filled('😀', length / 2),
};

/** The longest JSON values, as text, that fit into `length` bytes: of the right type, of a wrong one, and of none. */
const listValues = function* (
  document: OpenApiDocument,
  schema: JsonSchema,
  length: number,
): Generator<[name: string, json: () => string]> {
  for (const [name, text] of Object.entries(worstTexts)) yield [name, () => `"${text(length - 2)}"`];
  // A text, a number or a boolean is refused because of its type.
  if (['string', 'number', 'integer', 'boolean'].includes(String(schema.type))) return;
  yield ['a long number', () => filled('9', length)];
  yield ['nested arrays', () => '['.repeat(length / 2) + ']'.repeat(length / 2)];
  yield ['nested objects', () => `${filled('{"a":', length * 0.8)}1${filled('}', length * 0.16)}`];
  yield ['many fields', () => `{${list((n) => `"field${n}":${n}`, length)}}`];
  // Not from a list: its garbage would be collected, and measured, while the operation runs.
  yield ['many numbers', () => `[${filled('1,', length - 4)}1]`];
  yield ['many empty texts', () => `[${filled('"",', length - 5)}""]`];
  yield ['many empty objects', () => `[${filled('{},', length - 5)}{}]`];
  yield ['many numbers of many digits', () => `[${list((n) => `${n}.50`, length)}]`];
  const { items, maxItems = 100_000 } = schema as JsonSchema & { maxItems?: number };
  if (!items) return;
  const { maxLength = Math.max(1, Math.floor(length / maxItems) - 3) } = resolve(document, items) as {
    maxLength?: number;
  };
  const count = Math.min(maxItems, Math.floor(length / (maxLength + 3)));
  for (const [name, text] of Object.entries(worstTexts))
    yield [`items of ${name}`, () => `[${filled(`"${text(maxLength)}",`, count * (maxLength + 3)).slice(0, -1)}]`];
};

const list = (item: (index: number) => string, length: number) => {
  const items: string[] = [];
  for (let bytes = 0; ; ) {
    const text = item(items.length);
    bytes += text.length + 1;
    if (bytes > length - 2) return items.join();
    items.push(text);
  }
};

/** The worst cases of an operation: each field of its body, also within objects and items, in turn, beside a valid rest. */
export const worstCases = function* (
  document: OpenApiDocument,
  schema: JsonSchema,
  rest: Record<string, unknown>,
  maxBytes: number,
): Generator<WorstCase> {
  const marker = '\u0001';
  const listFields = function* (
    container: JsonSchema,
    place: (value: unknown) => unknown,
    path: string,
  ): Generator<[path: string, schema: JsonSchema, body: string]> {
    const { properties = {}, items, anyOf = [] } = resolve(document, container);
    for (const [name, field] of Object.entries(properties)) {
      const inside = (value: unknown) => place({ [name]: value });
      yield [`${path}${name}`, resolve(document, field), JSON.stringify(inside(marker))];
      yield* listFields(field, inside, `${path}${name}.`);
    }
    if (items) yield* listFields(items, (value) => place([value]), path);
    for (const one of anyOf) yield* listFields(one, place, path);
  };
  const whole = (value: unknown) => ({ ...rest, ...(value as object) });
  for (const [path, field, body] of listFields(schema, whole, '')) {
    const [before = '', after = ''] = body.split(JSON.stringify(marker));
    const length = maxBytes - Buffer.byteLength(before + after) - 16;
    for (const [name, json] of listValues(document, field, length))
      yield { field: path, kind: name, body: () => before + json() + after };
  }
  for (const [name, json] of listValues(document, {}, maxBytes - 16))
    yield { field: 'the body', kind: name, body: json };
};

/** The worst cases of an event whose fields are known only by an example: a long text in each of its texts and numbers in turn. */
export const worstEvents = function* (
  event: Record<string, unknown>,
  toBody: (event: unknown) => string,
  maxBytes: number,
): Generator<WorstCase> {
  const listLeaves = function* (value: unknown, path: string[]): Generator<string[]> {
    if (typeof value !== 'object' || value === null) yield path;
    else for (const [name, inside] of Object.entries(value)) yield* listLeaves(inside, [...path, name]);
  };
  const withLeaf = (value: unknown, [name, ...rest]: string[], leaf: string): unknown => {
    if (name === undefined) return leaf;
    const copy = (Array.isArray(value) ? [...value] : { ...(value as object) }) as Record<string, unknown>;
    copy[name] = withLeaf(copy[name], rest, leaf);
    return copy;
  };
  for (const path of listLeaves(event, [])) {
    for (const [kind, text] of Object.entries(worstTexts))
      yield {
        field: path.join('.'),
        kind,
        body: () => longest(maxBytes, (length) => toBody(withLeaf(event, path, text(length)))),
      };
  }
};

/** Returns the body of a text of nearly the maximum length. Characters may be escaped in it. */
const longest = (maxBytes: number, makeBody: (length: number) => string): string => {
  const [one, two] = [10_000, 20_000].map((length) => Buffer.byteLength(makeBody(length))) as [number, number];
  const bytesPerUnit = (two - one) / 10_000;
  return makeBody(Math.floor((maxBytes - 2 * one) / bytesPerUnit));
};
