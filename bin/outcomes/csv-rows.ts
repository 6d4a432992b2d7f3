import { outcomeFields } from '../../functions/domain/calls.ts';
import { unprotectText } from '../../functions/domain/csv.ts';
import { isExactNumber, tooManyDigitsError } from '../../functions/domain/exact-number.ts';
import { parseJson } from '../../functions/domain/json.ts';
import { withPlainSpaces } from '../../functions/domain/signs.ts';
import { isUnreadable, showUnreadable } from '../../functions/sheets/decode-sheet.ts';
import { CommandError, exitCodes } from '../command-line/exit-codes.ts';
import { checkedRow } from './checked-row.ts';
import type { Dialect } from './dialect.ts';
import { isAmongNames, isKnown, itemFields, metadataPrefix, unknownHint } from './fields.ts';
import { readCsv } from './read-csv.ts';
import type { ReadOptions, Row, RowError } from './row.ts';

/** A cell that clears its field. An empty cell leaves the field as it is. */
const clearingCell = '\\N';

/** An amount of a spreadsheet, with the sign or the ISO 4217 code of its currency before or behind it. */
const amountWithCurrency = /^(-?)(?:(\p{Sc}|[A-Z]{3})\s*)?(-?)(\d.*?)\s*(\p{Sc}|[A-Z]{3})?$/u;
const currencyCodes = new Set(Intl.supportedValuesOf('currency'));
/** The codes of signs that only one currency has. */
const codeOfSign: Record<string, string> = { '€': 'EUR', '£': 'GBP', '₹': 'INR' };

/** The first currency of a file as it is written there, and its line. */
type FirstSign = { sign?: string; line?: number };
type CsvOptions = ReadOptions & Pick<Dialect, 'delimiter'> & { first: FirstSign };

/** Yields the rows of a CSV file with a header. */
export async function* csvRows(file: string, text: AsyncGenerator<string>, options: ReadOptions): AsyncGenerator<Row> {
  let header: Header | undefined;
  const first: FirstSign = {};
  for await (const { line, cells, delimiter } of readCsv(file, text)) {
    if (header) yield toCsvRow(line, header, cells, { ...options, delimiter, first });
    else header = checkHeader(file, line, readHeader(cells, options), options);
  }
}

/** The fields of the columns, or their headings. `further` has the columns that count where those before them are empty, by preference. */
type Header = { names: string[]; further: { index: number; field: string }[] };

/**
 * Returns the fields of the columns. White space of any kind and invisible signs, which nobody sees, make no other column. If
 * several columns are mapped to a field, the first one in the map is the field, and the others keep their headings.
 */
const readHeader = (header: string[], options: ReadOptions): Header => {
  const map = new Map(
    Object.entries(options.map ?? {}).flatMap(([name, field]) => [
      [name, field],
      [withPlainSpaces(name), field],
    ]),
  );
  const mapped = header.map((name) => map.get(name) ?? map.get(withPlainSpaces(name)));
  const names = header.map((name, index) => {
    const plain = withPlainSpaces(name);
    return mapped[index] ?? (isKnown(plain, {}) ? plain : name);
  });
  const order = [...map.keys()];
  const preferred = [...header.entries()].sort(([, one], [, other]) => order.indexOf(one) - order.indexOf(other));
  const taken = new Set(names.filter((_, index) => mapped[index] === undefined));
  const further: Header['further'] = [];
  for (const [index, name] of preferred) {
    const field = mapped[index];
    if (field === undefined) continue;
    if (taken.has(field) && isAmongNames(itemFields, field)) {
      further.push({ index, field });
      names[index] = name;
    }
    taken.add(field);
  }
  return { names, further };
};

/** Fails when a column is missing, duplicate or unknown, since an unknown one may be a typo. */
const checkHeader = (file: string, line: number, header: Header, options: ReadOptions): Header => {
  const { names, further } = header;
  const invalid = (message: string, place = '') =>
    new CommandError(`${file}:${line}${place}: ${message}`, exitCodes.usage);
  const lacksMapped = Object.values(options.map ?? {}).some((name) => !names.includes(name));
  for (const [index, name] of names.entries()) {
    if (name === '' || further.some((one) => one.index === index)) continue;
    const place = `:${index + 1}`;
    if (names.indexOf(name) !== index) throw invalid(`duplicate column ${showUnreadable(name)}.`, place);
    if (isUnreadable(name) && (isMetadataColumn(name) || lacksMapped || !isKnown(name, options))) {
      throw invalid(
        `the heading ${showUnreadable(name)} is not in UTF-8. Save the file in UTF-8, and try again.`,
        place,
      );
    }
    if (isKnown(name, options) || isMetadataColumn(name)) continue;
    const columns = `${itemFields.join(', ')} and ${metadataPrefix}KEY`;
    throw invalid(`unknown column ${JSON.stringify(name)}. The columns are ${columns}. ${unknownHint(name)}`, place);
  }
  if (options.onlyFailed && !(names.includes('line') && names.includes('status'))) {
    throw invalid('--only-failed requires a results file, which has the columns line and status.');
  }
  if (!names.includes('callIdOrPhone')) throw invalid('the column callIdOrPhone is missing.');
  if (!names.includes('agentId') && options.agentId === undefined) {
    throw invalid('the column agentId is missing. Add it, or use --agent-id for all rows.');
  }
  if (!names.some((name) => isAmongNames(outcomeFields, name) || isMetadataColumn(name))) {
    throw invalid(`there is nothing to set: no column ${outcomeFields.join(', ')} or ${metadataPrefix}KEY.`);
  }
  return header;
};

const isMetadataColumn = (name: string) => name.startsWith(metadataPrefix) && name.length > metadataPrefix.length;

const toCsvRow = (line: number, { names: header, further }: Header, record: string[], options: CsvOptions): Row => {
  const given: Record<string, unknown> = {};
  const errors: RowError[] = [];
  const more = record.findIndex((cell, index) => cell !== '' && !header[index]);
  if (more >= 0 && more < header.length) errors.push({ message: `cell ${more + 1} has no heading` });
  else if (more >= 0 || record.length < header.length) {
    errors.push({ message: `has ${record.length} cells, but the header has ${header.length}` });
  }
  const metadata: [string, unknown][] = [];
  for (const [index, name] of header.entries()) {
    const cell = record[index] ?? '';
    if (cell === '') continue;
    if (isMetadataColumn(name)) metadata.push([name.slice(metadataPrefix.length), cell === clearingCell ? null : cell]);
    if (!isAmongNames(itemFields, name)) continue;
    try {
      given[name] = isUnreadable(cell) ? cell : readValue(name, cell, line, options);
    } catch (error) {
      errors.push({ column: name, message: (error as Error).message });
    }
  }
  for (const { index, field } of further) {
    const cell = record[index] ?? '';
    if (cell !== '' && given[field] === undefined && isAmongNames(itemFields, field))
      given[field] = isUnreadable(cell) ? cell : readValue(field, cell, line, options);
  }
  if (metadata.length > 0) {
    given.custom_call_metadata = { ...(given.custom_call_metadata as object), ...Object.fromEntries(metadata) };
  }
  const named = [...header.entries()].filter(([, name]) => name !== '');
  const input = Object.fromEntries(named.map(([index, name]) => [name, record[index] ?? '']));
  const row = checkedRow(line, { given, input }, options, errors);
  const numbered = row.errors?.map((error) => ({ ...error, number: findColumn(header, error.column) }));
  return numbered ? { ...row, item: undefined, errors: numbered } : row;
};

const findColumn = (header: string[], column: string | undefined) => {
  const index = column === undefined ? -1 : header.indexOf(column);
  return index < 0 ? undefined : index + 1;
};

const readValue = (
  name: (typeof itemFields)[number],
  cell: string,
  line: number,
  { decimalComma, delimiter, first }: CsvOptions,
): unknown => {
  if (cell === clearingCell && isAmongNames(outcomeFields, name)) return null;
  if (name === 'custom_call_metadata') return readJsonCell(cell);
  if (name !== 'custom_call_outcome_value') return unprotectText(cell);
  const amount = withoutCurrency(cell, line, first);
  if (decimalComma ?? delimiter === ';') return numberWithComma(amount, decimalComma ?? false);
  return numberWithPoint(amount);
};

/** Returns the amount alone. Throws for another currency than the first of the file: the service would add up the amounts. */
const withoutCurrency = (cell: string, line: number, first: FirstSign): string => {
  const [, minus, before, inner, amount, behind] = amountWithCurrency.exec(cell.normalize('NFKC')) ?? [];
  const signs = [before, behind].filter((sign) => sign !== undefined);
  if (amount === undefined || !signs.every((sign) => sign.length < 3 || currencyCodes.has(sign))) return cell;
  for (const sign of signs) {
    first.sign ??= sign;
    first.line ??= line;
    if (normalizeCurrency(sign) === normalizeCurrency(first.sign)) continue;
    const message = `has the currency ${sign}, but line ${first.line} has ${first.sign}: ${JSON.stringify(cell)}`;
    throw new Error(`${message}. Send a file for each currency`);
  }
  return `${minus}${inner}${amount}`;
};

const normalizeCurrency = (sign: string) => codeOfSign[sign] ?? sign;

const withPoint = /^-?\d+(\.\d+)?([eE][+-]?\d+)?$/;

const numberWithPoint = (cell: string) => {
  if (withPoint.test(cell)) return exactNumber(cell);
  const hint = /^-?[\d.]+,\d+$/.test(cell) ? 'Use --decimal-comma' : 'Use a decimal point and no separators: 1234.5';
  throw new Error(`is not a number: ${JSON.stringify(cell)}. ${hint}`);
};

const exactNumber = (cell: string) => {
  if (!isExactNumber(cell)) throw new Error(`${tooManyDigitsError}: ${JSON.stringify(cell)}`);
  return Number(cell);
};

/** Reads `1.249,99`. Unless the decimal comma was requested, `149.5` is also accepted. `1.249` is ambiguous. */
const numberWithComma = (cell: string, isAskedFor: boolean) => {
  const isGrouped = /^-?\d{1,3}(\.\d{3})+$/.test(cell);
  if (isGrouped && !isAskedFor) {
    throw new Error(`is ambiguous: ${JSON.stringify(cell)}. Use --decimal-comma or --no-decimal-comma`);
  }
  if (/^-?(\d+|\d{1,3}(\.\d{3})+)(,\d+)?$/.test(cell)) return exactNumber(cell.replaceAll('.', '').replace(',', '.'));
  if (withPoint.test(cell) && !isAskedFor) return exactNumber(cell);
  throw new Error(`is not a number: ${JSON.stringify(cell)}. Use a decimal comma: 1234,5`);
};

const readJsonCell = (cell: string): unknown => {
  try {
    return parseJson(cell);
  } catch (error) {
    throw new Error(`is not JSON: ${(error as Error).message}`);
  }
};
