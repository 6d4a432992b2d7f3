import { type Element, type ElementReader, escapeXml, readAttribute, w, writeText, type XmlEdits } from './docx-xml.ts';
import { type ReadingBudget, steps } from './reading-budget.ts';

/** The instructions of fields that the library knows. */
const knownInstruction = /^\s*HYPERLINK\s|FORMCHECKBOX/;

/** Leaves the instructions of fields to the library that it knows, and shows the choices of drop-down lists. */
export const readFields = (edits: XmlEdits, budget: ReadingBudget): ElementReader => {
  /** The lengths of the instructions of the fields that are open, and all of them. */
  const fields: number[] = [];
  let fieldCharacters = 0;
  /** The instruction that is read, and the length of what was written since the last field began. */
  let instruction = '';
  let joinedCharacters = 0;
  /** The entries of the drop-down list that is read, and the index of the chosen one. */
  let list: { entries: string[]; chosen?: number } = { entries: [] };
  /** What was chosen in the drop-down list of the field that is read, unless the field shows a text. */
  let choice = '';

  /** Writes the instruction of a field. The library joins it again at each mark, with those of the fields within. */
  const writeInstruction = ({ start }: Element) => {
    if (knownInstruction.test(instruction)) {
      // The library looks behind each character of white space.
      const joined = instruction.replace(/\s+/g, ' ');
      edits.insert(start, `<w:instrText ${w}>${escapeXml(joined)}</w:instrText>`);
      joinedCharacters += joined.length;
    }
    fieldCharacters += joinedCharacters - (fields.pop() ?? 0);
    fields.push(joinedCharacters);
  };

  /** Removes a run, or a mark of a field, that the budget does not pay for: the library looks at all fields around it. */
  const pay = ({ start, end }: Element) => {
    const cost = fields.length * steps.fieldAround + fieldCharacters * steps.instructionCharacter;
    if (cost > 0 && !budget.take(cost)) edits.replace(start, end);
  };

  /** Shows the choice at the end of its field: form fields of drop-down lists usually have no text. */
  const addChoice = ({ end }: Element) => {
    const cost = steps.xmlRun + choice.length * steps.character;
    if (choice && budget.take(cost)) edits.insert(end, writeText(choice));
    choice = '';
  };

  /** Reads a mark of a field, and writes the instruction before the mark that ends it. */
  const readMark = (mark: Element) => {
    const type = readAttribute(mark, 'fldCharType');
    if (type === 'begin') {
      fields.push(0);
      joinedCharacters = 0;
    } else writeInstruction(mark);
    instruction = '';
    pay(mark);
    if (type !== 'end') return;
    fieldCharacters -= fields.pop() ?? 0;
    addChoice(mark);
  };

  return {
    open({ name }) {
      if (name === 'w:ddList') list = { entries: [] };
    },
    read(text, { name }) {
      if (name === 'w:instrText') instruction += text;
      else if (/:t$/.test(name) && text.trim()) choice = '';
    },
    close(element, around) {
      const { name, start, end } = element;
      if (name === 'w:fldChar') readMark(element);
      else if (name === 'w:instrText') edits.replace(start, end);
      else if (name === 'w:r') pay(element);
      else if (name === 'w:ddList') choice = list.entries[list.chosen ?? 0] ?? '';
      else if (around.at(-1)?.name !== 'w:ddList') return;
      else if (name === 'w:listEntry') list.entries.push(readAttribute(element, 'val'));
      // The result comes before the default.
      else if (/^w:(result|default)$/.test(name)) list.chosen ??= Number(readAttribute(element, 'val'));
    },
  };
};
