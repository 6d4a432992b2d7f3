import type { Nodes } from 'hast';

export const blockTags = new Set(
  'address article aside blockquote body caption center dd details dialog div dl dt fieldset figcaption figure footer form h1 h2 h3 h4 h5 h6 header hgroup hr legend li main menu ol p pre section summary table tbody tfoot thead tr ul'.split(
    ' ',
  ),
);
/** Blocks with a blank line before and after; the others start on a new line. */
const paragraphTags = new Set('p h1 h2 h3 h4 h5 h6 blockquote pre table ul ol dl figure article section'.split(' '));

/** The separators of two words, from the weakest to the strongest. */
const separators = ['', ' ', '\t', '\n', '\n\n'];
const [, space, tab, line, paragraph] = [0, 1, 2, 3, 4] as const;

/** Returns the visible text of a tree: blocks on separate lines, blank lines between paragraphs, and tabs between cells. */
export const toVisibleText = (tree: Nodes | undefined): string => {
  const parts: string[] = [];
  let pending = 0;
  const separate = (separator: number) => {
    pending = Math.max(pending, separator);
  };
  const add = (text: string) => {
    if (parts.length > 0) parts.push(separators[pending] as string);
    pending = 0;
    parts.push(text);
  };
  const addWords = (value: string) => {
    const words = value.replace(/[\t\n\f\r ]+/g, ' ');
    if (words.startsWith(' ')) separate(space);
    if (!words.trim()) return;
    add(words.trim());
    if (words.endsWith(' ')) separate(space);
  };
  const read = (node: Nodes, isPreformatted: boolean) => {
    if (node.type === 'text') {
      const value = withoutControls(node.value);
      if (!isPreformatted) addWords(value);
      else if (value) add(value.replace(/\r\n?/g, '\n'));
      return;
    }
    const tagName = node.type === 'element' ? node.tagName : '';
    const separator = paragraphTags.has(tagName) ? paragraph : blockTags.has(tagName) || tagName === 'br' ? line : 0;
    separate(separator);
    if (node.type === 'element' && node.properties.alt) add(String(node.properties.alt));
    if ('children' in node) for (const child of node.children) read(child, isPreformatted || tagName === 'pre');
    separate(tagName === 'td' || tagName === 'th' ? tab : separator);
  };
  if (tree) read(tree, false);
  return parts
    .join('')
    .replace(/\n{3,}/g, '\n\n')
    .trim();
};

export const oneLine = (text: string) => withoutControls(text).replace(/\s+/g, ' ').trim();

/** Removes control characters and soft hyphens. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is meant
export const withoutControls = (text: string) => text.replace(/[\0-\x08\x0b\x0e-\x1f\x7f-\x9f\xad]/g, '');
