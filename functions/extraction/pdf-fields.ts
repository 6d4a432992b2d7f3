import type { Line } from './pdf-lines.ts';
import { type ReadingBudget, steps } from './reading-budget.ts';

/** A text that lies on a page: the value of a form's field, or an annotation. `rectangle` is left, bottom, right and top. */
type Field = { lines: string[]; rectangle: [number, number, number, number] };

type Annotation = {
  subtype?: string;
  rect?: number[];
  annotationFlags?: number;
  hidden?: boolean;
  password?: boolean;
  pushButton?: boolean;
  checkBox?: boolean;
  radioButton?: boolean;
  combo?: boolean;
  hasAppearance?: boolean;
  fieldType?: string;
  fieldValue?: unknown;
  exportValue?: string;
  buttonValue?: string;
  options?: { exportValue: string; displayValue: string }[];
  textContent?: string[];
  contentsObj?: { str: string };
};

/** The flags of annotations that are hidden or not viewed. */
const invisible = 0b100010;
const isVisible = ({ annotationFlags = 0, hidden }: Annotation) => !hidden && (annotationFlags & invisible) === 0;

/** Returns the texts that the filled fields and the typed annotations of a page show. */
export const readFields = (annotations: Annotation[]): Field[] =>
  annotations.filter(isVisible).flatMap((annotation) => {
    const { subtype, rect, textContent = [], contentsObj } = annotation;
    const typed = subtype === 'FreeText' ? textContent.join('\n').trim() || (contentsObj?.str ?? '') : '';
    const text = subtype === 'Widget' ? shownValue(annotation) : typed;
    const lines = text.split(/\r\n?|\n/).map((line) => line.trim());
    return lines.some(Boolean) ? [{ lines: lines.filter(Boolean), rectangle: rect as Field['rectangle'] }] : [];
  });

/** Returns the value of a field as the page shows it, or else as the form has it. */
const shownValue = (annotation: Annotation): string => {
  const { fieldType, fieldValue, options = [], checkBox, radioButton, exportValue, buttonValue } = annotation;
  const values = [fieldValue].flat().filter((value) => typeof value === 'string');
  if (annotation.password) return '';
  if (checkBox || radioButton) {
    const isOn = fieldValue !== 'Off' && values[0] === (checkBox ? exportValue : buttonValue);
    return isOn && values.length > 0 ? '☑' : '';
  }
  if (fieldType === 'Tx') return annotation.textContent?.join('\n').trim() || values.join('\n');
  const displayName = (value: string) =>
    options.find(({ exportValue }) => exportValue === value)?.displayValue ?? value;
  return fieldType === 'Ch' ? values.map(displayName).join(', ') : '';
};

/** Returns the words for the annotations of a page that show something and are not read. */
export const listIgnored = (annotations: Annotation[]): string[] =>
  annotations.filter(isVisible).flatMap(({ subtype = '', fieldType, pushButton, combo, hasAppearance, options }) => {
    if (subtype !== 'Widget') return others[subtype] ?? [];
    if (pushButton) return 'buttons';
    if (fieldType === 'Sig') return hasAppearance ? 'signatures' : [];
    return fieldType === 'Ch' && !combo && options?.length ? 'lists of which only the chosen entries are read' : [];
  });

const others: Record<string, string> = {
  Stamp: 'stamps',
  Watermark: 'watermarks',
  FileAttachment: 'attached files',
  ...Object.fromEntries(['Screen', 'RichMedia', 'Movie', 'Sound', '3D'].map((subtype) => [subtype, 'media'])),
};

/**
 * Inserts fields into the lines of a page: beside the label on the same line, or between the lines above and below. Each field is
 * compared with all lines.
 */
export const insertFields = (lines: Line[], fields: Field[], budget: ReadingBudget): void => {
  let pieces = lines.reduce((count, line) => count + line.pieces.length, 0);
  for (const field of fields.toSorted((a, b) => b.rectangle[3] - a.rectangle[3] || a.rectangle[0] - b.rectangle[0])) {
    if (!budget.take(pieces * steps.pieceBesideField)) return;
    pieces += field.lines.length;
    const [left, bottom, right, top] = field.rectangle;
    const line = field.lines.length === 1 ? findLabel(lines, field) : undefined;
    if (line) {
      const next = line.pieces.findIndex((piece) => piece.left > left);
      const at = next < 0 ? line.pieces.length : next;
      const before = line.pieces[at - 1]?.text ?? ' ';
      const after = line.pieces[at]?.text ?? ' ';
      const text = `${/\s$/.test(before) ? '' : ' '}${field.lines[0]}${/^\s/.test(after) ? '' : ' '}`;
      line.pieces.splice(at, 0, { text, left, right });
      continue;
    }
    const below = lines.findIndex(({ pieces, y }) => pieces.some(({ text }) => text.trim()) && y < bottom);
    const size = Math.min(top - bottom, 12);
    const added = field.lines.map((text, index) => ({
      pieces: [{ text, left, right }],
      size,
      y: top - size * (index + 1),
    }));
    lines.splice(below < 0 ? lines.length : below, 0, ...added);
  }
};

/** Returns the line on which a field lies, whose text is nearest to it. */
const findLabel = (lines: Line[], { rectangle: [left, bottom, , top] }: Field): Line | undefined => {
  const margin = (top - bottom) / 4;
  const measureDistance = ({ pieces }: Line) =>
    Math.min(
      ...pieces
        .filter(({ text }) => text.trim())
        .map((piece) => (piece.left > left ? piece.left - left : Math.max(0, left - piece.right))),
    );
  const beside = lines.filter(
    ({ pieces, y }) => y > bottom - margin && y < top && pieces.some(({ text }) => text.trim()),
  );
  return beside.reduce<Line | undefined>(
    (nearest, line) => (nearest && measureDistance(nearest) <= measureDistance(line) ? nearest : line),
    undefined,
  );
};
