import type { SourceWarning } from '../domain/sources.ts';
import { readHtml } from './html.ts';
import { htmlOfMessage, isWebArchive } from './mime-message.ts';
import { decodeHtml } from './page-text.ts';
import { type DecodedText, decodeText } from './text-encoding.ts';

type PlainText = { content: string; contentMD: string; warnings: SourceWarning[] };

/** Reads a file of text, which is its own Markdown. A saved web page is read as a page. */
export const readText = (bytes: Buffer, isMarkdown: boolean): PlainText => {
  const archived = !isMarkdown && isWebArchive(bytes) ? htmlOfMessage(bytes) : undefined;
  if (archived) return readSavedPage(archived);
  const { text, warnings } = decodeText(bytes);
  if (!isMarkdown && webPage.test(text.slice(0, 4096))) return readSavedPage(decodeHtml(bytes));
  const content = text.replace(/\r\n?/g, '\n').replaceAll('\0', '');
  return { content, contentMD: content, warnings };
};

/** The beginning of a page, after a declaration of XML and comments. */
const webPage = /^\s*(<\?xml[^>]*>\s*)?(<!--(?:(?!-->)[\s\S])*-->\s*)*<(!doctype\s+html|html|head|body)[\s>]/i;

const readSavedPage = ({ text: html, warnings }: DecodedText): PlainText => {
  const { text, markdown } = readHtml({ html, url: 'about:blank' });
  return { content: text, contentMD: markdown, warnings };
};
