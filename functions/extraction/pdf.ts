import { constants, createInflate, inflateSync } from 'node:zlib';
import type { PDFDocumentProxy } from 'pdfjs-dist';
import type { SourceWarning } from '../domain/sources.ts';
import { type LongDocument, LongText } from './long-text.ts';
import { openPdf, pictureOperators } from './pdfjs.ts';
import { DecompressionLimitError } from './zip.ts';

/** The maximum size that all streams of a document other than pictures inflate to. */
const maxInflatedBytes = 96 * 1024 * 1024;
const maxStreams = 100_000;
/** The number of pages sampled to find the size of the body text. */
const sampledPages = 20;

type Line = { text: string; size: number; y: number };
type Paragraph = { lines: string[]; size: number };

/** Reads a PDF page by page as text and as Markdown. Lines in larger letters become headings. */
export const readPdf = async (bytes: Buffer): Promise<LongDocument> => {
  await checkInflatedSize(bytes);
  const pdf = await openPdf(new Uint8Array(bytes.buffer, bytes.byteOffset, bytes.byteLength));
  try {
    return await readPages(pdf);
  } finally {
    await pdf.loadingTask.destroy();
  }
};

const readPages = async (pdf: PDFDocumentProxy): Promise<LongDocument> => {
  const content = new LongText();
  const contentMD = new LongText();
  const sampled: Paragraph[][] = [];
  let bodySize: number | undefined;
  let unread = 0;
  let pictures = 0;
  const write = (paragraphs: Paragraph[], size: number) => {
    content.add(paragraphs.map(({ lines }) => lines.join('\n')).join('\n\n'));
    contentMD.add(paragraphs.map((paragraph) => markdownOf(paragraph, size)).join('\n\n'));
  };
  for (let number = 1; number <= pdf.numPages; number++) {
    const paragraphs = await paragraphsOf(pdf, number).catch(() => undefined);
    if (!paragraphs) unread++;
    else if (paragraphs.length === 0 && (await hasPictures(pdf, number))) pictures++;
    else if (bodySize !== undefined) write(paragraphs, bodySize);
    else sampled.push(paragraphs);
    if (number === sampledPages || number === pdf.numPages) {
      const size = bodySize ?? bodySizeOf(sampled.flat());
      for (const page of sampled.splice(0)) write(page, size);
      bodySize = size;
    }
  }
  if (unread === pdf.numPages) throw new Error('No page can be read.');
  return { content, contentMD, warnings: warningsOf({ pages: pdf.numPages, unread, pictures }) };
};

const warningsOf = (counts: { pages: number; unread: number; pictures: number }): SourceWarning[] => {
  const { pages, unread, pictures } = counts;
  const count = (n: number) => (pages === 1 ? 'The page' : `${n} of ${pages} pages`);
  const warnings: SourceWarning[] = [];
  if (pictures > 0) {
    const verb = pictures === 1 ? 'has' : 'have';
    const message = `${count(pictures)} ${verb} pictures and no text. Text in pictures is not read.`;
    warnings.push({ code: 'pictures_only', message });
  }
  if (unread > 0) {
    warnings.push({
      code: 'cut',
      message: `${count(unread)} could not be read, and ${unread === 1 ? 'is' : 'are'} left out.`,
    });
  }
  return warnings;
};

/** Returns true if a page shows pictures. Their data are not read. */
const hasPictures = async (pdf: PDFDocumentProxy, number: number) => {
  const page = await pdf.getPage(number);
  const { fnArray } = await page.getOperatorList();
  page.cleanup();
  const pictures = await pictureOperators();
  return fnArray.some((operator) => pictures.includes(operator));
};

const paragraphsOf = async (pdf: PDFDocumentProxy, number: number) => {
  const page = await pdf.getPage(number);
  const { items } = await page.getTextContent();
  page.cleanup();
  const paragraphs: Paragraph[] = [];
  let former: Line | undefined;
  let line: Line = { text: '', size: 0, y: 0 };
  const end = () => {
    const text = line.text.replaceAll('\0', '').trim().replace(symbol, '• ');
    if (text) {
      const last = paragraphs.at(-1);
      if (last && former && continuesParagraph(former, line) && !listItem.test(text)) last.lines.push(text);
      else paragraphs.push({ lines: [text], size: line.size });
      former = line;
    }
    line = { text: '', size: 0, y: 0 };
  };
  for (const item of items) {
    if (!('str' in item)) continue;
    line.text += item.str;
    if (item.str.trim()) {
      line.size = Math.max(line.size, item.height);
      line.y = item.transform[5] as number;
    }
    if (item.hasEOL) end();
  }
  end();
  return paragraphs;
};

/** Returns true if a line belongs to the paragraph of the line before it: letters of a similar size, at the distance of lines. */
const continuesParagraph = (former: Line, line: Line) => {
  const distance = former.y - line.y;
  const size = Math.max(former.size, line.size);
  return Math.abs(former.size - line.size) < size * 0.12 && distance >= 0 && distance < size * 1.75;
};

/** Returns the most common size of the text. */
const bodySizeOf = (paragraphs: Paragraph[]): number => {
  const lengths = new Map<number, number>();
  for (const { lines, size } of paragraphs) {
    const rounded = Math.round(size * 2) / 2;
    lengths.set(rounded, (lengths.get(rounded) ?? 0) + lines.join('').length);
  }
  return [...lengths].sort(([, a], [, b]) => b - a)[0]?.[0] ?? 0;
};

/** A bullet of a symbol font, which has no Unicode character. */
const symbol = /^[\uf000-\uf0ff]\s*/;
/** The beginning of a list item. */
const listItem = /^([•◦▪▸‣●○∙·]|\d{1,3}[.)])\s+/;
const maxHeadingCharacters = 160;

const markdownOf = ({ lines, size }: Paragraph, bodySize: number): string => {
  const text = lines.reduce((joined, line) =>
    // A hyphenated word at the end of a line is joined again.
    /\p{Ll}-$/u.test(joined) && /^\p{Ll}/u.test(line) ? joined.slice(0, -1) + line : `${joined} ${line}`,
  );
  const level = bodySize > 0 && text.length <= maxHeadingCharacters ? headingLevel(size / bodySize) : 0;
  if (level > 0) return `${'#'.repeat(level)} ${escapeMarkdown(text)}`;
  const [mark = '', sign = ''] = listItem.exec(text) ?? [];
  return mark ? `${/\d/.test(sign) ? sign : '-'} ${escapeMarkdown(text.slice(mark.length))}` : escapeMarkdown(text);
};

const headingLevel = (ratio: number) => (ratio >= 1.8 ? 1 : ratio >= 1.4 ? 2 : ratio >= 1.15 ? 3 : 0);

/** Escapes characters with a meaning in Markdown. */
const escapeMarkdown = (text: string) =>
  text
    .replace(/[\\`*_[\]<]/g, '\\$&')
    .replace(/^(#{1,6}|[-+>]|\d{1,9}(?=[.)]\s))(?=[\s.)])/, (mark) => (/\d/.test(mark) ? `${mark}\\` : `\\${mark}`));

/**
 * Counts what the streams of a document inflate to before anything parses them. Pictures are blanked: they hold no text,
 * and a stream that only claims to be a picture cannot be inflated uncounted.
 */
const checkInflatedSize = async (bytes: Buffer): Promise<void> => {
  let left = maxInflatedBytes;
  let streams = 0;
  for (let at = bytes.indexOf('stream'); at >= 0; at = bytes.indexOf('stream', at + 6)) {
    if (bytes.toString('latin1', at - 3, at) === 'end') continue;
    if (++streams > maxStreams) throw new DecompressionLimitError('The document has too many streams.');
    let start = at + 6;
    if (bytes[start] === 0x0d) start++;
    if (bytes[start] === 0x0a) start++;
    const before = bytes.toString('latin1', Math.max(0, at - 4096), at);
    if (/\/Subtype\s*\/Image\b/.test(before.slice(before.lastIndexOf(' obj') + 1))) {
      const end = bytes.indexOf('endstream', start);
      bytes.fill(0x20, start, end < 0 ? bytes.length : end);
    } else if (isZlib(bytes, start)) {
      left -= await inflatedBytes(bytes.subarray(start), left);
      if (left < 0) throw new DecompressionLimitError('The streams of the document inflate to too many bytes.');
    }
  }
};

/** Returns true if bytes begin with the header of zlib (RFC 1950). */
const isZlib = (bytes: Uint8Array, at = 0) => {
  const [method = 0, flags = 0] = bytes.subarray(at, at + 2);
  return (method & 0x0f) === 8 && (method * 256 + flags) % 31 === 0;
};

/** Counts the bytes that data inflates to, including data compressed twice, up to just over `max`. */
const inflatedBytes = async (data: Uint8Array, max: number): Promise<number> => {
  const small = inflate(data, 1024 * 1024);
  if (small) return small.length + (isZlib(small) ? await inflatedBytes(small, max - small.length) : 0);
  const stream = createInflate().on('error', () => {});
  stream.end(data);
  let count = 0;
  try {
    for await (const chunk of stream as AsyncIterable<Buffer>) {
      // Data compressed twice that is already large after the first time can only be a bomb.
      if (count === 0 && isZlib(chunk) && inflate(chunk, chunk.length * 1000)?.length !== 0) return max + 1;
      count += chunk.length;
      if (count > max) break;
    }
  } catch {
    // Damaged data is counted up to the damage.
  }
  return count;
};

/** Inflates data as far as it is valid; undefined when it is more than `max`. */
const inflate = (data: Uint8Array, max: number): Buffer | undefined => {
  try {
    return inflateSync(data, { maxOutputLength: max, finishFlush: constants.Z_SYNC_FLUSH });
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'ERR_BUFFER_TOO_LARGE' ? undefined : Buffer.alloc(0);
  }
};
