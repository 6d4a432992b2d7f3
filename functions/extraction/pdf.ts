import { constants, createInflate, inflateSync } from 'node:zlib';
import { getDocumentProxy } from 'unpdf';
import { LongText } from './long-text.ts';
import { DecompressionLimitError } from './zip.ts';

/** What all streams of a document other than pictures may inflate to. */
const mostInflatedBytes = 96 * 1024 * 1024;
const mostStreams = 100_000;
/** How many pages are looked at to tell the size of the text from that of the headings. */
const sampledPages = 20;

type Line = { text: string; size: number; y: number };
type Paragraph = { lines: string[]; size: number };

/** Reads a PDF page by page: its text, and the same as Markdown, with headings where the letters are larger. */
export const readPdf = async (bytes: Buffer): Promise<{ content: LongText; contentMD: LongText }> => {
  await disarm(bytes);
  const pdf = await getDocumentProxy(new Uint8Array(bytes.buffer, bytes.byteOffset, bytes.byteLength), {
    verbosity: 0,
    useSystemFonts: false,
  });
  const content = new LongText();
  const contentMD = new LongText();
  const sampled: Paragraph[][] = [];
  let bodySize: number | undefined;
  let unread = 0;
  const write = (paragraphs: Paragraph[], size: number) => {
    content.add(paragraphs.map(({ lines }) => lines.join('\n')).join('\n\n'));
    contentMD.add(paragraphs.map((paragraph) => markdownOf(paragraph, size)).join('\n\n'));
  };
  for (let number = 1; number <= pdf.numPages; number++) {
    const paragraphs = await paragraphsOf(pdf, number).catch(() => undefined);
    if (!paragraphs) unread++;
    else if (bodySize !== undefined) write(paragraphs, bodySize);
    else sampled.push(paragraphs);
    if (number === sampledPages || number === pdf.numPages) {
      const size = bodySize ?? usualSize(sampled.flat());
      for (const page of sampled.splice(0)) write(page, size);
      bodySize = size;
    }
  }
  if (unread === pdf.numPages) throw new Error('Not one page can be read.');
  return { content, contentMD };
};

const paragraphsOf = async (pdf: Awaited<ReturnType<typeof getDocumentProxy>>, number: number) => {
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
      if (last && former && goesOn(former, line) && !listItem.test(text)) last.lines.push(text);
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

/** Whether a line belongs to the paragraph of the one before: letters of about its size, at the distance of lines. */
const goesOn = (former: Line, line: Line) => {
  const distance = former.y - line.y;
  const size = Math.max(former.size, line.size);
  return Math.abs(former.size - line.size) < size * 0.12 && distance >= 0 && distance < size * 1.75;
};

/** The size most of the text has. */
const usualSize = (paragraphs: Paragraph[]): number => {
  const lengths = new Map<number, number>();
  for (const { lines, size } of paragraphs) {
    const rounded = Math.round(size * 2) / 2;
    lengths.set(rounded, (lengths.get(rounded) ?? 0) + lines.join('').length);
  }
  return [...lengths].sort(([, a], [, b]) => b - a)[0]?.[0] ?? 0;
};

/** A bullet of a symbol font, which has no letter of its own. */
const symbol = /^[\uf000-\uf0ff]\s*/;
/** What an item of a list begins with. */
const listItem = /^([•◦▪▸‣●○∙·]|\d{1,3}[.)])\s+/;
const mostHeadingCharacters = 160;

const markdownOf = ({ lines, size }: Paragraph, bodySize: number): string => {
  const text = lines.reduce((joined, line) =>
    // A word divided at the end of a line is one word again.
    /\p{Ll}-$/u.test(joined) && /^\p{Ll}/u.test(line) ? joined.slice(0, -1) + line : `${joined} ${line}`,
  );
  const level = bodySize > 0 && text.length <= mostHeadingCharacters ? headingLevel(size / bodySize) : 0;
  if (level > 0) return `${'#'.repeat(level)} ${escaped(text)}`;
  const [mark = '', sign = ''] = listItem.exec(text) ?? [];
  return mark ? `${/\d/.test(sign) ? sign : '-'} ${escaped(text.slice(mark.length))}` : escaped(text);
};

const headingLevel = (ratio: number) => (ratio >= 1.8 ? 1 : ratio >= 1.4 ? 2 : ratio >= 1.15 ? 3 : 0);

/** Characters that Markdown would take for its own. */
const escaped = (text: string) =>
  text
    .replace(/[\\`*_[\]<]/g, '\\$&')
    .replace(/^(#{1,6}|[-+>]|\d{1,9}(?=[.)]\s))(?=[\s.)])/, (mark) => (/\d/.test(mark) ? `${mark}\\` : `\\${mark}`));

/**
 * Counts what the streams of a document inflate to, before anything parses them, and blanks its pictures:
 * no text is in them, and nothing can then hide behind their name.
 */
const disarm = async (bytes: Buffer): Promise<void> => {
  let left = mostInflatedBytes;
  let streams = 0;
  for (let at = bytes.indexOf('stream'); at >= 0; at = bytes.indexOf('stream', at + 6)) {
    if (bytes.toString('latin1', at - 3, at) === 'end') continue;
    if (++streams > mostStreams) throw new DecompressionLimitError('The document has too many streams.');
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

/** The two bytes that compressed data begins with (RFC 1950). */
const isZlib = (bytes: Uint8Array, at = 0) => {
  const [method = 0, flags = 0] = bytes.subarray(at, at + 2);
  return (method & 0x0f) === 8 && (method * 256 + flags) % 31 === 0;
};

/** How much data inflates to, and what comes out of it when that is compressed once more; counted to just over `most`. */
const inflatedBytes = async (data: Uint8Array, most: number): Promise<number> => {
  const small = inflated(data, 1024 * 1024);
  if (small) return small.length + (isZlib(small) ? await inflatedBytes(small, most - small.length) : 0);
  const inflate = createInflate().on('error', () => {});
  inflate.end(data);
  let count = 0;
  try {
    for await (const chunk of inflate as AsyncIterable<Buffer>) {
      // Data compressed twice that is large already after the first time is nothing but a bomb.
      if (count === 0 && isZlib(chunk) && inflated(chunk, chunk.length * 1000)?.length !== 0) return most + 1;
      count += chunk.length;
      if (count > most) break;
    }
  } catch {
    // Damaged data counts up to the damage.
  }
  return count;
};

/** Inflated data, as far as it is sound; undefined when it is more than `most`. */
const inflated = (data: Uint8Array, most: number): Buffer | undefined => {
  try {
    return inflateSync(data, { maxOutputLength: most, finishFlush: constants.Z_SYNC_FLUSH });
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'ERR_BUFFER_TOO_LARGE' ? undefined : Buffer.alloc(0);
  }
};
