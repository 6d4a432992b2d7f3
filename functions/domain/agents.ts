import * as z from 'zod/mini';
import { AgentPlatform } from './agent-platform.ts';
import { RejectableAttestation } from './attestations.ts';
import { currencyPattern, isCurrency } from './call-costs.ts';
import { CallerHistory } from './caller-history.ts';
import { CallingRules } from './calling-rules.ts';
import { now, timestamp } from './date-time.ts';
import { DeclaredOutcomes } from './declared-outcomes.ts';
import {
  component,
  describe,
  describedObject,
  flagField,
  integerField,
  listField,
  objectComponent,
  textField,
} from './describe.ts';
import { Disclosure } from './disclosures.ts';
import { type ErrorDetail, invalidField } from './errors.ts';
import { inexactNumberError } from './exact-number.ts';
import { examples } from './examples.ts';
import { formatLimit } from './format-limit.ts';
import { AgentId, Identifier, Uid } from './identifiers.ts';
import { findInexactNumber, findInfinity, isJsonObject, jsonBytes } from './json.ts';
import { canonicalLanguage } from './languages.ts';
import { limits } from './limits.ts';
import { list } from './list.ts';
import { findMeantField } from './misspelled-fields.ts';
import { normalizePhoneNumber, PhoneNumber } from './phone-numbers.ts';
import { characters, cut, text } from './text.ts';
import { isTimeZone } from './time-zones.ts';
import { Split } from './traffic.ts';
import { TranscriptSettings } from './transcripts.ts';

export const AgentName = text(1, limits.nameCharacters).check(describe('Name of the agent.', 'Front desk'));

const fields = {
  greeting: textField('What the agent says first.', 'Hello, how can I help you?'),
  disclosure: Disclosure,
  instructions: textField(
    'Instructions for the behavior of the agent.',
    'Answer briefly. Offer an appointment to everybody who asks for one.',
  ),
  voice: textField('Name of the voice, as the voice platform knows it.', 'warm'),
  language: textField('Language, as a BCP 47 tag.', 'en-US', { maxLength: limits.languageCharacters }),
  model: textField('Name of the language model, as the voice platform knows it.', 'default'),
  timeZone: textField('Time zone, as an IANA name.', 'Europe/Berlin', { maxLength: limits.timeZoneCharacters }),
  rejectWithheldNumbers: flagField('Whether to reject calls whose caller withholds the number.', false),
  rejectAttestations: list(RejectableAttestation, { max: 3 }).check(
    describe(
      'Reject incoming calls with these attestations (STIR/SHAKEN): `failed`, `C`, `none`. A call without an attestation is not rejected.',
      ['failed'],
    ),
  ),
  blockOnOutcomes: list(text(1, limits.outcomeCharacters), { max: limits.blockOnOutcomes }).check(
    describe(
      'Outcomes that block the caller: when somebody sets `custom_call_outcome` of a call to one of these, its number is put on the block list of the agent’s owner, or on that of the agent if a user with whom it was shared sets the outcome. An outcome that a voice platform found blocks only where `outcomes` says so.',
      ['do_not_call'],
    ),
  ),
  valueCurrency: textField(
    'Currency of `custom_call_outcome_value`: three capital letters, as in ISO 4217. Call figures then have a margin.',
    'EUR',
    { pattern: currencyPattern.source },
  ),
  outcomes: DeclaredOutcomes,
  calling: CallingRules,
  platform: AgentPlatform,
  callerHistory: CallerHistory,
  transcripts: TranscriptSettings,
  outcomeFrom: z
    .strictObject({
      outcome: z.optional(
        text(1, limits.outcomeFromCharacters).check(describe('The field that is the outcome.', 'call_result')),
      ),
      value: z.optional(
        text(1, limits.outcomeFromCharacters).check(
          describe('The field that is the value of the outcome.', 'order_total'),
        ),
      ),
    })
    .check(
      describe(
        'Names of fields in the analysis of a voice platform, when they differ from `custom_call_outcome` and `custom_call_outcome_value`.',
        { outcome: 'call_result', value: 'order_total' },
      ),
    ),
  transferTo: textField('Phone number to transfer calls to, in E.164 format.', '+14155550199'),
  variables: z
    .record(z.string(), z.unknown())
    .check(describe('Values that the instructions can refer to.', { company: 'Example Dental', openingHour: 9 })),
};

const tooLarge = `must be at most ${limits.configurationBytes} bytes of JSON`;
const small = <T extends object>() =>
  z.refine<T>((value) => jsonBytes(value) <= limits.configurationBytes, { error: tooLarge, abort: true });
const finite = <T extends object>() =>
  z.check<T>(({ value, issues }) => {
    const path = findInfinity(value);
    if (path) issues.push({ code: 'custom', input: value, path, message: 'is a number that is too large' });
  });

/** Known fields, all optional, and any other field that the platform stores. */
export const AgentConfiguration = component(
  'AgentConfiguration',
  `Configuration of an agent. All fields are optional; other fields are stored as they are. At most ${formatLimit('configurationBytes')} of JSON.`,
  z
    .looseObject({
      ...z.partial(z.object(fields)).shape,
      // Configurations that were stored before these fields had a meaning may hold anything in them.
      disclosure: z.optional(z.unknown().check(z.meta({ documentAs: Disclosure }))),
      outcomes: z.optional(z.unknown().check(z.meta({ documentAs: DeclaredOutcomes }))),
      valueCurrency: z.optional(z.unknown().check(z.meta({ documentAs: fields.valueCurrency }))),
      platform: z.optional(z.unknown().check(z.meta({ documentAs: AgentPlatform }))),
      callerHistory: z.optional(z.unknown().check(z.meta({ documentAs: CallerHistory }))),
      transcripts: z.optional(z.unknown().check(z.meta({ documentAs: TranscriptSettings }))),
    })
    .check(small(), finite()),
);
export type AgentConfiguration = z.infer<typeof AgentConfiguration>;

/** Returns the errors of the known fields of a configuration. They are checked when it is written, never when it is read. */
const configurationErrors = ({
  language,
  timeZone,
  transferTo,
  valueCurrency,
}: Record<string, unknown>): ErrorDetail[] => [
  ...(typeof language === 'string' && canonicalLanguage(language) === undefined
    ? [{ path: 'language', message: 'must be a BCP 47 language tag such as en-US' }]
    : []),
  ...(typeof timeZone === 'string' && !isTimeZone(timeZone)
    ? [{ path: 'timeZone', message: 'must be an IANA time zone such as Europe/Berlin' }]
    : []),
  ...(typeof transferTo === 'string' && normalizePhoneNumber(transferTo) === undefined
    ? [{ path: 'transferTo', message: 'must be a phone number in E.164 format, such as +14155550100' }]
    : []),
  ...(typeof valueCurrency === 'string' && !isCurrency(valueCurrency)
    ? [{ path: 'valueCurrency', message: 'must be three capital letters, such as EUR' }]
    : []),
];

const checked = <T extends Record<string, unknown>>() =>
  z.check<T>(({ value, issues }) => {
    for (const { path, message } of configurationErrors(value)) {
      issues.push({ code: 'custom', input: value, path: [path], message });
    }
  });

/** Refuses what a configuration would lose, while its numbers are still known as they were written. */
const whole = <Schema extends z.core.$ZodType>(schema: Schema) =>
  z.pipe(
    z.transform((value: unknown, { issues }) => {
      const path = findInexactNumber(value);
      if (path) issues.push({ code: 'custom', input: value, path, message: inexactNumberError });
      if (isJsonObject(value) && Object.hasOwn(value, '__proto__'))
        issues.push({ code: 'custom', input: value, path: ['__proto__'], message: 'cannot be the name of a field' });
      return value;
    }),
    schema as z.core.$ZodType<unknown, unknown>,
  ) as unknown as Schema;

/** A configuration as it is written. */
export const AgentConfigurationInput = component(
  'AgentConfigurationInput',
  `Configuration of a new agent. All fields are optional; other fields are stored as they are. At most ${formatLimit('configurationBytes')} of JSON, without numbers that have more digits than a double keeps.`,
  whole(z.looseObject(z.partial(z.object(fields)).shape).check(small(), finite(), checked())),
);

/** Returns a configuration as it is stored: with the number to transfer to in E.164 format. */
export const toStoredConfiguration = <Configuration extends Pick<AgentConfiguration, 'transferTo'>>(
  configuration: Configuration,
): Configuration => {
  const { transferTo } = configuration;
  return {
    ...configuration,
    ...(transferTo !== undefined && { transferTo: normalizePhoneNumber(transferTo) ?? transferTo }),
  };
};

/** A change of a configuration, merged by top-level field. */
export const AgentConfigurationChange = component(
  'AgentConfigurationChange',
  'A change of a configuration. A field that is sent replaces the former one, `null` clears it, the others keep their values.',
  whole(
    z
      .looseObject(z.partial(z.object(mapValues(fields, (field) => z.nullable(field)))).shape)
      .check(small(), finite(), checked()),
  ),
);

/** The name of an agent in files. It stays the same if the agent is created in another deployment. */
export const AgentKey = z
  .string()
  .check(z.regex(/^[a-z0-9][a-z0-9-]{0,63}$/, { error: 'must be 1 to 64 of a-z 0-9 -, and not begin with -' }));
const keyDescription = 'Key of the agent: the name that it has in files. No two agents of a user have the same one';
/** A note for the history of an agent. */
export const VersionNote = text(0, limits.noteCharacters).check(
  describe('Why the agent is changed: a note for its history.', 'Ask for the insurance first'),
);

/** The fields of an agent that can be changed. */
export const AgentChange = z.object({
  name: z.optional(AgentName),
  configuration: z.optional(AgentConfigurationChange),
  phoneNumber: z.optional(
    z.nullable(PhoneNumber).check(describe('Phone number of the agent; `null` clears it.', '+14155550123')),
  ),
  key: z.optional(z.nullable(AgentKey).check(describe(`${keyDescription}; \`null\` clears it.`, 'front-desk'))),
  note: z.optional(VersionNote),
});
export type AgentChange = z.infer<typeof AgentChange>;

/** The phone number of an agent. */
const AgentPhoneNumber = PhoneNumber.check(describe('Phone number of the agent.', '+14155550123'));

const KeyOfAgent = AgentKey.check(describe(`${keyDescription}.`, 'front-desk'));

const Warning = describedObject('Something that may be a mistake.', {
  path: textField('The field.', 'configuration.currency'),
  message: textField('What may be wrong.', 'is none of the fields that the service knows. Did you mean valueCurrency?'),
});
export type Warning = z.infer<typeof Warning>;

/** Returns a warning for each field of a configuration that resembles one that the service knows. */
export const findMisspelledFields = (configuration: object = {}): Warning[] =>
  Object.entries(configuration).flatMap(([field, value]) => {
    // A field that is cleared is no mistake.
    const meant = value === null ? undefined : findMeantField(field, Object.keys(fields));
    const message = `is none of the fields that the service knows. Did you mean ${meant}?`;
    return meant ? [{ path: `configuration.${field}`, message }] : [];
  });

/** Returns an agent with the warnings about a configuration that was sent. */
export const withWarnings = (agent: Agent, configuration: object | undefined): Agent => {
  const warnings = findMisspelledFields(configuration).slice(0, limits.ignoredFields);
  return warnings.length > 0 ? { ...agent, warnings } : agent;
};

export const Agent = objectComponent('Agent', 'A voice agent with its configuration.', {
  uid: Identifier.check(describe('Id of the user who owns the agent.', examples.uid)),
  agentId: AgentId,
  name: AgentName,
  configuration: AgentConfiguration,
  phoneNumber: z.optional(AgentPhoneNumber),
  key: z.optional(KeyOfAgent),
  version: integerField(
    'Number of the newest version. Each change of `name` or `configuration` makes the next one.',
    7,
    { minimum: 1 },
  ),
  split: z.optional(Split),
  createdAt: timestamp('When the agent was created.'),
  updatedAt: timestamp('When the agent was last updated.'),
  sourceAgentId: z.optional(
    Identifier.check(describe('Id of the agent that this one was copied from.', 'agent_01KA8QF0X2V5TJ9W3N6YBD4C7E')),
  ),
  warnings: z.optional(
    listField(
      Warning,
      'Only after a creation or a change: fields of the configuration that was sent which may be misspelled. They are stored as they are.',
    ),
  ),
});
export type Agent = z.infer<typeof Agent>;
/** An agent before its first version. */
export type UnversionedAgent = Omit<Agent, 'version' | 'split' | 'warnings'>;

/** The body of a request to create an agent. */
export const NewAgent = z.object({
  uid: Uid,
  name: AgentName,
  configuration: z.optional(AgentConfigurationInput),
  phoneNumber: z.optional(AgentPhoneNumber),
  key: z.optional(KeyOfAgent),
  note: z.optional(VersionNote),
});

/** Returns the record of a new agent. */
export const toNewAgent = (
  { configuration = {}, ...fields }: Omit<z.infer<typeof NewAgent>, 'note'>,
  agentId: string,
): UnversionedAgent => {
  const createdAt = now();
  return { ...fields, configuration: toStoredConfiguration(configuration), agentId, createdAt, updatedAt: createdAt };
};

/** The body of a request to copy an agent. */
export const AgentToCopy = z.object({
  uid: Uid,
  agentId: AgentId.check(describe('Id of the agent to copy.', examples.agentId)),
  name: z.optional(
    AgentName.check(describe('Name of the copy. Default: the name of the source with ` (Copy)`.', 'Front desk (Copy)')),
  ),
});

/** Returns the name of a copy: the source's with ` (Copy)`, within the maximum length. */
export const nameOfCopy = (name: string) => {
  const suffix = ' (Copy)';
  return cut(name, limits.nameCharacters - characters(suffix)) + suffix;
};

/** Returns an agent with a change applied. `null` clears a field; ids never change. */
export const withChange = (agent: Agent, change: AgentChange): Agent => {
  const { phoneNumber = agent.phoneNumber, key = agent.key, name = agent.name } = change;
  const given = change.configuration ?? {};
  const merged = Object.entries({ ...agent.configuration, ...given });
  const configuration = toStoredConfiguration(Object.fromEntries(merged.filter(([field]) => given[field] !== null)));
  if (jsonBytes(configuration) > limits.configurationBytes) throw invalidField('configuration', tooLarge);
  const { phoneNumber: _number, key: _key, ...rest } = agent;
  return { ...rest, ...(phoneNumber && { phoneNumber }), ...(key && { key }), name, configuration };
};

function mapValues<K extends string, A, B>(object: Record<K, A>, change: (value: A) => B): Record<K, B> {
  return Object.fromEntries(Object.entries(object).map(([key, value]) => [key, change(value as A)])) as Record<K, B>;
}
