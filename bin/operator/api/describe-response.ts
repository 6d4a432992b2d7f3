import type { JsonSchema } from '../../../functions/openapi/openapi.ts';
import { columns, record, visible } from '../../command-line/output.ts';
import { resolveSchema } from './operations.ts';

/** Longer JSON is a section of its own in a record. */
const maxJsonCharacters = 60;
/** The cells of a table are cut here. */
const maxCellCharacters = 100;

/** Formats a response for people: its plain fields in two columns, then a section for each list, object and text. */
export const describeResponse = (response: object, schemas: Record<string, JsonSchema>, names?: string[]): string => {
  const fields = Object.entries(response).filter(([, value]) => !isEmpty(value));
  const plain = fields.filter(([, value]) => isPlain(value));
  const head = record(Object.fromEntries(plain.map(([name, value]) => [name, toCell(value)])));
  const sections = fields
    .filter(([, value]) => !isPlain(value))
    .map(([name, value]) => [name, describeSection(value, resolveSchema(schemas[name]).items, names)]);
  const isList = head === '' && sections.length === 1;
  return [head, ...sections.map(([name, text]) => (isList ? text : `${name}:\n${text}`))].filter(Boolean).join('\n\n');
};

const isEmpty = (value: unknown) =>
  value === undefined || value === null || (typeof value === 'object' && Object.keys(value).length === 0);

/** Returns true for a value that takes one line. */
const isPlain = (value: unknown): boolean => {
  if (typeof value === 'string') return !value.includes('\n');
  if (Array.isArray(value)) return value.every((one) => typeof one !== 'object');
  return typeof value !== 'object' || JSON.stringify(value).length <= maxJsonCharacters;
};

const toCell = (value: unknown): string => {
  if (isEmpty(value)) return '';
  if (Array.isArray(value) && isPlain(value)) return value.join(', ');
  if (Array.isArray(value)) return `${value.length}, the last: ${JSON.stringify(value.at(-1))}`;
  return typeof value === 'object' ? JSON.stringify(value) : String(value);
};

const describeSection = (value: unknown, itemSchema: JsonSchema | undefined, names?: string[]): string => {
  if (Array.isArray(value)) return describeItems(value as Record<string, unknown>[], itemSchema, names);
  return typeof value === 'string'
    ? value.split('\n').map(visible).join('\n')
    : visible(JSON.stringify(value, null, 2)).replaceAll('�', '\n');
};

/** Formats items as a table. Its columns are the given fields, or all that the schema lists and an item has. */
const describeItems = (items: Record<string, unknown>[], schema: JsonSchema | undefined, names?: string[]): string => {
  const listed = names ?? Object.keys(resolveSchema(schema).properties ?? {});
  const all = new Set([...listed, ...(names ? [] : items.flatMap((item) => Object.keys(item)))]);
  const present = [...all].filter((name) => items.some((item) => !isEmpty(item[name])));
  const rows = items.map((item) => present.map((name) => shorten(toCell(item[name]))));
  return columns(rows, present);
};

const shorten = (cell: string) => (cell.length > maxCellCharacters ? `${cell.slice(0, maxCellCharacters - 1)}…` : cell);
