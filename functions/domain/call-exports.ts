import * as z from 'zod/mini';
import { DateTime } from './date-time.ts';
import {
  choiceField,
  describe,
  describedObject,
  listField,
  objectComponent,
  textField,
  wholeField,
} from './describe.ts';
import { examples } from './examples.ts';
import { exportIdField, exportStatusField, exportTimes } from './exports.ts';
import { formatLimit } from './format-limit.ts';
import { AgentId, Uid } from './identifiers.ts';
import { limits } from './limits.ts';

const formats = ['parquet', 'csv', 'jsonl'] as const;
export type ExportFormat = (typeof formats)[number];
const Format = choiceField(
  formats,
  '`parquet` has typed columns, `csv` the same columns for spreadsheets (RFC 4180), `jsonl` a call a line, as lists of calls have it.',
  'parquet',
);

/** Returns a date or a date-time as a date-time in UTC. A date is its midnight. Undefined: it is neither. */
export const toInstant = (text: string): string | undefined => {
  const date = z.safeParse(z.iso.date(), text);
  return z.safeParse(DateTime, date.success ? `${text}T00:00:00Z` : text).data;
};

/** A date or a date-time, kept as it was sent. */
const Instant = z.string({ error: ({ input }) => (input === undefined ? 'is required' : 'must be a text') }).check(
  z.refine((text) => toInstant(text) !== undefined, {
    error: 'must be a date, such as 2026-03-01, or an RFC 3339 date-time with an offset, such as 2026-03-01T12:00:00Z',
  }),
);

export const CallExportRequest = z.object({
  uid: Uid,
  agentIds: z.optional(
    z
      .array(AgentId)
      .check(
        z.minLength(1),
        z.maxLength(limits.exportAgents),
        describe('The agents whose calls are exported, which the user owns. Absent: all of them.', [examples.agentId]),
      ),
  ),
  from: Instant.check(
    describe('The calls that start from then on: a date-time, or a date, which is its midnight in UTC.', '2026-03-01'),
  ),
  to: Instant.check(
    describe(
      `The calls that start before then: a date-time, or a date, which is its midnight in UTC. At most ${limits.exportDays} days after \`from\`.`,
      '2026-04-01',
    ),
  ),
  format: z._default(Format, 'parquet'),
});

const ExportedFile = describedObject('A file of an export.', {
  url: textField(
    `The address of the file. It is valid for ${formatLimit('exportLinkSeconds')}.`,
    'https://files.example.com/exports/calls-1.parquet?X-Amz-Signature=…',
  ),
  bytes: wholeField('Size of the file.', 48_213),
  calls: wholeField('Number of calls in it.', 1041),
});

export const CallExport = objectComponent('CallExport', 'An export of the calls of a user to files.', {
  exportId: exportIdField(),
  status: exportStatusField(),
  format: Format,
  from: textField('As it was requested.', '2026-03-01'),
  to: textField('As it was requested.', '2026-04-01'),
  calls: wholeField('Number of calls that were exported so far.', 1041),
  files: listField(
    ExportedFile,
    `The files, when the export is \`done\`: the calls by start, agent and id. A file ends after ${formatLimit('exportFileCalls')} calls, or earlier if it becomes large.`,
  ),
  ...exportTimes,
});
export type CallExport = z.infer<typeof CallExport>;
