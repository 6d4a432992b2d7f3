import * as z from 'zod/mini';
import { describedObject, objectComponent, textField, wholeField } from './describe.ts';
import { exportIdField, exportStatusField, exportTimes } from './exports.ts';
import { formatLimit } from './format-limit.ts';
import { Uid } from './identifiers.ts';
import { PhoneNumber } from './phone-numbers.ts';

export const PersonExportRequest = z.object({ uid: Uid, number: PhoneNumber });

/** The kinds of lines of a file, with the names of their counts. */
export const personLineCounts = {
  call: 'calls',
  transcript: 'transcripts',
  blocked_number: 'blockedNumbers',
  rule: 'rules',
  consent: 'consents',
  attempt: 'attempts',
} as const;

/** A line of a file. */
export type PersonLine = { kind: keyof typeof personLineCounts; data: object };

export const PersonCounts = describedObject('How many lines of each kind the file has.', {
  calls: wholeField('Lines of the kind `call`.', 12),
  transcripts: wholeField('Lines of the kind `transcript`.', 4),
  blockedNumbers: wholeField('Lines of the kind `blocked_number`.', 2),
  rules: wholeField('Lines of the kind `rule`.', 1),
  consents: wholeField('Lines of the kind `consent`.', 3),
  attempts: wholeField('Lines of the kind `attempt`.', 1),
});
export type PersonCounts = z.infer<typeof PersonCounts>;
export const noPersonCounts: PersonCounts = {
  ...{ calls: 0, transcripts: 0, blockedNumbers: 0, rules: 0, consents: 0, attempts: 0 },
};

export const PersonExport = objectComponent('PersonExport', 'An export of the data of a person.', {
  exportId: exportIdField(),
  status: exportStatusField(),
  counts: PersonCounts,
  url: z.optional(
    textField(
      `The address of the file, when the export is \`done\`. It is valid for ${formatLimit('exportLinkSeconds')}. The file is JSON Lines: \`{ kind, data }\` a line. Absent when there are no data of the person.`,
      'https://files.example.com/exports/person.jsonl?X-Amz-Signature=…',
    ),
  ),
  bytes: z.optional(wholeField('Size of the file.', 48_213)),
  ...exportTimes,
});
export type PersonExport = z.infer<typeof PersonExport>;
