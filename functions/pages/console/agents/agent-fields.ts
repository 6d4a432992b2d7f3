import { inexactNumberError, isExactNumber } from '../../../domain/exact-number.ts';
import type { Agent, UpdateAgentParams } from '../../../openapi/client/client.ts';

export type FieldKind = 'line' | 'lines' | 'check' | 'list' | 'json';

export type AgentField = {
  name: string;
  label: string;
  kind: FieldKind;
  note?: string;
  placeholder?: string;
};

const json = (name: string, label: string, note: string): AgentField => ({ name, label, kind: 'json', note });

/** The fields of the form in groups: `name` and `phoneNumber` of an agent, and the fields of its configuration. */
export const fieldGroups: { title: string; isRare?: true; fields: AgentField[] }[] = [
  {
    title: 'The agent',
    fields: [
      { name: 'name', label: 'Name', kind: 'line' },
      { name: 'phoneNumber', label: 'Phone number', kind: 'line', placeholder: '+14155550123' },
    ],
  },
  {
    title: 'What it says',
    fields: [
      { name: 'greeting', label: 'Greeting', kind: 'lines', note: 'What the agent says first.' },
      { name: 'instructions', label: 'Instructions', kind: 'lines' },
      { name: 'language', label: 'Language', kind: 'line', placeholder: 'en-US' },
      { name: 'voice', label: 'Voice', kind: 'line', note: 'As the voice platform names it.' },
      { name: 'model', label: 'Model', kind: 'line', note: 'As the voice platform names it.' },
    ],
  },
  {
    title: 'Calls',
    fields: [
      { name: 'timeZone', label: 'Time zone', kind: 'line', placeholder: 'Europe/Berlin' },
      { name: 'valueCurrency', label: 'Currency of values', kind: 'line', placeholder: 'EUR' },
      { name: 'transferTo', label: 'Transfer calls to', kind: 'line', placeholder: '+14155550199' },
      { name: 'rejectWithheldNumbers', label: 'Reject calls with a withheld number', kind: 'check' },
    ],
  },
  {
    title: 'More fields',
    isRare: true,
    fields: [
      {
        name: 'blockOnOutcomes',
        label: 'Block the number after these outcomes',
        kind: 'list',
        note: 'One outcome on each line.',
      },
      {
        name: 'rejectAttestations',
        label: 'Reject calls with these attestations',
        kind: 'list',
        note: 'One of failed, C and none on each line.',
      },
      json('variables', 'Variables', 'JSON: values that the instructions refer to.'),
      json('calling', 'Rules for outbound calls', 'JSON: hours and attempts.'),
      json('other', 'Other fields', 'JSON: your own fields.'),
    ],
  },
];

export const agentFields: AgentField[] = fieldGroups.flatMap(({ fields }) => fields);

/** The values of the form’s fields, as texts. A checked box is `true`. */
export type Texts = Record<string, string>;

/** An edit that is not saved. It is kept in the tab until it is saved or discarded. */
export type AgentDraft = { version: number; updatedAt: string; before: Texts; texts: Texts; note: string };

/** Fields of the configuration that have a place of their own. The platform has its section. */
const known = new Set([...agentFields.map(({ name }) => name), 'platform']);

/** Returns the texts of a form that shows an agent. */
export const toTexts = ({
  name,
  phoneNumber,
  configuration,
}: Pick<Agent, 'name' | 'phoneNumber' | 'configuration'>): Texts => {
  const other = Object.fromEntries(Object.entries(configuration).filter(([field]) => !known.has(field)));
  const values: Record<string, unknown> = {
    ...configuration,
    ...{ name, phoneNumber },
    other: Object.keys(other).length > 0 ? other : undefined,
  };
  return Object.fromEntries(agentFields.map(({ name, kind }) => [name, toFieldText(kind, values[name])]));
};

const toFieldText = (kind: FieldKind, value: unknown): string => {
  if (value === undefined || value === false) return '';
  if (kind === 'json') return JSON.stringify(value, null, 2);
  return kind === 'list' ? (value as string[]).join('\n') : String(value);
};

/** Returns the problem with the text of a field. */
export const findFieldProblem = ({ name, kind }: AgentField, text: string): string | undefined => {
  if (name === 'name' && text.trim() === '') return 'Give the agent a name.';
  if (kind !== 'json' || text.trim() === '') return undefined;
  try {
    let isExact = true;
    const value: unknown = JSON.parse(text, ((_: string, one: unknown, { source = '0' }: { source?: string } = {}) => {
      if (typeof one === 'number' && !isExactNumber(source)) isExact = false;
      return one;
    }) as Parameters<typeof JSON.parse>[1]);
    if (!isExact) return `A number ${inexactNumberError}.`;
    return typeof value === 'object' && value !== null && !Array.isArray(value)
      ? undefined
      : 'Enter a JSON object: { … }.';
  } catch (error) {
    return `This is not JSON: ${(error as Error).message}.`;
  }
};

const parsed = (kind: FieldKind, text: string): unknown => {
  if (kind === 'check') return text === 'true';
  if (text.trim() === '') return null;
  if (kind === 'json') return JSON.parse(text);
  if (kind === 'list')
    return text
      .split('\n')
      .map((line) => line.trim())
      .filter(Boolean);
  return kind === 'line' ? text.trim() : text;
};

export type AgentChange = Pick<UpdateAgentParams, 'name' | 'phoneNumber' | 'configuration'>;

/** Returns the change that a form makes to an agent: the fields whose texts differ from those before. */
export const buildAgentChange = (before: Texts, after: Texts): AgentChange => {
  const configuration: Record<string, unknown> = {};
  const change: Record<string, unknown> = {};
  for (const { name, kind } of agentFields) {
    if (before[name] === after[name]) continue;
    const value = parsed(kind, after[name] ?? '');
    if (name === 'name' || name === 'phoneNumber') change[name] = value;
    else if (name === 'other') Object.assign(configuration, otherFields(before, after));
    else configuration[name] = value;
  }
  return { ...change, ...(Object.keys(configuration).length > 0 && { configuration }) };
};

/** Returns the platform's own fields. `null` clears one that was removed. */
const otherFields = (before: Texts, after: Texts): Record<string, unknown> => {
  const [former, present] = [before, after].map(({ other }) => (parsed('json', other ?? '') ?? {}) as object);
  const cleared = Object.keys(former ?? {}).map((field) => [field, null]);
  return { ...Object.fromEntries(cleared), ...present };
};

/** Returns the fields whose texts differ. */
export const differing = (a: Texts, b: Texts): AgentField[] => agentFields.filter(({ name }) => a[name] !== b[name]);

const labels = new Map([...agentFields.map(({ name, label }) => [name, label] as const), ['platform', 'Platform']]);

/** Returns a changed field in words: `configuration.greeting`, or the JSON Pointer `/configuration/greeting`, is “Greeting”. */
export const labelOfPath = (path: string): string => {
  const parts = path.startsWith('/') ? path.slice(1).split('/').map(unescaped) : [path];
  const [first = '', ...rest] = parts
    .join('\n')
    .replace(/^configuration[.\n]/, '')
    .split('\n');
  return [labels.get(first) ?? first, ...rest].join(' › ');
};

/** Undoes the escapes of a JSON Pointer. */
const unescaped = (part: string) => part.replaceAll('~1', '/').replaceAll('~0', '~');
