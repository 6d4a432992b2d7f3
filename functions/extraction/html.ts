import type { Element, Nodes, Root } from 'hast';
import { fromParse5 } from 'hast-util-from-parse5';
import { parse } from 'parse5';
import { EXIT, SKIP, visit } from 'unist-util-visit';
import { limits } from '../domain/limits.ts';
import { markdownOf } from './html-markdown.ts';
import { oneLine, textOf } from './html-text.ts';
import { removePageChrome } from './page-chrome.ts';
import { runInWorker } from './sandboxed-worker.ts';

/** The content of an HTML page. `links` are absolute, without fragments, without duplicates, in document order. */
export type ReadHtml = { title: string; text: string; markdown: string; links: string[] };

/**
 * Reads untrusted HTML in a sandboxed worker. Navigation, scripts and styles are left out of both texts; links are
 * collected from the whole page. A page that nests deeper than the stack throws a `RangeError`.
 */
export const htmlReader = runInWorker(
  'readHtml',
  import.meta.url,
  (page: { html: string; url: string }) => readHtml(page),
  { timeoutSeconds: 15, heapMegabytes: 512 },
);

export const readHtml = ({ html, url }: { html: string; url: string }): ReadHtml => {
  const page = fromParse5(parse(html)) as Root;
  const base = baseUrlOf(page, url);
  const links = linksOf(page, base);
  const title = oneLine(textOf(findElement(page, 'title')));
  const body = findElement(page, 'body') ?? page;
  removePageChrome(body);
  resolveUrls(body, base);
  return {
    title: (title || oneLine(textOf(findElement(body, 'h1')))).slice(0, limits.pageTitleCharacters),
    text: textOf(body),
    markdown: markdownOf(body),
    links,
  };
};

/** Returns the first element with a name; the `title` of a drawing is not that of a page. */
const findElement = (tree: Nodes, tagName: string, property?: string): Element | undefined => {
  let found: Element | undefined;
  visit(tree, 'element', (element) => {
    if (element.tagName === 'svg') return SKIP;
    if (element.tagName !== tagName || (property && element.properties[property] === undefined)) return;
    found = element;
    return EXIT;
  });
  return found;
};

/** Returns the URL that relative links are resolved against: that of the first `<base>`, or else that of the page. */
const baseUrlOf = (page: Root, url: string): string => {
  const base = resolve(findElement(page, 'base', 'href')?.properties.href, url);
  return base && /^https?:$/.test(base.protocol) ? base.href : url;
};

const linksOf = (page: Root, base: string): string[] => {
  const links = new Set<string>();
  visit(page, 'element', ({ tagName, properties }) => {
    if (tagName !== 'a' && tagName !== 'area') return;
    const target = properties.href === undefined ? null : resolve(properties.href, base);
    if (!target || !/^https?:$/.test(target.protocol)) return;
    target.hash = '';
    if (target.href.length <= limits.urlCharacters) links.add(target.href);
    return links.size < limits.pageLinks ? undefined : EXIT;
  });
  return [...links];
};

/** Makes URLs absolute, and removes links and images without text. A link that leads to no page becomes plain text. */
const resolveUrls = (body: Nodes, base: string) => {
  visit(body, 'element', (element, index, parent) => {
    const { tagName, properties, children } = element;
    if (tagName === 'a') {
      const href = String(properties.href ?? '#');
      const target = href.trim().startsWith('#') ? null : resolve(href, base);
      if (target && /^(https?|mailto|tel):$/.test(target.protocol)) element.properties = { href: target.href };
      else element.tagName = 'span';
    } else if (tagName === 'img') {
      const source = resolve(properties.src, base);
      const alt = source && /^https?:$/.test(source.protocol) ? oneLine(String(properties.alt ?? '')) : '';
      element.properties = { src: source?.href, alt };
    } else return;
    if (children.length > 0 || element.properties.alt || !parent || index === undefined) return;
    parent.children.splice(index, 1);
    return index;
  });
};

const resolve = (url: unknown, base: string): URL | null => URL.parse(String(url ?? ''), base);
