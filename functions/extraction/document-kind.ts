import { isUtf8 } from 'node:buffer';
import { type DocumentType, guessTextType, rejectionReasons } from '../domain/documents.ts';
import { readMessageHeaders } from './mime-headers.ts';
import { readZip } from './zip.ts';

/** The type of a document, or the reason why the file is not supported. */
export type Kind = { type: DocumentType } | { unsupported: string };

/**
 * Detects the type of a file from its content; only Markdown is distinguished from other text by the file's name.
 * `detectFormat` detects other formats in files that are neither PDF, Word nor Unicode text. Without it, such a file counts
 * as text if it looks like text.
 */
export const detectKind = async (
  file: Uint8Array,
  name: string,
  detectFormat?: (bytes: Uint8Array) => Promise<string | undefined>,
): Promise<Kind> => {
  const bytes = Buffer.from(file.buffer, file.byteOffset, file.byteLength);
  if (/^\s*%PDF-/.test(readStart(bytes, 64))) return { type: 'pdf' };
  if (hasSignature(bytes, 'PK\u0003\u0004')) return (await isWordDocument(bytes)) ? { type: 'docx' } : notWord;
  if (hasSignature(bytes, compoundFile)) return kindOfCompoundFile(bytes);
  const textType = guessTextType(name);
  if (isAsciiPdf(bytes)) return { type: 'pdf' };
  if (isText(bytes)) {
    if (programText.test(readStart(bytes, 16))) return unsupported('It is text in a format for programs.');
    if (hasSignature(bytes, '#!/') && textType !== 'md' && !/\.txt$/i.test(name))
      return unsupported('It looks like a program.');
    if (isEncodedMail(bytes)) return unsupported('It is an email: save its text, or a PDF of it, and its attachments.');
    return { type: textType };
  }
  // Some producers write a few bytes before the header, and readers of PDF accept that.
  if (readStart(bytes, 1024).includes('%PDF-')) return { type: 'pdf' };
  if (hasSignature(bytes, 'bplist00') && bytes.includes('WebMainResource'))
    return unsupported('It is a page that Safari saved as a web archive: save its source (.html) or a PDF of it.');
  if (!hasFewControls(bytes)) return unsupported();
  const format = await detectFormat?.(bytes);
  return format ? unsupported(`It looks like .${format}.`) : { type: textType };
};

/** Returns true if text has a PDF's header near its beginning, which other text may precede, and a PDF's end. */
const isAsciiPdf = (bytes: Buffer) =>
  /%PDF-\d\.\d\s*[\r\n]/.test(readStart(bytes, 1024)) &&
  /\bstartxref\s+\d+\s+%%EOF\s*$/.test(bytes.toString('latin1', Math.max(0, bytes.length - 1024)));

/** Returns true if a file is the container of an encrypted Office document. */
export const isEncryptedOffice = (bytes: Buffer) =>
  hasSignature(bytes, compoundFile) && bytes.includes(utf16('EncryptedPackage'));

/** Detects UTF-16 without a byte order mark. Its spaces, digits and ends of lines have zero bytes, as no other text has. */
export const utf16Order = (bytes: Uint8Array): 'utf-16le' | 'utf-16be' | undefined => {
  const sample = Buffer.from(bytes.subarray(0, Math.min(bytes.length, 4096) & ~1));
  if (sample.length < 4 || !sample.includes(0)) return undefined;
  if (looksLikeUtf16(sample.toString('utf16le'))) return 'utf-16le';
  if (looksLikeUtf16(sample.swap16().toString('utf16le'))) return 'utf-16be';
};

const looksLikeUtf16 = (text: string): boolean => {
  let ascii = 0;
  let swapped = 0;
  let pairs = 0;
  for (let at = 0; at < text.length; at++) {
    const unit = text.charCodeAt(at);
    if (isPrintable(unit)) ascii += 1;
    // In the wrong order, a space is U+2000 and the end of a line U+0A00.
    else if (unit % 256 === 0 && isPrintable(unit >> 8)) swapped += 1;
    else if (isPrintable(unit % 256) && isPrintable(unit >> 8)) pairs += 1;
  }
  const others = text.length - ascii - swapped;
  // Where nearly all units are two bytes of ASCII, the text is ASCII with a few zeros.
  return ascii > swapped && pairs <= others * 0.8 && !/(?!\s)[\p{Cc}\p{Cn}\p{Co}\p{Cs}]/u.test(text);
};

const isPrintable = (byte: number) => (byte >= 0x20 && byte < 0x7f) || (byte >= 0x09 && byte <= 0x0d);

const compoundFile = '\u00d0\u00cf\u0011\u00e0\u00a1\u00b1\u001a\u00e1';

/** Returns true for an email with attachments, or whose text is encoded. One with a web page is read as that page. */
const isEncodedMail = (bytes: Buffer): boolean => {
  const header = readMessageHeaders(bytes);
  const type = header?.('content-type') ?? '';
  if (!header || /^(multipart\/(related|alternative)|text\/html)\b/i.test(type)) return false;
  return /^multipart\//i.test(type) || /^(base64|quoted-printable)\b/i.test(header('content-transfer-encoding'));
};

/** Rich text and PostScript. */
const programText = /^(\{\\rtf|%!PS)/;

const unsupported = (more = ''): Kind => ({
  unsupported: [rejectionReasons.unsupported_file_type, more].join(' ').trim(),
});

const notWord = unsupported('It is a zip archive of something else.');

const kindOfCompoundFile = (bytes: Buffer): Kind => {
  if (isEncryptedOffice(bytes)) return { type: 'docx' };
  if (bytes.includes(utf16('WordDocument'))) return unsupported('It is in Word’s old format (.doc): save it as .docx.');
  return unsupported();
};

/** Returns true if a zip archive's list of contents names a Word document as the main part. */
const isWordDocument = async (bytes: Buffer): Promise<boolean> => {
  const list = '[Content_Types].xml';
  try {
    const files = await readZip(bytes, (name) => name === list, 4 * 1024 * 1024);
    return mainPart.test(files.get(list)?.toString() ?? '');
  } catch {
    // The beginning of a damaged archive determines its type, so that reading it reports the damage.
    return /^(\[Content_Types\]\.xml|_rels\/|docProps\/|word\/)/.test(bytes.toString('latin1', 30, 60));
  }
};

const mainPart =
  /(wordprocessingml\.(document|template)|ms-word\.(document|template)\.macroEnabledTemplate|ms-word\.document\.macroEnabled)\.main\+xml/;

const isText = (bytes: Buffer): boolean => {
  const mark = readStart(bytes, 4);
  if (/^(\u00ff\u00fe(?!\0\0)|\u00fe\u00ff)/.test(mark)) return true;
  return utf16Order(bytes) !== undefined || (isUtf8(bytes) && hasFewControls(bytes));
};

/** Text has no zero bytes, and few control characters other than white space and escape. */
const hasFewControls = (bytes: Buffer): boolean => {
  let controls = 0;
  for (const byte of bytes) {
    if (byte === 0) return false;
    if (byte < 0x20 && !(byte >= 0x08 && byte <= 0x0d) && byte !== 0x1b) controls++;
  }
  return controls <= bytes.length / 1000;
};

const readStart = (bytes: Buffer, length: number) => bytes.toString('latin1', 0, length);
const hasSignature = (bytes: Buffer, latin1: string) => readStart(bytes, latin1.length) === latin1;
const utf16 = (text: string) => Buffer.from(text, 'utf16le');
