import { isUtf8 } from 'node:buffer';
import { detect } from 'chardet';
import { utf16Order } from './document-kind.ts';

/** Enough to detect an encoding; more only takes longer. */
const sampleBytes = 256 * 1024;

/** Decodes text by its byte order mark, as UTF-8 if all of it is valid, or else in the encoding that its bytes look like. */
export const decodeText = (bytes: Uint8Array): string => {
  const text = new TextDecoder(encodingOf(bytes)).decode(bytes);
  return text.replace(/\r\n?/g, '\n').replaceAll('\0', '');
};

const encodingOf = (bytes: Uint8Array): string => {
  if (bytes[0] === 0xff && bytes[1] === 0xfe) return 'utf-16le';
  if (bytes[0] === 0xfe && bytes[1] === 0xff) return 'utf-16be';
  const order = utf16Order(bytes);
  if (order) return order;
  if (isUtf8(bytes)) return 'utf-8';
  const detected = detect(bytes.subarray(0, sampleBytes)) ?? 'windows-1252';
  return isKnown(detected) ? detected : 'windows-1252';
};

const isKnown = (encoding: string): boolean => {
  try {
    return Boolean(new TextDecoder(encoding));
  } catch {
    return false;
  }
};
