import type { DocumentStatus, DocumentType } from '../../domain/documents.ts';
import { documentStates } from '../../domain/source-state.ts';
import { service } from '../../service.ts';
import { documentCollection, documentKey } from '../keys.ts';
import { sourceQuota } from '../quotas.ts';
import { table } from '../table.ts';
import { type SourceKind, SourceReads, type SourceRecord, sourceReadPermissions } from './source-reads.ts';
import { Sources, sourcePermissions } from './sources.ts';

export type DocumentRecord = SourceRecord & {
  status: DocumentStatus;
  size: number;
  type?: DocumentType;
  /** The holder of the upload form, who is checked again with the file. */
  formIssuedTo?: { uid: string; keyId: string };
  /** The request that last wrote it, or caused the job. */
  requestId?: string;
};

export const documentKind: SourceKind = {
  states: documentStates,
  formKey: documentKey,
  of: documentCollection,
  blank: { content: '', contentMD: '' },
  // A download link with the longest name that is not plain ASCII.
  addedBytes: 3000,
};

/** The documents of agents. Their files are in the bucket. */
export const documents = /* @__PURE__ */ service(
  () => new Sources<DocumentRecord>(table.get(), documentKind, sourceQuota()),
  sourcePermissions,
);
export const documentReads = /* @__PURE__ */ service(
  () => new SourceReads<DocumentRecord>(table.get(), documentKind),
  sourceReadPermissions,
);
