import { isUtf8 } from 'node:buffer';
import { legacyHookDecode, normalizeEncoding } from '@exodus/bytes/encoding.js';
import htmlEncodingSniffer from 'html-encoding-sniffer';
import { PageFetchError } from './page-fetch-error.ts';

export type PageText = { kind: 'html' | 'text'; text: string };

/** Decodes a page by the character set that its byte order mark, its header or its markup names. */
export const decodePage = (bytes: Uint8Array, contentType: string): PageText => {
  const [type = '', ...parameters] = contentType.toLowerCase().split(';');
  const mediaType = type.trim() || sniffMediaType(bytes);
  const label = parameters
    .map((parameter) => /^\s*charset\s*=\s*["']?([^"']+)/.exec(parameter)?.[1]?.trim())
    .find((charset) => charset && normalizeEncoding(charset));
  const defaultEncoding = isUtf8(bytes) ? 'utf-8' : 'windows-1252';
  if (mediaType === 'text/html' || mediaType === 'application/xhtml+xml') {
    const encoding = htmlEncodingSniffer(bytes, { transportLayerEncodingLabel: label, defaultEncoding });
    return { kind: 'html', text: legacyHookDecode(bytes, encoding.toLowerCase()) };
  }
  if (mediaType === 'text/plain') {
    const text = legacyHookDecode(bytes, label ? (normalizeEncoding(label) ?? defaultEncoding) : defaultEncoding);
    if (text.includes('\0')) throw new PageFetchError('The page is declared as text, but is not text.');
    return { kind: 'text', text };
  }
  throw new PageFetchError(`The page is neither HTML nor plain text but ${mediaType.slice(0, 60)}.`);
};

/** Returns the media type of a page without a content type: HTML if it begins like HTML. */
const sniffMediaType = (bytes: Uint8Array) =>
  /^\s*</.test(Buffer.from(bytes.subarray(0, 512)).toString('latin1')) ? 'text/html' : 'text/plain';
