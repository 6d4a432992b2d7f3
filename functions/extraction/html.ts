import type { Element, ElementContent, Nodes, Root } from 'hast';
import { fromParse5 } from 'hast-util-from-parse5';
import { type DefaultTreeAdapterTypes, defaultTreeAdapter, parse } from 'parse5';
import { EXIT, SKIP, visit } from 'unist-util-visit';
import { limits } from '../domain/limits.ts';
import { toGitHubMarkdown } from './html-markdown.ts';
import { oneLine, toVisibleText } from './html-text.ts';
import { removePageChrome } from './page-chrome.ts';
import { type ReadingBudget, steps } from './reading-budget.ts';

/** The content of an HTML page. Addresses are absolute and without fragments, links without duplicates, in document order. */
export type ReadHtml = {
  title: string;
  text: string;
  markdown: string;
  links: string[];
  /** The address that the page says it should be found at (`rel=canonical`). */
  canonical?: string;
  /** The page that this page sends its visitors to (`http-equiv=refresh`). */
  refresh?: { url: string; seconds: number };
  hasScripts: boolean;
  /** The pages that it shows in frames. */
  frames: string[];
};

/** Reads HTML without navigation, scripts and styles, but with all links. */
export const readHtml = ({ html, url, budget }: { html: string; url: string; budget: ReadingBudget }): ReadHtml => {
  const page = fromParse5(flatten(parseWithin(budget, html))) as Root;
  openShadowRoots(page);
  const base = findBaseUrl(page, url);
  const links = listLinks(page, base);
  const canonical = findCanonical(page, base);
  const refresh = findRefresh(page, base);
  const hasScripts = findElement(page, 'script') !== undefined;
  const frames = listFrames(page, base);
  const title = oneLine(toVisibleText(findElement(page, 'title')));
  const body = findElement(page, 'body') ?? page;
  removePageChrome(body);
  resolveUrls(body, base);
  return {
    title: (title || oneLine(toVisibleText(findElement(body, 'h1')))).slice(0, limits.pageTitleCharacters),
    text: toVisibleText(body),
    markdown: toGitHubMarkdown(body, budget),
    links,
    canonical,
    refresh,
    hasScripts,
    frames,
  };
};

/** Parses HTML as far as its budget goes. */
const parseWithin = (budget: ReadingBudget, html: string): DefaultTreeAdapterTypes.Document => {
  const document = defaultTreeAdapter.createDocument();
  const treeAdapter: typeof defaultTreeAdapter = {
    ...defaultTreeAdapter,
    createDocument: () => document,
    createElement(tagName, namespace, attributes) {
      if (!budget.takeElement(steps.htmlElement, attributes.length, steps.htmlAttribute)) throw spent;
      return defaultTreeAdapter.createElement(tagName, namespace, attributes);
    },
    createCommentNode(data) {
      if (!budget.take(steps.htmlAttribute)) throw spent;
      return defaultTreeAdapter.createCommentNode(data);
    },
  };
  try {
    return parse(html, { treeAdapter });
  } catch (error) {
    if (error !== spent) throw error;
    return document;
  }
};

/** Ends the parser, which leaves the tree as it is. */
const spent = new Error('The budget is spent.');

/** Pages nest less than half as deep. */
const maxDepth = 200;

type ParsedNode = DefaultTreeAdapterTypes.Node;

/** Puts the content of elements that nest deeper behind them: the work of many readers grows with the depth. */
const flatten = (document: DefaultTreeAdapterTypes.Document): DefaultTreeAdapterTypes.Document => {
  const waiting: [ParsedNode, number][] = [[document, 0]];
  for (let next = waiting.pop(); next; next = waiting.pop()) {
    const [parent, depth] = next;
    if ('content' in parent) waiting.push([parent.content, depth + 1]);
    if (!('childNodes' in parent)) continue;
    if (depth === maxDepth) parent.childNodes = listDescendants(parent);
    else for (const child of parent.childNodes) waiting.push([child, depth + 1]);
  }
  return document;
};

/** Returns all nodes within a node in the order of the page, each without its children. */
const listDescendants = (parent: DefaultTreeAdapterTypes.ParentNode): DefaultTreeAdapterTypes.ChildNode[] => {
  const descendants: DefaultTreeAdapterTypes.ChildNode[] = [];
  const waiting = parent.childNodes.toReversed();
  for (let node = waiting.pop(); node; node = waiting.pop()) {
    descendants.push(node);
    if ('content' in node) node.content.childNodes = [];
    if (!('childNodes' in node)) continue;
    for (const child of node.childNodes.toReversed()) waiting.push(child);
    node.childNodes = [];
  }
  return descendants;
};

/** Puts the content of declarative shadow roots where browsers show it, with the children of the host in its slots. */
const openShadowRoots = (page: Root) => {
  visit(page, 'element', (host) => {
    const root = host.children.find(
      (child): child is Element =>
        child.type === 'element' && child.tagName === 'template' && /^(open|closed)$/i.test(shadowRootMode(child)),
    );
    if (!root) return;
    const assigned = Map.groupBy(
      host.children.filter((child) => child !== root),
      slotName,
    );
    host.children = (root.content?.children ?? []) as ElementContent[];
    visit(host, 'element', (slot) => {
      if (slot.tagName !== 'slot') return;
      slot.children = assigned.get(String(slot.properties.name ?? '')) ?? slot.children;
      return SKIP;
    });
  });
};

const shadowRootMode = ({ properties }: Element) =>
  String(properties.shadowRootMode ?? properties.shadowrootmode ?? '');
const slotName = (node: ElementContent) => (node.type === 'element' ? String(node.properties.slot ?? '') : '');

const findCanonical = (page: Root, base: string): string | undefined => {
  let canonical: URL | null = null;
  visit(page, 'element', ({ tagName, properties: { rel, href } }) => {
    if (tagName !== 'link' || !href || !Array.isArray(rel) || !rel.some((type) => /^canonical$/i.test(String(type))))
      return;
    canonical = resolve(href, base);
    return EXIT;
  });
  return canonical ? withoutFragment(canonical) : undefined;
};

const findRefresh = (page: Root, base: string): ReadHtml['refresh'] => {
  let refresh: ReadHtml['refresh'];
  visit(page, 'element', ({ tagName, properties }) => {
    if (tagName !== 'meta' || !/^refresh$/i.test(String(properties.httpEquiv ?? ''))) return;
    const parts = /^\s*(\d+)(?:\.[\d.]*)?(?:\s*[;,]|\s)\s*(?:url\s*=\s*)?(?:"([^"]*)|'([^']*)|(.*))/is.exec(
      String(properties.content ?? ''),
    );
    if (!parts) return;
    const [, seconds, ...addresses] = parts;
    const target = resolve(addresses.find((address) => address)?.trim(), base);
    if (target) refresh = { url: withoutFragment(target), seconds: Number(seconds) };
    return EXIT;
  });
  return refresh;
};

const withoutFragment = (url: URL): string => {
  url.hash = '';
  return url.href;
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
const findBaseUrl = (page: Root, url: string): string => {
  const base = resolve(findElement(page, 'base', 'href')?.properties.href, url);
  return base && /^https?:$/.test(base.protocol) ? base.href : url;
};

const listFrames = (page: Root, base: string): string[] => listAddresses(page, base, /^i?frame$/);

const listLinks = (page: Root, base: string): string[] => listAddresses(page, base, /^(i?frame|a|area)$/);

/** Returns the addresses that elements of these names refer to. */
const listAddresses = (page: Root, base: string, names: RegExp): string[] => {
  const links = new Set<string>();
  visit(page, 'element', ({ tagName, properties }) => {
    const address = names.test(tagName) ? (tagName.endsWith('frame') ? properties.src : properties.href) : undefined;
    const target = address === undefined ? null : resolve(address, base);
    if (!target || !/^https?:$/.test(target.protocol)) return;
    const link = withoutFragment(target);
    if (link.length <= limits.urlCharacters) links.add(link);
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
