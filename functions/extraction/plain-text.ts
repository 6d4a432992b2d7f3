import type { SourceWarning } from '../domain/sources.ts';
import { readHtml } from './html.ts';
import { readMessageHeaders } from './mime-headers.ts';
import { readMessagePage } from './mime-message.ts';
import { decodeHtml } from './page-text.ts';
import { ReadingBudget } from './reading-budget.ts';
import { type DecodedText, decodeText } from './text-encoding.ts';

type PlainText = { content: string; contentMD: string; warnings: SourceWarning[] };

/** Reads a file of text, which is its own Markdown. A saved web page is read as a page. */
export const readText = (bytes: Buffer, isMarkdown: boolean): PlainText => {
  const archived = !isMarkdown && readMessageHeaders(bytes) ? readMessagePage(bytes) : undefined;
  const budget = new ReadingBudget(bytes.length);
  if (archived) return readSavedPage(archived, budget);
  const { text, warnings } = decodeText(bytes);
  if (!isMarkdown && webPage.test(text.slice(0, 4096))) return readSavedPage(decodeHtml(bytes), budget);
  const content = text.replace(/\r\n?/g, '\n').replaceAll('\0', '');
  return { content, contentMD: content, warnings };
};

/** The beginning of a page, after a declaration of XML and comments. */
const webPage = /^\s*(<\?xml[^>]*>\s*)?(<!--(?:(?!-->)[\s\S])*-->\s*)*<(!doctype\s+html|html|head|body)[\s>]/i;

const readSavedPage = ({ text: html, warnings }: DecodedText, budget: ReadingBudget): PlainText => {
  const { text, markdown } = readHtml({ html, url: 'about:blank', budget });
  return { content: text, contentMD: markdown, warnings: [...warnings, ...budget.warnings] };
};
