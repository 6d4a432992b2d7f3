import { SaxesParser, type SaxesTagPlain } from 'saxes';

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
    readElements(xml, (name, read) => {
      const val = read('val');
      if (name === 'abstractNum') {
        list = { levels: [] };
        use = undefined;
        this.#lists.set(read('abstractNumId'), list);
      } else if (name === 'num') {
        use = { list: '', levels: [], starts: [] };
        this.#uses.set(read('numId'), use);
      } else if (name === 'lvl' || name === 'lvlOverride') {
        depth = Math.min(Number(read('ilvl')) || 0, maxDepth);
        level = { start: 1, format: 'decimal', text: '' };
        if (name === 'lvl') (use ?? list).levels[depth] = level;
      } else if (name === 'abstractNumId' && use) use.list = val;
      else if (name === 'startOverride' && use) use.starts[depth] = Number.parseInt(val, 10) || 0;
      else if (name === 'styleLink') list.ownStyle = val;
      else if (name === 'numStyleLink') list.link = val;
      else if (name === 'start') level.start = Number.parseInt(val, 10) || 0;
      else if (name === 'numFmt') level.format = val;
      else if (name === 'lvlText') level.text = val.slice(0, maxLevelCharacters);
      else if (name === 'pStyle') level.style = val;
      else if (name === 'isLgl') level.isLegal = !/^(0|false|off)$/.test(val);
      else if (name === 'lvlRestart') level.neverRestarts = val === '0';
    });
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

/** Calls `visit` with the local name of each element and a function that returns an attribute, whose prefix is that of the element. */
const readElements = (xml: string, visit: (name: string, read: (attribute: string) => string) => void) => {
  const parser = new SaxesParser();
  parser.on('error', () => {});
  parser.on('opentag', ({ name, attributes }: SaxesTagPlain) => {
    const prefix = name.slice(0, name.indexOf(':') + 1);
    visit(localName(name), (local) => attributes[prefix + local] ?? attributes[local] ?? '');
  });
  parser.write(xml).close();
};

const localName = (name: string) => name.slice(name.indexOf(':') + 1);

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
export const numberMark = (number: string): string => `\u2062${number}\u2062 `;

/** Shows the numbers in a text. */
export const showNumbers = (text: string): string => text.replace(/\u2062([^\u2062\n]*)\u2062/g, '$1');

/** Shows the numbers in Markdown, where those of decimal digits begin the items of lists. */
export const showMarkdownNumbers = (markdown: string): string =>
  showNumbers(
    markdown
      .replace(/^(\u2062\d+[.)]\u2062[^\n]*)\n\n(?=\u2062\d+[.)]\u2062)/gm, '$1\n')
      .replace(/^\u2062(\d+[.)])\u2062 /gm, (_, number: string) => `${number} `.padEnd(4)),
  );
