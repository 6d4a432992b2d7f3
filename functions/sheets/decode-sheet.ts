import { isUtf8 } from 'node:buffer';
import { detectUtf } from './text-encoding.ts';

/** Thrown for a file that is not text. */
export class NotTextError extends Error {
  override readonly name = 'NotTextError';
}

/** A byte that is not UTF-8 becomes a private character, so that it harms its own cell alone, and can be written again. */
const firstPrivate = 0x10ff00;
const unreadable = /[\u{10ff80}-\u{10ffff}]/gu;

/** Returns true if a text has bytes that are not UTF-8. */
export const isUnreadable = (text: string): boolean => text.search(unreadable) >= 0;

/** Returns a text for a person, with � for each byte that is not UTF-8. */
export const showUnreadable = (text: string): string => text.replace(unreadable, '\ufffd');

/** Returns a text in UTF-8, with the bytes that are not UTF-8 as they were read. */
export const encodeUtf8 = (text: string): Buffer => {
  if (!isUnreadable(text)) return Buffer.from(text);
  const parts = text.split(/([\u{10ff80}-\u{10ffff}])/u);
  return Buffer.concat(
    parts.map((part, index) =>
      index % 2 === 0 ? Buffer.from(part) : Buffer.of((part.codePointAt(0) as number) - firstPrivate),
    ),
  );
};

/**
 * Yields the text of a sheet, piece by piece: UTF-8 with or without a byte-order mark, or UTF-16 as written by Excel ("Unicode
 * text"). Throws a `NotTextError` for zeros, which no text has, and for invalid UTF-16.
 */
export async function* decodeSheet(pieces: AsyncIterable<Uint8Array>): AsyncGenerator<string> {
  let decode: ReturnType<typeof chooseDecoder> | undefined;
  let isStart = true;
  let first: Uint8Array = new Uint8Array();
  const decoded = (bytes?: Uint8Array): string => {
    decode ??= chooseDecoder(first);
    const text = decode(bytes);
    if (text.includes('\0')) throw new NotTextError();
    const rest = isStart ? text.replace(/^\ufeff/, '') : text;
    if (text !== '') isStart = false;
    return rest;
  };
  for await (const piece of pieces) {
    first = decode ? piece : Buffer.concat([first, piece]);
    // Two bytes tell the encoding.
    if (first.length >= 2 || decode) yield decoded(first);
  }
  yield decode ? decoded() : decoded(first) + decoded();
}

/** Returns the decoding of pieces. The end of the file is undefined. */
const chooseDecoder = (start: Uint8Array): ((bytes?: Uint8Array) => string) => {
  const encoding = detectUtf(start);
  if (encoding === 'utf-8') return utf8Decoder();
  const decoder = new TextDecoder(encoding, { fatal: true });
  return (bytes) => {
    try {
      return decoder.decode(bytes, { stream: bytes !== undefined });
    } catch {
      throw new NotTextError();
    }
  };
};

const utf8Decoder = () => {
  let rest: Uint8Array = new Uint8Array();
  return (bytes?: Uint8Array): string => {
    const all = bytes ? Buffer.concat([rest, bytes]) : Buffer.from(rest);
    const end = all.length - (bytes ? countCutOff(all) : 0);
    rest = all.subarray(end);
    return decodeUtf8(all.subarray(0, end));
  };
};

const decodeUtf8 = (bytes: Buffer): string => {
  if (isUtf8(bytes)) return bytes.toString();
  const parts: string[] = [];
  let start = 0;
  for (let at = 0; at < bytes.length; ) {
    const byte = bytes[at] as number;
    const length = byte < 0x80 ? 1 : countBytes(byte);
    if (length > 0 && (length === 1 || isUtf8(bytes.subarray(at, at + length)))) at += length;
    else {
      parts.push(bytes.toString('utf8', start, at), String.fromCodePoint(firstPrivate + byte));
      at += 1;
      start = at;
    }
  }
  parts.push(bytes.toString('utf8', start));
  return parts.join('');
};

/** Returns how many bytes the character has that begins with a byte beyond ASCII, or zero if none does. */
const countBytes = (lead: number): number => (lead >= 0xf0 ? 4 : lead >= 0xe0 ? 3 : lead >= 0xc2 ? 2 : 0);

/** Returns how many bytes at the end may be the beginning of a character. */
const countCutOff = (bytes: Uint8Array): number => {
  for (let count = 1; count <= 3; count++) {
    const byte = bytes.at(-count) ?? 0;
    if (byte < 0x80) return 0;
    if (byte >= 0xc0) return countBytes(byte) > count ? count : 0;
  }
  return 0;
};
