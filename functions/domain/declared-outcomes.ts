import * as z from 'zod/mini';
import { readCallerHistory } from './caller-history.ts';
import { choiceField, describe, numberField } from './describe.ts';
import { limits } from './limits.ts';
import { list } from './list.ts';
import { comparableLabel } from './outcome-labels.ts';
import { text } from './text.ts';
import { readTranscriptSettings, type TranscriptSettings } from './transcripts.ts';

/** When an outcome that a voice platform found is set. */
const FoundConditions = z
  .strictObject({
    minSeconds: z.optional(
      z
        .number()
        .check(z.minimum(0), z.maximum(limits.callSeconds), describe('Minimum duration of the call in seconds.', 10)),
    ),
    minCallerWords: z.optional(
      z
        .int()
        .check(
          z.minimum(0),
          z.maximum(limits.callerWords),
          describe('Minimum number of words that the other party said, in the transcript of the platform.', 5),
        ),
    ),
  })
  .check(
    describe('When an outcome that a voice platform found is set. Otherwise it is held.', {
      minSeconds: 10,
      minCallerWords: 5,
    }),
  );

const DeclaredOutcome = z.strictObject({
  name: text(1, limits.outcomeCharacters).check(describe('Label of the outcome.', 'do_not_call')),
  value: z.optional(numberField('The value of a call with this outcome, unless the call has another one.', 149.5)),
  blocks: z.optional(
    choiceField(
      ['never', 'set', 'found'],
      'Whether the outcome blocks the number of the call: `set` when somebody sets it, `found` also when a voice platform found it. Default: `never`.',
      'set',
    ),
  ),
  revokes: z.optional(
    choiceField(
      ['never', 'set', 'found'],
      'Whether the outcome revokes what the person has consented to, for all purposes: `set` when somebody sets it, `found` also when a voice platform found it. Default: `never`.',
      'set',
    ),
  ),
  found: z.optional(FoundConditions),
});
export type DeclaredOutcome = z.infer<typeof DeclaredOutcome>;

const example: DeclaredOutcome[] = [
  { name: 'appointment_booked', value: 149.5, found: { minSeconds: 10, minCallerWords: 5 } },
  { name: 'do_not_call', blocks: 'set', revokes: 'set' },
];

/** The outcomes that an agent declares. Their names must differ in the form in which labels are compared. */
export const DeclaredOutcomes = list(DeclaredOutcome, { max: limits.outcomes }).check(
  z.check(({ value, issues }) => {
    const names = new Set<string>();
    for (const [index, { name }] of value.entries()) {
      const comparable = comparableLabel(name);
      const message =
        comparable === ''
          ? 'must have a character other than a space, _ and -'
          : names.has(comparable)
            ? 'differs from an earlier name only by case, spaces, _, dashes or invisible signs'
            : undefined;
      if (message !== undefined) issues.push({ code: 'custom', input: name, path: [index, 'name'], message });
      names.add(comparable);
    }
  }),
  describe(
    'The outcomes that the calls of the agent can have. Any other label is refused. Labels are compared without regard to case, spaces, `_`, dashes and invisible signs, and stored as they are declared. Absent: any label.',
    example,
  ),
);

/** What the configuration of an agent says about outcomes. Without `outcomes`, a call can have any. */
export type OutcomeRules = {
  outcomes?: DeclaredOutcome[];
  blockOnOutcomes?: string[];
  /** What is kept of what was said. */
  transcripts?: TranscriptSettings;
  /** Starts say something about the earlier calls of a number. */
  hasHistory?: true;
};

/** Returns the rules of a configuration. A list that was stored before it had a meaning declares nothing unless it is valid. */
export const readOutcomeRules = (configuration: {
  outcomes?: unknown;
  blockOnOutcomes?: string[];
  transcripts?: unknown;
  callerHistory?: unknown;
}): OutcomeRules => {
  const { outcomes, blockOnOutcomes } = configuration;
  const declared = outcomes === undefined ? undefined : z.safeParse(DeclaredOutcomes, outcomes).data;
  const transcripts = readTranscriptSettings(configuration);
  return {
    ...(declared && { outcomes: declared }),
    ...(blockOnOutcomes && { blockOnOutcomes }),
    ...(transcripts && { transcripts }),
    ...(readCallerHistory(configuration) && { hasHistory: true }),
  };
};
