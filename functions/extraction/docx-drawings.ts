import { type Element, type ElementReader, readAttribute, w, writeParagraph, type XmlEdits } from './docx-xml.ts';

/** Replaces drawings with text boxes, or with text in their shapes, by pictures with text boxes, which the library reads. */
export const readDrawings = (edits: XmlEdits): ElementReader => {
  let boxes: Element[] = [];
  /** The text that shapes have themselves, a line for each paragraph. */
  let shapeText = '';

  const replaceDrawing = ({ start, end }: Element) => {
    const own = boxes.filter((box) => box.start > start);
    const lines = shapeText.split('\n').filter((line) => line.trim());
    boxes = [];
    shapeText = '';
    if (own.length === 0 && lines.length > 0) edits.replace(start, end, `<w:pict ${w}>${writeBox(lines)}</w:pict>`);
    if (own.length === 0) return;
    let at = start;
    for (const [index, box] of own.entries()) {
      edits.replace(at, box.start, index === 0 ? `<w:pict ${w}>` : '');
      at = box.end;
    }
    edits.replace(at, end, '</w:pict>');
  };

  return {
    read(text, { name }) {
      if (name === 'a:t') shapeText += text;
    },
    close(element) {
      const { name, start, end } = element;
      if (name === 'w:txbxContent') boxes.push(element);
      else if (name === 'a:p') shapeText += '\n';
      else if (name === 'w:drawing') replaceDrawing(element);
      else if (name === 'v:textpath') {
        // The letters are drawn along a path.
        const string = readAttribute(element, 'string');
        const box = `<v:textbox xmlns:v="urn:schemas-microsoft-com:vml">${writeBox([string])}</v:textbox>`;
        if (string.trim()) edits.replace(start, end, box);
      }
    },
  };
};

const writeBox = (lines: string[]) => `<w:txbxContent ${w}>${lines.map(writeParagraph).join('')}</w:txbxContent>`;

/** Makes the choice among alternatives the fallback, which alone the library reads, where the fallback has no text. */
export const readAlternatives = (edits: XmlEdits): ElementReader => {
  const alternatives: { branch?: string; choice?: Element; textIn: Set<string> }[] = [];
  return {
    open({ name }) {
      if (name === 'mc:AlternateContent') alternatives.push({ textIn: new Set() });
      const innermost = alternatives.at(-1);
      if (innermost && /^mc:(Choice|Fallback)$/.test(name)) innermost.branch = name;
    },
    read(text, { name }) {
      if (/:t$/.test(name) && text.trim()) for (const { branch = '', textIn } of alternatives) textIn.add(branch);
    },
    close(element) {
      const innermost = alternatives.at(-1);
      if (element.name === 'mc:Choice' && innermost) innermost.choice ??= element;
      if (element.name !== 'mc:AlternateContent') return;
      const { choice, textIn } = alternatives.pop() ?? {};
      if (choice && textIn?.has('mc:Choice') && !textIn.has('mc:Fallback')) edits.rename(choice, 'Fallback');
    },
  };
};
