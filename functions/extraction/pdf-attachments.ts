import type { PDFDocumentProxy } from 'pdfjs-dist';
import { isEncryptedOffice } from './document-kind.ts';
import { type ReadingBudget, steps } from './reading-budget.ts';

/**
 * Counts the attached files, and the encrypted ones: rights management puts a document's text into one. They can be one file, which
 * is unpacked for each.
 */
export const countAttachments = async (
  pdf: PDFDocumentProxy,
  budget: ReadingBudget,
): Promise<{ attached: number; encrypted: number }> => {
  const ids = [...((await pdf.getAttachments()) ?? new Map<string, unknown>()).keys()];
  let encrypted = 0;
  for (const id of ids) {
    const content = await pdf.getAttachmentContent(id);
    if (!budget.takeSpare((content?.length ?? 0) * steps.attachedByte)) break;
    if (content && isEncrypted(Buffer.from(content))) encrypted++;
  }
  return { attached: ids.length, encrypted };
};

const isEncrypted = (bytes: Buffer) =>
  isEncryptedOffice(bytes) ||
  (bytes.toString('latin1', 0, 5) === '%PDF-' && /\/Encrypt\b/.test(bytes.toString('latin1')));
