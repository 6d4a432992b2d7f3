import { invalidField } from '../domain/errors.ts';
import { isJsonObject, parseJson } from '../domain/json.ts';
import type { JsonSchema } from '../openapi/openapi.ts';

/** The arguments of a call as a model writes them, and the names of those that say nothing. */
type Reading = { args: unknown; empty: string[] };

/**
 * Reads arguments that a client has sent as text where the schema has a list, an object, a number or a boolean: some
 * models write them so. Any other text stays as it is, and the operation refuses it. Others must fill in every argument: `null`,
 * an empty text or object, and a list or a 0 that the operation would refuse say nothing. What `null` clears in the operation, a
 * tool of an AI client clears by `clear`. Changes the arguments in place, since objects remember how their numbers were written.
 */
export const readArguments = (value: unknown, schema: JsonSchema): Reading => {
  const empty: string[] = [];
  return { args: read(unwrap(value, schema), schema, empty, ''), empty };
};

/** Returns the arguments in an argument that the tool does not have, into which some models put all of them. */
const unwrap = (value: unknown, { properties = {} }: JsonSchema): unknown => {
  const [[name = '', wrapped] = [], ...others] = isJsonObject(value) ? Object.entries(value) : [];
  const isWrapping = /^(args|arguments|input|params|parameters)$/.test(name) && !Object.hasOwn(properties, name);
  if (!isWrapping || others.length > 0) return value;
  const parsed = typeof wrapped === 'string' ? parseText(wrapped, [{ type: 'object' }]) : wrapped;
  return isJsonObject(parsed) ? parsed : value;
};

const read = (value: unknown, schema: JsonSchema, empty: string[], path: string): unknown => {
  const branches = [schema, ...(schema.anyOf ?? [])];
  const parsed = typeof value === 'string' ? parseText(value, branches) : value;
  const branch = branches.find(({ type }) => type === jsonType(parsed));
  if (Array.isArray(parsed) && branch?.items) {
    for (const [index, item] of parsed.entries())
      parsed[index] = read(item, branch.items as JsonSchema, empty, `${path}${index}.`);
  } else if (isJsonObject(parsed) && branch) {
    for (const [name, field] of Object.entries(parsed)) {
      const property = Object.hasOwn(branch.properties ?? {}, name) ? branch.properties?.[name] : undefined;
      const known = property ?? branch.additionalProperties;
      if (!isJsonObject(known)) continue;
      const one = read(field, known as JsonSchema, empty, `${path}${name}.`);
      if (property && (saysNothing(field, property) || saysNothing(one, property))) {
        delete parsed[name];
        empty.push(`${path}${name}`);
      } else parsed[name] = readMoment(name, one, known);
    }
    if (branch.properties?.clear) clearFields(parsed, branch.properties.clear, path);
  }
  return parsed;
};

/** Checks for what a client fills in where it must fill in something. A `null` that the schema offers says something. */
const saysNothing = (field: unknown, schema: JsonSchema): boolean => {
  const branches = [schema, ...(schema.anyOf ?? [])];
  const has = (keyword: 'minItems' | 'minimum') => branches.some((branch) => Number(branch[keyword]) > 0);
  if (field === null) return !branches.some(({ type }) => type === 'null');
  if (typeof field === 'string') {
    const typed = branches.filter(({ type }) => type !== undefined && type !== 'null');
    const isFree = typed.every(({ type, format, enum: choices }) => type === 'string' && !format && !choices);
    return isFree && typed.length > 0 ? field === '' : /^\s*(null|none|undefined)?\s*$/i.test(field);
  }
  if (Array.isArray(field)) return field.length === 0 && has('minItems');
  return field === 0 ? has('minimum') : isJsonObject(field) && Object.keys(field).length === 0;
};

/** Sets the fields that `clear` names to `null`: fields of the object, and with a dot those of an object in it. */
const clearFields = (fields: Record<string, unknown>, { items }: JsonSchema, path: string) => {
  const { clear = [] } = fields;
  delete fields.clear;
  const names = typeof clear === 'string' ? clear.split(/[\s,]+/) : clear;
  const refuse = (message: string) => invalidField(`${path}clear`, message);
  if (!Array.isArray(names)) throw refuse('must be a list of names');
  const choices = (items as JsonSchema).enum as unknown[] | undefined;
  for (const name of names.filter((one) => one !== '')) {
    if (typeof name !== 'string' || (choices && !choices.includes(name)))
      throw refuse(`has ${JSON.stringify(name)}: it names ${choices?.join(', ') ?? 'fields'}`);
    const [head = '', ...rest] = name.split('.');
    if (rest.length > 0 && !Object.hasOwn(fields, head)) setField(fields, head, {});
    const object = rest.length > 0 ? fields[head] : fields;
    const field = rest.length > 0 ? rest.join('.') : head;
    if (!isJsonObject(object) || Object.hasOwn(object, field)) throw refuse(`has ${name}, which is also given`);
    setField(object, field, null);
  }
};

/** Sets a field, which may be named as the prototype is. */
const setField = (object: object, name: string, value: unknown) =>
  Object.defineProperty(object, name, { value, enumerable: true, configurable: true, writable: true });

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
