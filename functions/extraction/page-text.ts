import { normalizeEncoding } from '@exodus/bytes/encoding.js';
import htmlEncodingSniffer from 'html-encoding-sniffer';
import { type DecodedText, decodeText } from './text-encoding.ts';

/** A page as text, or the reason in a sentence why it is not one. */
export type PageText = ({ kind: 'html' | 'xhtml' | 'text' } & DecodedText) | { failure: string };

/** Decodes a page in the encoding that its byte order mark, its header or its markup names, or else in the detected one. */
export const decodePage = (bytes: Uint8Array, contentType: string): PageText => {
  const [type = '', ...parameters] = contentType.toLowerCase().split(';');
  const mediaType = type.trim() || sniffMediaType(bytes);
  const label = parameters
    .map((parameter) => /^\s*charset\s*=\s*["']?([^"']+)/.exec(parameter)?.[1]?.trim())
    .find((charset) => charset && normalizeEncoding(charset));
  if (mediaType === 'text/html') return { kind: 'html', ...decodeHtml(bytes, label) };
  if (mediaType === 'application/xhtml+xml') {
    const encoding = htmlEncodingSniffer(bytes, { xml: true, transportLayerEncodingLabel: label, defaultEncoding: '' });
    return { kind: 'xhtml', ...decodeText(bytes, encoding) };
  }
  if (mediaType === 'text/plain') {
    const decoded = decodeText(bytes, (label && normalizeEncoding(label)) || '');
    if (decoded.text.includes('\0')) return { failure: 'The page is declared as text, but is not text.' };
    return { kind: 'text', ...decoded };
  }
  return { failure: `The page is neither HTML nor plain text but ${mediaType.slice(0, 60)}.` };
};

/** Decodes HTML in the encoding that it declares, or else in the detected one. */
export const decodeHtml = (bytes: Uint8Array, label?: string): DecodedText => {
  const declared = htmlEncodingSniffer(bytes, { transportLayerEncodingLabel: label, defaultEncoding: '' });
  return decodeText(bytes, declared || sniffHead(bytes));
};

/** Returns the encoding that the head of a page declares behind its first kilobyte, where browsers look for it, too. */
const sniffHead = (bytes: Uint8Array): string => {
  const page = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('latin1');
  const head = page
    .replace(/<(script|style|template)\b[\s\S]*?(?:<\/\1\b|$)/gi, '')
    .split(/<body\b|<\/head\b/i, 1)[0] as string;
  const maxPrescanBytes = Number.POSITIVE_INFINITY;
  return htmlEncodingSniffer(Buffer.from(head, 'latin1'), { maxPrescanBytes, defaultEncoding: '' });
};

/** Returns the media type of a page without a content type: HTML if it begins like HTML. */
const sniffMediaType = (bytes: Uint8Array) =>
  /^\s*</.test(Buffer.from(bytes.subarray(0, 512)).toString('latin1')) ? 'text/html' : 'text/plain';
