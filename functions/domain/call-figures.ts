import * as z from 'zod/mini';
import { Direction } from './calls.ts';
import { component, describe, integerField, numberField, objectComponent, textField } from './describe.ts';
import { examples } from './examples.ts';
import { formatLimit } from './format-limit.ts';
import { limits } from './limits.ts';
import { isTimeZone } from './time-zones.ts';

const periodUnits = ['hour', 'day', 'week', 'month'] as const;
export type PeriodUnit = (typeof periodUnits)[number];
const figureGroups = ['agent', 'direction', 'status', 'outcome', 'version'] as const;
export type FigureGroup = (typeof figureGroups)[number];

/** The fields by which calls are grouped into rows: a period, a group, both or neither. */
export type FiguresBy = { unit?: PeriodUnit; group?: FigureGroup };

const date = (description: string, example: string) =>
  z.iso
    .date({ error: ({ input }) => (input === undefined ? 'is required' : 'must be a date such as 2026-03-01') })
    .check(describe(description, example));

const parseUnit = (text: string) => periodUnits.find((unit) => unit === text);
const parseGroup = (text: string) => figureGroups.find((group) => group === text);

const parseGrouping = (text: string): FiguresBy | undefined => {
  const parts = text.split(',', 3);
  const [unit, group] = [parts.map(parseUnit), parts.map(parseGroup)].map((found) => found.find(Boolean)) as [
    PeriodUnit | undefined,
    FigureGroup | undefined,
  ];
  return parts.length === Number(unit !== undefined) + Number(group !== undefined) ? { unit, group } : undefined;
};

const By = z
  .pipe(
    z.string().check(
      z.refine((text) => parseGrouping(text) !== undefined, {
        error: `must be one of ${periodUnits.join(', ')}, one of ${figureGroups.join(', ')}, or one of each, separated by a comma`,
        abort: true,
      }),
    ),
    z.transform((text) => parseGrouping(text) as FiguresBy),
  )
  .check(
    z.meta({
      description:
        'What a row is: a period (`hour`, `day`, `week` from Monday, or `month`), a group (`agent`, `direction`, `status`, `outcome` or `version`), or one of each, separated by a comma. Without it there are only totals.',
      examples: ['day,outcome'],
      type: 'string',
    }),
  );

/** The calls that are counted, and how they are divided. */
export const FiguresQuery = z.object({
  from: date('First day, in `timeZone`.', '2026-03-01'),
  to: date(`The day after the last one. At most ${limits.figureDays} days are counted.`, '2026-04-01'),
  timeZone: z._default(
    z
      .string()
      .check(
        z.refine(isTimeZone, { error: 'must be an IANA time zone such as Europe/Berlin' }),
        describe('IANA time zone in which days begin and end.', 'Europe/Berlin'),
      ),
    'UTC',
  ),
  by: z.optional(By),
  direction: z.optional(Direction.check(describe('Only calls in this direction.', 'inbound'))),
  status: z.optional(textField('Only calls that ended with this status.', 'completed')),
  outcome: z.optional(textField('Only calls with this outcome.', 'appointment_booked')),
  version: z.optional(
    z
      .pipe(
        z.string().check(z.regex(/^[1-9]\d{0,8}$/, { error: 'must be a whole number from 1 on', abort: true })),
        z.transform(Number),
      )
      .check(describe('Only calls that this version of the agent had.', 7, { type: 'integer' })),
  ),
});
export type FiguresQuery = z.infer<typeof FiguresQuery>;

const count = (description: string, example: number) =>
  z.int().check(z.minimum(0), describe(description, example, { minimum: 0 }));

const decimal = (pattern: string, description: string, example: string) => textField(description, example, { pattern });
const anyDecimal = '^-?\\d+(\\.\\d{1,6})?$';

const sums = {
  calls: count('Number of calls.', 412),
  withOutcome: count('Number of calls that have a `custom_call_outcome`.', 96),
  durationSeconds: numberField('Sum of the durations.', 74_160, { minimum: 0 }),
  value: decimal(anyDecimal, 'Sum of `custom_call_outcome_value`, exactly, as a decimal number.', '14352.5'),
  values: count('Number of calls whose value is in the sum.', 96),
  valuesLeftOut: count(
    'Number of calls whose value is not in the sum: it has more than 6 decimals, or a size of 10¹² or more.',
    0,
  ),
  cost: z
    .record(z.string(), decimal('^\\d+(\\.\\d{1,6})?$', 'The exact sum, as a decimal number.', '12.31'))
    .check(
      describe(
        'Sums of `details.cost` of the calls by currency, or by `credits`. Currencies are never converted. Empty without costs.',
        { USD: '12.31', credits: '4500' },
      ),
    ),
  costs: count('Number of calls whose cost is in the sums.', 380),
  costsLeftOut: count(
    `Number of calls whose cost is not in the sums: it is not \`{ amount, currency }\` with an amount from 0 to below 10¹² of at most 6 decimals, and three capital letters or \`credits\`, or a platform reported more than ${formatLimit('reportedCost')}, or ${formatLimit('reportedCredits')} credits.`,
    0,
  ),
  held: count('Number of calls whose outcome is held: see `heldOutcome` of a call.', 3),
};
/** The sums of some calls, without their margin. */
export const FigureSums = z.object(sums);
export type FigureSums = z.infer<typeof FigureSums>;

const figures = {
  ...sums,
  margin: z.optional(
    decimal(
      anyDecimal,
      '`value` less `cost`, exactly. Present if all agents have the same `valueCurrency`, and no cost is in another currency.',
      '14340.19',
    ),
  ),
};

export const Figures = objectComponent('CallFigures', 'The sums of some calls.', {
  ...figures,
  valueCurrency: z.optional(
    textField('The currency of `margin`, as the agents name it. Present with `margin`.', 'EUR'),
  ),
});
export type Figures = z.infer<typeof Figures>;

const groupField = (description: string, example: string) => z.optional(z.nullable(textField(description, example)));

export const FiguresRow = component(
  'CallFiguresRow',
  'The sums of the calls of a period, of a group, or of both.',
  z.object({
    hour: z.optional(
      textField('Beginning of the hour, with the offset of the time zone.', '2026-03-01T10:00:00+01:00', {
        format: 'date-time',
      }),
    ),
    day: z.optional(textField('Date of the day.', '2026-03-01', { format: 'date' })),
    week: z.optional(textField('Date of the Monday.', '2026-02-23', { format: 'date' })),
    month: z.optional(textField('Month.', '2026-03', { pattern: '^\\d{4}-\\d\\d$' })),
    agent: groupField('Id of the agent. `null` in the row of a period without calls.', examples.agentId),
    direction: groupField('Direction of the calls. `null` in the row of a period without calls.', 'inbound'),
    status: groupField('Status of the calls. `null`: none was recorded.', 'completed'),
    outcome: groupField('Outcome of the calls. `null`: none was set.', 'appointment_booked'),
    version: z.optional(
      z.nullable(integerField('Version of the agent that had the calls. `null`: it is not known.', 7)),
    ),
    ...figures,
  }),
);
export type FiguresRow = z.infer<typeof FiguresRow>;
