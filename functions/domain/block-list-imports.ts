import * as z from 'zod/mini';
import { KeyName } from './change-maker.ts';
import { isCountry, suggestCountry } from './countries.ts';
import { timestamp } from './date-time.ts';
import { choiceField, component, describe, listField, numberField, textField, wholeField } from './describe.ts';
import { ApiError } from './errors.ts';
import { formatLimit } from './format-limit.ts';
import { formatWhole } from './format-whole.ts';
import { AgentId, Identifier } from './identifiers.ts';
import { limits } from './limits.ts';
import { type NumberProblem, numberProblems } from './read-phone-number.ts';
import { withPlainSpaces } from './signs.ts';
import { cut, withoutControlCharacters } from './text.ts';

const exampleId = 'import_01KB3P8V4N6T0R2X5Z7B9D1F3H';

export const ImportId = Identifier.check(describe('Id of the import.', exampleId));

export const ImportMode = choiceField(
  ['add', 'replace'],
  '`add` adds the numbers of the file. `replace` also removes the numbers that the file does not have, after it has added the others.',
  'add',
);
export type ImportMode = z.infer<typeof ImportMode>;

export const ImportStatus = choiceField(
  ['awaiting_upload', 'running', 'done', 'failed'],
  'Status of the import.',
  'done',
);
export type ImportStatus = z.infer<typeof ImportStatus>;

const reasons = {
  invalid_format: 'Invalid phone number format',
  invalid_expires_at: 'Invalid expiresAt: not a date-time in the future',
} as const;
export type ImportFailureCode = keyof typeof reasons;

/** What to remove from a row or to add to it. */
const problems = {
  ...numberProblems,
  noHeading: 'Remove the cells that have no heading, or name their columns.',
  notUtf8: 'Save the file in UTF-8: a text of the row is not.',
  ambiguous: 'Add + at the start: the digits may be a number of the country, or one with its country code.',
  notOfCountry: 'Correct the digits, which are no number of the country, or add + and the country code at the start.',
};
export type RowProblem = NumberProblem | 'noHeading' | 'notUtf8' | 'ambiguous' | 'notOfCountry';

const column = (description: string, example: string) =>
  z.string().check(z.minLength(1), z.maxLength(limits.columnCharacters), describe(description, example));

/** Returns the form in which names of columns are compared. */
export const comparableColumn = (name: string) => withPlainSpaces(name).toLowerCase();

/** The columns of a file that does not have the names that an import expects. */
export const ImportColumns = z
  .object({
    number: column('The column of the numbers.', 'Phone'),
    reason: z.optional(column('The column of the reasons.', 'Comment')),
    expiresAt: z.optional(column('The column of the times at which numbers are unblocked.', 'Until')),
  })
  .check(
    z.refine(
      (columns) => {
        const names = Object.values(columns).map(comparableColumn);
        return new Set(names).size === names.length;
      },
      { error: 'must name different columns' },
    ),
    z.describe(
      `The names of the columns in the header of the file, without regard to case and to kinds of white space. Other columns are ignored, and so are lines above the header, which is the first of ${limits.importHeadingLines} rows that has these names.`,
    ),
  );
export type ImportColumns = z.infer<typeof ImportColumns>;

/** The country of the national numbers in a file. */
export const ImportCountry = z.string().check(
  z.refine(isCountry, {
    error: ({ input }) => `must be an ISO 3166-1 alpha-2 code, such as ${suggestCountry(String(input)) ?? 'DE'}`,
  }),
  describe('The country (ISO 3166-1 alpha-2) whose numbers the file has as they are dialed within it.', 'DE'),
);

export const ImportFailure = component(
  'BlockListImportFailure',
  'A line of the file that was not imported, with the reason.',
  z.object({
    line: wholeField('Line of the file, starting at 1.', 7),
    number: textField(
      `The number as it is in the file, without control characters, cut to ${limits.importFailureCharacters} characters.`,
      '12345',
    ),
    reason: choiceField(Object.values(reasons), 'The reason, for a person.', reasons.invalid_format),
    code: choiceField(
      Object.keys(reasons) as [ImportFailureCode, ...ImportFailureCode[]],
      'The reason, as a code to switch on.',
      'invalid_format',
    ),
    message: z.optional(textField('With `invalid_format`: what to remove or to add.', problems.noCountryCode)),
  }),
);
export type ImportFailure = z.infer<typeof ImportFailure>;

/** A line that was not imported, as it is stored. It names its problem, whose sentence is longer. */
export type StoredImportFailure = Omit<ImportFailure, 'message'> & { problem?: RowProblem };

/** Describes a line that was not imported. It is cut, so that all fit in one item of 400 KB. */
export const importFailure = (
  line: number,
  number: string,
  code: ImportFailureCode,
  problem?: RowProblem,
): StoredImportFailure => ({
  line,
  number: cut(withoutControlCharacters(number), limits.importFailureCharacters),
  reason: reasons[code],
  code,
  problem,
});

export const toImportFailure = ({ problem, ...failure }: StoredImportFailure): ImportFailure => ({
  ...failure,
  message: problem && problems[problem],
});

const counter = (description: string, example: number) =>
  numberField(description, example, { type: 'integer', minimum: 0 });

export const BlockListImportSummary = component(
  'BlockListImportSummary',
  'An import of a file into a block list, with its status and counts so far.',
  z.object({
    importId: ImportId,
    agentId: z.optional(
      AgentId.check(z.describe('Id of the agent whose list the numbers are for. Absent: the user’s own list.')),
    ),
    reason: z.optional(textField('The reason for numbers that have no reason in the file.', 'Do-not-call registry')),
    status: ImportStatus,
    mode: ImportMode,
    lines: counter(
      'Lines that were read, without the header and empty ones: `added`, `alreadyBlocked` and `failed`.',
      4,
    ),
    added: counter('Numbers that the import blocked.', 2),
    alreadyBlocked: counter('Lines whose number was blocked already, repetitions within the file included.', 1),
    removed: counter('Numbers that `replace` removed, because the file does not have them.', 0),
    failed: counter('Lines that could not be imported.', 1),
    error: z.optional(
      textField('Why the import failed, in a sentence.', `The file is larger than ${formatLimit('importBytes')}.`),
    ),
    createdAt: timestamp('When the import was created.'),
    keyId: textField('Id of the API key that created the import.', 'key_01KB3M5T3Q8RXN2M6J4HB7C0DF'),
    keyName: KeyName,
    finishedAt: z.optional(timestamp('When the import ended.', '2026-03-01T10:02:00.000Z')),
  }),
);
export type BlockListImportSummary = z.infer<typeof BlockListImportSummary>;

export const BlockListImport = component(
  'BlockListImport',
  'An import of a file into a block list, with its status and counts so far, and the lines that failed.',
  z.extend(BlockListImportSummary, {
    failures: listField(
      ImportFailure,
      `The first ${formatWhole(limits.importFailures)} lines that could not be imported.`,
      [toImportFailure(importFailure(7, '12345', 'invalid_format', 'noCountryCode'))],
    ),
  }),
);
export type BlockListImport = z.infer<typeof BlockListImport>;

/** The folder of the bucket with the files to import. */
export const importsFolder = 'block-list-imports/';

export type ImportReference = { uid: string; importId: string };

/** Returns the key of an import's file in the bucket. It holds no name from a caller, and no identifier contains a slash. */
export const importFileKey = ({ uid, importId }: ImportReference) => `${importsFolder}${uid}.${importId}`;

/** Returns the import that a file of the bucket belongs to. */
export const importOfFileKey = (key: string): ImportReference | undefined => {
  const [, uid, importId] = /^block-list-imports\/(.+)\.(import_[^.]+)$/.exec(key) ?? [];
  return uid && importId ? { uid, importId } : undefined;
};

export const noSuchImport = () => new ApiError('import_not_found', 'This user has no such import.');

export const importInProgress = () =>
  new ApiError('import_in_progress', 'Another import of this block list is running. Wait until it has ended.');
