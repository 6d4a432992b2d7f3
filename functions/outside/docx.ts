import mammoth from 'mammoth';
import { SaxesParser } from 'saxes';
import { isEncryptedOffice } from './document-kind.ts';
import { readHtml } from './html.ts';
import { readZip } from './zip.ts';

/** XML inflates to twenty times itself and more; what a document of 10 MB can need is well below this. */
const mostInflatedBytes = 64 * 1024 * 1024;
/** A tree of XML takes fifty times its text: a long document is read in parts of about so many characters. */
const partCharacters = 200_000;

/** A file that only its password opens. */
export class Encrypted extends Error {
  override readonly name = 'Encrypted';
}

/** Reads a Word document, part by part: its text, and the same as Markdown. Pictures are left out. */
export const readDocx = async (bytes: Buffer): Promise<{ content: string; contentMD: string }> => {
  if (isEncryptedOffice(bytes)) throw new Encrypted();
  const files = await readZip(bytes, (name) => /\.(xml|rels)$/i.test(name), mostInflatedBytes);
  const body = [...files].find(([name]) => name === mainPartOf(files));
  if (!body) throw new Error('The archive has no document in it.');
  const [name, xml] = body;
  files.delete(name);
  const content: string[] = [];
  const contentMD: string[] = [];
  for (const part of partsOf(xml.toString())) {
    const { value } = await mammoth.convertToHtml(archiveOf(files, name, part), options);
    const { text, markdown } = readHtml({ html: tidy(value), url: 'about:blank' });
    content.push(text);
    contentMD.push(markdown);
  }
  return { content: content.filter(Boolean).join('\n\n'), contentMD: contentMD.filter(Boolean).join('\n\n') };
};

/** A cell of one paragraph is that paragraph's text, and the way back from a note to where it is called is none. */
const tidy = (html: string) =>
  html
    .replace(/<(t[dh])([^>]*)><p>((?:(?!<\/?(?:p|td|th)\b).)*)<\/p><\/\1>/g, '<$1$2>$3</$1>')
    .replace(/ ?<a href="#[^"]*-ref-[^"]*">↑<\/a>/g, '');

const options = {
  styleMap: ["p[style-name='Title'] => h1:fresh", "p[style-name='Subtitle'] => h2:fresh"],
  includeEmbeddedStyleMap: false,
  convertImage: mammoth.images.imgElement(async () => ({ src: '' })),
};
/** The library also takes an archive that is already open: then nothing is inflated twice, and pictures never are. */
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

/** The main part, as the package's own relationships name it. */
const mainPartOf = (files: Map<string, Buffer>): string => {
  const relationships = files.get('_rels/.rels')?.toString() ?? '';
  for (const [element] of relationships.matchAll(/<(?:\w+:)?Relationship\b[^>]*>/g)) {
    if (!/\bType\s*=\s*["'][^"']*\/officeDocument["']/.test(element)) continue;
    const target = /\bTarget\s*=\s*["']\/?([^"']+)["']/.exec(element)?.[1];
    if (target && files.has(target)) return target;
  }
  return 'word/document.xml';
};

/** A long document cut between paragraphs and tables into documents of their own; a shorter one as it is. */
const partsOf = function* (xml: string): Generator<string> {
  if (xml.length <= partCharacters) return yield xml;
  const ends: number[] = [];
  let depth = 0;
  let bodyAt: { start: number; depth: number } | undefined;
  const parser = new SaxesParser();
  parser.on('error', (error) => {
    throw error;
  });
  parser.on('opentag', ({ name, isSelfClosing }) => {
    depth++;
    if (!bodyAt && /(^|:)body$/.test(name) && !isSelfClosing) bodyAt = { start: parser.position, depth };
  });
  parser.on('closetag', () => {
    depth--;
    if (bodyAt && depth === bodyAt.depth) ends.push(parser.position);
  });
  parser.write(xml).close();
  const last = ends.at(-1);
  if (!bodyAt || last === undefined) return yield xml;
  const head = xml.slice(0, bodyAt.start);
  const tail = xml.slice(last);
  let start = bodyAt.start;
  for (const end of ends) {
    if (end !== last && end - start < partCharacters) continue;
    yield head + xml.slice(start, end) + tail;
    start = end;
  }
};
