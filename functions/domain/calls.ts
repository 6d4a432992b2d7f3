import { isDeepStrictEqual } from 'node:util';
import * as z from 'zod/mini';
import { KeyName } from './change-maker.ts';
import { DateTime, now, timestamp } from './date-time.ts';
import {
  choiceField,
  component,
  describe,
  listField,
  markField,
  numberField,
  objectComponent,
  textField,
} from './describe.ts';
import { Disclosed } from './disclosures.ts';
import { invalidField } from './errors.ts';
import { examples } from './examples.ts';
import { formatLimit } from './format-limit.ts';
import { AgentId, Identifier, StoredIdentifier } from './identifiers.ts';
import { isDeeperThan, isJsonObject, jsonBytes, withoutUndefined } from './json.ts';
import { limits } from './limits.ts';
import { normalizePhoneNumber, PhoneNumberOrNull, phoneNumber, restorePlus } from './phone-numbers.ts';
import { text } from './text.ts';
import { NewTranscript } from './transcripts.ts';
import { VersionNumber } from './version-number.ts';

export const Preference = choiceField(
  ['first', 'last'],
  'Selects the earliest (`first`) or the most recent (`last`) call of a phone number. Ignored with a call id.',
  'last',
);
export type Preference = z.infer<typeof Preference>;

/** Within these bounds, DynamoDB stores a number exactly. */
const DurationSeconds = z.number().check(
  z.refine((value) => value === 0 || (value >= limits.minCallSeconds && value <= limits.callSeconds), {
    error: `must be 0, or from 0.000001 to ${limits.callSeconds}`,
  }),
  describe('Duration of the call in seconds.', 212, { minimum: 0, maximum: limits.callSeconds }),
);

export const metadataSizeError = `must be at most ${limits.metadataBytes} bytes of JSON`;
const depthError = `must nest at most ${limits.metadataDepth} levels deep`;

/** Declares an object of the caller's own. Validation does not rebuild it: every key and value comes back as sent. */
const jsonObject = (description: string, example: Record<string, unknown>) =>
  z.custom<Record<string, unknown>>(isJsonObject, { error: 'must be an object' }).check(
    z.refine((value) => jsonBytes(value) <= limits.metadataBytes, { error: metadataSizeError, abort: true }),
    z.refine((value) => !isDeeperThan(value, limits.metadataDepth), { error: depthError }),
    describe(
      `${description}: an object of at most ${formatLimit('metadataBytes')} of JSON and ${limits.metadataDepth} levels. It comes back exactly as sent.`,
      example,
      { type: 'object' },
    ),
  );

export const Direction = z.enum(['inbound', 'outbound']);

/** The facts of a call other than the numbers. */
const facts = {
  direction: Direction.check(
    describe('`inbound` when the other party called, `outbound` when the agent did.', 'inbound'),
  ),
  startedAt: DateTime.check(describe('When the call started.', '2026-03-01T10:00:00.000Z')),
  endedAt: z.optional(DateTime.check(describe('When the call ended.', '2026-03-01T10:03:32.000Z'))),
  durationSeconds: z.optional(DurationSeconds),
  status: z.optional(
    text(1, 64).check(describe('Status of the call, in the word of the telephony provider.', 'completed')),
  ),
  agentVersion: z.optional(
    VersionNumber.check(
      describe('The version of the agent that the caller got, as the decision on the call names it.', 7),
    ),
  ),
  details: z.optional(
    jsonObject('Your own data about the call', { recordingUrl: 'https://recordings.example.com/1.mp3' }),
  ),
};

/** The facts of a call, as PUT records or corrects them. */
export const CallFacts = z.object({
  phone: z.optional(
    PhoneNumberOrNull.check(
      describe('The other party’s number, in E.164 format. `null` or absent: it was withheld.', '+14155550100'),
    ),
  ),
  agentPhone: z.optional(
    PhoneNumberOrNull.check(describe('The agent’s number in this call, in E.164 format.', '+14155550123')),
  ),
  ...facts,
});
export type CallFacts = z.infer<typeof CallFacts>;
export const factNames = Object.keys(CallFacts.shape) as (keyof CallFacts)[];

/** The facts that events carry: all but the details, which may be large. */
export const eventFacts = factNames.filter((name) => name !== 'details');

const CallMetadata = jsonObject('Free-form metadata', { campaign: 'spring', agentScore: 4.5 });

const OutcomeLabel = text(0, limits.outcomeCharacters).check(describe('Label of the outcome.', 'appointment_booked'));
const OutcomeValue = numberField('Monetary value of the outcome.', 149.5);

/** The outcome fields of a call. */
const CallOutcome = z.object({
  custom_call_outcome: z.optional(OutcomeLabel),
  custom_call_outcome_value: z.optional(OutcomeValue),
  custom_call_metadata: z.optional(CallMetadata),
});

export const CallOutcomeChange = component(
  'CallOutcomeChange',
  'A change of outcome fields. A field that is sent replaces the former one, `null` clears it, the others keep their values.',
  z.object({
    custom_call_outcome: z.optional(z.nullable(OutcomeLabel)),
    custom_call_outcome_value: z.optional(z.nullable(OutcomeValue)),
    custom_call_metadata: z.optional(z.nullable(CallMetadata)),
  }),
);
export type CallOutcomeChange = z.infer<typeof CallOutcomeChange>;

export const MetadataMode = choiceField(
  ['replace', 'merge'],
  'How `custom_call_metadata` is applied: `replace` replaces the former object, `merge` merges the two by top-level key.',
  'replace',
);
export type MetadataMode = z.infer<typeof MetadataMode>;

/** The outcome fields, in the order in which responses list them. */
export const outcomeFields = ['custom_call_outcome', 'custom_call_outcome_value', 'custom_call_metadata'] as const;

/** The fields that a change set, in a response. */
export const UpdatedFields = listField(
  z.enum(outcomeFields),
  'The outcome fields that were set or cleared, in this order.',
  ['custom_call_outcome', 'custom_call_outcome_value'],
);

const OutcomeEntry = z.object({
  at: timestamp('When the outcome was changed.', '2026-03-02T08:15:00.000Z'),
  keyId: textField(
    'Id of the API key that made the change; `hook:` and the name of the voice platform that found the outcome out.',
    'key_01KB3M5T3Q8RXN2M6J4HB7C0DF',
  ),
  keyName: KeyName,
  fields: UpdatedFields,
  custom_call_outcome: z.optional(
    z.nullable(textField('The label that was set; `null`: it was cleared.', 'appointment_booked')),
  ),
  custom_call_outcome_value: z.optional(
    z.nullable(numberField('The value that was set; `null`: it was cleared.', 149.5)),
  ),
});

/** An outcome that a voice platform found, and that is not set. */
export const HeldOutcome = component(
  'HeldOutcome',
  'An outcome that a voice platform found in a call that does not meet the conditions of the agent. It is held until the outcome is set or cleared.',
  z.extend(CallOutcome, {
    custom_call_outcome: OutcomeLabel,
    causes: listField(
      z.enum(['too_short', 'too_few_words']),
      'The conditions that are not met: `minSeconds` (`too_short`) or `minCallerWords` (`too_few_words`).',
      ['too_short'],
    ),
  }),
);

export const Call = objectComponent('Call', 'A call of an agent, with its outcome.', {
  callId: StoredIdentifier.check(describe('Id of the call.', examples.callId)),
  agentId: AgentId,
  phone: z.optional(phoneNumber('The other party’s number, in E.164 format. Absent when it was withheld.')),
  agentPhone: z.optional(phoneNumber('The agent’s number in this call, in E.164 format.', '+14155550123')),
  ...facts,
  ...CallOutcome.shape,
  hasTranscript: z.optional(markField('Present when a transcript of the call is kept.')),
  heldOutcome: z.optional(HeldOutcome),
  disclosed: z.optional(Disclosed),
  outcomeUpdatedAt: z.optional(timestamp('When the outcome was last changed.', '2026-03-02T08:15:00.000Z')),
  outcomeHistory: z.optional(
    listField(OutcomeEntry, `The last ${limits.outcomeHistory} changes of the outcome, oldest first.`, [
      {
        at: '2026-03-02T08:15:00.000Z',
        keyId: 'key_01KB3M5T3Q8RXN2M6J4HB7C0DF',
        keyName: 'website',
        fields: ['custom_call_outcome', 'custom_call_outcome_value'],
        custom_call_outcome: 'appointment_booked',
        custom_call_outcome_value: 149.5,
      },
    ]),
  ),
});

/** The other party's number of a call, in the response to a change of its outcome. */
export const PhoneOrWithheld = z.nullable(
  phoneNumber('The other party’s number of that call; `null` when it was withheld.'),
);

/** A call as a path or an item of a batch names it. */
export const CallIdOrPhone = textField('Id of the call, or a phone number in E.164 format.', '+14155550100');

/** A call as a path names it if a phone number, which may have several calls, is invalid. */
export const CallIdAlone = textField(
  'Id of the call: 1 to 128 of `A-Z a-z 0-9 _ . : -`, but not `.` or `..`. A phone number is invalid here.',
  examples.callId,
);

/** Throws for a phone number when a call id is required. */
export const checkIsNoPhoneNumber = (callId: string) => {
  if (normalizePhoneNumber(restorePlus(callId)))
    throw invalidField('callIdOrPhone', 'must be a call id, not a phone number');
};
export type Call = z.infer<typeof Call>;

/** Returns a call with its facts recorded or corrected, and its outcome unchanged. A new one has what is `initial`. The same facts again return the same object. */
export const withFacts = (
  found: Call | undefined,
  agentId: string,
  callId: string,
  facts: CallFacts,
  initial: Pick<Call, 'disclosed'> = {},
): Call => {
  const others = Object.entries(found ?? { recordedAt: now(), ...withoutUndefined(initial) }).filter(
    ([name]) => !(name in CallFacts.shape),
  );
  const given = Object.entries(facts).filter(([, value]) => value !== undefined && value !== null);
  const call = { ...Object.fromEntries(others), agentId, callId, ...Object.fromEntries(given) } as Call;
  return found && isDeepStrictEqual(call, found) ? found : call;
};

/** One item of a batch. It is validated separately, so that an invalid one does not fail the others. */
export const CallOutcomeItem = component(
  'CallOutcomeItem',
  'A change of one call’s outcome.',
  z.extend(CallOutcomeChange, {
    agentId: textField('Id of the agent of the call.', examples.agentId),
    callIdOrPhone: CallIdOrPhone,
    preference: z._default(Preference, 'last'),
    metadataMode: z._default(MetadataMode, 'replace'),
  }),
);

/** One call of many. It is validated separately, so that an invalid one does not fail the others. */
export const CallItem = component(
  'CallItem',
  'A call to record, and the outcome to set.',
  z.extend(z.extend(CallFacts, CallOutcomeChange.shape), {
    agentId: textField('Id of the agent of the call.', examples.agentId),
    callId: Identifier.check(describe('Id of the call. A phone number is invalid here.', examples.callId)),
    transcript: z.optional(NewTranscript),
  }),
);
export type CallItem = z.infer<typeof CallItem>;

/** A call as a request names it: by its id, or as the first or last one with a phone number. */
export type CallReference = { callId: string } | { phone: string; preference: Preference };

/** Reads `callIdOrPhone`. A `+` that a client turned into a space is restored. */
export const toCallReference = (callIdOrPhone: string, preference: Preference): CallReference => {
  const phone = normalizePhoneNumber(restorePlus(callIdOrPhone));
  return phone === undefined ? { callId: callIdOrPhone } : { phone, preference };
};

/** Returns the fields that a change names, in the order in which responses list them. */
export const listOutcomeFields = (change: CallOutcomeChange) =>
  outcomeFields.filter((field) => change[field] !== undefined);

/** A field of the response to a change of an outcome. */
export const Blocked = z.optional(markField('Present when the outcome blocks: the number of the call is blocked.'));
export const Revoked = z.optional(
  markField('Present when the outcome revokes: the person of the call has revoked all consents.'),
);
