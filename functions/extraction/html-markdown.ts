import type { Element, Nodes } from 'hast';
import { defaultHandlers as elements, type Handle, type State, toMdast } from 'hast-util-to-mdast';
import { gfmStrikethroughToMarkdown } from 'mdast-util-gfm-strikethrough';
import { gfmTableToMarkdown } from 'mdast-util-gfm-table';
import { defaultHandlers, toMarkdown } from 'mdast-util-to-markdown';
import { visit } from 'unist-util-visit';
import { withoutControls } from './html-text.ts';

/** Returns the tree of a page as GitHub-flavored Markdown. Changes the tree. */
export const toGitHubMarkdown = (tree: Nodes): string => {
  let marks = 0;
  visit(tree, 'element', (element) => {
    const { tagName } = element;
    if (tagName === 'table') prepareTable(element);
    if (lineTags.test(tagName)) marks = 0;
    else if (markTags.test(tagName) && ++marks > maxMarks) element.tagName = 'span';
  });
  const markdown = toMarkdown(toMdast(tree, { handlers: elementHandlers() }), {
    bullet: '-',
    emphasis: '*',
    fences: true,
    listItemIndent: 'tab',
    resourceLink: true,
    rule: '-',
    // Two spaces at the end of a line read better in plain text than a backslash.
    handlers: { break: (...[node, ...rest]) => defaultHandlers.break(node, ...rest).replace('\\\n', '  \n') },
    // A length of three for every cell prevents padding and gives each delimiter three hyphens.
    extensions: [gfmStrikethroughToMarkdown(), gfmTableToMarkdown({ stringLength: () => 3 })],
  });
  return withoutControls(markdown).trim();
};

/** Handlers that differ from the library's, which ignore some elements with text and nest emphasis in itself. */
const elementHandlers = (): Record<string, Handle> => {
  const strong = withoutNesting(elements.strong);
  const emphasis = withoutNesting(elements.em);
  return {
    b: strong,
    strong,
    i: emphasis,
    em: emphasis,
    mark: all,
    u: all,
    math: all,
    dialog: elements.div as Handle,
    menu: elements.ul as Handle,
    table: (state, table) => {
      const caption = table.children.find((child) => child.type === 'element' && child.tagName === 'caption');
      const rows = elements.table(state, table);
      return caption ? [...state.toFlow(state.all(caption as Element)), rows] : rows;
    },
  };
};

/** Elements whose marks the library compares with each other, and those within which it does. */
const markTags = /^(b|strong|i|em|s|del|strike)$/;
const lineTags = /^(p|div|li|d[dt]|t[dhr]|h[1-6]|section|article|blockquote|pre)$/;
/** The words behind this number of marks of a line have none. The work grows with the square of the number. */
const maxMarks = 50;

const all = (state: State, element: Element) => state.all(element);

const withoutNesting = (handle: Handle): Handle => {
  let isOpen = false;
  return (state, element, parent) => {
    if (isOpen) return state.all(element);
    isOpen = true;
    const result = handle(state, element, parent);
    isOpen = false;
    return result;
  };
};

const blockTags = /^(h[1-6]|ul|ol|pre|blockquote|article|section|form|table)$/;

/** Turns a layout table into a sequence of blocks, and the first row of a data table into its head. */
const prepareTable = (table: Element) => {
  const parts: Element[] = [];
  const cells = new Map<Element, number>();
  let isLayout = table.properties.role === 'presentation';
  const collect = (element: Element, row?: Element) => {
    for (const child of element.children) {
      if (child.type !== 'element') continue;
      if (blockTags.test(child.tagName)) isLayout = true;
      if (child.tagName === 'table') continue;
      const isCell = /^t[dh]$/.test(child.tagName);
      // Browsers limit this too.
      if (Number(child.properties.colSpan) > 1000) child.properties.colSpan = 1000;
      if (row && isCell) cells.set(row, (cells.get(row) ?? 0) + 1);
      if (isCell || /^(tr|thead|tbody|tfoot|caption)$/.test(child.tagName)) parts.push(child);
      collect(child, child.tagName === 'tr' ? child : row);
    }
  };
  collect(table);
  if (isLayout || ![...cells.values()].some((count) => count > 1)) {
    for (const part of [table, ...parts]) part.tagName = 'div';
    return;
  }
  const [head] = cells.keys();
  for (const cell of head?.children ?? []) if (cell.type === 'element') cell.tagName = 'th';
};
