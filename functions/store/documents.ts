import type { DocumentStatus, DocumentType } from '../domain/documents.ts';
import { service } from '../service.ts';
import { documentKey, documentsOf } from './keys.ts';
import { type SourceKind, type SourceRecord, Sources, sourcePermissions } from './sources.ts';
import { type Table, table } from './table.ts';

/** A document's record. Until its file is there it has `ttlSeconds`: a form that is never used leaves nothing. */
export type DocumentRecord = SourceRecord & { status: DocumentStatus; size: number; type?: DocumentType };

/** How long a document waits for its file. */
export const waitSeconds = 60 * 60;
/** How long an extraction may take, all its deliveries included, before it counts as failed. */
export const extractionSeconds = 30 * 60;

const kind: SourceKind = {
  keyOf: documentKey,
  of: documentsOf,
  working: 'processing',
  overdue: 'The document could not be read, for no fault of its own. Try again.',
  // A download link, with the name in it: longest where that is not plain ASCII.
  addedBytes: 3000,
};

/** The documents of agents. Their files are in the bucket. */
export class Documents extends Sources<DocumentRecord> {
  constructor(table: Table) {
    super(table, kind);
  }
}

export const documents = service(() => new Documents(table.get()), sourcePermissions);
