import * as z from 'zod/mini';
import { timestamp } from './date-time.ts';
import { choiceField, component, describe, flagField, numberField, objectComponent, textField } from './describe.ts';
import { ApiError } from './errors.ts';
import { examples } from './examples.ts';
import { formatLimit } from './format-limit.ts';
import { formatWhole } from './format-whole.ts';
import { AgentId, Identifier, newIdentifier, Uid } from './identifiers.ts';
import { limits } from './limits.ts';
import { md5OfAttempt } from './source-state.ts';
import { listedTextFields, SourceName, warningsField } from './sources.ts';

/** The kind of a document, by its content; only Markdown is recognized by its name. */
export const DocumentType = z.enum(['pdf', 'docx', 'txt', 'md']);
export type DocumentType = z.infer<typeof DocumentType>;

/** Returns the type of a text by its name: Markdown or plain text. */
export const guessTextType = (name: string) => (/\.(md|markdown)$/i.test(name) ? ('md' as const) : ('txt' as const));

export const DocumentStatus = z.enum(['pending', 'processing', 'ready', 'failed']);
export type DocumentStatus = z.infer<typeof DocumentStatus>;

export const DocumentSummary = objectComponent('DocumentSummary', 'A document of a knowledge base, without its text.', {
  id: textField('Id of the document.', examples.documentId),
  agentId: AgentId,
  name: textField('Name of the document. Initially the name of the file.', 'Price list.pdf'),
  active: flagField('Whether the agent uses the document.', true),
  lastUpdatedBy: textField('Id of the user who last changed it.', 'demo-user'),
  lastUpdatedAt: timestamp('When it was last changed by a user, or by the service at the end of the extraction.'),
  fileUrl: z.optional(
    textField(
      `A link to download the file, valid for ${formatLimit('linkSeconds')}. Absent until the file is there.`,
      'https://files.example.com/documents/agent_01KB3M5T3Q8RXN2M6J4HB7C0DE.doc_01KB3P8V4N6T0R2X5Z7B9D1F3H0?X-Amz-Expires=900',
    ),
  ),
  status: DocumentStatus.check(describe('Status of the text extraction.', 'ready')),
  error: z.optional(textField('The reason of a failure, in a sentence.', 'The document is protected with a password.')),
  ...warningsField,
  md5: z.optional(
    textField('MD5 of the file, in hexadecimal. Absent until the file is there.', '9e107d9d372bb6826bd81d3542a419d6'),
  ),
  size: numberField('Size of the file in bytes; the announced size until it is uploaded.', 48_213),
  type: z.optional(
    DocumentType.check(describe('Type of the file, determined by its content. Absent until it is uploaded.', 'pdf')),
  ),
});
export type DocumentSummary = z.infer<typeof DocumentSummary>;

/** A document with its text, which a list cuts if it is too long. */
export const Document = component(
  'Document',
  'A document of a knowledge base. Its text is there once it was extracted.',
  z.object({ ...DocumentSummary.shape, ...listedTextFields }),
);
export type Document = z.infer<typeof Document>;

export const DocumentId = Identifier.check(describe('Id of the document.', examples.documentId));

/** A document of an agent, as a request names it. */
export const DocumentReference = z.object({ uid: Uid, agentId: AgentId, documentId: DocumentId });

/** The reasons why a file is not accepted, by code. */
export const rejectionReasons = {
  file_too_large: `The file is larger than ${formatLimit('fileBytes')} (${formatWhole(limits.fileBytes)} bytes).`,
  empty_file: 'The file is empty.',
  unsupported_file_type: 'The file is not a PDF, a Word document (.docx) or text.',
  invalid_request: `A file needs a name of 1 to ${formatLimit('nameCharacters')} characters.`,
  internal_error: 'The file could not be stored. Try again.',
} as const;
export type RefusalCode = keyof typeof rejectionReasons;

export const RefusedFile = objectComponent('RefusedFile', 'A file that was not accepted, with the reason.', {
  name: textField('Name of the file, as it was sent.', 'setup.exe'),
  code: choiceField(
    Object.keys(rejectionReasons) as [RefusalCode, ...RefusalCode[]],
    'The reason, as a code to switch on.',
    'unsupported_file_type',
  ),
  reason: textField('The reason, in a sentence.', rejectionReasons.unsupported_file_type),
});
export type RefusedFile = z.infer<typeof RefusedFile>;

export const rejectFile = (name: string, code: RefusalCode, reason: string = rejectionReasons[code]): RefusedFile => ({
  name,
  code,
  reason,
});

/** Returns what is wrong with a file that is larger than the form of its upload allows. */
export const largerThanAnnounced = (bytes: number) =>
  `The file is larger than the ${formatWhole(bytes)} bytes that were announced.`;

/** Checks a file by its name, size and declared type, before its content is read. Returns the rejection, if there is one. */
export const rejectionOfFile = (file: { name: string; size: number; type?: string }) => {
  const { name, size, type } = file;
  if (!isDocumentName(name)) return rejectFile(name, 'invalid_request');
  if (size > limits.fileBytes) return rejectFile(name, 'file_too_large');
  if (size === 0) return rejectFile(name, 'empty_file');
  if (type && surelyNoDocument.test(type)) return rejectFile(name, 'unsupported_file_type');
};

const isDocumentName = (name: string) => z.safeParse(SourceName, name).success && name.trim() !== '';

/** Media types are often wrong, and the content decides. Only these are trusted. */
const surelyNoDocument =
  /^(image|audio|video|font|model)\/|^application\/(x-msdownload|x-msdos-program|vnd\.ms-excel)\b/i;

/** Returns the error for a request with no accepted file, with the code of the first file. */
export const noFileTaken = (failed: RefusedFile[]): ApiError => {
  const [first] = failed as [RefusedFile];
  const details = failed.map(({ name, reason }) => ({ path: name, message: reason }));
  return new ApiError(first.code, first.reason, { details });
};

/** Returns the id of one of the documents that a request creates (at most ten). The ids sort in the order of its files. */
export const newDocumentId = (creationId: string, index: number) => newIdentifier('doc', `${creationId}${index}`);

/** The folder of the bucket with the files of documents. */
export const filesFolder = 'documents/';

/** Returns the key of a document's file in the bucket. It holds no name from a caller, and no identifier contains a slash. */
export const fileKey = ({ agentId, id }: { agentId: string; id: string }) => `${filesFolder}${agentId}.${id}`;

/** Returns the key to which an upload form sends a file. The first one becomes the document's file, and later ones are deleted. */
export const uploadKey = (document: { agentId: string; id: string }) => `${fileKey(document)}.upload`;

/** Returns the document that a file of the bucket belongs to. */
export const parseFileKey = (key: string): { agentId: string; id: string } | undefined => {
  const [, agentId, id] = /^documents\/(.+)\.(doc_[^.]+)(?:\.upload)?$/.exec(key) ?? [];
  return agentId && id ? { agentId, id } : undefined;
};

/** A download of a document's file: under its name, and never as a type that a browser runs. */
export type Download = { key: string; name: string; contentType: string };

/** Returns the download of a document's file; none while the document waits for it. */
const toDownload = (record: {
  agentId: string;
  id: string;
  name: string;
  type?: DocumentType;
  fileDeadlineAt?: number;
}): Download | undefined => {
  if (record.fileDeadlineAt !== undefined) return undefined;
  const contentType = record.type ? contentTypes[record.type] : 'application/octet-stream';
  return { key: fileKey(record), name: record.name, contentType };
};

/** Returns the fields that a response adds to the record of a document: the link to its file, and the checksum of the file. */
export const fileFields = (
  record: Parameters<typeof toDownload>[0] & { attempt?: string },
  signUrl: (download: Download) => string,
) => {
  const download = toDownload(record);
  const md5 = md5OfAttempt(record.attempt);
  return { fileUrl: download && signUrl(download), md5: download && md5 };
};

const contentTypes: Record<DocumentType, string> = {
  pdf: 'application/pdf',
  docx: 'application/vnd.openxmlformats-officedocument.wordprocessingml.document',
  txt: 'text/plain',
  md: 'text/markdown',
};
