import { isUtf8 } from 'node:buffer';
import { legacyHookDecode, normalizeEncoding, TextDecoder } from '@exodus/bytes/encoding.js';
import { analyse as analyzeBytes } from 'chardet';
import type { SourceWarning } from '../domain/sources.ts';
import { utf16Order } from './document-kind.ts';

/** A decoded text. `isDamaged` means that some of its bytes are invalid in the encoding: each is a U+FFFD in the text. */
export type DecodedText = { text: string; isDamaged: boolean };

/** The warning of a text that is damaged. */
export const undecodableBytes: SourceWarning = {
  code: 'undecodable_bytes',
  message: 'Some bytes are not text in the encoding of the source: the text has � in their place.',
};

/** Decodes bytes in an encoding that the Encoding standard knows, without a byte order mark. */
export const decodeBytes = (bytes: Uint8Array, encoding: string): DecodedText => {
  try {
    return { text: new TextDecoder(encoding, { fatal: true }).decode(bytes), isDamaged: false };
  } catch {
    return { text: legacyHookDecode(bytes, encoding), isDamaged: true };
  }
};

/** Returns the encoding that a text declares (empty: none) unless its bytes disprove it, or else the detected one. */
export const chooseEncoding = (bytes: Uint8Array, declared: string): string => {
  if (!declared) return detectEncoding(bytes);
  return singleByteEncoding.test(declared) && hasUtf8Characters(bytes) ? 'utf-8' : declared;
};

const singleByteEncoding = /^(windows-|iso-8859-|koi8-|macintosh|x-mac-|ibm866)/i;

/** Returns true for UTF-8 with at least two characters beyond ASCII: texts in encodings of single bytes are never like that. */
const hasUtf8Characters = (bytes: Uint8Array): boolean => {
  const isLead = (byte: number) => byte >= 0xc0;
  const first = bytes.findIndex(isLead);
  return first !== -1 && bytes.subarray(first + 1).some(isLead) && isUtf8(bytes);
};

/** Returns the encoding of a text that declares none. */
export const detectEncoding = (bytes: Uint8Array): string => {
  if (bytes[0] === 0xff && bytes[1] === 0xfe) return 'utf-16le';
  if (bytes[0] === 0xfe && bytes[1] === 0xff) return 'utf-16be';
  if (switchesToJapanese(bytes)) return 'iso-2022-jp';
  return utf16Order(bytes) ?? (isMostlyUtf8(bytes) ? 'utf-8' : detectLegacyEncoding(selectSample(bytes)));
};

/** Returns true if a text has an escape sequence of ISO-2022-JP, whose bytes are all ASCII. */
const switchesToJapanese = ({ buffer, byteOffset, length }: Uint8Array): boolean => {
  const bytes = Buffer.from(buffer, byteOffset, length);
  return bytes.includes('\x1b$B') || bytes.includes('\x1b$@');
};

/** Returns true if valid sequences are more than twice the invalid bytes. Other encodings have them only by chance. */
const isMostlyUtf8 = (bytes: Uint8Array): boolean => {
  if (isUtf8(bytes)) return true;
  let valid = 0;
  let invalid = 0;
  for (let at = 0; at < bytes.length; ) {
    const length = (bytes[at] as number) < 0x80 ? 1 : sequenceLength(bytes, at);
    if (length > 1) valid += length;
    else if (length === 0) invalid += 1;
    at += length || 1;
  }
  return valid > invalid * 2;
};

/** Returns how many bytes a valid sequence of several bytes has, or zero. */
const sequenceLength = (bytes: Uint8Array, at: number): number => {
  const lead = bytes[at] as number;
  const length = lead >= 0xf0 ? 4 : lead >= 0xe0 ? 3 : 2;
  return lead >= 0xc2 && at + length <= bytes.length && isUtf8(bytes.subarray(at, at + length)) ? length : 0;
};

const sampleBytes = 8 * 1024;

/** Returns lines with bytes beyond ASCII: only these tell encodings apart. */
const selectSample = (bytes: Uint8Array): Uint8Array => {
  const lines: Uint8Array[] = [];
  let left = sampleBytes;
  for (let at = 0; at < bytes.length && left > 0; ) {
    let first = at;
    while (first < bytes.length && (bytes[first] as number) < 0x80) first += 1;
    const start = Math.max(at, bytes.lastIndexOf(0x0a, first) + 1, first - left);
    at = bytes.indexOf(0x0a, first) + 1 || bytes.length;
    const line = bytes.subarray(start, Math.min(at, first + left));
    lines.push(line);
    left -= line.length;
  }
  return Buffer.concat(lines);
};

/** Encodings that are tried whatever the library says: it needs several sentences to recognize them. */
const triedEncodings = [
  'windows-1252',
  'windows-1254',
  'windows-1250',
  'iso-8859-2',
  'windows-1251',
  'windows-1255',
  'koi8-r',
  'ibm866',
  'windows-1253',
  'shift_jis',
  'euc-jp',
  'euc-kr',
  'gbk',
  'big5',
  'windows-874',
];

/** Returns the encoding in which the text looks most like one. In a short text, letters say more than statistics. */
const detectLegacyEncoding = (sample: Uint8Array): string => {
  const confidences = new Map(triedEncodings.map((encoding) => [encoding, 0]));
  for (const { name, confidence } of analyzeBytes(sample)) {
    const encoding = normalizeEncoding(name)?.replace('gb18030', 'gbk').replace('iso-8859-8', 'windows-1255');
    if (!encoding || /^(utf-|replacement)/.test(encoding)) continue;
    confidences.set(encoding, Math.max(confidences.get(encoding) ?? 0, confidence));
  }
  let best = { encoding: 'windows-1252', rating: Number.NEGATIVE_INFINITY };
  for (const [encoding, confidence] of confidences) {
    const text = new TextDecoder(encoding).decode(sample);
    const known = triedEncodings.includes(encoding) ? 0.2 : 0;
    const rating = rateText(text, frequentLetters(encoding, text)) + known + confidence / 200;
    if (rating > best.rating) best = { encoding, rating };
  }
  return best.encoding;
};

/** Rates a text by its characters beyond ASCII: 1 if each is a letter of the encoding's languages, in the middle of such. */
const rateText = (text: string, isUsual: (character: string) => boolean): number => {
  let sum = 0;
  let count = 0;
  let former = '';
  for (const character of text) {
    const isAscii = character <= '\x7f';
    if (!isAscii) count += 1;
    if (!isAscii || former > '\x7f') {
      if (areOddNeighbors(former, character)) sum -= 1;
      else if (isAscii) sum += 0;
      else if (unreadable.test(character)) sum -= 4;
      else if (isUsual(character)) sum += latin.test(character) && former > '\x7f' && letter.test(former) ? 0 : 1;
      else sum += usualMarks.test(character) ? 0.8 : -0.5;
    }
    former = character;
  }
  return count === 0 ? 0 : sum / count;
};

const letter = /\p{L}/u;
const latin = /\p{Script=Latin}/u;
const unreadable = /[\ufffd\p{Cc}\p{Cn}\p{Co}]/u;
const usualMarks = /[¡¿©®°«»“”„‘’–—…€£§·№\u3000-\u3003\u3008-\u3011\uff00-\uff5e]/;

/** Returns true for letters that no word has side by side: of two scripts, a capital after a small letter, one after a final. */
const areOddNeighbors = (former: string, next: string): boolean => {
  if (/\p{M}/u.test(next)) return !/[\p{L}\p{M}]/u.test(former);
  if (!letter.test(former) || !letter.test(next)) return false;
  if (latin.test(former) !== latin.test(next) || /[ךםןףץς]/.test(former)) return true;
  return /\p{Ll}/u.test(former) && /\p{Lu}/u.test(next);
};

/** Returns a test for the letters that the languages of an encoding often use. */
const frequentLetters = (encoding: string, text: string): ((character: string) => boolean) => {
  const ideographs = frequentIdeographs[encoding];
  if (ideographs) {
    const [label, first, last] = ideographs;
    const known = readIdeographs(label, first, last);
    if (label !== 'euc-jp') return (character) => known.has(character);
    // EUC-JP has the bytes of Chinese and Korean: sentences without kana are theirs.
    if (encoding === 'euc-jp' && !/[ぁ-ヿ]/.test(text)) return () => false;
    return (character) => known.has(character) || /[ぁ-ヿ]/.test(character);
  }
  // Hebrew letters have the bytes of Cyrillic and Greek ones, but few vowels and no accents.
  if (!isSpelled(encoding, text)) return () => false;
  // The three Icelandic letters have the bytes of Turkish ones.
  const letters =
    encoding === 'windows-1252' && /[áéíóúæ]/i.test(text) ? icelandic : (usualLetters[encoding] ?? letter);
  return (character) => letters.test(character);
};

/** Returns false for a text that Cyrillic or Greek letters do not spell. A few letters can be an abbreviation. */
const isSpelled = (encoding: string, text: string): boolean => {
  if (/^(windows-1253|iso-8859-7)$/.test(encoding)) return /[άέήίόύώ]/.test(text) || !/[α-ω]/.test(text);
  const letters = text.match(/\p{Script=Cyrillic}/gu) ?? [];
  if (letters.length < 8) return true;
  return letters.filter((letter) => /[аеёиоуыэюяіїє]/i.test(letter)).length > letters.length * 0.3;
};

const icelandic = /[à-öø-üýþÿßœšž]/i;
// Turkish has a ç, and shares other bytes with these languages.
const centralEuropean = /[áâăäąćčďđéęëěíîłĺľńňóôőöŕřśšşťţúůűüýźžżß]/i;
const usualLetters: Record<string, RegExp> = {
  'windows-1252': /[à-ïñ-öø-üÿßœšž]/i,
  'windows-1254': /[çöüğıİşâîû]/i,
  'windows-1250': centralEuropean,
  'iso-8859-2': centralEuropean,
  'windows-1257': /[āäąčęēėģīįķļłńņóōõöśšųūüźžż]/i,
  'windows-1253': /[α-ωάέήίόύώϊϋΐΰ]/i,
  'windows-1255': /[א-ת]/,
  'windows-1251': /[а-яёіїєґўјљњћђџ]/i,
  'koi8-r': /[а-яё]/i,
  ibm866: /[а-яё]/i,
  'windows-874': /[ก-ฺเ-๎]/,
  'euc-kr': /[가-힣]/,
};

/** The rows of two bytes with the frequent ideographs of an encoding. */
const frequentIdeographs: Record<string, [label: string, first: number, last: number]> = {
  gbk: ['gbk', 0xb0, 0xd7],
  big5: ['big5', 0xa4, 0xc6],
  shift_jis: ['euc-jp', 0xb0, 0xcf],
  'euc-jp': ['euc-jp', 0xb0, 0xcf],
};

const readIdeographs = (label: string, first: number, last: number): Set<string> => {
  const bytes: number[] = [];
  for (let lead = first; lead <= last; lead++) for (let trail = 0xa1; trail <= 0xfe; trail++) bytes.push(lead, trail);
  return new Set(new TextDecoder(label).decode(Uint8Array.from(bytes)));
};
