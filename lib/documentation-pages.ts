import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { basename, extname, join } from 'node:path';
import { Marked, Renderer, type Tokens } from 'marked';
import { type Guide, headingId, listServedFiles, readGuides, withLinks } from '../functions/openapi/guides.ts';
import type { OpenApiDocument } from '../functions/openapi/openapi.ts';
import { referenceMarkdown } from '../functions/openapi/topics.ts';
import { notFoundPath } from '../functions/pages/serve-pages.ts';

/** A page of the documentation, or a file of one, under its path. */
export type DocumentationFile = { path: string; contentType: string; body: string | Buffer };

const root = join(import.meta.dirname, '..');

/**
 * Returns the documentation: each guide as a page and as Markdown, the reference as Markdown, and the list of all pages. The
 * search topics, the pictures and llms.txt belong to it.
 */
export const documentationPages = (template: string): DocumentationFile[] => {
  const guides = readGuides();
  const page = (path: string, title: string, content: string, onThisPage = ''): DocumentationFile => ({
    path,
    contentType: 'text/html; charset=utf-8',
    body: template
      .replace('<!-- title -->', () => title)
      .replaceAll('<!-- navigation -->', () => navigation(guides, path))
      .replace('<!-- contents -->', () => onThisPage)
      .replace('<!-- content -->', () => content),
  });
  const markdown = (path: string, text: string): DocumentationFile => ({
    path,
    contentType: 'text/markdown; charset=utf-8',
    body: text,
  });
  const guidePages = guides.flatMap((guide, index) => {
    const path = `/docs/${guide.slug}`;
    const content = html(withLinks(guide, '')) + neighbors(guides[index - 1], guides[index + 1]) + footer(path);
    return [page(path, guide.title, content, headings(guide)), markdown(`${path}.md`, withLinks(guide, '.md'))];
  });
  return [
    page('/docs', 'Documentation', html(frontPage(guides))),
    ...guidePages,
    markdown('/docs/reference.md', referenceMarkdown(openApiDocument())),
    page(notFoundPath, 'Page not found', html(notFound)),
    { path: '/docs/search.json', contentType: 'application/json', body: readText('functions/openapi/topics.json') },
    ...guides.flatMap(listServedFiles).map((file) => ({
      path: `/docs/${basename(file)}`,
      contentType: contentTypes[extname(file)] ?? 'application/json',
      body: readFileSync(join(root, file)),
    })),
    { path: '/llms.txt', contentType: 'text/plain; charset=utf-8', body: llmsText(guides) },
  ];
};

const contentTypes: Record<string, string> = { '.svg': 'image/svg+xml', '.png': 'image/png' };

const readText = (file: string) => readFileSync(join(root, file), 'utf8');

const openApiDocument = (): OpenApiDocument => JSON.parse(readText('functions/openapi/document.json'));

/** Lists all pages by group, as Markdown. */
const contents = (guides: Guide[], extension: '' | '.md'): string => {
  const groups = groupGuides(guides).map(([group, members]) => {
    const items = members.map(({ title, slug, summary }) => `- [${title}](/docs/${slug}${extension}): ${summary}`);
    return `## ${group}\n\n${items.join('\n')}`;
  });
  return `${groups.join('\n\n')}

## Reference

- [API reference](/docs/reference${extension}): every operation with its parameters, response and errors
- [OpenAPI document](/openapi.json): the same in OpenAPI 3.1, for generators
`;
};

const groupGuides = (guides: Guide[]): [group: string, guides: Guide[]][] =>
  [...new Set(guides.map(({ group }) => group))].map((group) => [
    group,
    guides.filter((guide) => guide.group === group),
  ]);

const llmsText = (guides: Guide[]) => `# Voice Agent Platform

> A self-hosted HTTP API for voice agents: agents and their knowledge, calls and their outcomes, block lists, decisions at call time, webhooks, invoices, tools for AI clients, and a build chat.

${contents(guides, '.md')}`;

/** Returns the first page: the beginning of the first guide, with its picture, and the list of all pages. */
const frontPage = (guides: Guide[]) => {
  const [first] = guides;
  if (!first) throw new Error('The documentation has no guide.');
  const beginning = withLinks(first, '')
    .split(/^## /m)[0]
    ?.replace(/^# .*\n/, '');
  return `# Documentation\n${beginning}\n${contents(guides, '')}`;
};

const notFound = `# Page not found

There is no page with this address. Search the documentation, choose a page from the list, or go to the [front page](/docs).
`;

const footer = (path: string) =>
  `<footer>This page as <a href="${path}.md">Markdown</a>. All pages: <a href="/llms.txt">llms.txt</a>.</footer>`;

/** Links to the previous and the next page. */
const neighbors = (previous: Guide | undefined, next: Guide | undefined): string => {
  const link = (guide: Guide | undefined, rel: string, label: string) =>
    guide ? `<a rel="${rel}" href="/docs/${guide.slug}"><span>${label}</span>${guide.title}</a>` : '';
  return `<nav class="neighbors" aria-label="Previous and next page">${link(previous, 'prev', 'Previous')}${link(next, 'next', 'Next')}</nav>`;
};

/** Links to the sections of a page that has several. */
const headings = ({ source }: Guide): string => {
  const sections = marked
    .lexer(source)
    .filter((token): token is Tokens.Heading => token.type === 'heading' && token.depth === 2);
  if (sections.length < 3) return '';
  const items = sections.map(
    ({ text, tokens }) => `<li><a href="#${headingId(text)}">${marked.Parser.parseInline(tokens)}</a></li>`,
  );
  return `<details class="contents" open><summary>On this page</summary><nav aria-label="On this page"><ul>${items.join('')}</ul></nav></details>`;
};

const navigation = (guides: Guide[], path: string): string =>
  groupGuides(guides)
    .map(([group, members]) => {
      const items = members.map(({ slug, title }) => {
        const address = `/docs/${slug}`;
        return `<li><a href="${address}"${address === path ? ' aria-current="page"' : ''}>${title}</a></li>`;
      });
      return `<h2>${group}</h2><ul>${items.join('')}</ul>`;
    })
    .join('');

const html = (markdown: string): string => marked.parse(markdown, { async: false });

// The types of this package would declare browser globals for all files.
const require = createRequire(import.meta.url);
const highlighter = require('highlight.js/lib/common') as {
  highlight(code: string, options: { language: string }): { value: string };
};

/** The languages of code in the guides, by their names for the highlighter. Other code is not highlighted. */
const languages: Record<string, string> = {
  sh: 'bash',
  text: 'bash',
  '': 'bash',
  ts: 'typescript',
  tsx: 'typescript',
  python: 'python',
  json: 'json',
  yaml: 'yaml',
};

const usual = new Renderer();
const marked = new Marked({
  renderer: {
    heading({ depth, text, tokens }) {
      const words = this.parser.parseInline(tokens);
      if (depth === 1) return `<h1>${words}</h1>`;
      const id = headingId(text);
      return `<h${depth} id="${id}">${words} <a class="anchor" href="#${id}" aria-label="Link to this section">#</a></h${depth}>`;
    },
    // Content that may be wider than the page scrolls separately, also by keyboard.
    code(token) {
      const language = languages[token.lang ?? ''];
      const code = language
        ? `<pre><code>${highlighter.highlight(token.text, { language }).value}\n</code></pre>`
        : usual.code.call(this, token);
      return `<div class="code">${code.replace('<pre>', '<pre tabindex="0">')}</div>`;
    },
    table({ header, rows }) {
      const inline = ({ tokens }: Tokens.TableCell) => this.parser.parseInline(tokens);
      // Screen readers do not announce a heading without words.
      const head = header.map((cell) => (cell.text ? `<th role="columnheader">${inline(cell)}</th>` : '<td></td>'));
      const body = rows.map((cells) => {
        const labeled = cells.map((cell, column) => {
          const label = header[column]?.text.replaceAll(/[`*]/g, '');
          // The emphasized names that a row begins with are addresses: those of the alarms.
          const content = column > 0 ? inline(cell) : inline(cell).replaceAll(/<em>(\w+)/g, '<em id="$1">$1');
          return `<td role="cell"${label ? ` data-label="${label}"` : ''}>${content}</td>`;
        });
        return `<tr role="row">${labeled.join('')}</tr>`;
      });
      // The roles remain when styles turn a table of three or four columns into a list on phones.
      const table = `<table role="table"><thead role="rowgroup"><tr role="row">${head.join('')}</tr></thead><tbody role="rowgroup">${body.join('')}</tbody></table>`;
      return header.length === 3 || header.length === 4
        ? `<div class="list">${table}</div>`
        : `<div class="wide" tabindex="0">${table}</div>`;
    },
  },
});
