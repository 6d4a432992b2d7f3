import {
  type Element,
  type ElementReader,
  readAttribute,
  readElements,
  w,
  writeRun,
  type XmlEdits,
} from './docx-xml.ts';

type Level = {
  start: number;
  format: string;
  text: string;
  style?: string;
  isLegal?: boolean;
  neverRestarts?: boolean;
};
/** A list. `link` is the name of the style that has its levels. */
type List = { levels: Level[]; ownStyle?: string; link?: string };
/** A use of a list, with the levels and the first numbers that it changes. */
type Use = { list: string; levels: Level[]; starts: number[] };
type Style = { basedOn?: string; use?: string; level?: number };

/** The numbers that Word shows before the paragraphs of lists and headings. The text of a document lacks them. */
export class Numbering {
  readonly #lists = new Map<string, List>();
  readonly #uses = new Map<string, Use>();
  readonly #styles = new Map<string, Style>();
  /** The last number of each level, by list. */
  readonly #counts = new Map<List, (number | undefined)[]>();
  /** The first numbers of uses that have begun. */
  readonly #begun = new Set<string>();

  constructor(numbering: string, styles: string) {
    this.#readLists(numbering);
    this.#readStyles(styles);
  }

  /** Returns the number of the next paragraph, such as `2.`, `(iv)` or `§ 3.1`; undefined if it has none or a bullet. */
  next({ style = '', use, level }: { style?: string; use?: string; level?: number }): string | undefined {
    const inherited = this.#findStyle(style);
    const usedId = use ?? inherited.use ?? '';
    const used = this.#uses.get(usedId);
    const list = used && this.#findList(used.list);
    if (!list) return undefined;
    const ofStyle = list.levels.findIndex((known) => known?.style === style);
    const depth = level ?? inherited.level ?? Math.max(0, ofStyle);
    const levels = list.levels.map((known, index) => used.levels[index] ?? known);
    const count = this.#count(list, levels, depth, used, usedId);
    const { text = '', format = 'bullet', isLegal } = levels[depth] ?? {};
    if (format === 'bullet') return undefined;
    const numbers = [...text.matchAll(/%(\d)/g)].map(([, digit]) => {
      const index = Number(digit) - 1;
      return formatNumber(count[index] ?? 1, isLegal ? 'decimal' : (levels[index]?.format ?? ''));
    });
    if (numbers.includes(undefined)) return undefined;
    return text.replace(/%\d/g, () => numbers.shift() ?? '').trim() || undefined;
  }

  #count(list: List, levels: Level[], depth: number, used: Use, usedId: string): (number | undefined)[] {
    const count = this.#counts.get(list) ?? [];
    this.#counts.set(list, count);
    for (let index = 0; index < depth; index++) count[index] ??= levels[index]?.start ?? 1;
    const start = used.starts[depth];
    const begins = start !== undefined && !this.#begun.has(`${usedId} ${depth}`);
    this.#begun.add(`${usedId} ${depth}`);
    const last = begins ? undefined : count[depth];
    count[depth] = last === undefined ? (start ?? levels[depth]?.start ?? 1) : last + 1;
    for (let index = depth + 1; index < count.length; index++) {
      if (!levels[index]?.neverRestarts) count[index] = undefined;
    }
    return count;
  }

  /** Returns the list with the levels: a list can name a style that has them. */
  #findList(id: string): List | undefined {
    const list = this.#lists.get(id);
    return list?.link ? this.#lists.values().find(({ ownStyle }) => ownStyle === list.link) : list;
  }

  #findStyle(id: string, depth = 0): Style {
    const style = this.#styles.get(id);
    if (!style || style.use || !style.basedOn || depth > 20) return style ?? {};
    return {
      ...this.#findStyle(style.basedOn, depth + 1),
      ...(style.level === undefined ? {} : { level: style.level }),
    };
  }

  #readLists(xml: string) {
    let list: List = { levels: [] };
    let use: Use | undefined;
    let level: Level = { start: 1, format: 'decimal', text: '' };
    let depth = 0;
    const open = (element: Element) => {
      const { name } = element;
      const val = readAttribute(element, 'val');
      if (name === 'w:abstractNum') {
        list = { levels: [] };
        use = undefined;
        this.#lists.set(readAttribute(element, 'abstractNumId'), list);
      } else if (name === 'w:num') {
        use = { list: '', levels: [], starts: [] };
        this.#uses.set(readAttribute(element, 'numId'), use);
      } else if (name === 'w:lvl' || name === 'w:lvlOverride') {
        depth = Math.min(Number(readAttribute(element, 'ilvl')) || 0, maxDepth);
        level = { start: 1, format: 'decimal', text: '' };
        if (name === 'w:lvl') (use ?? list).levels[depth] = level;
      } else if (name === 'w:abstractNumId' && use) use.list = val;
      else if (name === 'w:startOverride' && use) use.starts[depth] = Number.parseInt(val, 10) || 0;
      else if (name === 'w:styleLink') list.ownStyle = val;
      else if (name === 'w:numStyleLink') list.link = val;
      else if (name === 'w:start') level.start = Number.parseInt(val, 10) || 0;
      else if (name === 'w:numFmt') level.format = val;
      else if (name === 'w:lvlText') level.text = val.slice(0, maxLevelCharacters);
      else if (name === 'w:pStyle') level.style = val;
      else if (name === 'w:isLgl') level.isLegal = !/^(0|false|off)$/.test(val);
      else if (name === 'w:lvlRestart') level.neverRestarts = val === '0';
    };
    try {
      readElements(xml, [{ open }]);
    } catch {
      // The lists before what is damaged have their numbers.
    }
  }

  #readStyles(xml: string) {
    // The styles are many, and few have numbers.
    for (const text of xml.split(/<(?=(?:\w+:)?style\s)/)) {
      const style = text.slice(0, maxStyleCharacters);
      const [id = '', basedOn, use, level] = styleEntries.map((entry) => entry.exec(style)?.[1]);
      if (id) this.#styles.set(id, { basedOn, use, level: level ? Number(level) : undefined });
    }
  }
}

/** The identifier of a style, the style that it extends, and its list and level. */
const styleEntries = [
  /\bstyleId=["']([^"']*)/,
  ...['basedOn', 'numId', 'ilvl'].map((element) => new RegExp(`\\b${element}\\s[^>]{0,99}?val=["']([^"']*)`)),
];
/** The length of the part of a style that has its numbers. */
const maxStyleCharacters = 4000;
const maxDepth = 8;
const maxLevelCharacters = 100;

/** Returns a number as Word writes it; undefined for a format that is not known. */
const formatNumber = (number: number, format: string): string | undefined => {
  if (format === 'decimal') return String(number);
  if (format === 'decimalZero') return String(number).padStart(2, '0');
  if (format === 'none') return '';
  if (number < 1 || number > 5000) return undefined;
  const letters = 'abcdefghijklmnopqrstuvwxyz'[(number - 1) % 26]?.repeat(Math.ceil(number / 26));
  if (/Letter$/.test(format)) return format === 'upperLetter' ? letters?.toUpperCase() : letters;
  if (/Roman$/.test(format)) return format === 'upperRoman' ? formatRoman(number) : formatRoman(number).toLowerCase();
  return undefined;
};

const romans = 'M1000 CM900 D500 CD400 C100 XC90 L50 XL40 X10 IX9 V5 IV4 I1'.match(/[A-Z]+|\d+/g) ?? [];

const formatRoman = (number: number): string => {
  let rest = number;
  let text = '';
  for (let index = 0; index < romans.length; index += 2) {
    const value = Number(romans[index + 1]);
    for (; rest >= value; rest -= value) text += romans[index];
  }
  return text;
};

/** The number before a paragraph, until the text of the document is complete. */
const markNumber = (number: string): string => `\u2062${number}\u2062 `;

/** Shows the numbers in a text. */
export const showNumbers = (text: string): string => text.replace(/\u2062([^\u2062\n]*)\u2062/g, '$1');

/** Shows the numbers in Markdown, where those of decimal digits begin the items of lists. */
export const showMarkdownNumbers = (markdown: string): string =>
  showNumbers(
    markdown
      .replace(/^(\u2062\d+[.)]\u2062[^\n]*)\n\n(?=\u2062\d+[.)]\u2062)/gm, '$1\n')
      .replace(/^\u2062(\d+[.)])\u2062 /gm, (_, number: string) => `${number} `.padEnd(4)),
  );

/** What the properties of a paragraph say of its number: its style, and its list. */
type Numbered = { style?: string; use?: string; level?: number; properties?: Element; ownList?: Element };

/** How far a paragraph is from what its properties say of its number. */
const depths: Record<string, number> = { 'w:pPr': 1, 'w:pStyle': 2, 'w:numPr': 2, 'w:ilvl': 3, 'w:numId': 3 };

/** Writes the number of each paragraph as its first text. The paragraph then belongs to no list. */
export const readNumbers = (edits: XmlEdits, numbering: Numbering): ElementReader => {
  const paragraphs: Numbered[] = [];

  const addNumber = ({ properties, ownList, ...numbered }: Numbered, hasText = false) => {
    const number = properties && numbering.next(numbered);
    if (!number || !hasText) return;
    const none = `<w:numPr ${w}><w:ilvl w:val="0"/><w:numId w:val="0"/></w:numPr>`;
    if (ownList) edits.replace(ownList.start, ownList.end, none);
    else edits.insert(properties.contentEnd, none);
    edits.insert(properties.end, writeRun(markNumber(number)));
  };

  return {
    open({ name }) {
      if (name === 'w:p') paragraphs.push({});
    },
    close(element, open) {
      const { name, hasText } = element;
      if (name === 'w:p') return addNumber(paragraphs.pop() as Numbered, hasText);
      const paragraph = paragraphs.at(-1);
      const depth = depths[name];
      if (!paragraph || !depth || open.at(-depth)?.name !== 'w:p') return;
      if (name === 'w:pPr') paragraph.properties = element;
      else if (name === 'w:numPr') paragraph.ownList = element;
      else if (name === 'w:pStyle') paragraph.style = readAttribute(element, 'val');
      else if (name === 'w:numId') paragraph.use = readAttribute(element, 'val');
      else paragraph.level = Number(readAttribute(element, 'val'));
    },
  };
};
