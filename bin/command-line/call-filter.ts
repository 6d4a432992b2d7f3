import { type Command, Option, type OptionValues } from '@commander-js/extra-typings';
import type { CallFilters } from '../../functions/domain/call-filters.ts';
import { PhoneNumber } from '../../functions/domain/phone-numbers.ts';
import type { CallRange } from '../../functions/store/calls/call-lists.ts';
import { as } from './arguments.ts';
import { past } from './times.ts';

const callOptions = {
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
  held: new Option('--held', 'only calls whose outcome is held'),
};

/** Adds the options that select calls to a command. Given options are combined with "and". */
export const selectingCalls = <Arguments extends unknown[], Options extends OptionValues, Globals extends OptionValues>(
  command: Command<Arguments, Options, Globals>,
) =>
  command
    .addOption(callOptions.phone)
    .addOption(callOptions.from)
    .addOption(callOptions.to)
    .addOption(callOptions.direction)
    .addOption(callOptions.status)
    .addOption(callOptions.outcome)
    .addOption(callOptions.withOutcome)
    .addOption(callOptions.withoutOutcome)
    .addOption(callOptions.held);

type SelectionOptions = CallRange & Omit<CallFilters, 'hasOutcome'> & { withOutcome?: true; withoutOutcome?: true };

/** Converts the options to the range and filters of the API. */
export const toSelection = ({ withOutcome, withoutOutcome, ...options }: SelectionOptions) => {
  const { phone, from, to, direction, status, outcome, held } = options;
  const hasOutcome = withOutcome ?? (withoutOutcome ? false : undefined);
  return { range: { phone, from, to }, filters: { direction, status, outcome, hasOutcome, held } };
};
