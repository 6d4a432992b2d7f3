import { readAlternatives, readDrawings } from './docx-drawings.ts';
import { readFields } from './docx-fields.ts';
import { readFormulas } from './docx-formulas.ts';
import { readImports } from './docx-imports.ts';
import { type Numbering, readNumbers } from './docx-numbering.ts';
import {
  type Element,
  type ElementReader,
  readAttribute,
  readElements,
  w,
  writeParagraph,
  XmlEdits,
} from './docx-xml.ts';
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

/**
 * Replaces elements with text that the library does not know by elements that it knows: simple fields and directions of
 * writing are unwrapped, annotated text keeps its base, formulas and choices of drop-down lists become text, text boxes of
 * drawings become those of pictures. The numbers of paragraphs become text. What takes the library long draws from the budget.
 * XML that is not well-formed or nests too deep is returned as it is.
 */
export const prepareXml = (xml: string, { budget, numbering, notes }: SharedParts): PreparedPart => {
  const edits = new XmlEdits();
  const unread = new Map<string, number>();
  const withText = new Set<string>();
  const surroundings: string[] = [];
  let hasSection = false;
  const sections: ElementReader = {
    open(element) {
      const id = readAttribute(element, 'id');
      if (/^w:(header|footer)Reference$/.test(element.name) && id && !hasSection) surroundings.push(id);
    },
    close({ name }) {
      if (name === 'w:sectPr') hasSection = true;
    },
  };
  const readers = [
    findText(withText),
    findUnread(unread),
    sections,
    replaceElements(edits),
    readImports(edits),
    readFormulas(edits),
    readFields(edits, budget),
    readDrawings(edits),
    readAlternatives(edits),
    readNotes(edits, budget, notes),
    ...(numbering ? [readNumbers(edits, numbering)] : []),
  ];
  try {
    readElements(xml, readers);
  } catch {
    return { xml, unread: new Map(), withText: new Set() };
  }
  return { xml: edits.apply(xml), surroundings: hasSection ? surroundings : undefined, unread, withText };
};

/** The elements of lists and styles that the library reads. */
const readOfShared =
  /^w:(numbering|abstractNum|lvl|numFmt|pStyle|num|abstractNumId|numStyleLink|styles|style|name|pPr|numPr|numId)$/;

/** Removes what the library does not read from the XML of lists or styles, which is most of it. */
export const removeUnread = (xml: string): string => {
  const edits = new XmlEdits();
  try {
    const close = ({ name, start, end }: Element) => {
      if (!readOfShared.test(name)) edits.replace(start, end);
    };
    readElements(xml, [{ close }]);
  } catch {
    return xml;
  }
  return edits.apply(xml);
};

/** Finds the elements that hold text. */
const findText = (withText: Set<string>): ElementReader => ({
  read(text, { name }, open) {
    if (!/:t$/.test(name) || !text.trim()) return;
    for (let depth = open.length - 1; depth >= 0; depth--) {
      const element = open[depth] as Element;
      if (element.hasText) break;
      element.hasText = true;
      withText.add(element.name);
    }
  },
});

/** Elements whose content is in another part that is not read, with the words for them. */
const elsewhere: Record<string, string> = {
  'c:chart': 'charts',
  'dgm:relIds': 'diagrams',
  'o:OLEObject': 'embedded objects',
  'w:contentPart': 'drawings in ink',
  'w:subDoc': 'documents in other files',
};

const findUnread = (unread: Map<string, number>): ElementReader => ({
  open(element) {
    const words = elsewhere[element.name];
    if (words && readAttribute(element, 'Type') !== 'Link') unread.set(words, (unread.get(words) ?? 0) + 1);
  },
});

/** The local names of elements that the library reads through, in place of those that it does not know. */
const renamed: Record<string, string> = {
  ...Object.fromEntries(['fldSimple', 'bdo', 'dir', 'ruby', 'rubyBase'].map((name) => [`w:${name}`, 'ins'])),
  ...Object.fromEntries(['oval', 'line', 'polyline', 'arc', 'curve'].map((name) => [`v:${name}`, 'group'])),
};
const replacements: Record<string, string> = {
  'w:cr': `<w:br ${w}/>`,
  'w:ptab': `<w:tab ${w}/>`,
  // The annotation above a text.
  'w:rt': '',
  'w:rubyPr': '',
};

/** Replaces the elements that the library does not know by themselves. */
const replaceElements = (edits: XmlEdits): ElementReader => ({
  close(element, open) {
    const { name, start, end } = element;
    if (renamed[name]) edits.rename(element, renamed[name]);
    else if (replacements[name] !== undefined) edits.replace(start, end, replacements[name]);
    else if (/^w:tbl(Caption|Description)$/.test(name)) {
      // The title and the description of a table are put before it, as the descriptions of pictures are read.
      const table = open.findLast((around) => around.name === 'w:tbl');
      const val = readAttribute(element, 'val').trim();
      if (table && val) edits.insert(table.start, writeParagraph(val));
    }
  },
});

/** Removes a further reference to a note that the budget does not pay for: the library shows the note again. */
const readNotes = (edits: XmlEdits, budget: ReadingBudget, notes: Map<string, number>): ElementReader => {
  const referred = new Set<string>();
  return {
    close(element) {
      const { name, start, end } = element;
      if (!/^w:(foot|end)note(Reference)?$/.test(name)) return;
      const note = `${name.slice(0, 'w:foot'.length)} ${readAttribute(element, 'id')}`;
      if (!name.endsWith('Reference')) notes.set(note, end - start);
      else {
        const characters = referred.has(note) ? (notes.get(note) ?? 0) : 0;
        if (characters > 0 && !budget.take(characters * steps.character)) edits.replace(start, end);
        referred.add(note);
      }
    },
  };
};
