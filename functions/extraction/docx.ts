import mammoth from 'mammoth';
import { SaxesParser } from 'saxes';
import { isEncryptedOffice } from './document-kind.ts';
import { readHtml } from './html.ts';
import { type LongDocument, LongText } from './long-text.ts';
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
  const files = await readZip(bytes, (name) => /\.(xml|rels)$/i.test(name), maxInflatedBytes);
  const name = mainPartOf(files);
  const xml = files.get(name);
  if (!xml) throw new Error('The archive has no document.');
  files.delete(name);
  const content = new LongText();
  const contentMD = new LongText();
  for (const part of partsOf(xml)) {
    const { value } = await mammoth.convertToHtml(archiveOf(files, name, part), options);
    const { text, markdown } = readHtml({ html: tidy(value), url: 'about:blank' });
    content.add(text);
    contentMD.add(markdown);
  }
  return { content, contentMD, warnings: [] };
};

/** Unwraps the only paragraph of a cell, and removes the links from notes back to their references. */
const tidy = (html: string) =>
  html
    .replace(/<(t[dh])([^>]*)><p>((?:(?!<\/?(?:p|td|th)\b).)*)<\/p><\/\1>/g, '<$1$2>$3</$1>')
    .replace(/ ?<a href="#[^"]*-ref-[^"]*">↑<\/a>/g, '');

const options = {
  styleMap: ["p[style-name='Title'] => h1:fresh", "p[style-name='Subtitle'] => h2:fresh"],
  includeEmbeddedStyleMap: false,
  convertImage: mammoth.images.imgElement(async () => ({ src: '' })),
};
/** The library accepts an archive that is already open, so that nothing is inflated twice, and pictures never. */
const archiveOf = (files: Map<string, Buffer>, name: string, part: string) => {
  const file = {
    exists: (asked: string) => asked === name || files.has(asked),
    read: async (asked: string, encoding?: string) => {
      const text = asked === name ? part : (files.get(asked)?.toString() ?? '');
      return encoding ? text : Buffer.from(text);
    },
  };
  return { file } as unknown as Parameters<typeof mammoth.convertToHtml>[0];
};

/** Returns the name of the main part, from the package's relationships. */
const mainPartOf = (files: Map<string, Buffer>): string => {
  const relationships = files.get('_rels/.rels')?.toString() ?? '';
  for (const [element] of relationships.matchAll(/<(?:\w+:)?Relationship\b[^>]*>/g)) {
    if (!/\bType\s*=\s*["'][^"']*\/officeDocument["']/.test(element)) continue;
    const target = /\bTarget\s*=\s*["']\/?([^"']+)["']/.exec(element)?.[1];
    if (target && files.has(target)) return target;
  }
  return 'word/document.xml';
};

/**
 * Splits a long document between paragraphs and tables into separate documents; a shorter one stays whole. The XML is
 * decoded and parsed piece by piece, since as one string it would fill the worker's heap.
 */
const partsOf = function* (xml: Buffer): Generator<string> {
  if (xml.length <= partCharacters) return yield xml.toString();
  const open: string[] = [];
  const ends: number[] = [];
  let body: { start: number; depth: number; closing: string } | undefined;
  const parser = new SaxesParser();
  parser.on('error', (error) => {
    throw error;
  });
  parser.on('opentag', ({ name, isSelfClosing }) => {
    open.push(name);
    if (body || isSelfClosing || !/(^|:)body$/.test(name)) return;
    const closing = open.map((tag) => `</${tag}>`).reverse();
    body = { start: parser.position, depth: open.length, closing: closing.join('') };
  });
  parser.on('closetag', () => {
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
    parser.write(piece);
    if (!body) continue;
    if (head === undefined) {
      head = held.slice(0, body.start);
      held = held.slice(body.start);
      heldFrom = body.start;
    }
    for (const end of ends.splice(0)) {
      if (end - heldFrom < partCharacters) continue;
      yield head + held.slice(0, end - heldFrom) + body.closing;
      held = held.slice(end - heldFrom);
      heldFrom = end;
    }
  }
  parser.close();
  yield (head ?? '') + held;
};
