import * as z from 'zod/mini';
import { timestamp } from './date-time.ts';
import { choiceField, describe, describedObject, textField } from './describe.ts';

export const exportIdField = () => textField('Id of the export.', 'export_01KB3P8V4N6T0R2X5Z7B9D1F3H');

/** The id of an export in a path. A malformed one names nothing. */
export const ExportIdInPath = exportIdField();

/** The folder of the bucket with the files of exports. */
export const exportsFolder = 'exports/';

export const AcceptedExport = describedObject('The export that has begun.', {
  exportId: exportIdField(),
  status: z.literal('pending').check(describe('`pending`.', 'pending')),
});

export const exportStatusField = () =>
  choiceField(['pending', 'running', 'done', 'failed'], 'Status of the export.', 'done');

/** The fields that say when an export was requested and how it ended. */
export const exportTimes = {
  createdAt: timestamp('When the export was requested.'),
  finishedAt: z.optional(timestamp('When the export ended.', '2026-03-01T10:00:04.000Z')),
  expiresAt: z.optional(timestamp('When its files are deleted.', '2026-03-02T10:00:04.000Z')),
  error: z.optional(
    textField('Why the export failed.', 'The export could not be completed because of a problem in the service.'),
  ),
};

const ExportState = z.object({ status: exportStatusField(), ...exportTimes });
export type ExportState = z.infer<typeof ExportState>;
