import { readHeaders } from './mime-headers.ts';
import { decodeHtml } from './page-text.ts';
import type { DecodedText } from './text-encoding.ts';

/**
 * Returns the first page of a message in MIME format or of one of its parts; for a frameset, the pages in its frames as one.
 * Browsers save a page as such a message (MHTML).
 */
export const readMessagePage = (message: Buffer, depth = 0): DecodedText | undefined => {
  const text = message.toString('latin1');
  const end = /\r?\n\r?\n/.exec(text);
  if (!end) return undefined;
  const header = readHeaders(text.slice(0, end.index));
  const body = text.slice(end.index + end[0].length);
  const type = header('content-type');
  const [, quoted, plain] = /boundary=(?:"([^"]+)"|([^;\s]+))/i.exec(type) ?? [];
  const boundary = quoted ?? plain;
  if (boundary && depth === maxMessageDepth) return undefined;
  if (boundary) {
    const [page, ...frames] = body
      .split(`--${boundary}`)
      .slice(1, maxMessageParts)
      .flatMap((part) => readMessagePage(Buffer.from(part.replace(/^\r?\n/, ''), 'latin1'), depth + 1) ?? []);
    if (!page || !frames[0] || !/<frameset\b/i.test(page.text)) return page;
    const warnings = frames.find((frame) => frame.warnings.length > 0)?.warnings ?? [];
    return { text: frames.map(({ text }) => text).join('\n'), warnings };
  }
  if (!/^text\/html\b/i.test(type)) return undefined;
  const charset = /charset="?([^";\s]+)/i.exec(type)?.[1];
  return decodeHtml(decodeTransfer(body, header('content-transfer-encoding').toLowerCase()), charset);
};

const maxMessageParts = 100;
/** Each part is copied. Mail programs nest three. */
const maxMessageDepth = 10;

const decodeTransfer = (body: string, encoding: string): Buffer => {
  if (encoding === 'base64') return Buffer.from(body, 'base64');
  if (encoding !== 'quoted-printable') return Buffer.from(body, 'latin1');
  const text = body
    .replace(/=[ \t]*\r?\n/g, '')
    .replace(/=([0-9a-f]{2})/gi, (_, hex: string) => String.fromCharCode(Number.parseInt(hex, 16)));
  return Buffer.from(text, 'latin1');
};
