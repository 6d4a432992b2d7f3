import { Option } from '@commander-js/extra-typings';
import type { Call } from '../../functions/domain/calls.ts';
import { PhoneNumber } from '../../functions/domain/phone-numbers.ts';
import { as } from './arguments.ts';
import { past } from './times.ts';

/** Which calls a command takes: all conditions must hold. */
export type CallFilter = {
  from?: string | undefined;
  to?: string | undefined;
  direction?: Call['direction'] | undefined;
  status?: string | undefined;
  outcome?: string | undefined;
  hasOutcome?: boolean | undefined;
};

/** The options for it. */
export const callOptions = {
  phone: new Option('--phone <number>', 'only calls with this phone number').argParser(as(PhoneNumber)),
  from: new Option(
    '--from <time>',
    'only calls that started then or later: a date (UTC), a date-time or a duration such as 7d',
  ).argParser(past),
  to: new Option('--to <time>', 'only calls that started before then').argParser(past),
  direction: new Option('--direction <direction>', 'only these calls').choices(['inbound', 'outbound'] as const),
  status: new Option('--status <status>', 'only calls with this status'),
  outcome: new Option('--outcome <label>', 'only calls with this outcome'),
  withOutcome: new Option('--with-outcome', 'only calls whose outcome is set').conflicts('withoutOutcome'),
  withoutOutcome: new Option('--without-outcome', 'only calls whose outcome is not set').conflicts('outcome'),
};

type FilterOptions = Omit<CallFilter, 'hasOutcome'> & {
  withOutcome?: true | undefined;
  withoutOutcome?: true | undefined;
};

export const toCallFilter = ({ withOutcome, withoutOutcome, ...options }: FilterOptions): CallFilter => {
  const { from, to, direction, status, outcome } = options;
  return { from, to, direction, status, outcome, hasOutcome: withOutcome ?? (withoutOutcome ? false : undefined) };
};

const matches = (call: Call, { to, direction, status, outcome, hasOutcome }: CallFilter) =>
  (to === undefined || call.startedAt < to) &&
  (direction === undefined || call.direction === direction) &&
  (status === undefined || call.status === status) &&
  (outcome === undefined || call.custom_call_outcome === outcome) &&
  (hasOutcome === undefined || (call.custom_call_outcome !== undefined) === hasOutcome);

/** The calls that match, of calls from the newest to the oldest. Stops reading at the first call before `from`. */
export async function* filterCalls(calls: AsyncIterable<Call>, filter: CallFilter): AsyncGenerator<Call> {
  for await (const call of calls) {
    if (filter.from !== undefined && call.startedAt < filter.from) return;
    if (matches(call, filter)) yield call;
  }
}
