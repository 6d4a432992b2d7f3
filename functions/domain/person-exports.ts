import * as z from 'zod/mini';
import { timestamp } from './date-time.ts';
import { choiceField, describe, describedObject, objectComponent, textField, wholeField } from './describe.ts';
import { formatLimit } from './format-limit.ts';
import { Uid } from './identifiers.ts';
import { PhoneNumber } from './phone-numbers.ts';

const exampleId = 'export_01KB3P8V4N6T0R2X5Z7B9D1F3H';
const id = () => textField('Id of the export.', exampleId);

/** The id of an export in a path. A malformed one names nothing. */
export const PersonExportIdInPath = id();

export const PersonExportRequest = z.object({ uid: Uid, number: PhoneNumber });

export const AcceptedPersonExport = describedObject('The export that has begun.', {
  exportId: id(),
  status: z.literal('pending').check(describe('`pending`.', 'pending')),
});

export const PersonCounts = describedObject('How many lines of each kind the file has.', {
  calls: wholeField('Lines of the kind `call`.', 12),
  blockedNumbers: wholeField('Lines of the kind `blocked_number`.', 2),
  consents: wholeField('Lines of the kind `consent`.', 3),
  attempts: wholeField('Lines of the kind `attempt`.', 1),
});
export type PersonCounts = z.infer<typeof PersonCounts>;

export const PersonExport = objectComponent('PersonExport', 'What there is of a person, as a file.', {
  exportId: id(),
  status: choiceField(['pending', 'running', 'done', 'failed'], 'Status of the export.', 'done'),
  counts: PersonCounts,
  url: z.optional(
    textField(
      `The address of the file, when the export is \`done\`. It is valid for ${formatLimit('exportLinkSeconds')}. The file is JSON Lines: \`{ kind, data }\` a line. Absent where there is nothing of the person.`,
      'https://files.example.com/exports/person.jsonl?X-Amz-Signature=…',
    ),
  ),
  bytes: z.optional(wholeField('Size of the file.', 48_213)),
  createdAt: timestamp('When the export was requested.'),
  finishedAt: z.optional(timestamp('When the export ended.', '2026-03-01T10:00:04.000Z')),
  expiresAt: z.optional(timestamp('When the file is deleted.', '2026-03-02T10:00:04.000Z')),
  error: z.optional(
    textField('Why the export failed.', 'The export could not be completed because of a problem in the service.'),
  ),
});
export type PersonExport = z.infer<typeof PersonExport>;
