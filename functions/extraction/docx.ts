import { posix } from 'node:path';
import mammoth from 'mammoth';
import { SaxesParser } from 'saxes';
import { isEncryptedOffice } from './document-kind.ts';
import { importMark, type PreparedPart, prepareXml, removeUnread, type SharedParts } from './docx-elements.ts';
import { convertImport } from './docx-imports.ts';
import { Numbering, showMarkdownNumbers, showNumbers } from './docx-numbering.ts';
import { readHtml } from './html.ts';
import { describeIgnored, type LongDocument, LongText } from './long-text.ts';
import { ReadingBudget, steps } from './reading-budget.ts';
import { readZip } from './zip.ts';

/** XML inflates to twenty times its size and more; a document of 10 MB needs much less than this. */
const maxInflatedBytes = 64 * 1024 * 1024;
/** A tree of XML takes fifty times the memory of its text, so a long document is read in parts of about this length. */
const partCharacters = 200_000;
const pieceBytes = 64 * 1024;

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

/** Puts the text of imported parts at their places. */
const importParts = (html: string, readImport: (id: string) => string | undefined, unread: Map<string, number>) =>
  html.replace(importedParagraph, (_, id: string) => {
    const imported = readImport(id);
    if (imported === undefined) unread.set('imported documents', (unread.get('imported documents') ?? 0) + 1);
    return imported ?? '';
  });

/** Returns a reader of imported parts as HTML, as far as the budget goes. A part can be imported many times. */
const importReader = (files: Map<string, Buffer>, readShared: ReadShared, budget: ReadingBudget) => {
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

const importedParagraph = new RegExp(`(?:<p>)?${importMark('([^\u2063]*)')}(?:</p>)?`, 'g');

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

type ReadShared = (name: string) => string;

/** Returns a reader of the files that all parts share, such as the styles: the library parses them again for each part. */
const sharedReader = (files: Map<string, Buffer>, budget: ReadingBudget): ReadShared => {
  const read = new Map<string, { text: string; cost: number }>();
  return (name) => {
    const known = read.get(name);
    if (known) {
      // The last part of a spent document still has its styles and notes.
      budget.take(known.cost);
      return known.text;
    }
    const { left } = budget;
    const bytes = files.get(name);
    const text = bytes ? cutXml(bytes, budget) : '';
    read.set(name, { text, cost: left - budget.left });
    return text;
  };
};

const noRelationships = '<Relationships xmlns="http://schemas.openxmlformats.org/package/2006/relationships"/>';

/** Returns the name of the main part, from the package's relationships. */
const findMainPart = (files: Map<string, Buffer>, readShared: ReadShared): string => {
  const main = parseRelationships(readShared('_rels/.rels')).find(({ Type = '' }) => Type.endsWith('/officeDocument'));
  const target = main?.Target?.replace(/^\//, '');
  return target && files.has(target) ? target : 'word/document.xml';
};

/** Returns the names of the parts that a part refers to, by relationship. */
const resolveRelationships = (readShared: ReadShared, name: string) =>
  new Map(
    parseRelationships(readShared(relationshipsFile(name))).map(({ Id = '', Target = '' }) => [
      Id,
      posix.join(Target.startsWith('/') ? '' : posix.dirname(name), Target).replace(/^\//, ''),
    ]),
  );

const relationshipsFile = (name: string) => posix.join(posix.dirname(name), '_rels', `${posix.basename(name)}.rels`);

const parseRelationships = (xml: string): Record<string, string>[] =>
  [...xml.matchAll(/<(?:\w+:)?Relationship\b[^<>]*>/g)].map(([element]) =>
    Object.fromEntries(
      [...element.matchAll(/\b(\w+)\s*=\s*["']([^"']*)["']/g)].map(([, name, value]) => [name, value]),
    ),
  );

const runs = /(^|:)[rt]$/;
/** The elements whose text is read. Instructions of fields are as long as texts, and most of them are not. */
const texts = /(^|:)t$/;
/** Elements whose attributes the library reports. */
const reported = /(^|:)([prR]Style|tblStyle|br|sym)$/;
/** The elements that become elements of HTML. */
const blocks = /(^|:)(p|tbl|tr|tc|br|cr|tab|b|i|u|strike|hyperlink|drawing|pict)$/;

/** Returns the XML of a part as far as the budget goes. */
const cutXml = (xml: Buffer, budget: ReadingBudget): string => [...splitParts(xml, budget, xml.length)].join('');

/**
 * Splits a long document between paragraphs and tables, as far as the budget goes. The XML is parsed piece by piece: one string
 * would fill the worker's heap.
 */
const splitParts = function* (xml: Buffer, budget: ReadingBudget, characters = partCharacters): Generator<string> {
  const open: string[] = [];
  const ends: number[] = [];
  let body: { start: number; depth: number; closing: string } | undefined;
  /** The end of the last element that the budget has paid for. */
  let paid = 0;
  const reports = new Set<string>();
  const parser = new SaxesParser();
  parser.on('error', (error) => {
    throw error;
  });
  parser.on('opentag', ({ name, isSelfClosing, attributes }) => {
    const size = blocks.test(name) ? steps.xmlBlock : runs.test(name) ? steps.xmlRun : steps.xmlElement;
    const known = reports.size;
    reports.add(describeReport(name, attributes));
    const cost = size + (reports.size > known ? known * steps.xmlReport : 0);
    if (!budget.takeElement(cost, Object.keys(attributes).length, steps.xmlAttribute)) throw new SpentError();
    paid = parser.position;
    open.push(name);
    if (body || isSelfClosing || !/(^|:)body$/.test(name)) return;
    body = { start: parser.position, depth: open.length, closing: closeTags(open) };
  });
  parser.on('text', (text) => {
    if (texts.test(open.at(-1) ?? '') && !budget.take(text.length * steps.character)) throw new SpentError();
  });
  parser.on('closetag', () => {
    paid = parser.position;
    open.pop();
    if (body && open.length === body.depth) ends.push(parser.position);
  });

  const decoder = new TextDecoder();
  let head: string | undefined;
  let held = '';
  let heldFrom = 0;
  for (let at = 0; at < xml.length; at += pieceBytes) {
    const piece = decoder.decode(xml.subarray(at, at + pieceBytes), { stream: true });
    held += piece;
    try {
      if (!budget.take(piece.length * steps.xmlCharacter)) throw new SpentError();
      parser.write(piece);
    } catch (error) {
      // The library reads a short part that is not well-formed as far as it can.
      if (!(error instanceof SpentError) && xml.length <= partCharacters) return yield xml.toString();
      if (!(error instanceof SpentError)) throw error;
      return yield (head ?? '') + held.slice(0, paid - heldFrom) + closeTags(open);
    }
    if (!body) continue;
    if (head === undefined) {
      head = held.slice(0, body.start);
      held = held.slice(body.start);
      heldFrom = body.start;
    }
    for (const end of ends.splice(0)) {
      if (end - heldFrom < characters) continue;
      yield head + held.slice(0, end - heldFrom) + body.closing;
      held = held.slice(end - heldFrom);
      heldFrom = end;
    }
  }
  parser.close();
  yield (head ?? '') + held;
};

/** Returns what the library may report of an element, which it compares with all other reports. */
const describeReport = (name: string, attributes: Record<string, string>): string => {
  const isReported = reported.test(name);
  const named = Object.entries(attributes).filter(([attribute]) => isReported || attribute.startsWith('xmlns'));
  return [name, ...named.map(([, value]) => value)].join(' ');
};

const closeTags = (open: string[]) =>
  open
    .map((tag) => `</${tag}>`)
    .reverse()
    .join('');

/** Ends a parser whose budget is spent. */
class SpentError extends Error {
  override readonly name = 'SpentError';
}
