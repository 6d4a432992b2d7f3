import { isDeepStrictEqual } from 'node:util';
import * as z from 'zod/mini';
import { type Agent, AgentConfiguration, AgentName } from './agents.ts';
import { KeyName } from './change-maker.ts';
import { timestamp } from './date-time.ts';
import { component, describe, integerField, listField, objectComponent, textField } from './describe.ts';
import { ApiError } from './errors.ts';
import { examples } from './examples.ts';
import { isJsonObject } from './json.ts';
import { limits } from './limits.ts';

const versionFields = {
  version: integerField('Number of the version. The first one is 1.', 7, { minimum: 1 }),
  createdAt: timestamp('When the version was made.'),
  uid: textField('Id of the user who made it.', examples.uid),
  keyId: z.optional(
    textField(
      'Id of the API key that made it. Absent when the operator’s command line did.',
      'key_01KB3M5T3Q8RXN2M6J4HB7C0DF',
    ),
  ),
  keyName: KeyName,
  note: z.optional(textField('The note that was given.', 'Ask for the insurance first')),
  changed: listField(
    z.string(),
    `The fields that differ from the version before: \`name\`, or a field of \`configuration\`. \`configuration\` alone stands for more than ${limits.changedFields} fields, or for fields with very long names.`,
    ['name', 'configuration.greeting'],
  ),
  restoredFrom: z.optional(integerField('The version that was restored.', 3, { minimum: 1 })),
};

export const AgentVersion = component(
  'AgentVersion',
  'A version of an agent: who made it, when, and what changed.',
  z.object(versionFields),
);
export type AgentVersion = z.infer<typeof AgentVersion>;

/** Any JSON value. A union of all types has none in clients of typed languages. */
const value = (description: string, example: unknown) => z.optional(z.unknown().check(describe(description, example)));

const FieldChange = objectComponent('FieldChange', 'A value that differs between two versions.', {
  path: textField('Path of the value, as a JSON Pointer (RFC 6901).', '/configuration/variables/company'),
  before: value('The former value, of any type. Absent when there was none.', 'Example Dental'),
  after: value('The new value, of any type. Absent when there is none.', 'Example Dental Care'),
});
type FieldChange = z.infer<typeof FieldChange>;

export const AgentVersionContent = component(
  'AgentVersionContent',
  'A version of an agent with its name and its configuration.',
  z.object({
    ...versionFields,
    name: AgentName,
    configuration: AgentConfiguration,
    changes: z.optional(
      listField(
        FieldChange,
        `What changed from the version \`against\` to this one. A part with more than ${limits.changesOfPart} changes is given whole.`,
      ),
    ),
  }),
);
export type AgentVersionContent = z.infer<typeof AgentVersionContent>;

/** The part of an agent that has versions. The phone number is routing, which a restoration does not change. */
export type Versioned = Pick<Agent, 'name' | 'configuration'>;

/** Returns the fields in which two states of an agent differ, ignoring the order of fields within objects. */
export const changedFields = (before: Partial<Versioned>, after: Versioned): string[] => {
  const former: Record<string, unknown> = before.configuration ?? {};
  const fields = [...new Set([...Object.keys(former), ...Object.keys(after.configuration)])]
    .filter((field) => !isDeepStrictEqual(former[field], after.configuration[field]))
    .map((field) => `configuration.${field}`);
  const isListed =
    fields.length <= limits.changedFields && fields.every((field) => field.length <= limits.changedFieldUnits);
  return [...(before.name === after.name ? [] : ['name']), ...(isListed ? fields : ['configuration'])];
};

/** Returns the changes between two states of an agent, with paths as JSON Pointers. */
export const changesBetween = (before: Versioned, after: Versioned): FieldChange[] =>
  (['name', 'configuration'] as const).flatMap((field) => compareValues(before[field], after[field], `/${field}`));

const compareValues = (before: unknown, after: unknown, path: string): FieldChange[] => {
  const bothAreLists = Array.isArray(before) && Array.isArray(after);
  if (bothAreLists || (isJsonObject(before) && isJsonObject(after))) {
    const names = [...new Set([...Object.keys(before), ...Object.keys(after)])];
    const changes = names.flatMap((name) =>
      compareValues(getOwnField(before, name), getOwnField(after, name), `${path}/${escaped(name)}`),
    );
    // A path repeats the names above it, so a thousand values below a long name would make the response unbounded.
    const isSmall =
      changes.length <= limits.changesOfPart && changes.every((one) => one.path.length <= limits.changePathUnits);
    return isSmall ? changes : [{ path, before, after }];
  }
  if (isDeepStrictEqual(before, after)) return [];
  return [{ path, before, after }];
};

const getOwnField = (value: object, name: string): unknown =>
  Object.hasOwn(value, name) ? (value as Record<string, unknown>)[name] : undefined;

const escaped = (name: string) => name.replaceAll('~', '~0').replaceAll('/', '~1');

/** Creates a 412. It names the fields that changed since the version that the caller has seen, each with its latest change. */
export const versionConflict = (version: number, since: Pick<AgentVersion, 'version' | 'changed'>[]): ApiError => {
  const changedIn = new Map(since.flatMap(({ version, changed }) => changed.map((field) => [field, version])));
  const details = [...changedIn].map(([path, version]) => ({ path, message: `was changed in version ${version}` }));
  const message = `The agent has another version by now: ${version}. Read it, and send its number as If-Match.`;
  return new ApiError('version_conflict', message, { version, details });
};

export const noSuchVersion = () => new ApiError('version_not_found', 'This agent has no such version.');
