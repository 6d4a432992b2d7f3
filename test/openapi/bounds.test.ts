import { expect, it } from 'vitest';
import type * as z from 'zod/mini';
import { validate } from '../../functions/domain/validation.ts';
import { openApiDocument } from '../../functions/openapi/document.ts';
import type { JsonSchema, Operation, Parameter } from '../../functions/openapi/openapi.ts';
import { routes } from '../../functions/routes.ts';

const document = openApiDocument(routes);

type Path = (string | number)[];
/** A value that the document excludes, and its place. */
type Fault = { path: Path; value: unknown };

/** Returns what a reference means, and of a schema or null the schema. */
const resolve = (schema: JsonSchema): JsonSchema => {
  const name = schema.$ref?.split('/').at(-1);
  const found = name === undefined ? schema : (document.components.schemas[name] as JsonSchema);
  const branches = found.anyOf?.filter(({ type }) => type !== 'null');
  return branches?.length === 1 ? resolve(branches[0] as JsonSchema) : found;
};

const ofOtherTypes: Record<string, unknown[]> = {
  string: [7],
  boolean: ['maybe'],
  number: ['many'],
  integer: ['many', 1.5],
  object: ['text'],
  array: ['text'],
};

/** Returns the values just beyond each bound that a schema states, for a valid value and all of its parts. */
const listFaults = (given: JsonSchema, valid: unknown, path: Path = []): Fault[] => {
  const { items, properties, required = [], ...stated } = resolve(given);
  // biome-ignore lint/suspicious/noExplicitAny: a bound of any type
  const schema = stated as Record<string, any>;
  const list = Array.isArray(valid) ? valid : undefined;
  const beyond = [
    ...(ofOtherTypes[schema.type] ?? []),
    ...(schema.minLength ? ['x'.repeat(schema.minLength - 1)] : []),
    ...(schema.maxLength ? ['x'.repeat(schema.maxLength + 1)] : []),
    ...(schema.pattern ? ['\u0000'] : []),
    ...(/^date/.test(schema.format) ? ['yesterday', '2026-02-30'] : []),
    ...(schema.enum ? ['none of them'] : []),
    ...[schema.minimum - 1, schema.maximum + 1].filter(Number.isFinite),
    ...(schema.minItems && list ? [list.slice(0, schema.minItems - 1)] : []),
    ...(schema.maxItems && list ? [Array.from({ length: schema.maxItems + 1 }, () => list[0])] : []),
  ];
  const missing = required.map((name) => ({ path: [...path, name], value: undefined }));
  const parts = Object.entries(list ?? (properties && valid) ?? {}).flatMap(([name, part]) => {
    const ofPart = list ? items : properties?.[name];
    return ofPart ? listFaults(ofPart, part, [...path, list ? Number(name) : name]) : [];
  });
  return [...beyond.map((value) => ({ path, value })), ...missing, ...parts];
};

/** Returns a copy of a value that has another one at a path. */
const replace = (whole: unknown, [name, ...rest]: Path, value: unknown): unknown => {
  if (name === undefined) return value;
  const copy = structuredClone(whole) as Record<string, unknown>;
  copy[name] = replace(copy[name], rest, value);
  return copy;
};

/** Expects that the service refuses each fault, and names its field. */
const expectRefusals = (schema: z.core.$ZodType | undefined, valid: unknown, faults: Fault[]) => {
  expect(validate(schema, valid).error).toBeUndefined();
  const accepted = faults.filter(({ path, value }) => {
    const place = path.join('.');
    const { error } = validate(schema, replace(valid, path, value));
    return !error?.details?.some((detail) => detail.path.startsWith(place) || place.startsWith(`${detail.path}.`));
  });
  expect(accepted.map(({ path, value }) => [path.join('.'), JSON.stringify(value)?.slice(0, 100)])).toEqual([]);
};

const findOperation = ({ method, path }: (typeof routes)[number]) =>
  document.paths[path]?.[method.toLowerCase()] as Operation;

// The handlers of the chat, of hooks and of AI clients parse the body themselves.
const withBody = routes.filter(
  (endpoint) => endpoint.body && endpoint.body._zod.def.type !== 'custom' && !endpoint.raw?.multipart,
);

it.each(withBody)('the body of $name is refused beyond each bound that the document states', (endpoint) => {
  const { schema, example } = findOperation(endpoint).requestBody?.content['application/json'] ?? {};
  // An invalid item of a batch fails alone, and so does a consent with other fields than these.
  const isAlone = ([list, index, field]: Path) =>
    index !== undefined &&
    (list === 'items' || (list === 'consents' && !['number', 'state', 'seller', undefined].includes(field as string)));
  const faults = listFaults(schema as JsonSchema, example).filter(({ path }) => !isAlone(path));
  expectRefusals(endpoint.body, example, faults);
});

it.each(routes.filter(({ query }) => query))(
  'the query of $name is refused beyond each bound that the document states',
  (endpoint) => {
    const named = (findOperation(endpoint).parameters ?? []).filter(
      (one) => 'name' in one && one.in === 'query',
    ) as Parameter[];
    const valid = Object.fromEntries(
      named.filter(({ name }) => name !== 'cursor').map(({ name, example }) => [name, String(example)]),
    );
    const faults = named.flatMap(({ name, schema, required }): Fault[] => [
      ...listFaults(schema, undefined, [name]).flatMap(({ path, value }) =>
        value === 7 ? [] : { path, value: String(value) },
      ),
      ...(required ? [{ path: [name], value: undefined }] : []),
    ]);
    expectRefusals(endpoint.query, valid, faults);
  },
);
