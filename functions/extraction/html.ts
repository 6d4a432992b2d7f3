// @ts-expect-error: its types are those of another module
import domino from '@mixmark-io/domino';
import TurndownService from 'turndown';
import { limits } from '../domain/limits.ts';
import { runInWorker } from './sandboxed-worker.ts';

/** What a page of HTML says. `links` are absolute, without fragments, each once, in the order they stand in. */
export type ReadHtml = { title: string; text: string; markdown: string; links: string[] };

/**
 * Reads HTML in a confined thread: what its author made may be of any size, depth and malice.
 * Navigation, scripts and styles are in neither text; links are taken from everywhere.
 */
export const htmlReader = runInWorker(
  'readHtml',
  import.meta.url,
  (page: { html: string; url: string }) => readHtml(page),
  {
    seconds: 15,
    heapMegabytes: 512,
  },
);

/** What is used of the DOM here. */
type DomNode = {
  nodeType: number;
  nodeName: string;
  nodeValue: string | null;
  firstChild: DomNode | null;
  nextSibling: DomNode | null;
  parentNode: DomNode | null;
  removeChild(child: DomNode): void;
  insertBefore(child: DomNode, before: DomNode | null): void;
};
type DomElement = DomNode & {
  getAttribute(name: string): string | null;
  setAttribute(name: string, value: string): void;
  removeAttribute(name: string): void;
  hasAttribute(name: string): boolean;
};
type DomDocument = { title: string; body: DomElement | null; documentElement: DomElement };

export const readHtml = ({ html, url }: { html: string; url: string }): ReadHtml => {
  const page = domino.createDocument(html, true) as unknown as DomDocument;
  const root = page.body ?? page.documentElement;
  const base = baseOf(page.documentElement, url);
  const links = linksOf(page.documentElement, base);
  strip(root);
  makeAbsolute(root, base);
  const heading = find(root, (element) => element.nodeName === 'H1');
  const title = oneLine(page.title) || (heading ? oneLine(textOf(heading)) : '');
  const text = textOf(root);
  markTables(root);
  return { title: title.slice(0, limits.pageTitleCharacters), text, markdown: markdownOf(root), links };
};

const isElement = (node: DomNode): node is DomElement => node.nodeType === 1;

/** Goes through a tree in document order, without recursion: depth is the author's to choose. `enter` says whether to go deeper. */
const walk = (root: DomNode, enter: (node: DomNode) => boolean, leave: (node: DomNode) => void = () => {}) => {
  let node: DomNode | null = root;
  let descend = enter(node);
  while (node) {
    if (descend && node.firstChild) {
      node = node.firstChild;
    } else {
      for (;;) {
        leave(node);
        if (node === root) return;
        if (node.nextSibling) break;
        node = node.parentNode as DomNode;
      }
      node = node.nextSibling;
    }
    descend = enter(node as DomNode);
  }
};

const find = (root: DomNode, wanted: (element: DomElement) => boolean): DomElement | undefined => {
  let found: DomElement | undefined;
  walk(root, (node) => {
    if (!found && isElement(node) && wanted(node)) found = node;
    return !found;
  });
  return found;
};

const elementsOf = (root: DomNode): DomElement[] => {
  const elements: DomElement[] = [];
  walk(root, (node) => {
    if (isElement(node)) elements.push(node);
    return true;
  });
  return elements;
};

/** Where relative links lead from: the page, or what its first `<base>` says. */
const baseOf = (root: DomElement, url: string): string => {
  const base = find(root, (element) => element.nodeName === 'BASE' && element.hasAttribute('href'));
  const address = base && URL.parse(base.getAttribute('href') ?? '', url);
  return address && /^https?:$/.test(address.protocol) ? address.href : url;
};

const linksOf = (root: DomElement, base: string): string[] => {
  const links = new Set<string>();
  walk(root, (node) => {
    if (isElement(node) && (node.nodeName === 'A' || node.nodeName === 'AREA') && links.size < limits.pageLinks) {
      const href = node.getAttribute('href');
      const target = href === null ? null : URL.parse(href, base);
      if (target && /^https?:$/.test(target.protocol)) {
        target.hash = '';
        if (target.href.length <= limits.urlCharacters) links.add(target.href);
      }
    }
    return true;
  });
  return [...links];
};

/** Elements that hold no text of the page, or text that is no part of what it says. */
const wordless = new Set(
  'SCRIPT STYLE NOSCRIPT TEMPLATE NAV SVG CANVAS IFRAME FRAME FRAMESET OBJECT EMBED APPLET AUDIO VIDEO MAP HEAD LINK META TITLE BASE BUTTON INPUT SELECT TEXTAREA DATALIST PROGRESS METER DIALOG'.split(
    ' ',
  ),
);
const wordlessRoles = /^(navigation|menu|menubar|search|dialog|alertdialog|toolbar|tablist|progressbar)$/i;
const unseen = /display\s*:\s*none|visibility\s*:\s*hidden/i;
/** Names of classes and ids that say navigation. What bears one goes when it is mostly links: a restaurant's menu stays. */
const navigationNames =
  /(^|[\s_-])(nav|navbar|navigation|menu|breadcrumbs?|pagination|pager|sitemap|toc|skip-?(link|nav)|social|share)([\s_-]|$)/i;
const consentNames = /(^|[\s_-])(cookie|consent|gdpr)[\w-]*(banner|bar|notice|popup|modal|dialog|overlay)([\s_-]|$)/i;
const surroundings = new Set(['HEADER', 'FOOTER', 'ASIDE']);
const lists = new Set(['UL', 'OL', 'MENU', 'DL']);

/** Takes navigation and everything that is not said to a reader out of the tree. */
const strip = (root: DomElement) => {
  const doomed: DomNode[] = [];
  walk(root, (node) => {
    const goes = node !== root && (node.nodeType === 8 || (isElement(node) && isWordless(node)));
    if (goes) doomed.push(node);
    return !goes;
  });
  for (const node of doomed) node.parentNode?.removeChild(node);

  // Of each element, how much of its text stands in links.
  const measures: { node: DomNode; text: number; linked: number }[] = [];
  const navigation: DomElement[] = [];
  let around = 0;
  let linksOpen = 0;
  walk(
    root,
    (node) => {
      measures.push({ node, text: 0, linked: 0 });
      if (surroundings.has(node.nodeName)) around += 1;
      if (node.nodeName === 'A') linksOpen += 1;
      return true;
    },
    (node) => {
      const measure = measures.pop() as (typeof measures)[number];
      if (node.nodeType === 3) {
        measure.text = (node.nodeValue ?? '').replace(/\s+/g, '').length;
        measure.linked = linksOpen > 0 ? measure.text : 0;
      }
      const parent = measures.at(-1);
      if (parent) {
        parent.text += measure.text;
        parent.linked += measure.linked;
      }
      if (node.nodeName === 'A') linksOpen -= 1;
      if (isElement(node) && node !== root && measure.linked > 0 && measure.linked >= measure.text * 0.7) {
        const named = navigationNames.test(`${node.getAttribute('class') ?? ''} ${node.getAttribute('id') ?? ''}`);
        if (node.nodeName !== 'A' && (named || (around > 0 && lists.has(node.nodeName)))) navigation.push(node);
      }
      if (surroundings.has(node.nodeName)) around -= 1;
    },
  );
  for (const node of navigation) node.parentNode?.removeChild(node);
};

const isWordless = (element: DomElement): boolean => {
  if (element.nodeName === 'DIALOG' && element.hasAttribute('open')) return false;
  return (
    wordless.has(element.nodeName.toUpperCase()) ||
    element.hasAttribute('hidden') ||
    element.getAttribute('aria-hidden') === 'true' ||
    wordlessRoles.test(element.getAttribute('role') ?? '') ||
    unseen.test(element.getAttribute('style') ?? '') ||
    consentNames.test(`${element.getAttribute('class') ?? ''} ${element.getAttribute('id') ?? ''}`)
  );
};

/** Makes what the Markdown keeps of addresses absolute. An image without words, and a link to no page, say nothing. */
const makeAbsolute = (root: DomElement, base: string) => {
  for (const element of elementsOf(root)) {
    if (element.nodeName === 'A') {
      const target = URL.parse(element.getAttribute('href') ?? '#', base);
      const keeps = target && /^(https?|mailto|tel):$/.test(target.protocol) && element.hasAttribute('href');
      if (keeps && !element.getAttribute('href')?.trim().startsWith('#')) element.setAttribute('href', target.href);
      else element.removeAttribute('href');
      element.removeAttribute('title');
    }
    if (element.nodeName === 'IMG') {
      const source = URL.parse(element.getAttribute('src') ?? '', base);
      const alt = oneLine(element.getAttribute('alt') ?? '');
      if (alt && source && /^https?:$/.test(source.protocol)) {
        element.setAttribute('src', source.href);
        element.setAttribute('alt', alt);
        element.removeAttribute('title');
      } else element.parentNode?.removeChild(element);
    }
  }
};

const blocks = new Set(
  'ADDRESS ARTICLE ASIDE BLOCKQUOTE BODY CAPTION CENTER DD DETAILS DIALOG DIV DL DT FIELDSET FIGCAPTION FIGURE FOOTER FORM H1 H2 H3 H4 H5 H6 HEADER HGROUP HR LEGEND LI MAIN MENU OL P PRE SECTION SUMMARY TABLE TBODY TFOOT THEAD TR UL'.split(
    ' ',
  ),
);
/** Blocks with a blank line around them; the others stand on lines of their own. */
const paragraphs = new Set('P H1 H2 H3 H4 H5 H6 BLOCKQUOTE PRE TABLE UL OL DL FIGURE ARTICLE SECTION'.split(' '));

/** The text of a tree as a reader sees it: lines and paragraphs where the blocks are, cells side by side. */
const textOf = (root: DomNode): string => {
  const parts: string[] = [];
  let preformatted = 0;
  // What is due before the next word: a space, a tab, a line's end or a paragraph's.
  let due = 0;
  const need = (space: number) => {
    due = Math.max(due, space);
  };
  const add = (text: string) => {
    if (parts.length > 0) parts.push(spaces[due] as string);
    due = 0;
    parts.push(text);
  };
  const border = ({ nodeName }: DomNode) => {
    if (blocks.has(nodeName)) need(paragraphs.has(nodeName) ? 4 : 3);
  };
  walk(
    root,
    (node) => {
      if (node.nodeType === 3) {
        const value = withoutControls(node.nodeValue ?? '');
        if (preformatted > 0) {
          if (value) add(value.replace(/\r\n?/g, '\n'));
          return false;
        }
        const words = value.replace(/[\t\n\f\r ]+/g, ' ');
        if (words.startsWith(' ')) need(1);
        if (words.trim()) {
          add(words.trim());
          if (words.endsWith(' ')) need(1);
        }
        return false;
      }
      border(node);
      if (node.nodeName === 'BR') need(3);
      if (node.nodeName === 'PRE') preformatted += 1;
      if (node.nodeName === 'IMG') {
        const alt = (node as DomElement).getAttribute('alt');
        if (alt) add(alt);
      }
      return true;
    },
    (node) => {
      if (node.nodeName === 'PRE') preformatted -= 1;
      if (node.nodeName === 'TD' || node.nodeName === 'TH') need(2);
      border(node);
    },
  );
  return parts
    .join('')
    .replace(/\n{3,}/g, '\n\n')
    .trim();
};

const spaces = ['', ' ', '\t', '\n', '\n\n'];

const oneLine = (text: string) => withoutControls(text).replace(/\s+/g, ' ').trim();

/** Control characters and soft hyphens are not text. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is meant
const withoutControls = (text: string) => text.replace(/[\0-\x08\x0b\x0e-\x1f\x7f-\x9f\xad]/g, '');

/**
 * Marks each row of a table of data with its number of cells, the first one as its head. A table that holds blocks, or
 * no more than a column, is layout: it is left unmarked, and read as the blocks it holds.
 */
const markTables = (root: DomElement) => {
  const open: { rows: DomElement[]; cells: number[]; layout: boolean; table: DomElement }[] = [];
  walk(
    root,
    (node) => {
      if (!isElement(node)) return true;
      const current = open.at(-1);
      if (node.nodeName === 'TABLE') {
        if (current) current.layout = true;
        open.push({ rows: [], cells: [], layout: node.getAttribute('role') === 'presentation', table: node });
      } else if (current && node.nodeName === 'TR') {
        current.rows.push(node);
        current.cells.push(0);
      } else if (current && (node.nodeName === 'TD' || node.nodeName === 'TH')) {
        const last = current.cells.length - 1;
        if (last >= 0) current.cells[last] = (current.cells[last] as number) + 1;
      } else if (current && /^(H[1-6]|UL|OL|PRE|BLOCKQUOTE|ARTICLE|SECTION|FORM)$/.test(node.nodeName)) {
        current.layout = true;
      }
      return true;
    },
    (node) => {
      const done = node.nodeName === 'TABLE' ? open.pop() : undefined;
      if (!done) return;
      const columns = done.cells.reduce((most, cells) => Math.max(most, cells), 0);
      if (done.layout || columns < 2) return;
      done.table.setAttribute('data-columns', String(columns));
      for (const [index, row] of done.rows.entries()) {
        row.setAttribute('data-columns', String(columns));
        row.setAttribute('data-cells', String(done.cells[index]));
        if (index === 0) row.setAttribute('data-head', 'true');
      }
    },
  );
};

const markdownOf = (root: DomElement): string => {
  const service = new TurndownService({
    headingStyle: 'atx',
    hr: '---',
    bulletListMarker: '-',
    codeBlockStyle: 'fenced',
    emDelimiter: '*',
  });
  const numberOf = (node: unknown, name: string) => Number((node as DomElement).getAttribute(name) ?? 0);
  service.addRule('cell', {
    filter: ['td', 'th'],
    replacement: (content, node) => {
      const row = (node as unknown as DomElement).parentNode as DomElement;
      if (!numberOf(row, 'data-columns')) return `\n\n${content.trim()}\n\n`;
      return ` ${content
        .trim()
        .replace(/\s*\n\s*/g, ' ')
        .replace(/\|/g, '\\|')} |`;
    },
  });
  service.addRule('row', {
    filter: 'tr',
    replacement: (content, node) => {
      const columns = numberOf(node, 'data-columns');
      if (!columns) return content;
      const missing = '  |'.repeat(Math.min(columns, 100) - Math.min(numberOf(node, 'data-cells'), 100));
      const head = (node as unknown as DomElement).hasAttribute('data-head')
        ? `\n|${' --- |'.repeat(Math.min(columns, 100))}`
        : '';
      return `\n|${content.replace(/\n+/g, '')}${missing}${head}`;
    },
  });
  service.addRule('rows', {
    filter: ['thead', 'tbody', 'tfoot'],
    replacement: (content) => content,
  });
  service.addRule('table', {
    filter: 'table',
    replacement: (content, node) =>
      numberOf(node, 'data-columns') ? `\n\n${content.trim().replace(/\n{2,}/g, '\n')}\n\n` : `\n\n${content}\n\n`,
  });
  const markdown = service.turndown(root as unknown as TurndownService.Node);
  return withoutControls(markdown)
    .replace(/[ \t]+\n/g, (space) => (space.startsWith('  ') ? '  \n' : '\n'))
    .replace(/\n{3,}/g, '\n\n')
    .trim();
};
