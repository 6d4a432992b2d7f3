import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Marked, Renderer } from 'marked';
import { type Guide, headingId, readGuides, withLinks } from '../functions/openapi/guides.ts';
import type { OpenApiDocument } from '../functions/openapi/openapi.ts';
import { referenceMarkdown } from '../functions/openapi/topics.ts';

/** A page of the documentation as text, under its path. */
export type TextPage = { path: string; contentType: string; text: string };

/** The documentation: each guide as a page and as Markdown, the reference as Markdown, the list of all, and llms.txt. */
export const documentationPages = (template: string): TextPage[] => {
  const guides = readGuides();
  const page = (path: string, title: string, content: string): TextPage => ({
    path,
    contentType: 'text/html; charset=utf-8',
    text: template
      .replace('<!-- title -->', () => title)
      .replaceAll('<!-- navigation -->', () => navigation(guides, path))
      .replace('<!-- content -->', () => content),
  });
  const markdown = (path: string, text: string): TextPage => ({
    path,
    contentType: 'text/markdown; charset=utf-8',
    text,
  });
  return [
    page('/docs', 'Documentation', html(contents(guides, ''))),
    ...guides.flatMap((guide) => {
      const path = `/docs/${guide.slug}`;
      const footer = `<footer>This page as <a href="${path}.md">Markdown</a>. All pages: <a href="/llms.txt">llms.txt</a>.</footer>`;
      return [
        page(path, guide.title, html(withLinks(guide, '')) + footer),
        markdown(`${path}.md`, withLinks(guide, '.md')),
      ];
    }),
    markdown('/docs/reference.md', referenceMarkdown(openApiDocument())),
    { path: '/llms.txt', contentType: 'text/plain; charset=utf-8', text: contents(guides, '.md') },
  ];
};

const openApiDocument = (): OpenApiDocument =>
  JSON.parse(readFileSync(join(import.meta.dirname, '../functions/openapi/document.json'), 'utf8'));

/** All pages by group, in the form of llms.txt. */
const contents = (guides: Guide[], extension: '' | '.md'): string => {
  const groups = [...new Set(guides.map(({ group }) => group))].map((group) => {
    const items = guides
      .filter((guide) => guide.group === group)
      .map(({ title, slug, summary }) => `- [${title}](/docs/${slug}${extension}): ${summary}`);
    return `## ${group}\n\n${items.join('\n')}`;
  });
  return `# Voice Agent Platform

> A self-hosted HTTP API for voice agents: agents and their knowledge, calls and their outcomes, block lists, decisions at call time, webhooks, invoices, tools for AI clients, and a build chat.

${groups.join('\n\n')}

## Reference

- [API reference](/docs/reference${extension}): every operation with its parameters, response and errors
- [OpenAPI document](/openapi.json): the same in OpenAPI 3.1, for generators
`;
};

const navigation = (guides: Guide[], path: string): string =>
  [...new Set(guides.map(({ group }) => group))]
    .map((group) => {
      const items = guides
        .filter((guide) => guide.group === group)
        .map(({ slug, title }) => {
          const address = `/docs/${slug}`;
          return `<li><a href="${address}"${address === path ? ' aria-current="page"' : ''}>${title}</a></li>`;
        });
      return `<h2>${group}</h2><ul>${items.join('')}</ul>`;
    })
    .join('');

const html = (markdown: string): string => marked.parse(markdown, { async: false });

const usual = new Renderer();
const marked = new Marked({
  renderer: {
    heading({ depth, text, tokens }) {
      return `<h${depth} id="${headingId(text)}">${this.parser.parseInline(tokens)}</h${depth}>`;
    },
    // What may be wider than the page scrolls by itself, also by keyboard.
    code: (token) => usual.code(token).replace('<pre>', '<pre tabindex="0">'),
    table(token) {
      // A heading without words is none to those who listen.
      const table = usual.table.call(this, token).replaceAll('<th></th>', '<td></td>');
      return `<div class="wide" tabindex="0">${table}</div>`;
    },
  },
});
