import { openAsBlob } from 'node:fs';
import { basename } from 'node:path';
import { type Command, InvalidArgumentError, Option } from 'commander';
import type { JsonSchema } from '../../../functions/openapi/openapi.ts';
import { resolvePath } from '../../command-line/arguments.ts';
import { toFileError } from '../../command-line/describe-error.ts';
import { future, past } from '../../command-line/times.ts';
import { readJson } from '../json-file.ts';
import { type Argument, resolveSchema } from './operations.ts';

/** The names of an argument's options, without dashes: the one that sets it, and the one that clears it or sets it to false. */
export type OptionNames = string | [string, string];

const listTypes = ({ type = [], anyOf = [] }: JsonSchema): string[] => [
  ...(Array.isArray(type) ? type : [type]),
  ...anyOf.flatMap((one) => listTypes(resolveSchema(one))),
];

type Kind = 'boolean' | 'number' | 'texts' | 'files' | 'json' | 'time' | 'text';

const chooseKind = (schema: JsonSchema): Kind => {
  const types = listTypes(schema);
  if (types.includes('boolean')) return 'boolean';
  if (types.includes('number') || types.includes('integer')) return 'number';
  if (types.includes('array')) {
    const items = resolveSchema(schema.items);
    if (items.format === 'binary') return 'files';
    return items.type === 'string' ? 'texts' : 'json';
  }
  if (types.includes('object')) return 'json';
  return schema.format === 'date-time' ? 'time' : 'text';
};

const placeholders: Record<Exclude<Kind, 'boolean' | 'text'>, string> = {
  number: '<number>',
  texts: '<values...>',
  files: '<files...>',
  json: '<json-or-file>',
  time: '<time>',
};

/** Returns the flags of an option: that of a text is followed by the last word of its name, as in `--agent-id <id>`. */
const writeFlags = (name: string, kind: Kind): string => {
  if (kind === 'boolean') return `--${name}`;
  return `--${name} ${kind === 'text' ? `<${name.split('-').at(-1)}>` : placeholders[kind]}`;
};

/** Adds the options of an argument to a command: `--x VALUE`, for a flag `--x` and `--no-x`, and `--no-x` to clear a field. */
export const addOptions = (command: Command, { name, schema, isRequired }: Argument, names: OptionNames): void => {
  const kind = chooseKind(schema);
  const [set, clear] = typeof names === 'string' ? [names, `no-${names}`] : names;
  const description = describeArgument(schema);
  const [, whenSet = description, whenCleared = `the opposite of --${set}`] =
    /^true: (.*)\. false: (.*)$/.exec(description) ?? [];
  const option = new Option(writeFlags(set, kind), whenSet);
  // Commands read the pages of a list themselves.
  if (name === 'cursor') option.hideHelp();
  if (schema.enum) option.choices(schema.enum as string[]);
  else if (kind === 'number') option.argParser(toNumber);
  else if (kind === 'time') option.argParser(name === 'expiresAt' ? future : past);
  command.addOption(option.makeOptionMandatory(isRequired));
  if (kind === 'boolean') command.option(`--${clear}`, whenCleared);
  else if (listTypes(schema).includes('null')) command.option(`--${clear}`, `clear what --${set} sets`);
};

/** Returns the description of an argument for a terminal. What `null` does is the description of the clearing option. */
export const describeArgument = ({ description = '' }: JsonSchema) =>
  description
    .replaceAll(/[;.]? ?[^;.]*`null`[^;.]*/g, '')
    .replace(/\.$/, '')
    .replace(/^`false` omits (.*)$/, 'true: include $1. false: omit $1')
    .replaceAll('`', '')
    // As in the options that are written by hand.
    .replace(/^[A-Z](?=[a-z ])/, (letter) => letter.toLowerCase());

/** Returns the value of an argument of an operation, from the options or the arguments of a command. */
export const readOption = async (
  { schema }: Argument,
  names: OptionNames,
  given: Record<string, unknown>,
): Promise<unknown> => {
  const [set, clear] = typeof names === 'string' ? [names, `no-${names}`] : names;
  const value = given[new Option(`--${set}`).attributeName()];
  const isNegated = clear.startsWith('no-');
  const isCleared = given[new Option(`--${clear}`).attributeName()] === !isNegated;
  const kind = chooseKind(schema);
  if (isCleared) return kind === 'boolean' ? false : null;
  if (value === undefined || typeof value === 'boolean') return kind === 'boolean' ? value : undefined;
  if (kind === 'files') return Promise.all((value as string[]).map(readFile));
  return kind === 'json' ? readJson(value as string) : value;
};

const readFile = async (file: string): Promise<File> => {
  const blob = await openAsBlob(resolvePath(file)).catch((error: NodeJS.ErrnoException) => {
    throw toFileError(file, { code: error.code ?? 'ENOENT' });
  });
  return new File([blob], basename(file));
};

function toNumber(text: string): number {
  const number = Number(text);
  if (text.trim() === '' || !Number.isFinite(number))
    throw new InvalidArgumentError('It must be a number such as 149.50.');
  return number;
}
