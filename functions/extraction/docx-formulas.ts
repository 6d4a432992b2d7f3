import { type ElementReader, readAttribute, writeRun, type XmlEdits } from './docx-xml.ts';

/** A part of a formula that is open, with its text and the signs around it. */
type Part = { name: string; text: string; begin: string; finish: string };

/** Replaces formulas by text. */
export const readFormulas = (edits: XmlEdits): ElementReader => {
  const parts: Part[] = [];
  const add = (text: string) => {
    const part = parts.at(-1);
    if (part) part.text += text;
  };
  return {
    open({ name }) {
      if (isPart(name)) parts.push({ name, text: '', begin: '(', finish: ')' });
    },
    read(text, { name }) {
      if (name === 'm:t') add(text);
    },
    close(element) {
      const { name, start, contentStart, contentEnd, end } = element;
      if (!isPart(name)) return;
      const { text, begin, finish } = parts.pop() as Part;
      const val = readAttribute(element, 'val');
      const brackets = parts.findLast((part) => part.name === 'm:d');
      if (name === 'm:oMath') edits.replace(start, end, writeRun(text));
      else if (name === 'm:oMathPara' && !element.isSelfClosing) {
        edits.replace(start, contentStart);
        edits.replace(contentEnd, end);
      } else if (name === 'm:oMathParaPr') edits.replace(start, end);
      else if (name === 'm:begChr' && brackets) brackets.begin = val;
      else if (name === 'm:endChr' && brackets) brackets.finish = val;
      else if (name === 'm:chr' && parts.at(-1)?.name === 'm:naryPr') add(val);
      else if (name === 'm:naryPr') add(text || '∫');
      else if (name === 'm:d') add(begin + text + finish);
      else if (text) add(writePart[name]?.(text) ?? text);
    },
  };
};

const isPart = (name: string) => name.startsWith('m:') && name !== 'm:t' && name !== 'm:r';

/** A formula longer than this always gets parentheses. */
const maxPlainCharacters = 100;
const group = (text: string) =>
  text.length <= maxPlainCharacters && /^[\p{L}\p{N}.,]*$/u.test(text) ? text : `(${text})`;

const writePart: Record<string, (text: string) => string> = {
  'm:num': group,
  'm:den': (text) => `/${group(text)}`,
  'm:sup': (text) => `^${group(text)}`,
  'm:sub': (text) => `_${group(text)}`,
  'm:rad': (text) => `√${group(text)}`,
  'm:mr': (text) => `${text}; `,
};
