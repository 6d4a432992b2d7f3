import { type ReadShared, resolveRelationships } from './docx-relationships.ts';
import { type ElementReader, escapeXml, readAttribute, writeParagraph, type XmlEdits } from './docx-xml.ts';
import { readMessageHeaders } from './mime-headers.ts';
import { readMessagePage } from './mime-message.ts';
import { decodeHtml } from './page-text.ts';
import { type ReadingBudget, steps } from './reading-budget.ts';

/** The text that stands for an imported part until the part's own text takes its place. */
const importMark = (relationship: string) => `\u2063import:${relationship}\u2063`;

const importedParagraph = new RegExp(`(?:<p>)?${importMark('([^\u2063]*)')}(?:</p>)?`, 'g');

/** Replaces a part that is imported by a paragraph that stands for it. */
export const readImports = (edits: XmlEdits): ElementReader => ({
  close(element) {
    const { name, start, end } = element;
    if (name === 'w:altChunk') edits.replace(start, end, writeParagraph(importMark(readAttribute(element, 'id'))));
  },
});

/** Returns a reader of imported parts as HTML, as far as the budget goes. A part can be imported many times. */
export const importReader = (files: Map<string, Buffer>, readShared: ReadShared, budget: ReadingBudget) => {
  const read = new Map<string, string | undefined>();
  const relationships = new Map<string, Map<string, string>>();
  return (partName: string, id: string): string | undefined => {
    const ofPart = relationships.get(partName) ?? resolveRelationships(readShared, partName);
    relationships.set(partName, ofPart);
    const name = ofPart.get(id) ?? '';
    const bytes = files.get(name);
    if (!budget.take((bytes?.length ?? 0) * steps.character)) return '';
    if (!read.has(name)) read.set(name, bytes && convertImport(bytes));
    return read.get(name);
  };
};

/** Returns the HTML of an imported part: a page, MHTML or plain text; undefined for others. */
const convertImport = (bytes: Buffer): string | undefined => {
  const start = bytes.toString('latin1', 0, 5);
  if (readMessageHeaders(bytes)) return readMessagePage(bytes)?.text;
  if (bytes.includes(0) || /^(PK|\{\\rtf)/.test(start)) return undefined;
  const { text } = decodeHtml(bytes);
  if (/<(html|body|!doctype|p|div|h\d|table|span|meta)\b/i.test(text)) return text;
  return `<p>${escapeXml(text).replace(/\r\n?|\n/g, '<br>')}</p>`;
};

/** Puts the text of imported parts at their places. */
export const importParts = (
  html: string,
  readImport: (id: string) => string | undefined,
  unread: Map<string, number>,
) =>
  html.replace(importedParagraph, (_, id: string) => {
    const imported = readImport(id);
    if (imported === undefined) unread.set('imported documents', (unread.get('imported documents') ?? 0) + 1);
    return imported ?? '';
  });
