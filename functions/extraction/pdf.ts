import { constants, createInflate, inflateSync } from 'node:zlib';
import type { PDFDocumentProxy, PDFPageProxy } from 'pdfjs-dist';
import type { TextContent, TextItem } from 'pdfjs-dist/types/src/display/api.js';
import { formatWhole } from '../domain/format-whole.ts';
import type { SourceWarning } from '../domain/sources.ts';
import { describeIgnored, type LongDocument, LongText } from './long-text.ts';
import { countAttachments } from './pdf-attachments.ts';
import { PageBoxes } from './pdf-boxes.ts';
import { insertFields, listIgnored, readFields } from './pdf-fields.ts';
import { NumberedFonts } from './pdf-fonts.ts';
import { collectLines, joinLine, type Line } from './pdf-lines.ts';
import { countLetters, createLook, type Look } from './pdf-look.ts';
import { readXfa } from './pdf-xfa.ts';
import { loadPdfjs, type Unreadable, withPdf } from './pdfjs.ts';
import { ReadingBudget, steps } from './reading-budget.ts';
import { DecompressionLimitError } from './zip.ts';

/** The maximum size that all streams of a document other than pictures inflate to. */
const maxInflatedBytes = 96 * 1024 * 1024;
const maxStreams = 100_000;
/** The number of pages sampled to find the size of the body text. */
const sampledPages = 20;

type Paragraph = { lines: string[]; size: number };

/** Loads the library, and returns the reader. */
export const loadPdfReader = async () => {
  await loadPdfjs();
  return readPdf;
};

/** Reads a PDF page by page as text and as Markdown. Lines in larger letters become headings. */
const readPdf = async (bytes: Buffer): Promise<LongDocument> => {
  const budget = new ReadingBudget(bytes.length);
  const fonts = new NumberedFonts(budget);
  const boxes = new PageBoxes(budget);
  // The pages of a form that is only in XFA say that another program shows it.
  let needsRendering = false;
  let hasForm = false;
  await inspectStreams(bytes, budget, (objects) => {
    fonts.collect(objects);
    boxes.collect(objects);
    needsRendering ||= objects.includes('/NeedsRendering');
    hasForm ||= objects.includes('/XFA');
  });
  const read = (data: Uint8Array, isForm: boolean) =>
    withPdf(data, { isForm, budget }, (pdf, unreadable) =>
      readPages(pdf, unreadable, { look: createLook(fonts, boxes, budget), hasForm, budget }),
    );
  if (needsRendering) {
    const form = await read(new Uint8Array(bytes), true).catch(() => undefined);
    if (form && form.content.parts.length > 0) return form;
  }
  return await read(new Uint8Array(bytes.buffer, bytes.byteOffset, bytes.byteLength), false);
};

const readPages = async (
  pdf: PDFDocumentProxy,
  unreadable: Unreadable,
  { look, hasForm, budget }: { look: Look; hasForm: boolean; budget: ReadingBudget },
): Promise<LongDocument> => {
  const content = new LongText();
  const contentMD = new LongText();
  const sampled: Paragraph[][] = [];
  let bodySize: number | undefined;
  const { attached, encrypted } = await countAttachments(pdf, budget).catch(() => ({ attached: 0, encrypted: 0 }));
  const ignored = new Map(attached > 0 ? [['attached files', attached]] : []);
  if (hasForm && !pdf.isPureXfa && (await hasXfaAlone(pdf))) ignored.set('XFA forms', 1);
  const missing: Missing = {
    pages: pdf.numPages,
    unread: 0,
    damaged: 0,
    drawn: 0,
    unmapped: 0,
    numbered: 0,
    hidden: 0,
    encrypted,
    ignored,
  };
  const write = (paragraphs: Paragraph[], size: number) => {
    content.add(paragraphs.map(({ lines }) => lines.join('\n')).join('\n\n'));
    contentMD.add(paragraphs.map((paragraph) => formatParagraph(paragraph, size)).join('\n\n'));
  };
  for (let number = 1; number <= pdf.numPages; number++) {
    const isLast = number === pdf.numPages || !budget.take(steps.page);
    const { parts } = unreadable;
    const page = await pdf.getPage(number).catch(() => undefined);
    const read = page && (await readPage(page, look, budget).catch(() => undefined));
    if (!read) missing.unread++;
    else {
      missing.unmapped += read.unmapped;
      missing.numbered += read.numbered;
      for (const words of read.ignored) missing.ignored.set(words, (missing.ignored.get(words) ?? 0) + 1);
      if (bodySize === undefined) sampled.push(read.paragraphs);
      else write(read.paragraphs, bodySize);
      if (unreadable.parts > parts && !budget.isSpent) missing.damaged++;
      const hasText = read.paragraphs.length > 0;
      const seen = await look.findMissing(page, { hasText, letters: read.letters });
      if (seen?.hasDrawings && !hasText) missing.drawn++;
      missing.numbered += seen?.numbered ?? 0;
      missing.hidden += seen?.hidden ?? 0;
    }
    page?.cleanup();
    if (number === sampledPages || isLast) {
      const size = bodySize ?? findBodySize(sampled.flat());
      for (const page of sampled.splice(0)) write(page, size);
      bodySize = size;
    }
    if (isLast) break;
  }
  if (missing.unread === pdf.numPages) throw new Error('No page can be read.');
  return { content, contentMD, warnings: [...budget.warnings, ...describeMissing(missing, unreadable)] };
};

/** Returns true if a form is only in XFA. Its pages then say that another program shows it. */
const hasXfaAlone = async (pdf: PDFDocumentProxy): Promise<boolean> => {
  const { info } = await pdf.getMetadata().catch(() => ({ info: {} }));
  const { IsXFAPresent = false, IsAcroFormPresent = false } = info as Record<string, boolean>;
  return IsXFAPresent && !IsAcroFormPresent;
};

/** What is missing in the text of a document: numbers of pages, letters, and elements by the words for them. */
type Missing = {
  pages: number;
  unread: number;
  /** Pages with parts that cannot be read. */
  damaged: number;
  drawn: number;
  unmapped: number;
  /** Letters of fonts that have only numbers for them. */
  numbered: number;
  /** Letters in the parts of pages that are not shown. */
  hidden: number;
  encrypted: number;
  ignored: Map<string, number>;
};

const describeMissing = (missing: Missing, unreadable: Unreadable): SourceWarning[] => {
  const { pages, unread, damaged, drawn, unmapped, numbered, hidden, encrypted, ignored } = missing;
  const describe = (count: number) =>
    pages === 1 ? 'The page has' : `${count} of ${pages} pages ${count === 1 ? 'has' : 'have'}`;
  const found: [number, SourceWarning['code'], string][] = [
    [drawn, 'pictures_only', `${describe(drawn)} pictures and no text. Text in pictures is not read.`],
    [unmapped, 'unmapped_letters', `The document has letters that are not known characters: ${formatWhole(unmapped)}.`],
    [
      numbered,
      'unmapped_letters',
      `The document has letters with numbers in place of characters: ${formatWhole(numbered)}. They can be read as other letters.`,
    ],
    [unreadable.fonts, 'unmapped_letters', 'The document has fonts that cannot be read. Their letters are left out.'],
    [
      hidden,
      'ignored_elements',
      `The document has letters in parts of pages that are not shown: ${formatWhole(hidden)}. They are left out.`,
    ],
    [encrypted, 'encrypted_part', `Files that are attached to the document are encrypted: ${encrypted}.`],
    [ignored.size, 'ignored_elements', describeIgnored(ignored)],
    [unread, 'cut', `${describe(unread)} damaged content and no text.`],
    [damaged, 'cut', `${describe(damaged)} parts that cannot be read. Text in them can be missing.`],
  ];
  return found.filter(([count]) => count > 0).map(([, code, message]) => ({ code, message }));
};

type Page = { paragraphs: Paragraph[]; letters: number; unmapped: number; numbered: number; ignored: string[] };

const readPage = async (page: PDFPageProxy, look: Look, budget: ReadingBudget): Promise<Page> => {
  if (page.isPureXfa) {
    const paragraphs = (await readXfa(page)).map((text) => ({ lines: [text], size: 0 }));
    return { paragraphs, letters: 0, unmapped: 0, numbered: 0, ignored: [] };
  }
  const items = await readItems(page, budget);
  const letters = countLetters(items.map(({ str }) => str).join(''));
  const numbered = await look.replaceGlyphNumbers(page, items);
  const lines = collectLines(items);
  const annotations = (await page.getAnnotations()).filter(() => budget.take(steps.annotation));
  insertFields(lines, readFields(annotations), budget);
  const paragraphs: Paragraph[] = [];
  let former: Line | undefined;
  let unmapped = 0;
  for (const line of lines) {
    const text = joinLine(line).trim().replace(symbol, '• ');
    unmapped += text.match(unmappedLetters)?.length ?? 0;
    const known = text.replace(controls, '');
    if (!known) continue;
    const last = paragraphs.at(-1);
    if (last && former && continuesParagraph(former, line) && !listItem.test(known)) last.lines.push(known);
    else paragraphs.push({ lines: [known], size: line.size });
    former = line;
  }
  return { paragraphs, letters, unmapped, numbered, ignored: listIgnored(annotations) };
};

/** Reads the pieces of text of a page, as far as the budget goes. */
const readItems = async (page: PDFPageProxy, budget: ReadingBudget): Promise<TextItem[]> => {
  const items: TextItem[] = [];
  const reader: ReadableStreamDefaultReader<TextContent> = page.streamTextContent().getReader();
  for (let read = await reader.read(); !read.done; read = await reader.read()) {
    for (const item of read.value.items) {
      if (!('str' in item)) continue;
      if (budget.take(steps.pageText + item.str.length * steps.letter) || budget.isOutOfTime) items.push(item);
    }
    if (!budget.isSpent || budget.isOutOfTime) continue;
    // The library never confirms the end of a page that has ended by itself.
    reader.cancel(new Error('The budget is spent.')).catch(() => {});
    break;
  }
  return items;
};

/** Control characters. Fonts without a table of characters produce them. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is meant
const controls = /[\0-\x08\x0b-\x1f\x7f-\x9f]/g;
/** Letters of a font for which the file names no character. Some symbols are in the area for private use. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is meant
const unmappedLetters = /[\0-\x08\x0b-\x1f\x7f-\x9f\ufffd\ufffe\uffff]/g;

/** Returns true if a line belongs to the paragraph of the line before it: letters of a similar size, at the distance of lines. */
const continuesParagraph = (former: Line, line: Line) => {
  const distance = former.y - line.y;
  const size = Math.max(former.size, line.size);
  return Math.abs(former.size - line.size) < size * 0.12 && distance >= 0 && distance < size * 1.75;
};

/** Returns the most common size of the text. */
const findBodySize = (paragraphs: Paragraph[]): number => {
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

const formatParagraph = ({ lines, size }: Paragraph, bodySize: number): string => {
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
 * Counts what streams inflate to before anything parses them, and collects the objects of the document. Pictures are
 * blanked, so that none inflates uncounted, and so are the colors of meshes, which the library computes point by point.
 */
const inspectStreams = async (
  bytes: Buffer,
  budget: ReadingBudget,
  collect: (objects: Buffer) => void,
): Promise<void> => {
  let left = maxInflatedBytes;
  let streams = 0;
  for (let at = bytes.indexOf('stream'); at >= 0; at = bytes.indexOf('stream', at + 6)) {
    if (bytes.toString('latin1', at - 3, at) === 'end') continue;
    if (++streams > maxStreams) throw new DecompressionLimitError('The document has too many streams.');
    let start = at + 6;
    if (bytes[start] === 0x0d) start++;
    if (bytes[start] === 0x0a) start++;
    const before = bytes.toString('latin1', Math.max(0, at - 4096), at);
    const dictionary = before.slice(before.lastIndexOf(' obj') + 1);
    // A comment behind a picture can have the word, too.
    if (withoutText.test(dictionary) && />>\s*$/.test(before)) {
      const end = bytes.indexOf('endstream', start);
      bytes.fill(0x20, start, end < 0 ? bytes.length : end);
      continue;
    }
    const next = bytes.indexOf('stream', start);
    const data = bytes.subarray(start, next < 0 ? bytes.length : next - 3);
    const isPacked = isZlib(data);
    const small = isPacked ? inflate(bytes.subarray(start), smallBytes) : data;
    if (isPacked) {
      left -= await inflatedBytes(bytes.subarray(start), small, left);
      if (left < 0) throw new DecompressionLimitError('The streams of the document inflate to too many bytes.');
      if (/\/ObjStm\b/.test(dictionary))
        collect(small ?? inflate(bytes.subarray(start), maxInflatedBytes) ?? Buffer.alloc(0));
    }
    const codes = small ? countCodes(small) : 0;
    if (codes > 0 && !budget.takeSpare(codes * steps.code)) data.fill(0x20);
  }
  collect(bytes);
};

/** Pictures, and meshes of colors. */
const withoutText = /\/Subtype\s*\/Image\b|\/ShadingType\s*[4-7]\b/;

/** Returns the number of codes in the ranges of a table of characters. The library adds each of them to a table of its own. */
const countCodes = (content: Buffer): number => {
  if (!content.includes('range')) return 0;
  let codes = 0;
  for (const [, ranges = ''] of content.toString('latin1').matchAll(rangesOfCodes)) {
    for (const [, low = '', high = ''] of ranges.matchAll(/<([^<>]*)>\s*<([^<>]*)>\s*(?=[<\d])/g))
      codes += Math.max(0, readHex(high) - readHex(low));
  }
  return codes;
};

const rangesOfCodes = /begin(?:cid|bf|notdef)range([\s\S]*?)(?:end(?:cid|bf|notdef)range|$)/g;
const readHex = (digits: string) => Number.parseInt(digits.replace(/\s/g, ''), 16) || 0;

/** Returns true if bytes begin with the header of zlib (RFC 1950). */
const isZlib = (bytes: Uint8Array, at = 0) => {
  const [method = 0, flags = 0] = bytes.subarray(at, at + 2);
  return (method & 0x0f) === 8 && (method * 256 + flags) % 31 === 0;
};

const smallBytes = 1024 * 1024;

/** Counts the bytes that data inflates to, including data compressed twice, up to just over `max`. `small` is what a little data is. */
const inflatedBytes = async (data: Uint8Array, small: Buffer | undefined, max: number): Promise<number> => {
  if (small) {
    const inner = isZlib(small) ? await inflatedBytes(small, inflate(small, smallBytes), max - small.length) : 0;
    return small.length + inner;
  }
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
