import { detectSeparator } from '../../../sheets/separator.ts';
import { detectUtf } from '../../../sheets/text-encoding.ts';

/** The part of a file that is read for its preview. */
const previewBytes = 64 * 1024;
const maxRows = 6;

/** The first rows of a file, and its columns if the first row names them. */
export type Preview = { headings: string[]; rows: string[][] };

/** Reads the first rows of a file before it is uploaded. */
export const readPreview = async (file: Blob): Promise<Preview> => {
  const bytes = new Uint8Array(await file.slice(0, previewBytes).arrayBuffer());
  const text = new TextDecoder(detectUtf(bytes)).decode(bytes).trimStart();
  const { separator, isNamed } = detectSeparator(text.split(/[\r\n]/, 1)[0] ?? '');
  const [first = [], ...rows] = splitRows(text, separator).slice(isNamed ? 1 : 0);
  return first.some(isNumberLike) ? { headings: [], rows: [first, ...rows] } : { headings: first, rows };
};

const splitRows = (text: string, separator: string): string[][] => {
  const cell = new RegExp(`(?:"((?:[^"]|"")*)"|([^${separator}\\r\\n]*))(${separator}|\\r\\n?|\\n|$)`, 'y');
  const rows: string[][] = [[]];
  for (let match = cell.exec(text); match && rows.length <= maxRows + 1; match = cell.exec(text)) {
    const [, quoted, plain = '', end = ''] = match;
    rows.at(-1)?.push(quoted?.replaceAll('""', '"') ?? plain.trim());
    if (end === '') break;
    if (end !== separator) rows.push([]);
  }
  return rows.filter((cells) => cells.some((cell) => cell !== '')).slice(0, maxRows);
};

const isNumberLike = (cell: string) => /^\+?[\d\s()./-]{3,}$/.test(cell);

export type Columns = { number: string; reason: string; expiresAt: string };

/** Returns the columns that an import most likely reads: those with its names, or the first one with numbers. */
export const likelyColumns = ({ headings, rows }: Preview): Columns => {
  const named = (name: string) => headings.find((heading) => heading.toLowerCase() === name) ?? '';
  const firstWithNumbers = headings.find((_, index) => rows.some((cells) => isNumberLike(cells[index] ?? '')));
  return {
    number: named('number') || (firstWithNumbers ?? headings.find(Boolean) ?? ''),
    reason: named('reason'),
    expiresAt: named('expiresat'),
  };
};

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
