import * as z from 'zod/mini';
import type { StoredMaker } from './change-maker.ts';
import { timestamp } from './date-time.ts';
import { choiceField, component, describe, describedObject, listField, markField, textField } from './describe.ts';
import { examples } from './examples.ts';
import { jsonBytes } from './json.ts';
import { limits } from './limits.ts';
import { list } from './list.ts';
import { redactions, redactTexts } from './redaction.ts';
import { platformNames } from './voice-platforms.ts';

/** Who speaks in a transcript. */
export const turnRoles = ['agent', 'caller', 'tool', 'system'] as const;

export const Turn = component(
  'Turn',
  'What somebody said.',
  z.object({
    role: choiceField(turnRoles, 'Who speaks.', 'caller'),
    text: textField('The words.', 'When do you open?'),
    at: z.optional(z.number().check(z.minimum(0), z.maximum(limits.callSeconds), describe('In seconds.', 3.5))),
  }),
);
export type Turn = z.infer<typeof Turn>;

/** A transcript as a request sends it. */
export const NewTranscript = list(Turn, { max: limits.turnsPerRequest }).check(
  describe('What was said, if the agent keeps transcripts.', [
    { role: 'agent', text: 'Hello, how can I help you?', at: 0.5 },
  ]),
);

/** Whether transcripts of an agent are kept, and for how long. */
export const TranscriptSettings = z
  .strictObject({
    keepDays: z
      .int()
      .check(z.minimum(1), z.maximum(limits.transcriptDays), describe('Days after the end of the call.', 30)),
    redact: z.optional(
      list(z.enum(redactions), { max: redactions.length }).check(
        describe('Replaced before storing. Default: `cards`.', ['cards', 'emails']),
      ),
    ),
  })
  .check(describe('Keeps transcripts of calls.', { keepDays: 30, redact: ['cards', 'emails'] }));
export type TranscriptSettings = z.infer<typeof TranscriptSettings>;

/** Returns the settings of a configuration. One that was stored before this field had a meaning may hold anything in it. */
export const readTranscriptSettings = ({ transcripts }: { transcripts?: unknown }): TranscriptSettings | undefined =>
  z.safeParse(TranscriptSettings, transcripts).data;

export const Transcript = describedObject('What was said in a call.', {
  call_id: textField('Id of the call.', examples.callId),
  turns: listField(Turn, 'The turns, in the order in which they were sent.', [
    { role: 'agent', text: 'Hello, how can I help you?', at: 0.5 },
    { role: 'caller', text: 'When do you open?', at: 3.5 },
  ]),
  truncated: z.optional(markField('Present when the transcript was longer: its end is missing.')),
  source: choiceField([...platformNames, 'api'], 'Who sent it: a voice platform, or a request (`api`).', 'vapi'),
  expiresAt: timestamp('When the transcript is deleted.', '2026-03-31T10:03:32.000Z'),
});
type Source = z.infer<typeof Transcript>['source'];

/** A transcript as it is stored. */
export type StoredTranscript = {
  turns: Turn[];
  truncated?: true;
  source: Source;
  characters: number;
  keepDays: number;
  /** A platform's transcript replaces a shorter one alone, and none that a request has deleted. */
  replaces: 'shorter' | 'any';
};

/** What a call's record says of its transcript, which is an item of its own: `endedAt` is part of its key, and `digest` tells repetitions. */
export type TranscriptNote = { endedAt: string; characters: number; digest: string };

/** What a call's record says of the transcript that a request has deleted. */
export type TranscriptDeletion = StoredMaker & { deletedAt: string };

/** Returns what is kept of a transcript; undefined if the agent keeps none, or there are no words. */
export const toStoredTranscript = (
  sent: Turn[] | undefined,
  source: Source,
  settings: TranscriptSettings | undefined,
): StoredTranscript | undefined => {
  if (!settings || !sent?.some(({ text }) => text.trim() !== '')) return undefined;
  const { keepDays, redact = ['cards'] } = settings;
  const { turns, truncated } = withinLimits(redactTexts(sent, redact));
  const characters = turns.reduce((sum, { text }) => sum + text.length, 0);
  return { turns, truncated, source, characters, keepDays, replaces: source === 'api' ? 'any' : 'shorter' };
};

const withinLimits = (turns: Turn[]): { turns: Turn[]; truncated?: true } => {
  const kept: Turn[] = [];
  let left = limits.transcriptBytes - 2;
  for (const turn of turns) {
    if (kept.length === limits.transcriptTurns) return { turns: kept, truncated: true };
    const room = left - 1;
    const fitting = jsonBytes(turn) <= room ? turn : cutTurn(turn, room);
    if (fitting) kept.push(fitting);
    if (fitting !== turn) return { turns: kept, truncated: true };
    left = room - jsonBytes(turn);
  }
  return { turns: kept };
};

/** Returns a turn whose text is cut to fit; undefined if nothing of it does. */
const cutTurn = (turn: Turn, bytes: number): Turn | undefined => {
  let [low, high] = [0, Math.min(turn.text.length, Math.max(0, bytes))];
  while (low < high) {
    const middle = Math.ceil((low + high) / 2);
    if (jsonBytes({ ...turn, text: turn.text.slice(0, middle) }) <= bytes) low = middle;
    else high = middle - 1;
  }
  const text = turn.text.slice(0, low).replace(/[\ud800-\udbff]$/, '');
  return text === '' ? undefined : { ...turn, text };
};

/** Returns as many turns as a model reads at once. */
export const shortenTurns = <T extends { turns: Turn[]; truncated?: true }>(transcript: T, bytes: number): T => {
  let left = bytes;
  const end = transcript.turns.findIndex((turn) => {
    left -= jsonBytes(turn) + 1;
    return left < 0;
  });
  return end === -1 ? transcript : { ...transcript, turns: transcript.turns.slice(0, end), truncated: true };
};

/** Returns the texts of one side. */
export const listTexts = (turns: readonly Turn[] | undefined, role: Turn['role']): string[] | undefined =>
  turns?.flatMap((turn) => (turn.role === role ? [turn.text] : []));
