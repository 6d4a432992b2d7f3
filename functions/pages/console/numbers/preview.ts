import { limits } from '../../../domain/limits.ts';
import { numberProblems, readPhoneNumber } from '../../../domain/read-phone-number.ts';
import { detectSeparator } from '../../../sheets/separator.ts';
import { detectUtf } from '../../../sheets/text-encoding.ts';

/** The part of a file that is read before its upload. It is counted in steps, between which the page responds. */
const readBytes = 4 * 1024 * 1024;
const rowsPerStep = 2000;
const shownRows = 4;
const shownProblems = 5;
/** The headings are looked for in so many rows, as the service does. */
const headingRows = limits.importHeadingLines;

export type Row = { line: number; cells: string[] };

/** The rows of a file that are read before its upload. `isWhole`: there are no others. */
export type FileStart = { rows: Row[]; isWhole: boolean };

/** Reads a file before it is uploaded, as the service separates its cells. */
export const readStart = async (file: Blob): Promise<FileStart> => {
  const bytes = new Uint8Array(await file.slice(0, readBytes).arrayBuffer());
  const text = new TextDecoder(detectUtf(bytes)).decode(bytes);
  const lines = text.trimStart().split(/[\r\n]+/, headingRows);
  const { separator, isNamed } = detectSeparator(...lines);
  const rows = splitRows(text, separator).slice(isNamed ? 1 : 0);
  const isWhole = file.size <= readBytes;
  // The last row may be cut off.
  return { rows: isWhole ? rows : rows.slice(0, -1), isWhole };
};

const splitRows = (text: string, separator: string): Row[] => {
  const cell = new RegExp(`(?:"((?:[^"]|"")*)"|([^${separator}\\r\\n]*))(${separator}|\\r\\n?|\\n|$)`, 'y');
  const rows: Row[] = [];
  let row: Row = { line: 1, cells: [] };
  for (let match = cell.exec(text); match; match = cell.exec(text)) {
    const [, quoted, plain = '', end = ''] = match;
    row.cells.push(quoted?.replaceAll('""', '"') ?? plain.trim());
    if (end === separator) continue;
    if (row.cells.some((cell) => cell !== '')) rows.push(row);
    if (end === '') break;
    row = { line: row.line + 1 + row.cells.join('').split('\n').length - 1, cells: [] };
  }
  return rows;
};

const isNumberLike = (cell: string) => /^\+?[\d\s()./-]{3,}$/.test(cell);
const countTexts = ({ cells }: Row) => cells.filter((cell) => cell !== '').length;

/** The row with the headings, and those below it. Without headings, a file has numbers alone. */
export type Layout = { headings: Row | undefined; below: Row[]; above: Row[] };

/** Returns the layout of a file whose headings are in a row. */
export const layOut = ({ rows }: FileStart, headings: Row | undefined): Layout => {
  const place = headings ? rows.indexOf(headings) : -1;
  return { headings, above: rows.slice(0, Math.max(0, place)), below: rows.slice(place + 1) };
};

/** Returns the rows that may have the headings. */
export const listHeadings = ({ rows }: FileStart): Row[] =>
  rows.slice(0, headingRows).filter(({ cells }) => !cells.some(isNumberLike));

const namesNumbers = /number|nummer|tel|phone|mobi|handy|fon/i;

/** Returns the row that most likely has the headings: the first one with as many texts as most rows have. A number is no heading. */
export const findHeadings = (start: FileStart): Row | undefined => {
  const first = start.rows.slice(0, headingRows);
  const bySize = Map.groupBy(
    first.filter((row) => countTexts(row) > 1),
    countTexts,
  );
  const [size = 1] = [...bySize].toSorted(([, one], [, other]) => other.length - one.length)[0] ?? [];
  const found = first.find((row) => countTexts(row) >= size);
  if (!found || found.cells.some(isNumberLike)) return undefined;
  // A text above numbers alone may be one that is misspelled.
  return size > 1 || found.cells.some((cell) => namesNumbers.test(cell)) ? found : undefined;
};

export type Columns = { number: string; reason: string; expiresAt: string };

const isDate = (cell: string) => /^\d{1,4}[./-]\d{1,2}[./-]\d{1,4}/.test(cell);

/** Returns how much a cell looks like a phone number. Numbers of customers and dates have digits, too. */
const weighCell = (cell = ''): number => {
  if (readPhoneNumber(cell).number !== undefined) return 4;
  const digits = cell.replace(/\D/g, '').length;
  if (!isNumberLike(cell) || isDate(cell)) return 0;
  if (digits < 6 || digits > 15) return 0.1;
  return /^[(0]/.test(cell) ? 2 : 1;
};

/** Returns the columns that an import most likely reads: those with its names, or the one whose cells look most like numbers. */
export const findColumns = ({ headings, below }: Layout): Columns => {
  const names = headings?.cells ?? [];
  const named = (name: string) => names.find((heading) => heading.toLowerCase() === name) ?? '';
  const weights = names.map((heading, index) => {
    const cells = below.slice(0, 100).reduce((sum, { cells }) => sum + weighCell(cells[index]), 0);
    return cells && cells + (namesNumbers.test(heading) ? 1 : 0);
  });
  return {
    number: named('number') || (names[weights.indexOf(Math.max(...weights))] ?? ''),
    reason: named('reason'),
    expiresAt: named('expiresat'),
  };
};

/** What an import can read: so many lines, and the first of those that it cannot. */
export type Count = { readable: number; unreadable: number; problems: { line: number; text: string; why: string }[] };

/** Digits without a country code, which a country makes a number. */
const isNational = (problem: string) => ['noCountryCode', 'internationalPrefix'].includes(problem);

/** Counts the lines with a number, step by step. With a country, digits that may be one of its numbers count. */
export async function* countNumbers(
  { headings, below }: Layout,
  column: string,
  hasCountry: boolean,
): AsyncGenerator<Count> {
  const place = headings ? headings.cells.indexOf(column) : 0;
  const count: Count = { readable: 0, unreadable: 0, problems: [] };
  for (const [index, { line, cells }] of below.entries()) {
    const text = cells[place] ?? '';
    const { problem } = readPhoneNumber(text);
    if (!problem || (hasCountry && isNational(problem))) count.readable++;
    else {
      count.unreadable++;
      if (count.problems.length < shownProblems) count.problems.push({ line, text, why: numberProblems[problem] });
    }
    if (index % rowsPerStep === rowsPerStep - 1) {
      await new Promise((resolve) => setTimeout(resolve));
      yield { ...count };
    }
  }
  yield { ...count };
}

/** Returns the first rows to show, from the headings on. */
export const firstRows = ({ below }: Layout): Row[] => below.slice(0, shownRows);

const regions = new Intl.DisplayNames('en', { type: 'region', fallback: 'none' });
const letters = [...'ABCDEFGHIJKLMNOPQRSTUVWXYZ'];

/** Returns the countries with their codes, sorted by name. */
export const countries = () =>
  letters
    .flatMap((first) => letters.map((second) => first + second))
    // A former code stands for another one, and the codes of groups for no country.
    .filter((code) => new Intl.Locale(`und-${code}`).region === code && !/^(EU|EZ|QO|UN|X[AB]|ZZ)$/.test(code))
    .flatMap((code) => {
      const label = regions.of(code);
      return label === undefined ? [] : { value: code, label };
    })
    .toSorted((a, b) => a.label.localeCompare(b.label));
