import type { Element, Nodes } from 'hast';
import { defaultHandlers as elements, type Handle, type State, toMdast } from 'hast-util-to-mdast';
import { gfmStrikethroughToMarkdown } from 'mdast-util-gfm-strikethrough';
import { gfmTableToMarkdown } from 'mdast-util-gfm-table';
import { defaultHandlers, toMarkdown } from 'mdast-util-to-markdown';
import { visit } from 'unist-util-visit';
import { withoutControls } from './html-text.ts';
import { type ReadingBudget, steps } from './reading-budget.ts';

/** Returns the tree of a page as GitHub-flavored Markdown. Changes the tree. */
export const toGitHubMarkdown = (tree: Nodes, budget: ReadingBudget): string => {
  let marks = 0;
  visit(tree, 'element', (element) => {
    const { tagName } = element;
    if (tagName === 'table') prepareTable(element, budget);
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

/**
 * Turns a layout table into a sequence of blocks, and the first row of a data table into its head. A table that takes too long to
 * fill counts as layout.
 */
const prepareTable = (table: Element, budget: ReadingBudget) => {
  const parts: Element[] = [];
  const rows = new Map<Element, Element[]>();
  let isLayout = table.properties.role === 'presentation';
  const collect = (element: Element, row?: Element) => {
    for (const child of element.children) {
      if (child.type !== 'element') continue;
      if (blockTags.test(child.tagName)) isLayout = true;
      if (child.tagName === 'table') continue;
      const isCell = /^t[dh]$/.test(child.tagName);
      // Browsers limit this too.
      if (Number(child.properties.colSpan) > 1000) child.properties.colSpan = 1000;
      if (row && isCell) {
        const cells = rows.get(row) ?? [];
        cells.push(child);
        rows.set(row, cells);
      }
      if (isCell || /^(tr|thead|tbody|tfoot|caption)$/.test(child.tagName)) parts.push(child);
      collect(child, child.tagName === 'tr' ? child : row);
    }
  };
  collect(table);
  const isTable = !isLayout && rows.values().some((cells) => cells.length > 1);
  if (!isTable || !canFill([...rows.values()], budget)) {
    for (const part of [table, ...parts]) part.tagName = 'div';
    return;
  }
  const [head] = rows.keys();
  for (const cell of head?.children ?? []) if (cell.type === 'element') cell.tagName = 'th';
};

/** Returns false if the library would take too long to fill a table: with a cell for each column of each row. */
const canFill = (rows: Element[][], budget: ReadingBudget): boolean => {
  const ended: number[] = [];
  let [cells, columns, width] = [0, 0, 0];
  for (const [index, row] of rows.entries()) {
    columns -= ended[index] ?? 0;
    for (const { properties } of row) {
      const [span, end] = [Number(properties.colSpan) || 1, index + (Number(properties.rowSpan) || 1)];
      columns += span;
      ended[end] = (ended[end] ?? 0) + span;
    }
    cells += row.length;
    width = Math.max(width, columns);
  }
  return budget.takeGrid((rows.length * width - cells) * steps.tableCell);
};
