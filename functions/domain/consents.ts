import { isIP } from 'node:net';
import * as z from 'zod/mini';
import { KeyName } from './change-maker.ts';
import { allPurposes, purposeError, purposePattern } from './consent-decisions.ts';
import { DateTime, timestamp } from './date-time.ts';
import {
  choiceField,
  component,
  describe,
  describedObject,
  listField,
  objectComponent,
  textField,
} from './describe.ts';
import { examples } from './examples.ts';
import { formatLimit } from './format-limit.ts';
import { Identifier, Uid } from './identifiers.ts';
import { limits } from './limits.ts';
import { list } from './list.ts';
import { phoneNumber } from './phone-numbers.ts';
import { numberProblems, readPhoneNumber } from './read-phone-number.ts';
import { text } from './text.ts';
import { type Validated, validate } from './validation.ts';

/** A purpose in a query, where `*` means the records of all purposes. */
export const PurposeOrAll = z
  .string()
  .check(
    z.refine((value) => value === allPurposes || purposePattern.test(value), { error: `${purposeError}, or be *` }),
  );

const states = ['given', 'revoked'] as const;
const channels = ['web', 'call', 'paper', 'message', 'other'] as const;
const examplePurpose = 'marketing';
const exampleId = 'consent_01KB3P8V4N6T0R2X5Z7B9D1F3H';

const Proof = objectComponent('ConsentProof', 'What proves a consent or its revocation.', {
  channel: choiceField(channels, 'Where the person said so.', 'web'),
  text: z.optional(
    text(0, limits.proofTextCharacters).check(
      describe('What the person agreed to, in the words that were shown.', 'I agree to be called about offers.'),
    ),
  ),
  url: z.optional(
    z.string().check(
      z.maxLength(limits.urlCharacters, { abort: true }),
      z.refine((value) => URL.parse(value)?.protocol === 'https:', { error: 'must be an absolute https URL' }),
      describe('The page where the person agreed.', 'https://www.example.com/offers', { format: 'uri' }),
    ),
  ),
  ip: z.optional(
    z.string().check(
      z.refine((value) => isIP(value) !== 0, { error: 'must be an IPv4 or IPv6 address' }),
      describe('The network address of the person.', '203.0.113.7'),
    ),
  ),
  sha256: z.optional(
    z
      .string()
      .check(
        z.regex(/^[0-9a-fA-F]{64}$/, { error: 'must be 64 hexadecimal digits' }),
        describe('Hash of a document that you keep, such as a recording or a form.', 'a'.repeat(64)),
      ),
  ),
  callId: z.optional(Identifier.check(describe('The call in which the person said so.', examples.callId))),
});
export type Proof = z.infer<typeof Proof>;

/** The fields of a consent that a caller sends, once they are valid. */
export type NewConsent = {
  number: string;
  purpose: string;
  state: (typeof states)[number];
  at: string;
  expiresAt?: string;
  seller?: string;
  proof?: Proof;
};

const State = choiceField(states, '`given`: the person may be called. `revoked`: no longer.', 'given');
const Seller = text(0, limits.sellerCharacters).check(
  describe('The seller on whose behalf the person may be called.', 'Example Dental'),
);

/** What a consent is, as it is documented. Some of its fields are validated later: one that is wrong fails alone. */
const DocumentedConsent = component(
  'NewConsent',
  'A consent to record, or its revocation.',
  z.object({
    number: textField('The number of the person, with its country code.', '+14155550100'),
    purpose: textField(
      'What the person may be called for. `*` stands for all purposes, which can only be revoked.',
      examplePurpose,
      { pattern: `${purposePattern.source}|^\\*$` },
    ),
    state: State,
    at: z.optional(
      textField(
        `When the person said so, at most ${limits.consentMinutesAhead} minutes ahead. Default: now.`,
        '2026-03-01T10:00:00Z',
        { format: 'date-time' },
      ),
    ),
    expiresAt: z.optional(
      textField('When a given consent ends, after `at`. Default: never.', '2027-03-01T10:00:00Z', {
        format: 'date-time',
      }),
    ),
    seller: z.optional(Seller),
    proof: z.optional(Proof),
  }),
);

const ConsentItem = z
  .object({
    number: z.string(),
    purpose: z.optional(z.unknown()),
    state: z.enum(states),
    at: z.optional(z.unknown()),
    expiresAt: z.optional(z.unknown()),
    seller: z.optional(Seller),
    proof: z.optional(z.unknown()),
  })
  .check(z.meta({ documentAs: DocumentedConsent }));
type ConsentItem = z.infer<typeof ConsentItem>;

export const ConsentsRequest = z.object({
  uid: Uid,
  consents: list(ConsentItem, { min: 1, max: limits.consentsPerRequest, items: 'consents' }).check(
    z.describe(`1 to ${formatLimit('consentsPerRequest')} consents to record.`),
  ),
});

const reasons = {
  invalid_format: 'Invalid phone number format',
  invalid_purpose: 'Invalid purpose',
  invalid_at: 'Invalid time',
  invalid_expires_at: 'Invalid end',
  invalid_proof: 'Invalid proof',
  too_many_records: 'Too many records of this person',
  temporarily_unavailable: 'Temporarily unavailable',
} as const;
type FailureCode = keyof typeof reasons;

const ConsentFailure = component(
  'ConsentFailure',
  'A consent that was not recorded, with the reason.',
  z.object({
    number: textField('The number, exactly as it was sent.', '12345'),
    reason: choiceField(Object.values(reasons), 'The reason, for a person.', 'Invalid phone number format'),
    code: choiceField(
      Object.keys(reasons) as [FailureCode, ...FailureCode[]],
      `The reason, as a code to switch on. \`too_many_records\`: a person has at most ${formatLimit('consentsOfPerson')} records. \`temporarily_unavailable\`: send it again.`,
      'invalid_format',
    ),
    message: z.optional(textField('What to correct.', numberProblems.noCountryCode)),
  }),
);
export type ConsentFailure = z.infer<typeof ConsentFailure>;

export const toConsentFailure = (number: string, code: FailureCode, message?: string): ConsentFailure => ({
  number,
  reason: reasons[code],
  code,
  message,
});

const idAndContent = {
  consentId: textField('Id of the record. It follows from the content of the record.', exampleId),
  number: phoneNumber('The number, in E.164 format.'),
  purpose: textField('The purpose; `*` stands for all.', examplePurpose),
  state: State,
  at: timestamp('When the person said so.'),
};

const RecordedConsent = objectComponent('RecordedConsent', 'A consent that is on record.', idAndContent);

export const RecordedConsents = describedObject('The result of each consent.', {
  recorded: listField(RecordedConsent, 'The consents that are on record now, in the order sent.'),
  failed: listField(ConsentFailure, 'The consents that were not recorded, in the order sent.', [
    toConsentFailure('12345', 'invalid_format', numberProblems.noCountryCode),
  ]),
});

export const Consent = objectComponent('Consent', 'A record of a consent, or of its revocation.', {
  ...idAndContent,
  expiresAt: z.optional(timestamp('When the consent ends. Absent when it never does.', '2027-03-01T10:00:00.000Z')),
  seller: z.optional(textField('The seller on whose behalf the person may be called.', 'Example Dental')),
  proof: z.optional(Proof),
  recordedAt: timestamp('When it was recorded.'),
  keyId: z.optional(
    textField('Id of the API key that recorded it. Absent when the operator did.', 'key_01KB3M5T3Q8RXN2M6J4HB7C0DF'),
  ),
  keyName: KeyName,
});
export type Consent = z.infer<typeof Consent>;

export const ConsentCheck = describedObject('Whether a person may be called for a purpose.', {
  number: phoneNumber('The number, in E.164 format.'),
  purpose: textField('The purpose.', examplePurpose),
  state: choiceField(
    ['given', 'revoked', 'expired', 'none'],
    '`given`: the person has consented. `expired`: the consent is over. `none`: there is no record.',
    'given',
  ),
  consentId: z.optional(textField('Id of the record that decides.', exampleId)),
  at: z.optional(timestamp('When the person said so.')),
  expiresAt: z.optional(timestamp('When the consent ends.', '2027-03-01T10:00:00.000Z')),
});

/** Reads a consent of a request. Without `at`, it is of the time `now` (Unix milliseconds). */
export const readConsent = (
  { number: sent, purpose, state, at: sentAt, expiresAt: sentEnd, seller, proof: sentProof }: ConsentItem,
  now: number,
): NewConsent | ConsentFailure => {
  const fail = (code: FailureCode, message: string) => toConsentFailure(sent, code, message);
  const { number, problem } = readPhoneNumber(sent);
  if (problem) return fail('invalid_format', numberProblems[problem]);
  if (purpose === allPurposes && state === 'given')
    return fail('invalid_purpose', '* can only be revoked: name each purpose that is given.');
  const isPurpose = typeof purpose === 'string' && (purpose === allPurposes || purposePattern.test(purpose));
  if (!isPurpose) return fail('invalid_purpose', `purpose ${purposeError}, or be * where it is revoked.`);
  const { data: at = new Date(now).toISOString(), error: atError } = readTime(sentAt);
  if (atError) return fail('invalid_at', atError.message);
  if (Date.parse(at) > Date.now() + limits.consentMinutesAhead * 60_000)
    return fail('invalid_at', `at must be at most ${limits.consentMinutesAhead} minutes ahead.`);
  const { data: expiresAt, error: endError } = readTime(sentEnd);
  if (endError) return fail('invalid_expires_at', endError.message);
  if (expiresAt !== undefined && state === 'revoked')
    return fail('invalid_expires_at', 'A revocation has no end: leave expiresAt out.');
  if (expiresAt !== undefined && expiresAt <= at) return fail('invalid_expires_at', 'expiresAt must be after at.');
  const { data: proof, error: proofError } = validate(z.optional(Proof), sentProof);
  if (proofError) return fail('invalid_proof', proofError.message);
  return { number, purpose, state, at, expiresAt, seller, proof };
};

const readTime = (sent: unknown): Validated<string | undefined> => validate(z.optional(DateTime), sent);
