import { isUtf8 } from 'node:buffer';
import { getBOMEncoding, legacyHookDecode, normalizeEncoding, TextDecoder } from '@exodus/bytes/encoding.js';
import { analyse as analyzeBytes } from 'chardet';
import type { SourceWarning } from '../domain/sources.ts';
import { utf16Order } from './document-kind.ts';

/** A decoded text, and what may be wrong in it. Bytes that are invalid in its encoding are U+FFFD. */
export type DecodedText = { text: string; warnings: SourceWarning[] };

const undecodableBytes: SourceWarning = {
  code: 'undecodable_bytes',
  message: 'Some bytes are not text in the encoding of the source: the text has � in their place.',
};
const uncertainEncoding: SourceWarning = {
  code: 'uncertain_encoding',
  message: 'The source does not say its encoding, and fits none well: letters may be wrong. Save it in UTF-8.',
};

/** Decodes a text in the encoding that it declares (empty: none) unless its bytes disprove it, or else in the detected one. */
export const decodeText = (bytes: Uint8Array, declared = ''): DecodedText => {
  const { encoding, isUncertain } = chooseEncoding(bytes, declared);
  const { text, isDamaged } = decodeBytes(bytes, encoding);
  const warnings = [...(isDamaged ? [undecodableBytes] : []), ...(isUncertain ? [uncertainEncoding] : [])];
  return { text, warnings };
};

const decodeBytes = (bytes: Uint8Array, encoding: string) => {
  try {
    const text = new TextDecoder(encoding, { fatal: true }).decode(bytes);
    if (!singleByteEncoding.test(encoding) || !undefinedCharacters.test(text)) return { text, isDamaged: false };
    return { text: text.replaceAll(undefinedCharacters, '\ufffd'), isDamaged: true };
  } catch {
    return { text: legacyHookDecode(bytes, encoding), isDamaged: true };
  }
};

/** What browsers read where an encoding of single bytes has no character. */
const undefinedCharacters = /[\x80-\x9f]/g;

/** An encoding. It is uncertain if the text looks like none in it. */
type Encoding = { encoding: string; isUncertain?: boolean };

const chooseEncoding = (bytes: Uint8Array, declared: string): Encoding => {
  if (!declared) return detectEncoding(bytes);
  return { encoding: singleByteEncoding.test(declared) && hasUtf8Characters(bytes) ? 'utf-8' : declared };
};

const singleByteEncoding = /^(windows-|iso-8859-|koi8-|macintosh|x-mac-|ibm866)/i;

/** Returns true for UTF-8 with at least two characters beyond ASCII: texts in encodings of single bytes are never like that. */
const hasUtf8Characters = (bytes: Uint8Array): boolean => {
  const isLead = (byte: number) => byte >= 0xc0;
  const first = bytes.findIndex(isLead);
  return first !== -1 && bytes.subarray(first + 1).some(isLead) && isUtf8(bytes);
};

/** Returns the encoding of a text that declares none. */
const detectEncoding = (bytes: Uint8Array): Encoding => {
  if (switchesToJapanese(bytes)) return { encoding: 'iso-2022-jp' };
  const encoding = getBOMEncoding(bytes) ?? utf16Order(bytes) ?? (isMostlyUtf8(bytes) ? 'utf-8' : undefined);
  return encoding ? { encoding } : detectLegacyEncoding(selectSample(bytes));
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

const sampleBytes = 1536;

/** Returns lines with bytes beyond ASCII: only these tell encodings apart, and longer ones only take longer. */
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

/**
 * Returns the encoding in which the text looks most like one. In a short text, letters say more than the statistics of the
 * library.
 */
const detectLegacyEncoding = (sample: Uint8Array): Encoding => {
  const confidences = new Map([...commonEncodings, ...rareEncodings].map((encoding) => [encoding, 0]));
  for (const { name, confidence } of analyzeBytes(sample)) {
    const encoding = normalizeEncoding(name)?.replace('gb18030', 'gbk').replace('iso-8859-8', 'windows-1255');
    if (!encoding || /^(utf-|replacement)/.test(encoding)) continue;
    confidences.set(encoding, Math.max(confidences.get(encoding) ?? 0, confidence));
  }
  let best = { encoding: 'windows-1252', score: Number.NEGATIVE_INFINITY, rating: 0, unusual: 0 };
  for (const [encoding, confidence] of confidences) {
    const fit = rateEncoding(sample, encoding);
    const score = fit.rating + (commonEncodings.includes(encoding) ? 0.2 : 0) + confidence / 200;
    if (score > best.score) best = { encoding, score, ...fit };
  }
  const { encoding, rating, unusual } = best;
  const related = relatedEncodings[encoding];
  if (related && rateEncoding(sample, related).rating > rating) return { encoding: related };
  return { encoding, isUncertain: unusual > maxUnusual && alphabets[encoding] !== undefined };
};

/** Encodings that are tried whatever the library says: it needs several sentences to recognize them. */
const commonEncodings = [
  'windows-1252',
  'windows-1254',
  'windows-1250',
  'iso-8859-2',
  'windows-1257',
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

/** Encodings that are tried, too, and win where none of the others fits as well. */
const rareEncodings = ['macintosh', 'iso-8859-3', 'iso-8859-15'];

/** Encodings that have almost all letters of another one at the same bytes. */
const relatedEncodings: Record<string, string> = { 'windows-1251': 'x-mac-cyrillic', 'koi8-r': 'koi8-u' };

/** Texts in the right encoding have at most this share of unusual characters. */
const maxUnusual = 0.2;

const rateEncoding = (sample: Uint8Array, encoding: string): Fit => {
  const text = new TextDecoder(encoding).decode(sample);
  return rateText(text, frequentLetters(encoding, text));
};

/** How well a text fits an encoding: a rating of up to 1, and the share of characters that its languages do not use there. */
type Fit = { rating: number; unusual: number };

/** Rates a text by its characters beyond ASCII: 1 if each is a letter of the encoding's languages, in the middle of such. */
const rateText = (text: string, isUsual: (character: string) => boolean): Fit => {
  let sum = 0;
  let count = 0;
  let unusual = 0;
  let former = '';
  let beforeFormer = '';
  for (const character of text) {
    const isAscii = character <= '\x7f';
    if (!isAscii) count += 1;
    if (!isAscii || former > '\x7f') {
      const points =
        rateCharacter(character, former, isUsual) - (isMarkInWord(beforeFormer, former, character) ? 1.3 : 0);
      if (points < 0) unusual += 1;
      sum += points;
    }
    beforeFormer = former;
    former = character;
  }
  return count === 0 ? { rating: 0, unusual: 0 } : { rating: sum / count, unusual: unusual / count };
};

const rateCharacter = (character: string, former: string, isUsual: (character: string) => boolean): number => {
  if (areOddNeighbors(former, character)) return -1;
  if (character <= '\x7f') return 0;
  if (unreadable.test(character)) return -4;
  if (!isUsual(character)) return usualMarks.test(character) ? 0.8 : -0.5;
  return latin.test(character) && former > '\x7f' && letter.test(former) ? 0 : 1;
};

const isMarkInWord = (before: string, mark: string, next: string) =>
  marksBesideWords.test(mark) && letterOrPower.test(before) && letter.test(next);

const letter = /\p{L}/u;
/** In another encoding, letters side by side are powers side by side. */
const letterOrPower = /[\p{L}¹²³]/u;
const latin = /\p{Script=Latin}/u;
const unreadable = /[\ufffd\p{Cc}\p{Cn}\p{Co}]/u;
const usualMarks = /[¡¿©®°«»“”„‘’–—…€£¥¢§·•™×±µ²³¹ªº½¼¾‹›№\u3000-\u3003\u3008-\u3011\uff00-\uff5e]/;
/** Marks that no word has between its letters. */
const marksBesideWords = /[¡¿©«»“”„…€£¥¢§•†‡‰×±¹²³½¼¾¤¦¨¬¶‹›‚]/;

/** Returns true for letters that no word has side by side: of two scripts, a capital after a small letter, one after a final. */
const areOddNeighbors = (former: string, next: string): boolean => {
  if (next > '\u02ff' && /\p{M}/u.test(next)) return !/[\p{L}\p{M}]/u.test(former);
  if (!letter.test(former) || !letter.test(next)) return false;
  if (latin.test(former) !== latin.test(next) || /[ךםןףץς]/.test(former)) return true;
  return /\p{Ll}/u.test(former) && /\p{Lu}/u.test(next);
};

/** Returns a test for the letters that the languages of an encoding often use. */
const frequentLetters = (encoding: string, text: string): ((character: string) => boolean) => {
  const ideographs = frequentIdeographs[encoding];
  if (ideographs) {
    // EUC-JP has the bytes of Chinese and Korean: sentences without kana are theirs.
    if (encoding === 'euc-jp' && !/[ぁ-ヿ]/.test(text)) return () => false;
    const known = readIdeographs(...ideographs);
    return (character) => known.has(character) || /[ぁ-ヿ]/.test(character);
  }
  // Hebrew letters have the bytes of Cyrillic and Greek ones, but few vowels and no accents.
  if (!isSpelled(encoding, text)) return () => false;
  const script = scripts[encoding];
  if (script) return (character) => script.test(character);
  const languages = alphabets[encoding];
  if (!languages) return (character) => letter.test(character);
  // The three Icelandic letters have the bytes of Turkish ones.
  const isIcelandic = encoding === 'windows-1252' && /[áéíóú]/i.test(text);
  const letters = isIcelandic ? new Set(icelandic) : chooseAlphabet(languages, text);
  return (character) => letters.has(character) || letters.has(character.toLowerCase());
};

/** The encodings of scripts whose words have no Latin letters. */
const otherScripts = /^(windows-(125[1356]|874)|iso-8859-[5-8]|koi8-|ibm866|x-mac-cyrillic)/;

/** Returns false for a text that Cyrillic or Greek letters do not spell. A few letters can be an abbreviation. */
const isSpelled = (encoding: string, text: string): boolean => {
  if (otherScripts.test(encoding) && !/[^\0-\x7f]{2}/.test(text)) return false;
  if (/^(windows-1253|iso-8859-7)$/.test(encoding)) return /[άέήίόύώ]/.test(text) || !/[α-ω]/.test(text);
  const letters = text.match(/\p{Script=Cyrillic}/gu) ?? [];
  if (letters.length < 8) return true;
  return letters.filter((letter) => /[аеёиоуыэюяіїє]/i.test(letter)).length > letters.length * 0.3;
};

const western = 'àáâãäåæçèéêëìíîïñòóôõöøùúûüÿßœ';
const icelandic = `${western}ðýþ`;
const cyrillic = 'абвгдежзийклмнопрстуфхцчшщъыьэюяёіїєґўјљњћђџ';
// Turkish has a ç, and shares other bytes with these languages.
const centralEuropean = ['áäčďéěíĺľňóôŕřšťúůýž', 'ąćęłńóśźż', 'áéíóöőúüű', 'ăâîşţ', 'čćđšž', 'äöüßé'];
const baltic = ['ąčęėįšųūž', 'āčēģīķļņōŗšūž', 'äöüõšž'];

/** The letters beyond ASCII of the languages of an encoding. A text is in one of these languages. */
const alphabets: Record<string, string[]> = {
  'windows-1252': [western],
  'iso-8859-15': [western],
  macintosh: [western],
  'windows-1254': ['çöüğıİşâîû'],
  'windows-1250': centralEuropean,
  'iso-8859-2': centralEuropean,
  'iso-8859-3': ['ċġħżàèìòù', 'ĉĝĥĵŝŭ', 'çöüğıİşâîû'],
  'windows-1257': baltic,
  'windows-1253': ['αβγδεζηθικλμνξοπρσςτυφχψωάέήίόύώϊϋΐΰ'],
  'windows-1255': ['אבגדהוזחטיךכלםמןנסעףפץצקרשת'],
  'windows-1251': [cyrillic],
  'x-mac-cyrillic': [cyrillic],
  'koi8-r': [cyrillic],
  'koi8-u': [cyrillic],
  ibm866: [cyrillic],
};
const scripts: Record<string, RegExp> = { 'windows-874': /[ก-ฺเ-๎]/, 'euc-kr': /[가-힣]/ };

/** Returns the alphabet that has the most letters of a text. */
const chooseAlphabet = ([first = '', ...others]: string[], text: string): Set<string> => {
  let best = { letters: new Set(first), count: -1 };
  if (others.length === 0) return best.letters;
  const characters = text.toLowerCase().match(/[^\0-\x7f]/g) ?? [];
  for (const alphabet of [first, ...others]) {
    const letters = new Set(alphabet);
    const count = characters.filter((character) => letters.has(character)).length;
    if (count > best.count) best = { letters, count };
  }
  return best.letters;
};

/** The rows of two bytes with the frequent ideographs of an encoding. */
const frequentIdeographs: Record<string, [label: string, first: number, last: number]> = {
  gbk: ['gbk', 0xb0, 0xd7],
  big5: ['big5', 0xa4, 0xc6],
  shift_jis: ['euc-jp', 0xb0, 0xcf],
  'euc-jp': ['euc-jp', 0xb0, 0xcf],
};

/** The ideographs of encodings that were asked for. To decode them takes longer than to rate a text. */
const knownIdeographs = new Map<string, Set<string>>();

const readIdeographs = (label: string, first: number, last: number): Set<string> => {
  const known = knownIdeographs.get(label);
  if (known) return known;
  const bytes: number[] = [];
  for (let lead = first; lead <= last; lead++) for (let trail = 0xa1; trail <= 0xfe; trail++) bytes.push(lead, trail);
  const ideographs = new Set(new TextDecoder(label).decode(Uint8Array.from(bytes)));
  knownIdeographs.set(label, ideographs);
  return ideographs;
};
