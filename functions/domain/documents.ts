import * as z from 'zod/mini';
import { Identifier } from './identifiers.ts';
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

/** Why no file is taken of a name; undefined for a good one. */
export const isDocumentName = (name: string) => z.safeParse(SourceName, name).success && name.trim() !== '';

/** The document of a request that makes several: the ids of one request stand in the order of its files. */
export const documentUlid = (creationId: string, index: number) => `${creationId}${index}`;

const folder = 'documents/';

/** Where a document's file lies in the bucket. No name from outside is part of it, and no identifier makes it a path. */
export const fileKeyOf = ({ agentId, id }: { agentId: string; id: string }) => `${folder}${agentId}.${id}`;

/** Which document a file of the bucket belongs to. */
export const documentOfFileKey = (key: string): { agentId: string; id: string } | undefined => {
  const [, agentId, id] = /^documents\/(.+)\.(doc_[^.]+)$/.exec(key) ?? [];
  return agentId && id ? { agentId, id } : undefined;
};

/** The type a file is downloaded as: never one that a browser runs. */
export const contentTypeOf = (type: DocumentType | undefined) =>
  type ? contentTypes[type] : 'application/octet-stream';

const contentTypes: Record<DocumentType, string> = {
  pdf: 'application/pdf',
  docx: 'application/vnd.openxmlformats-officedocument.wordprocessingml.document',
  txt: 'text/plain',
  md: 'text/markdown',
};
