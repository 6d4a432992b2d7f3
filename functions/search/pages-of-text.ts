import type { SourceKindName } from '../domain/sources.ts';
import type { IndexedPage } from './pack-index.ts';

/** Returns the pages of a stored text: the pages of a website from its JSON, or a document as one page. */
export const parsePages = (kind: SourceKindName, content: string): IndexedPage[] =>
  kind === 'website' ? JSON.parse(content) : [{ text: content }];
