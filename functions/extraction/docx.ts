import { posix } from 'node:path';
import mammoth from 'mammoth';
import { isEncryptedOffice } from './document-kind.ts';
import { type PreparedPart, prepareXml, removeUnread, type SharedParts } from './docx-elements.ts';
import { importParts, importReader } from './docx-imports.ts';
import { Numbering, showMarkdownNumbers, showNumbers } from './docx-numbering.ts';
import { cutXml, sharedReader, splitParts } from './docx-parts.ts';
import {
  findMainPart,
  noRelationships,
  type ReadShared,
  relationshipsFile,
  resolveRelationships,
} from './docx-relationships.ts';
import { readHtml } from './html.ts';
import { describeIgnored, type LongDocument, LongText } from './long-text.ts';
import { ReadingBudget } from './reading-budget.ts';
import { readZip } from './zip.ts';

/** XML inflates to twenty times its size and more; a document of 10 MB needs much less than this. */
const maxInflatedBytes = 64 * 1024 * 1024;

/** A file that is encrypted with a password. */
export class PasswordProtectedError extends Error {
  override readonly name = 'PasswordProtectedError';
}

/** Reads a Word document as text and as Markdown, part by part, without its pictures. */
export const readDocx = async (bytes: Buffer): Promise<LongDocument> => {
  if (isEncryptedOffice(bytes)) throw new PasswordProtectedError();
  const budget = new ReadingBudget(bytes.length);
  // Imported parts can hold any number of elements.
  const budgetOfHtml = new ReadingBudget(bytes.length);
  const files = await readZip(bytes, (name) => readFiles.test(name), maxInflatedBytes);
  const readShared = sharedReader(files, budget);
  const name = findMainPart(files, readShared);
  const xml = files.get(name);
  if (!xml) throw new Error('The archive has no document.');
  files.delete(name);
  const shared: SharedParts = { budget, notes: new Map() };
  /** Reads a part once, and leaves to the library what it needs of it: it reads the part again for each part of the text. */
  const prepare = (part: string, toPrepared: (xml: string) => string): string => {
    const partName = posix.join(posix.dirname(name), `${part}.xml`);
    const bytes = files.get(partName);
    const xml = bytes ? cutXml(bytes, budget) : '';
    if (bytes) files.set(partName, Buffer.from(toPrepared(xml)));
    readShared(partName);
    return xml;
  };
  const relationships = resolveRelationships(readShared, name);
  for (const notes of ['footnotes', 'endnotes']) prepare(notes, (xml) => prepareXml(xml, shared).xml);
  const numbers = prepare('numbering', removeUnread);
  const styles = prepare('styles', removeUnread);
  const numbered = { ...shared, numbering: numbers ? new Numbering(numbers, styles) : undefined };
  const readImport = importReader(files, readShared, budget);
  const content = new LongText();
  const contentMD = new LongText();
  const unread = new Map<string, number>();
  let hasPictures = false;
  let hasText = false;
  const add = (html: string) => {
    const { text, markdown } = readHtml({ html, url: 'about:blank', budget: budgetOfHtml });
    hasText ||= text !== '';
    content.add(showNumbers(text));
    contentMD.add(showMarkdownNumbers(markdown));
  };
  const toHtml = async (part: PreparedPart, partName = name) => {
    hasPictures ||= /:(blip|imagedata)\b/.test(part.xml);
    const archive = toArchive(files, name, part.xml, partName, readShared);
    const { value, messages } = await mammoth.convertToHtml(archive, options);
    for (const [words, count] of [...part.unread, ...countIgnored(messages, part)])
      unread.set(words, (unread.get(words) ?? 0) + count);
    return importParts(tidy(value), (id) => readImport(partName, id), unread);
  };
  let surroundings: string[] | undefined;
  for (const xmlOfPart of splitParts(xml, budget)) {
    if (xmlOfPart === '') break;
    const part = prepareXml(xmlOfPart, numbered);
    surroundings ??= part.surroundings;
    add(await toHtml(part));
  }
  if (!budget.isSpent) add(await readSurroundings(surroundings ?? [], relationships, shared, readShared, toHtml));
  const { warnings } = budgetOfHtml;
  if (budget.isSpent && !budgetOfHtml.isSpent) warnings.push(...budget.warnings);
  if (unread.size > 0) warnings.push({ code: 'ignored_elements', message: describeIgnored(unread) });
  if (hasPictures && !hasText) {
    warnings.push({ code: 'pictures_only', message: 'It has pictures. Text in pictures is not read.' });
  }
  return { content, contentMD, warnings };
};

/** The files of the archive that can hold text. */
const readFiles = /\.(xml|rels|x?html?|mht|mhtml|txt)$/i;

/** Returns the elements with text that the library ignored, with their number. */
const countIgnored = (messages: { message: string }[], { withText }: PreparedPart) => {
  const names = new Set([...withText].map((name) => name.slice(name.indexOf(':') + 1)));
  const counts = new Map<string, number>();
  for (const { message } of messages) {
    const [said = ''] = /^An \w+ element was ignored: /.exec(message) ?? [];
    const element = message.slice(said.length);
    const name = element.slice(Math.max(element.lastIndexOf(':'), element.lastIndexOf('}')) + 1);
    if (!said || !names.has(name)) continue;
    counts.set(name, (counts.get(name) ?? 0) + 1);
  }
  return counts;
};

/** Returns the headers and footers of the first section under a heading: letterheads have addresses and opening hours. */
const readSurroundings = async (
  ids: string[],
  relationships: Map<string, string>,
  shared: SharedParts,
  readShared: ReadShared,
  toHtml: (part: PreparedPart, name: string) => Promise<string>,
) => {
  const found = new Set<string>();
  for (const partName of new Set(ids.map((id) => relationships.get(id) ?? ''))) {
    const xml = readShared(partName);
    // Most of them are empty or number the pages, and each conversion reads the styles again.
    if (!/<(?:\w+:)?t(?:\s[^<>]*)?>[^<]*\p{L}{2}/u.test(xml)) continue;
    const document = xml
      .replace(/<((?:\w+:)?)(?:hdr|ftr)\b([^<>]*[^/<>])>/, '<$1document$2><$1body>')
      .replace(/<\/((?:\w+:)?)(?:hdr|ftr)\s*>\s*$/, '</$1body></$1document>');
    if (document !== xml) found.add(await toHtml(prepareXml(document, shared), partName));
  }
  return found.size > 0 ? `<h2>Header and footer</h2>${[...found].join('')}` : '';
};

/** Unwraps the only paragraph of a cell, removes links of notes, and replaces pictures and check boxes by text. */
const tidy = (html: string) =>
  html
    .replace(/<(t[dh])([^>]*)><p>((?:(?!<\/?(?:p|td|th)\b).)*)<\/p><\/\1>/g, '<$1$2>$3</$1>')
    .replace(/ ?<a href="#[^"]*">↑<\/a>/g, '')
    .replace(/<input type="checkbox"( checked="checked")? \/>/g, (_, checked?: string) => (checked ? '☑' : '☐'))
    .replace(/<img\b[^>]*?\balt="([^"]*)"[^>]*>/g, ' $1 ');

const options = {
  styleMap: ["p[style-name='Title'] => h1:fresh", "p[style-name='Subtitle'] => h2:fresh"],
  includeEmbeddedStyleMap: false,
  convertImage: mammoth.images.imgElement(async () => ({ src: '' })),
};
/**
 * Opens the archive for the library, so that nothing is inflated twice. `partName` takes the place of the main part.
 */
const toArchive = (
  files: Map<string, Buffer>,
  name: string,
  part: string,
  partName: string,
  readShared: ReadShared,
) => {
  const own = relationshipsFile(name);
  const file = {
    exists: (asked: string) => asked === name || files.has(asked),
    read: async (asked: string, encoding?: string) => {
      const wanted = asked === own ? relationshipsFile(partName) : asked;
      const text = asked === name ? part : readShared(wanted) || noRelationships;
      return encoding ? text : Buffer.from(text);
    },
  };
  return { file } as unknown as Parameters<typeof mammoth.convertToHtml>[0];
};
