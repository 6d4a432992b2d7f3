import { isJsonObject, parseJson } from '../domain/json.ts';
import type { JsonSchema } from '../openapi/openapi.ts';

/**
 * Reads arguments that a client has sent as text where the schema has a list, an object, a number or a boolean: some
 * models write them so. Any other text stays as it is, and the operation refuses it. Others send `null` or an empty text for
 * what they leave out: an optional field is then absent, unless it may be `null` or, in a change, an empty text. Changes the
 * arguments in place, since objects remember how their numbers were written.
 */
export const parseArguments = (value: unknown, schema: JsonSchema, hints: { readOnlyHint?: boolean } = {}): unknown => {
  const branches = [schema, ...(schema.anyOf ?? [])];
  const read = typeof value === 'string' ? parseText(value, branches) : value;
  const branch = branches.find(({ type }) => type === jsonType(read));
  if (Array.isArray(read) && branch?.items) {
    for (const [index, item] of read.entries()) read[index] = parseArguments(item, branch.items as JsonSchema, hints);
  } else if (isJsonObject(read) && branch) {
    for (const [name, field] of Object.entries(read)) {
      const property = Object.hasOwn(branch.properties ?? {}, name) ? branch.properties?.[name] : undefined;
      const known = property ?? branch.additionalProperties;
      const isOptional = property && !branch.required?.includes(name) && !takesNull(property);
      if (isOptional && isLeftOut(field, property, hints)) delete read[name];
      else if (isJsonObject(known))
        read[name] = readMoment(name, parseArguments(field, known as JsonSchema, hints), known);
    }
  }
  return read;
};

/** Returns true for what stands for no value: `null`, and an empty text unless it may clear a text. */
const isLeftOut = (
  field: unknown,
  { type, anyOf = [], format, enum: choices }: JsonSchema,
  hints: { readOnlyHint?: boolean },
) => {
  if (typeof field !== 'string') return field === null;
  const isText = (type === 'string' && !format && !choices) || anyOf.some((branch) => branch.type === 'string');
  return isText ? field === '' && hints.readOnlyHint === true : /^\s*(null)?\s*$/.test(field);
};

/** Returns true if `null` is among the values of a schema. A schema without a type takes any. */
const takesNull = ({ type, anyOf = [] }: JsonSchema) =>
  anyOf.length > 0 ? anyOf.some((branch) => branch.type === 'null') : type === undefined || type === 'null';

const parseText = (text: string, branches: JsonSchema[]): unknown => {
  const types = branches.map(({ type }) => type);
  if (types.includes('string')) return text;
  try {
    // Programs in Python write True and False.
    const value = parseJson(/^\s*(true|false)\s*$/i.test(text) ? text.toLowerCase() : text);
    const type = jsonType(value);
    return types.includes(type) || (type === 'integer' && types.includes('number')) ? value : text;
  } catch {
    return text;
  }
};

/** Reads a date as the beginning of its day, and the reverse. A time within a day stays, and is refused. */
const readMoment = (name: string, value: unknown, { format }: JsonSchema): unknown => {
  if (typeof value !== 'string' || (name !== 'from' && name !== 'to')) return value;
  if (format === 'date-time' && /^\d{4}-\d\d-\d\d$/.test(value)) return `${value}T00:00:00Z`;
  return format === 'date' ? value.replace(/[Tt ]00:00(:00(\.0+)?)?[Zz]?$/, '') : value;
};

const jsonType = (value: unknown) => {
  if (value === null) return 'null';
  if (Array.isArray(value)) return 'array';
  return Number.isInteger(value) ? 'integer' : typeof value;
};
