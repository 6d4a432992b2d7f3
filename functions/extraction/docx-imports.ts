import { escapeXml } from './docx-elements.ts';
import { readMessageHeaders } from './mime-headers.ts';
import { readMessagePage } from './mime-message.ts';
import { decodeHtml } from './page-text.ts';

/** Returns the HTML of an imported part: a page, MHTML or plain text; undefined for others. */
export const convertImport = (bytes: Buffer): string | undefined => {
  const start = bytes.toString('latin1', 0, 5);
  if (readMessageHeaders(bytes)) return readMessagePage(bytes)?.text;
  if (bytes.includes(0) || /^(PK|\{\\rtf)/.test(start)) return undefined;
  const { text } = decodeHtml(bytes);
  if (/<(html|body|!doctype|p|div|h\d|table|span|meta)\b/i.test(text)) return text;
  return `<p>${escapeXml(text).replace(/\r\n?|\n/g, '<br>')}</p>`;
};
