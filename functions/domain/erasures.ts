import * as z from 'zod/mini';
import { timestamp } from './date-time.ts';
import {
  choiceField,
  describe,
  describedObject,
  flagField,
  numberField,
  objectComponent,
  textField,
} from './describe.ts';
import { Uid } from './identifiers.ts';
import { PhoneNumber } from './phone-numbers.ts';

const exampleId = 'erasure_01KB3P8V4N6T0R2X5Z7B9D1F3H';
const erasureId = () => textField('Id of the erasure.', exampleId);

/** The id of an erasure in a path. A malformed one names nothing. */
export const ErasureIdInPath = erasureId();

export const ErasureRequest = z.object({
  uid: Uid,
  number: PhoneNumber,
  blockList: z._default(
    choiceField(
      ['keep', 'remove'],
      'The handling of block-list entries with the number, and of revocations: `keep` keeps them without their reason, so that the person is not called again; `remove` removes them. Revocations of consents are kept without proof and seller, or removed, in the same way.',
      'keep',
    ),
    'keep',
  ),
  dryRun: z._default(flagField('Only counts what would be erased. Nothing is erased or kept.', false), false),
});

const counts = (calls: string, blockedNumbers: string, consents: string) =>
  z.object({
    calls: numberField(calls, 12),
    blockedNumbers: numberField(blockedNumbers, 2),
    consents: numberField(consents, 3),
  });

export const AcceptedErasure = describedObject('What was found, and the erasure that has begun.', {
  erasureId: z.optional(erasureId().check(describe('Id of the erasure. Absent in a dry run.', exampleId))),
  status: choiceField(['pending', 'dry_run'], '`pending`, or `dry_run` in a dry run.', 'pending'),
  found: counts(
    'Number of calls with the number, of all agents that the user owns.',
    'Number of entries with the number in the block lists of the user and these agents.',
    'Number of records of what the person has consented to or revoked.',
  ).check(z.describe('What there is to erase.')),
});

export const ErasureStatus = z.enum(['pending', 'running', 'done', 'failed']);

export const Erasure = objectComponent('Erasure', 'The erasure of a person.', {
  erasureId: erasureId(),
  status: ErasureStatus.check(describe('Status of the erasure.', 'done')),
  erased: counts(
    'Number of calls deleted.',
    'Number of entries that lost their reason or were removed.',
    'Number of records deleted, or left without their proof and seller.',
  ).check(z.describe('What has been erased so far.')),
  requestedAt: timestamp('When the erasure was requested.'),
  finishedAt: z.optional(timestamp('When the erasure ended.', '2026-03-01T10:00:04.000Z')),
  error: z.optional(textField('Why the erasure failed.', 'The erasure could not be completed. Request it again.')),
});
export type Erasure = z.infer<typeof Erasure>;
