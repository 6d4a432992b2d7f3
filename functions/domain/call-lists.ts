import * as z from 'zod/mini';
import { Call, Direction } from './calls.ts';
import { DateTime, timestamp } from './date-time.ts';
import { booleanInQuery, describe, describedObject, listField, textField } from './describe.ts';
import { Disclosed } from './disclosures.ts';
import { formatWhole } from './format-whole.ts';
import { limits } from './limits.ts';
import { nextPage, paging } from './paging.ts';
import { PhoneNumberInQuery } from './phone-numbers.ts';

/** The calls of a list, and the page of it. */
export const CallsQuery = z.object({
  phone: z.optional(
    PhoneNumberInQuery.check(
      describe('Only calls with this number, in E.164 format.', '+14155550100', { type: 'string' }),
    ),
  ),
  from: z.optional(DateTime.check(describe('Only calls that began at this time or later.', '2026-03-01T00:00:00Z'))),
  to: z.optional(DateTime.check(describe('Only calls that began before this time.', '2026-04-01T00:00:00Z'))),
  direction: z.optional(Direction.check(describe('Only calls in this direction.', 'inbound'))),
  status: z.optional(textField('Only calls that ended with this status, in upper or lower case.', 'completed')),
  outcome: z.optional(textField('Only calls with this outcome, in upper or lower case.', 'appointment_booked')),
  hasOutcome: z.optional(
    booleanInQuery('`true`: only calls that have an outcome. `false`: only calls without one.', true),
  ),
  held: z.optional(
    booleanInQuery('`true`: only calls whose outcome is held. `false`: only calls without a held outcome.', true),
  ),
  disclosed: z.optional(
    Disclosed.check(
      describe(
        'Only calls in which the agent disclosed that a machine speaks (`yes`), or did not, or nobody knows.',
        'no',
      ),
    ),
  ),
  ...paging,
});
export type CallsQuery = z.infer<typeof CallsQuery>;

export const CallsPage = describedObject('A page of calls.', {
  calls: listField(Call, 'The calls, newest first.'),
  ...nextPage,
  searchedBackTo: z.optional(
    timestamp(
      `Present when few calls match: the page ended after ${limits.callSearchSeconds} seconds or ${formatWhole(limits.callsExamined)} calls. Every match that began later than this time is in this page or an earlier one.`,
    ),
  ),
});
export type CallsPage = z.infer<typeof CallsPage>;
