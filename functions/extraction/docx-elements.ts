import { SaxesParser, type SaxesTagNS } from 'saxes';
import { type Numbering, numberMark } from './docx-numbering.ts';
import { type ReadingBudget, steps } from './reading-budget.ts';

/** A part of a Word document whose elements the library for Word documents knows, and what it cannot. */
export type PreparedPart = {
  xml: string;
  /** The relationships of the headers and footers of the part's first section, if a section ends in it. */
  surroundings?: string[];
  /** Elements whose content is elsewhere and is not read, with their number. */
  unread: Map<string, number>;
  /** The local names of the elements that hold text. */
  withText: Set<string>;
};

/** What the parts of a document share: the budget, the numbers of its paragraphs, and the lengths of its notes by reference. */
export type SharedParts = { budget: ReadingBudget; numbering?: Numbering; notes: Map<string, number> };

/** The text that stands for an imported part until the part's own text takes its place. */
export const importMark = (relationship: string) => `\u2063import:${relationship}\u2063`;

/**
 * Replaces elements with text that the library does not know by elements that it knows: simple fields and directions of
 * writing are unwrapped, annotated text keeps its base, formulas and choices of drop-down lists become text, text boxes of
 * drawings become those of pictures. The numbers of paragraphs become text. What takes the library long draws from the budget.
 * XML that is not well-formed or nests too deep is returned as it is.
 */
export const prepareXml = (xml: string, shared: SharedParts): PreparedPart => {
  const part = new Part(xml, shared);
  try {
    part.read();
  } catch {
    return { xml, unread: new Map(), withText: new Set() };
  }
  const { unread, withText } = part;
  const surroundings = part.hasSection ? part.surroundings : undefined;
  return { xml: part.edited(), surroundings, unread, withText };
};

/** The elements of lists and styles that the library reads. */
const readOfShared =
  /(^|:)(numbering|abstractNum|lvl|numFmt|pStyle|num|abstractNumId|numStyleLink|styles|style|name|pPr|numPr|numId)$/;

/** Removes what the library does not read from the XML of lists or styles, which is most of it. */
export const removeUnread = (xml: string): string => {
  const kept: string[] = [];
  let [from, unread] = [0, 0];
  const parser = new SaxesParser();
  parser.on('opentag', ({ name }) => {
    if (unread === 0 && !readOfShared.test(name)) kept.push(xml.slice(from, xml.lastIndexOf('<', parser.position - 1)));
    if (unread > 0 || !readOfShared.test(name)) unread++;
  });
  parser.on('closetag', () => {
    if (unread > 0 && --unread === 0) from = parser.position;
  });
  parser.on('error', (error) => {
    throw error;
  });
  try {
    parser.write(xml).close();
  } catch {
    return xml;
  }
  return kept.join('') + xml.slice(from);
};

const namespaces: Record<string, string> = {
  'http://schemas.openxmlformats.org/wordprocessingml/2006/main': 'w',
  'http://purl.oclc.org/ooxml/wordprocessingml/main': 'w',
  'http://schemas.openxmlformats.org/officeDocument/2006/math': 'm',
  'http://purl.oclc.org/ooxml/officeDocument/math': 'm',
  'http://schemas.openxmlformats.org/markup-compatibility/2006': 'mc',
  'urn:schemas-microsoft-com:vml': 'v',
  'urn:schemas-microsoft-com:office:office': 'o',
  'http://schemas.openxmlformats.org/drawingml/2006/main': 'a',
  'http://schemas.openxmlformats.org/drawingml/2006/chart': 'c',
  'http://schemas.openxmlformats.org/drawingml/2006/diagram': 'dgm',
};

const w = 'xmlns:w="http://schemas.openxmlformats.org/wordprocessingml/2006/main"';
/** The local names of elements that the library reads through, in place of those that it does not know. */
const renamed: Record<string, string> = {
  ...Object.fromEntries(['fldSimple', 'bdo', 'dir', 'ruby', 'rubyBase'].map((name) => [`w:${name}`, 'ins'])),
  ...Object.fromEntries(['oval', 'line', 'polyline', 'arc', 'curve'].map((name) => [`v:${name}`, 'group'])),
};
/** Elements that disappear with their content. */
const removed = /^(w:(rt|rubyPr)|m:oMathParaPr)$/;
const replacements: Record<string, string> = { 'w:cr': `<w:br ${w}/>`, 'w:ptab': `<w:tab ${w}/>` };
/** Elements whose content is in another part that is not read, with the words for them. */
const elsewhere: Record<string, string> = {
  'c:chart': 'charts',
  'dgm:relIds': 'diagrams',
  'o:OLEObject': 'embedded objects',
  'w:contentPart': 'drawings in ink',
  'w:subDoc': 'documents in other files',
};

/** The parser looks for the namespace of an element in all elements around it. */
const maxDepth = 1000;
/** The instructions of fields that the library knows. */
const knownInstruction = /^\s*HYPERLINK\s|FORMCHECKBOX/;

type Open = {
  name: string;
  prefix: string;
  start: number;
  /** The end of the opening tag. */
  end: number;
  attributes: SaxesTagNS['attributes'];
  hasText?: boolean;
  /** The entries of a drop-down list, and the index of the chosen one. */
  entries?: string[];
  chosen?: number;
  /** What a paragraph or its properties say of its number: its style, its list, and the place of the properties. */
  numbered?: { style?: string; use?: string; level?: number; own?: Edit; at?: number; end?: number };
  /** The text of a part of a formula. */
  math?: string;
  /** The signs around a part of a formula. */
  begin?: string;
  finish?: string;
};
/** Alternatives of a content: the library reads only the fallback. */
type Alternatives = { branch?: string; choice?: [Open, number]; textIn: Set<string> };
type Edit = { start: number; end: number; text: string };

class Part {
  readonly surroundings: string[] = [];
  readonly unread = new Map<string, number>();
  readonly withText = new Set<string>();
  readonly #xml: string;
  readonly #edits: Edit[] = [];
  readonly #open: Open[] = [];
  readonly #alternatives: Alternatives[] = [];
  /** The text boxes of the drawing that is read. */
  #boxes: [number, number][] = [];
  /** The text that shapes of the drawing have themselves, a line for each paragraph. */
  #shapeText = '';
  /** What was chosen in the drop-down list of the field that is read, unless the field shows a text. */
  #choice = '';
  /** The lengths of the instructions of the fields that are open, and all of them. */
  readonly #fields: number[] = [];
  #fieldCharacters = 0;
  /** The instruction that is read, and the length of what was written since the last field began. */
  #instruction = '';
  #joinedCharacters = 0;
  readonly #referred = new Set<string>();
  hasSection = false;

  readonly #shared: SharedParts;

  constructor(xml: string, shared: SharedParts) {
    this.#xml = xml;
    this.#shared = shared;
  }

  read(): void {
    const parser = new SaxesParser({ xmlns: true });
    parser.on('error', (error) => {
      throw error;
    });
    parser.on('opentag', (tag) => this.#opened(tag, parser.position));
    parser.on('text', (text) => this.#read(text));
    parser.on('closetag', (tag) => this.#closed(tag, parser.position));
    parser.write(this.#xml).close();
  }

  /** Returns the XML with all edits. An edit within a larger one is dropped. */
  edited(): string {
    const parts: string[] = [];
    let at = 0;
    for (const { start, end, text } of this.#edits.sort((a, b) => a.start - b.start || b.end - a.end)) {
      if (start < at) continue;
      parts.push(this.#xml.slice(at, start), text);
      at = end;
    }
    return parts.join('') + this.#xml.slice(at);
  }

  #replace(start: number, end: number, text = '') {
    this.#edits.push({ start, end, text });
  }

  #opened({ uri, prefix, local, attributes }: SaxesTagNS, end: number) {
    const name = `${namespaces[uri] ?? ''}:${local}`;
    // No attribute contains this character.
    const start = this.#xml.lastIndexOf('<', end - 1);
    const open: Open = { name, prefix, start, end, attributes };
    if (this.#open.push(open) > maxDepth) throw new Error('The elements nest too deep.');
    if (name.startsWith('mc:')) this.#openAlternative(name);
    else if (/Reference$/.test(name)) this.#addSurrounding(open);
    const words = elsewhere[name];
    if (words && readAttribute(open, 'Type') !== 'Link') this.unread.set(words, (this.unread.get(words) ?? 0) + 1);
  }

  #openAlternative(name: string) {
    if (name === 'mc:AlternateContent') this.#alternatives.push({ textIn: new Set() });
    const alternatives = this.#alternatives.at(-1);
    if (alternatives && /^mc:(Choice|Fallback)$/.test(name)) alternatives.branch = name;
  }

  #addSurrounding(open: Open) {
    const id = readAttribute(open, 'id');
    if (/^w:(header|footer)Reference$/.test(open.name) && id && !this.hasSection) this.surroundings.push(id);
  }

  #read(text: string) {
    const { name } = this.#open.at(-1) ?? {};
    if (name === 'm:t') this.#addMath(text);
    if (name === 'a:t') this.#shapeText += text;
    if (name === 'w:instrText') this.#instruction += text;
    if (!/:t$/.test(name ?? '') || !text.trim()) return;
    this.#choice = '';
    for (let depth = this.#open.length - 1; depth >= 0; depth--) {
      const open = this.#open[depth] as Open;
      if (open.hasText) break;
      open.hasText = true;
      this.withText.add(open.name);
    }
    for (const { branch = '', textIn } of this.#alternatives) textIn.add(branch);
  }

  #closed({ isSelfClosing }: SaxesTagNS, end: number) {
    const open = this.#open.pop() as Open;
    const { name, start } = open;
    const alternatives = this.#alternatives.at(-1);
    const closing = this.#xml.lastIndexOf('<', end - 1);
    if (renamed[name]) this.#rename(open, closing, renamed[name]);
    else if (name === 'm:oMathPara' && !isSelfClosing) {
      this.#replace(start, open.end);
      this.#replace(closing, end);
    } else if (removed.test(name)) this.#replace(start, end);
    else if (replacements[name]) this.#replace(start, end, replacements[name]);
    else if (name === 'w:altChunk') this.#replace(start, end, paragraph(importMark(readAttribute(open, 'id'))));
    else if (name === 'w:sectPr') this.hasSection = true;
    else if (name === 'w:txbxContent') this.#boxes.push([start, end]);
    else if (name === 'a:p') this.#shapeText += '\n';
    else if (name === 'w:drawing') this.#replaceDrawing(start, end);
    else if (name === 'v:textpath') this.#replaceWordArt(open, end);
    else if (name === 'w:p') this.#addNumber(open);
    else if (/^w:(pPr|pStyle|numPr|ilvl|numId)$/.test(name)) this.#readNumbered(open, closing, end);
    else if (/^w:tbl(Caption|Description)$/.test(name)) this.#describeTable(open);
    else if (this.#open.at(-1)?.name === 'w:ddList') this.#readDropDown(open);
    else if (name === 'w:ddList') this.#choice = open.entries?.[open.chosen ?? 0] ?? '';
    else if (name === 'w:fldChar') this.#readField(open, end);
    else if (name === 'w:instrText') this.#replace(start, end);
    else if (name === 'w:r') this.#payFields(open, end);
    else if (/^w:(foot|end)note$/.test(name)) this.#shared.notes.set(findNote(open), end - start);
    else if (/^w:(foot|end)noteReference$/.test(name)) this.#refer(open, end);
    else if (name === 'mc:Choice' && alternatives) alternatives.choice ??= [open, closing];
    else if (name === 'mc:AlternateContent') this.#choose();
    else if (name.startsWith('m:')) this.#closeMath(open, end);
  }

  /** Reads a mark of a field, and writes the instruction before the mark that ends it. */
  #readField(open: Open, end: number) {
    const type = readAttribute(open, 'fldCharType');
    if (type === 'begin') {
      this.#fields.push(0);
      this.#joinedCharacters = 0;
    } else this.#writeInstruction(open);
    this.#instruction = '';
    this.#payFields(open, end);
    if (type !== 'end') return;
    this.#fieldCharacters -= this.#fields.pop() ?? 0;
    this.#addChoice(end);
  }

  /** Writes the instruction of a field. The library joins it again at each mark, with those of the fields within. */
  #writeInstruction({ start }: Open) {
    if (knownInstruction.test(this.#instruction)) {
      // The library looks behind each character of white space.
      const instruction = this.#instruction.replace(/\s+/g, ' ');
      this.#replace(start, start, `<w:instrText ${w}>${escapeXml(instruction)}</w:instrText>`);
      this.#joinedCharacters += instruction.length;
    }
    this.#fieldCharacters += this.#joinedCharacters - (this.#fields.pop() ?? 0);
    this.#fields.push(this.#joinedCharacters);
  }

  /** Removes a run, or a mark of a field, that the budget does not pay for: the library looks at all fields around it. */
  #payFields(open: Open, end: number) {
    const cost = this.#fields.length * steps.fieldAround + this.#fieldCharacters * steps.instructionCharacter;
    if (cost > 0 && !this.#shared.budget.take(cost)) this.#replace(open.start, end);
  }

  /** Removes a further reference to a note that the budget does not pay for: the library shows the note again. */
  #refer(open: Open, end: number) {
    const note = findNote(open);
    const { budget, notes } = this.#shared;
    const characters = this.#referred.has(note) ? (notes.get(note) ?? 0) : 0;
    if (characters > 0 && !budget.take(characters * steps.character)) this.#replace(open.start, end);
    this.#referred.add(note);
  }

  /** Adds what an element within the properties of a paragraph says of its number to the element around it. */
  #readNumbered(open: Open, closing: number, end: number) {
    const around = this.#open.at(-1);
    const { name, start, numbered } = open;
    if (!around) return;
    around.numbered ??= {};
    const val = readAttribute(open, 'val');
    if (name === 'w:pStyle') around.numbered.style = val;
    else if (name === 'w:ilvl') around.numbered.level = Number(val);
    else if (name === 'w:numId') around.numbered.use = val;
    else if (name === 'w:numPr') Object.assign(around.numbered, numbered, { own: { start, end, text: '' } });
    else if (around.name === 'w:p') Object.assign(around.numbered, numbered, { at: closing, end });
  }

  /** Writes the number of a paragraph as its first text. The paragraph then belongs to no list. */
  #addNumber({ numbered, hasText }: Open) {
    const number = numbered && this.#shared.numbering?.next(numbered);
    if (!number || !hasText) return;
    const { own, at = 0, end = 0 } = numbered;
    const none = `<w:numPr ${w}><w:ilvl w:val="0"/><w:numId w:val="0"/></w:numPr>`;
    this.#replace(own?.start ?? at, own?.end ?? at, none);
    this.#replace(end, end, `<w:r ${w}>${textElement(numberMark(number))}</w:r>`);
  }

  /** Puts the title or the description of a table before it, as the descriptions of pictures are read. */
  #describeTable(open: Open) {
    const table = this.#open.findLast(({ name }) => name === 'w:tbl');
    const val = readAttribute(open, 'val').trim();
    if (table && val) this.#replace(table.start, table.start, paragraph(val));
  }

  /** Adds an element of a drop-down list to the list. The result comes before the default. */
  #readDropDown(open: Open) {
    const list = this.#open.at(-1) as Open;
    const val = readAttribute(open, 'val');
    list.entries ??= [];
    if (open.name === 'w:listEntry') list.entries.push(val);
    else if (/^w:(result|default)$/.test(open.name)) list.chosen ??= Number(val);
  }

  /** Shows the choice at the end of its field: form fields of drop-down lists usually have no text. */
  #addChoice(end: number) {
    const cost = steps.xmlRun + this.#choice.length * steps.character;
    if (this.#choice && this.#shared.budget.take(cost)) this.#replace(end, end, textElement(this.#choice));
    this.#choice = '';
  }

  /** Replaces a drawing with text boxes, or with text in its shapes, by a picture with text boxes. */
  #replaceDrawing(start: number, end: number) {
    const boxes = this.#boxes.filter(([from]) => from > start);
    const lines = this.#shapeText.split('\n').filter((line) => line.trim());
    this.#boxes = [];
    this.#shapeText = '';
    if (boxes.length === 0 && lines.length > 0) {
      const box = `<w:txbxContent>${lines.map(paragraph).join('')}</w:txbxContent>`;
      this.#replace(start, end, `<w:pict ${w}>${box}</w:pict>`);
    }
    if (boxes.length === 0) return;
    let at = start;
    for (const [index, [from, to]] of boxes.entries()) {
      this.#replace(at, from, index === 0 ? `<w:pict ${w}>` : '');
      at = to;
    }
    this.#replace(at, end, '</w:pict>');
  }

  /** Replaces letters that are drawn along a path by a text box. */
  #replaceWordArt(open: Open, end: number) {
    const string = readAttribute(open, 'string');
    if (!string.trim()) return;
    const box = `<w:txbxContent ${w}>${paragraph(string)}</w:txbxContent>`;
    this.#replace(open.start, end, `<v:textbox xmlns:v="urn:schemas-microsoft-com:vml">${box}</v:textbox>`);
  }

  /** Renames an element; its prefix and its attributes stay. */
  #rename({ name, prefix, start, end }: Open, closing: number, local: string) {
    const length = name.length - name.indexOf(':') - 1;
    for (const tag of closing < end ? [start + 1] : [start + 1, closing + 2]) {
      const from = tag + (prefix ? prefix.length + 1 : 0);
      this.#replace(from, from + length, local);
    }
  }

  /** Makes the choice the first fallback where the fallback has no text. */
  #choose() {
    const { choice, textIn } = this.#alternatives.pop() ?? {};
    if (!choice || !textIn?.has('mc:Choice') || textIn.has('mc:Fallback')) return;
    const [open, closing] = choice;
    this.#rename(open, closing, 'Fallback');
  }

  /** Adds text to the innermost element of a formula that holds some. */
  #addMath(text: string) {
    const parent = this.#open.findLast(({ name }) => name.startsWith('m:') && name !== 'm:t' && name !== 'm:r');
    if (parent) parent.math = (parent.math ?? '') + text;
  }

  /** Adds the text of a part of a formula to the part around it. The text of a whole formula takes its place. */
  #closeMath(open: Open, end: number) {
    const { name, start, math = '', begin = '(', finish = ')' } = open;
    const val = readAttribute(open, 'val');
    const around = this.#open.findLast(({ name }) => name === 'm:d');
    if (name === 'm:oMath') {
      this.#replace(start, end, `<w:r ${w}>${textElement(math)}</w:r>`);
    } else if (name === 'm:begChr' && around) around.begin = val;
    else if (name === 'm:endChr' && around) around.finish = val;
    else if (name === 'm:chr' && this.#open.at(-1)?.name === 'm:naryPr') this.#addMath(val);
    else if (name === 'm:naryPr') this.#addMath(math || '∫');
    else if (name === 'm:d') this.#addMath(begin + math + finish);
    else if (math) this.#addMath(mathOf[name]?.(math) ?? math);
  }
}

/** Returns an attribute by its name without a prefix. */
const readAttribute = ({ attributes }: Open, name: string) =>
  Object.values(attributes).find(({ local }) => local === name)?.value ?? '';

/** Returns what names a note among the notes of both kinds, from it or from a reference to it. */
const findNote = (open: Open) => `${open.name.slice(0, 'w:foot'.length)} ${readAttribute(open, 'id')}`;

const paragraph = (text: string) => `<w:p ${w}><w:r>${textElement(text)}</w:r></w:p>`;

const textElement = (text: string) => `<w:t ${w} xml:space="preserve">${escapeXml(text)}</w:t>`;

/** A formula longer than this always gets parentheses. */
const maxPlainCharacters = 100;
const grouped = (math: string) =>
  math.length <= maxPlainCharacters && /^[\p{L}\p{N}.,]*$/u.test(math) ? math : `(${math})`;

const mathOf: Record<string, (math: string) => string> = {
  'm:num': grouped,
  'm:den': (math) => `/${grouped(math)}`,
  'm:sup': (math) => `^${grouped(math)}`,
  'm:sub': (math) => `_${grouped(math)}`,
  'm:rad': (math) => `√${grouped(math)}`,
  'm:mr': (math) => `${math}; `,
};

export const escapeXml = (text: string) => text.replace(/[&<>]/g, (character) => `&#${character.charCodeAt(0)};`);
