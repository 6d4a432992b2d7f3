import { inexactNumberError, isExactNumber } from '../../../domain/exact-number.ts';
import type { Agent, UpdateAgentParams } from '../../../openapi/client/client.ts';

export type FieldKind =
  | ('line' | 'lines' | 'check' | 'list' | 'json' | 'number' | 'outcomes')
  // Some of `options`; rules such as “3 in 36 hours”; one sentence, or one for each language.
  | ('choices' | 'attempts' | 'disclosure');

export type AgentField = {
  /** A field, or its path in an object: `calling.consent.purpose`. */
  name: string;
  label: string;
  kind: FieldKind;
  note?: string;
  placeholder?: string;
  options?: { value: string; label: string }[];
  /** The text of a field that is not stored, because something holds without it. */
  preset?: string;
  /** The field without which this one means nothing, and is not stored. */
  needs?: string;
};

const json = (name: string, label: string, note: string): AgentField => ({ name, label, kind: 'json', note });

const weekdays = Object.entries({
  mon: 'Mon',
  tue: 'Tue',
  wed: 'Wed',
  thu: 'Thu',
  fri: 'Fri',
  sat: 'Sat',
  sun: 'Sun',
}).map(([value, label]) => ({ value, label }));

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
      {
        name: 'disclosure',
        label: 'Disclosure',
        kind: 'disclosure',
        note: 'The sentence that says that a machine speaks. For several languages, one on each line: “en-US: You are …”.',
      },
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
  { title: 'Outcomes', fields: [{ name: 'outcomes', label: 'Outcomes', kind: 'outcomes' }] },
  {
    title: 'Outbound rules',
    isRare: true,
    fields: [
      {
        name: 'calling.consent.purpose',
        label: 'Consent to',
        kind: 'line',
        note: 'The purpose without whose consent the agent calls nobody.',
        placeholder: 'marketing',
      },
      {
        name: 'calling.consent.maxAgeDays',
        label: 'Days for which a consent counts',
        kind: 'number',
        note: 'Empty: until it ends or is revoked.',
      },
      {
        name: 'calling.hours.from',
        label: 'Calls from',
        kind: 'line',
        note: 'Where the person is.',
        placeholder: '09:00',
      },
      { name: 'calling.hours.to', label: 'Calls until', kind: 'line', placeholder: '18:00' },
      { name: 'calling.hours.days', label: 'Days of calls (none chosen: all)', kind: 'choices', options: weekdays },
      {
        name: 'calling.attempts',
        label: 'Attempts to call a number',
        kind: 'attempts',
        note: 'One rule on each line: “3 in 36 hours” means three in any 36 hours.',
      },
      {
        name: 'calling.timeZone',
        label: 'Time zone of other numbers',
        kind: 'line',
        note: 'For numbers whose time zone is not known. Empty: that of the agent.',
        placeholder: 'Europe/Berlin',
      },
    ],
  },
  {
    title: 'Earlier calls and transcripts',
    isRare: true,
    fields: [
      {
        name: 'callerHistory.calls',
        label: 'Number of earlier calls to tell the agent about',
        kind: 'number',
        note: 'At most 5. Empty: none.',
      },
      {
        name: 'callerHistory.days',
        label: 'Days of earlier calls',
        kind: 'number',
        note: 'Empty: 90.',
        needs: 'callerHistory.calls',
      },
      {
        name: 'callerHistory.summaries',
        label: 'Tell it their summaries, too',
        kind: 'check',
        needs: 'callerHistory.calls',
      },
      {
        name: 'transcripts.keepDays',
        label: 'Days for which transcripts are kept',
        kind: 'number',
        note: 'After the end of the call. Empty: none is kept.',
      },
      {
        name: 'transcripts.redact',
        label: 'Taken out of transcripts',
        kind: 'choices',
        options: [
          { value: 'cards', label: 'Card numbers' },
          { value: 'emails', label: 'Email addresses' },
          { value: 'numbers', label: 'Numbers of 7 and more digits' },
        ],
        preset: 'cards',
        needs: 'transcripts.keepDays',
      },
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
      json('other', 'Other fields', 'JSON: your own fields.'),
    ],
  },
];

export const agentFields: AgentField[] = fieldGroups.flatMap(({ fields }) => fields);

/** Returns the field of a configuration that a path is in. */
function takeField(path: string): string {
  return path.split('.', 1)[0] as string;
}

/** The values of the form’s fields, as texts. A checked box is `true`. */
export type Texts = Record<string, string>;

/** An edit that is not saved. It is kept in the tab until it is saved or discarded. */
export type AgentDraft = { version: number; updatedAt: string; before: Texts; texts: Texts; note: string };

/** Fields of the configuration that have a place of their own. The platform has its section. */
const known = new Set([...agentFields.map(({ name }) => takeField(name)), 'platform']);

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
  return Object.fromEntries(
    agentFields.map(({ name, kind, preset = '' }) => [name, toFieldText(kind, readPath(values, name)) ?? preset]),
  );
};

/** What an object without the field means. */
const defaults: Record<string, unknown> = { 'callerHistory.calls': 3 };

const readPath = (values: Record<string, unknown>, path: string): unknown => {
  const parts = path.split('.');
  const parent = parts.slice(0, -1).reduce<unknown>((value, part) => readPart(value, part), values);
  return readPart(parent, parts.at(-1) as string) ?? (isObject(parent) ? defaults[path] : undefined);
};

const readPart = (value: unknown, part: string) => (isObject(value) ? value[part] : undefined);

const isObject = (value: unknown): value is Record<string, unknown> => typeof value === 'object' && value !== null;

const toFieldText = (kind: FieldKind, value: unknown): string | undefined => {
  if (value === undefined || value === false) return undefined;
  if (kind === 'json') return JSON.stringify(value, null, 2);
  if (kind === 'outcomes') return JSON.stringify(value);
  if (kind === 'attempts' && Array.isArray(value))
    return value.map(({ max, hours }) => `${max} in ${hours} hours`).join('\n');
  if (kind === 'disclosure' && isObject(value))
    return Object.entries(value)
      .map(([tag, sentence]) => `${tag}: ${sentence}`)
      .join('\n');
  return Array.isArray(value) ? value.join('\n') : String(value);
};

const attempt = /^(\d+)\s+in\s+(\d+)(?:\s+hours?)?$/i;
/** A sentence after its BCP 47 tag, whose first letters are small. */
const sentenceInLanguage = /^([a-z]{2,3}(?:-[A-Za-z0-9]{2,8})*):\s*(.+)$/;

const listLines = (text: string): string[] =>
  text
    .split('\n')
    .map((line) => line.trim())
    .filter(Boolean);

/** Returns a disclosure as it is stored: a text, or an object where each line begins with a language. */
export const parseDisclosure = (text: string): string | Record<string, string> | null => {
  const lines = listLines(text).map((line) => sentenceInLanguage.exec(line));
  if (lines.length === 0) return null;
  if (lines.some((line) => !line)) return text.trim();
  return Object.fromEntries(lines.map((line) => [line?.[1], line?.[2]]));
};

/** Returns the problem with the text of a field. */
export const findFieldProblem = ({ name, kind }: AgentField, text: string): string | undefined => {
  if (name === 'name' && text.trim() === '') return 'Give the agent a name.';
  if (kind === 'number' && !/^\s*\d*\s*$/.test(text)) return 'Enter a whole number.';
  if (kind === 'attempts' && !listLines(text).every((line) => attempt.test(line)))
    return 'Write each rule as in “3 in 36 hours”.';
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
  if (kind === 'choices') return listLines(text);
  if (text.trim() === '') return null;
  if (kind === 'json' || kind === 'outcomes') return JSON.parse(text);
  if (kind === 'number') return Number(text);
  if (kind === 'list') return listLines(text);
  if (kind === 'disclosure') return parseDisclosure(text);
  if (kind === 'attempts')
    return listLines(text).map((line) => {
      const [, max, hours] = attempt.exec(line) ?? [];
      return { max: Number(max), hours: Number(hours) };
    });
  return kind === 'line' ? text.trim() : text;
};

/** Returns a field of the configuration that is an object; null if none of its fields has a text. */
const buildObject = (field: string, texts: Texts): Record<string, unknown> | null => {
  const object: Record<string, unknown> = {};
  for (const { name, kind, needs, preset } of agentFields) {
    const text = texts[name] ?? '';
    if (!name.startsWith(`${field}.`) || (needs && !texts[needs]?.trim())) continue;
    // Without a text, the preset would hold.
    if (text.trim() === '' && preset === undefined) continue;
    const [last = '', ...path] = name.split('.').slice(1).reverse();
    let parent = object;
    for (const part of path.reverse()) {
      parent[part] ??= {};
      parent = parent[part] as Record<string, unknown>;
    }
    parent[last] = parsed(kind, text);
  }
  return Object.keys(object).length > 0 ? object : null;
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
    else if (name.includes('.')) configuration[takeField(name)] = buildObject(takeField(name), after);
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

const labels = new Map([
  ...agentFields.map(({ name, label }) => [name, label] as const),
  ['platform', 'Platform'],
  ['calling', 'Outbound rules'],
  ['callerHistory', 'Earlier calls'],
  ['transcripts', 'Transcripts'],
]);

/** Returns a changed field in words: `configuration.greeting`, or the JSON Pointer `/configuration/greeting`, is “Greeting”. */
export const labelOfPath = (path: string): string => {
  const parts = path.startsWith('/') ? path.slice(1).split('/').map(unescaped) : path.split('.');
  const named = parts[0] === 'configuration' ? parts.slice(1) : parts;
  const [first = '', ...rest] = named;
  return labels.get(named.join('.')) ?? [labels.get(first) ?? first, ...rest].join(' › ');
};

/** Undoes the escapes of a JSON Pointer. */
const unescaped = (part: string) => part.replaceAll('~1', '/').replaceAll('~0', '~');
