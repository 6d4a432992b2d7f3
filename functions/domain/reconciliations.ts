import * as z from 'zod/mini';
import { DateTime, timestamp } from './date-time.ts';
import {
  choiceField,
  describe,
  describedObject,
  flagField,
  listField,
  numberField,
  objectComponent,
  textField,
  wholeField,
} from './describe.ts';
import { Uid } from './identifiers.ts';
import { limits } from './limits.ts';

const exampleId = 'reconciliation_01KB3P8V4N6T0R2X5Z7B9D1F3H';
const id = () => textField('Id of the reconciliation.', exampleId);

/** The id of a reconciliation in a path. A malformed one names nothing. */
export const ReconciliationIdInPath = id();

const range = {
  from: timestamp('Start of the period.', '2026-03-01T00:00:00.000Z'),
  to: timestamp('End of the period.', '2026-03-02T00:00:00.000Z'),
};

export const ReconciliationRequest = z.object({
  uid: Uid,
  from: DateTime.check(describe('Calls that start at this time or later.', '2026-03-01T00:00:00.000Z')),
  to: DateTime.check(
    describe(
      `Calls that start before this time: at most the present, and ${limits.reconciliationDays} days after \`from\`.`,
      '2026-03-02T00:00:00.000Z',
    ),
  ),
  dryRun: z._default(flagField('Counts only, and records nothing.', false), false),
});

export const AcceptedReconciliation = describedObject('The reconciliation that has begun.', {
  reconciliationId: id(),
  status: z.literal('pending').check(describe('`pending`.', 'pending')),
});

export const ReconciliationStatus = z.enum(['pending', 'running', 'done', 'failed']);

/** The numbers of calls that a reconciliation counts. */
const counts = {
  listed: wholeField('Calls of the agent in the list of the platform: the sum of the following four.', 1041),
  known: wholeField('Calls that were recorded before.', 1036),
  recovered: wholeField('Calls that were missing and are now recorded.', 2),
  completed: wholeField('Calls that were recorded without their end, which is now recorded.', 1),
  skipped: wholeField(
    'Calls that are in progress, were deleted or erased, are older than the service keeps calls, or cannot be recorded.',
    2,
  ),
  differing: wholeField('Recorded calls with another duration or cost at the platform. They do not change.', 1),
};
export type ReconciliationCounts = Record<keyof typeof counts, number>;

const measure = z.union([
  z.number(),
  z.object({
    amount: numberField('The amount.', 0.12),
    currency: textField('The currency, or `credits`.', 'USD'),
  }),
]);

export const Difference = describedObject('A recorded call with another duration or cost at the platform.', {
  callId: textField('Id of the call.', 'vapi:4f1c2e3d'),
  field: choiceField(['durationSeconds', 'cost'], 'What differs.', 'durationSeconds'),
  here: measure.check(describe('The recorded value: seconds, or `amount` and `currency`.', 61)),
  there: measure.check(describe('The value at the platform.', 65)),
});
export type Difference = z.infer<typeof Difference>;

export const Reconciliation = objectComponent(
  'Reconciliation',
  'A comparison of the calls of an agent with the list of its voice platform.',
  {
    reconciliationId: id(),
    status: ReconciliationStatus.check(describe('Status of the reconciliation.', 'done')),
    dryRun: flagField('Whether it counts only.', false),
    ...range,
    ...counts,
    differences: listField(Difference, `The first ${limits.reconciliationDifferences} differences.`),
    error: z.optional(
      textField('Why it failed.', 'Vapi does not accept the API key (401). Set another one, and try again.'),
    ),
    createdAt: timestamp('When it was requested.'),
    finishedAt: z.optional(timestamp('When it ended.', '2026-03-02T00:00:04.000Z')),
  },
);
export type Reconciliation = z.infer<typeof Reconciliation>;
