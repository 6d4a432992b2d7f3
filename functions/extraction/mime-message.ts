import { decodeHtml } from './page-text.ts';
import type { DecodedText } from './text-encoding.ts';

/** Returns true for a web page that a browser saved as one file (MHTML), and for a message with one. */
export const isWebArchive = (bytes: Buffer): boolean => {
  const start = bytes.toString('latin1', 0, 8192);
  if (!/^[\w-]+:/.test(start)) return false;
  const { headers = '' } = readEntity(start) ?? {};
  return (
    /^mime-version:/im.test(headers) &&
    /^content-type:\s*(multipart\/(related|alternative)|text\/html)\b/im.test(headers)
  );
};

/** Returns the first page of a message in MIME format or of one of its parts; for a frameset, the pages in its frames as one. */
export const htmlOfMessage = (message: Buffer, depth = 0): DecodedText | undefined => {
  const entity = readEntity(message.toString('latin1'));
  if (!entity) return undefined;
  const { headers, body } = entity;
  const header = (name: string) => new RegExp(`^${name}:\\s*(.*)$`, 'im').exec(headers)?.[1] ?? '';
  const type = header('content-type');
  const [, quoted, plain] = /boundary=(?:"([^"]+)"|([^;\s]+))/i.exec(type) ?? [];
  const boundary = quoted ?? plain;
  if (boundary && depth === maxMessageDepth) return undefined;
  if (boundary) {
    const [page, ...frames] = body
      .split(`--${boundary}`)
      .slice(1, maxMessageParts)
      .flatMap((part) => htmlOfMessage(Buffer.from(part.replace(/^\r?\n/, ''), 'latin1'), depth + 1) ?? []);
    if (!page || !frames[0] || !/<frameset\b/i.test(page.text)) return page;
    const warnings = frames.find((frame) => frame.warnings.length > 0)?.warnings ?? [];
    return { text: frames.map(({ text }) => text).join('\n'), warnings };
  }
  if (!/^text\/html\b/i.test(type)) return undefined;
  const charset = /charset="?([^";\s]+)/i.exec(type)?.[1];
  return decodeHtml(decodeTransfer(body, header('content-transfer-encoding').trim().toLowerCase()), charset);
};

/** Splits a message or a part of one into its headers, each in a line, and its body. */
const readEntity = (text: string) => {
  const end = /\r?\n\r?\n/.exec(text);
  if (!end) return undefined;
  const headers = text.slice(0, end.index).replace(/\r?\n[ \t]+/g, ' ');
  return { headers, body: text.slice(end.index + end[0].length) };
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
