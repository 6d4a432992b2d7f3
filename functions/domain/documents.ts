import * as z from 'zod/mini';
import { ApiError } from './errors.ts';
import { Identifier, newIdentifier } from './identifiers.ts';
import { limits } from './limits.ts';
import { SourceName, sourceTextFields } from './sources.ts';

/** What a document is, told by its content; Markdown alone by its name. */
export const DocumentType = z.enum(['pdf', 'docx', 'txt', 'md']);
export type DocumentType = z.infer<typeof DocumentType>;

export const DocumentStatus = z.enum(['pending', 'processing', 'ready', 'failed']);
export type DocumentStatus = z.infer<typeof DocumentStatus>;

/** A document of a knowledge base without its text (contract 2.4; from `status` on, fields are ours). */
export const DocumentSummary = z.object({
  id: z.string(),
  agentId: z.string(),
  name: z.string(),
  active: z.boolean(),
  lastUpdatedBy: z.string(),
  lastUpdatedAt: z.string(),
  /** Not there until the file is. */
  fileUrl: z.optional(z.string().check(z.describe('A link to download the file, good for 15 minutes.'))),
  status: DocumentStatus,
  error: z.optional(z.string().check(z.describe('Why there is no text, in a sentence.'))),
  size: z.number().check(z.describe('Bytes.')),
  type: z.optional(DocumentType),
});
export type DocumentSummary = z.infer<typeof DocumentSummary>;

/** The same with its text, which a list cuts where it is too long. */
export const Document = z.object({
  ...DocumentSummary.shape,
  content: z.optional(sourceTextFields.content),
  contentMD: z.optional(sourceTextFields.contentMD),
  truncated: z.optional(z.literal(true)),
});
export type Document = z.infer<typeof Document>;

/** How a request names one document of an agent. */
export const DocumentReference = z.object({ uid: Identifier, agentId: Identifier, documentId: Identifier });

/** Why a file is not taken. */
export const refusalReasons = {
  file_too_large: 'The file is larger than 10 MB (10,485,760 bytes).',
  empty_file: 'The file is empty.',
  unsupported_file_type: 'The file is no PDF, Word document (.docx) or text.',
  invalid_request: 'A file needs a name of 1 to 200 characters.',
  internal_error: 'The file could not be stored. Try again.',
} as const;
export type RefusalCode = keyof typeof refusalReasons;

/** A file that was not taken, and why; the others are. */
export const RefusedFile = z.object({
  name: z.string(),
  code: z.enum(Object.keys(refusalReasons) as [RefusalCode, ...RefusalCode[]]),
  reason: z.string(),
});
export type RefusedFile = z.infer<typeof RefusedFile>;

export const refuseFile = (name: string, code: RefusalCode, reason: string = refusalReasons[code]): RefusedFile => ({
  name,
  code,
  reason,
});

/** What is wrong with a file before its content is looked at. */
export const refusalOfFile = ({ name, size }: { name: string; size: number }): RefusedFile | undefined => {
  if (!isDocumentName(name)) return refuseFile(name, 'invalid_request');
  if (size > limits.fileBytes) return refuseFile(name, 'file_too_large');
  if (size === 0) return refuseFile(name, 'empty_file');
};

/**
 * Whether what a file is said to be leaves it possible that it is a document. Browsers give a media type, or an empty
 * text where they know none; only what surely is something else is refused before its content is seen.
 */
export const isDeclaredType = (type: string | undefined) =>
  type === undefined ||
  /^(|pdf|docx|txt|md|text\/.*|application\/(octet-stream|(x-)?(pdf|zip(-compressed)?)|msword|vnd\.openxmlformats-officedocument\.wordprocessingml\..*|.*markdown))$/i.test(
    type.split(';')[0]?.trim() ?? '',
  );

/** When no file of a request is taken, the first one's code speaks for it. */
export const noFileTaken = (failed: RefusedFile[]): ApiError => {
  const [first] = failed as [RefusedFile];
  const details = failed.map(({ name, reason }) => ({ path: name, message: reason }));
  return new ApiError(first.code, first.reason, { details });
};

/** Whether a file of this name is taken. */
const isDocumentName = (name: string) => z.safeParse(SourceName, name).success && name.trim() !== '';

/** The id of one of the at most ten documents that a request makes: they stand in the order of its files. */
export const newDocumentId = (creationId: string, index: number) => newIdentifier('doc', `${creationId}${index}`);

/** Where a document's file lies in the bucket. No name from outside is part of it, and no identifier makes it a path. */
export const fileKeyOf = ({ agentId, id }: { agentId: string; id: string }) => `documents/${agentId}.${id}`;

/** Which document a file of the bucket belongs to. */
export const documentOfFileKey = (key: string): { agentId: string; id: string } | undefined => {
  const [, agentId, id] = /^documents\/(.+)\.(doc_[^.]+)$/.exec(key) ?? [];
  return agentId && id ? { agentId, id } : undefined;
};

/** How the file of a document is downloaded: under its name, and never as a type that a browser runs. */
export type Download = { key: string; name: string; contentType: string };

/** The download of a document's file; none as long as a form for it may go unused. */
export const downloadOf = (record: {
  agentId: string;
  id: string;
  name: string;
  type?: DocumentType | undefined;
  ttlSeconds?: number | undefined;
}): Download | undefined => {
  if (record.ttlSeconds !== undefined) return undefined;
  const contentType = record.type ? contentTypes[record.type] : 'application/octet-stream';
  return { key: fileKeyOf(record), name: record.name, contentType };
};

const contentTypes: Record<DocumentType, string> = {
  pdf: 'application/pdf',
  docx: 'application/vnd.openxmlformats-officedocument.wordprocessingml.document',
  txt: 'text/plain',
  md: 'text/markdown',
};
