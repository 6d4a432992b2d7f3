import { decodeHtml } from './page-text.ts';

/**
 * Returns the HTML of a part that a Word document imports: a page, a page within a mail message (MHTML), or plain text.
 * Returns undefined for other parts.
 */
export const htmlOfPart = (bytes: Buffer): string | undefined => {
  const start = bytes.toString('latin1', 0, 2000);
  if (/^[\w-]+:[^\n]*\n/.test(start) && /^(mime-version|content-type):/im.test(start)) return htmlOfMessage(bytes);
  if (bytes.includes(0) || /^(PK|\{\\rtf)/.test(start)) return undefined;
  const { text } = decodeHtml(bytes);
  if (/<(html|body|!doctype|p|div|h\d|table|span|meta)\b/i.test(text)) return text;
  return `<p>${escapeHtml(text).replace(/\r\n?|\n/g, '<br>')}</p>`;
};

/** Returns the first page of a mail message or of one of its parts. */
const htmlOfMessage = (message: Buffer): string | undefined => {
  const text = message.toString('latin1');
  const end = /\r?\n\r?\n/.exec(text);
  if (!end) return undefined;
  const headers = text.slice(0, end.index).replace(/\r?\n[ \t]+/g, ' ');
  const header = (name: string) => new RegExp(`^${name}:\\s*(.*)$`, 'im').exec(headers)?.[1] ?? '';
  const type = header('content-type');
  const body = text.slice(end.index + end[0].length);
  const [, quoted, plain] = /boundary=(?:"([^"]+)"|([^;\s]+))/i.exec(type) ?? [];
  const boundary = quoted ?? plain;
  if (boundary) {
    const parts = body.split(`--${boundary}`).slice(1, maxMessageParts);
    for (const part of parts) {
      const found = htmlOfMessage(Buffer.from(part.replace(/^\r?\n/, ''), 'latin1'));
      if (found !== undefined) return found;
    }
    return undefined;
  }
  if (!/^text\/html\b/i.test(type)) return undefined;
  const charset = /charset="?([^";\s]+)/i.exec(type)?.[1];
  return decodeHtml(decodeTransfer(body, header('content-transfer-encoding').trim().toLowerCase()), charset).text;
};

const maxMessageParts = 100;

const decodeTransfer = (body: string, encoding: string): Buffer => {
  if (encoding === 'base64') return Buffer.from(body, 'base64');
  if (encoding !== 'quoted-printable') return Buffer.from(body, 'latin1');
  const text = body
    .replace(/=[ \t]*\r?\n/g, '')
    .replace(/=([0-9a-f]{2})/gi, (_, hex: string) => String.fromCharCode(Number.parseInt(hex, 16)));
  return Buffer.from(text, 'latin1');
};

const escapeHtml = (text: string) => text.replace(/[&<>]/g, (character) => `&#${character.charCodeAt(0)};`);
