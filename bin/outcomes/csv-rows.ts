import { Readable } from 'node:stream';
import { CsvError, parse } from 'csv-parse';
import { outcomeFields } from '../../functions/domain/calls.ts';
import { parseJson } from '../../functions/domain/json.ts';
import { CommandError, exitCodes } from '../command-line/exit-codes.ts';
import { checkedRow } from './checked-row.ts';
import { isKnown, isOneOf, itemFields, metadataPrefix, unknownHint } from './fields.ts';
import type { ReadOptions, Row, RowError } from './row.ts';

/** A cell that clears its field. An empty cell leaves the field as it is. */
const clearingCell = '\\N';
/** Larger than any row the service accepts: stops at a quote that is never closed. */
const maxRowBytes = 1024 * 1024;

type Parsed = { record: string[]; info: { lines: number } };

/** Yields the rows of a CSV file with a header. Cells are separated by commas, semicolons or tabs. */
export async function* csvRows(file: string, text: AsyncGenerator<string>, options: ReadOptions): AsyncGenerator<Row> {
  const { head, whole } = await peek(text);
  const parser = Readable.from(whole).pipe(
    parse({
      delimiter: delimiterOf(head),
      info: true,
      max_record_size: maxRowBytes,
      relax_column_count: true,
      skip_empty_lines: true,
      trim: true,
    }),
  );
  let header: string[] | undefined;
  try {
    for await (const { record, info } of parser as AsyncIterable<Parsed>) {
      const line = info.lines - newlinesIn(record);
      if (header) yield rowOf(line, header, record, options);
      else header = checkedHeader(file, line, record, options);
    }
  } catch (error) {
    if (!(error instanceof CsvError)) throw error;
    throw new CommandError(
      `${file}:${error.lines}: the rows after this line cannot be separated. ${error.message}.`,
      exitCodes.usage,
    );
  }
  if (!header) throw new CommandError(`${file} is empty. Its first line must be a header.`, exitCodes.usage);
}

/** Returns the first line, and the text including it. */
const peek = async (text: AsyncGenerator<string>) => {
  let start = '';
  for (let piece = await text.next(); !piece.done; piece = await text.next()) {
    start += piece.value;
    if (start.includes('\n')) break;
  }
  async function* whole() {
    yield start;
    yield* text;
  }
  return { head: start.split('\n', 1)[0] as string, whole: whole() };
};

export const delimiterOf = (head: string) => {
  const count = (delimiter: string) => head.split(delimiter).length;
  return [',', ';', '\t'].reduce((most, delimiter) => (count(delimiter) > count(most) ? delimiter : most));
};

const newlinesIn = (record: string[]) => record.join('').match(/\r\n|\n|\r/g)?.length ?? 0;

/** Fails when a column is missing, duplicate or unknown: an unknown one may be a typo. */
const checkedHeader = (file: string, line: number, header: string[], options: ReadOptions): string[] => {
  const invalid = (message: string, place = '') =>
    new CommandError(`${file}:${line}${place}: ${message}`, exitCodes.usage);
  for (const [index, name] of header.entries()) {
    const place = `:${index + 1}`;
    if (header.indexOf(name) !== index) throw invalid(`duplicate column ${name}.`, place);
    if (isKnown(name, options) || isMetadataColumn(name)) continue;
    const columns = `${itemFields.join(', ')} and ${metadataPrefix}KEY`;
    throw invalid(`unknown column ${JSON.stringify(name)}. The columns are ${columns}. ${unknownHint(name)}`, place);
  }
  if (options.onlyFailed && !(header.includes('line') && header.includes('status'))) {
    throw invalid('--only-failed requires a results file, which has the columns line and status.');
  }
  if (!header.includes('callIdOrPhone')) throw invalid('the column callIdOrPhone is missing.');
  if (!header.includes('agentId') && options.agentId === undefined) {
    throw invalid('the column agentId is missing. Add it, or use --agent-id for all rows.');
  }
  if (!header.some((name) => isOneOf(outcomeFields, name) || isMetadataColumn(name))) {
    throw invalid(`there is nothing to set: no column ${outcomeFields.join(', ')} or ${metadataPrefix}KEY.`);
  }
  return header;
};

const isMetadataColumn = (name: string) => name.startsWith(metadataPrefix) && name.length > metadataPrefix.length;

const rowOf = (line: number, header: string[], record: string[], options: ReadOptions): Row => {
  const given: Record<string, unknown> = {};
  const errors: RowError[] = [];
  if (record.length !== header.length) {
    errors.push({ message: `has ${record.length} cells, but the header has ${header.length}` });
  }
  const metadata: [string, unknown][] = [];
  for (const [index, name] of header.entries()) {
    const cell = record[index] ?? '';
    if (cell === '') continue;
    if (isMetadataColumn(name)) metadata.push([name.slice(metadataPrefix.length), cell === clearingCell ? null : cell]);
    if (!isOneOf(itemFields, name)) continue;
    try {
      given[name] = valueIn(name, cell);
    } catch (error) {
      errors.push({ column: name, message: (error as Error).message });
    }
  }
  if (metadata.length > 0) {
    given.custom_call_metadata = { ...(given.custom_call_metadata as object), ...Object.fromEntries(metadata) };
  }
  const input = Object.fromEntries(header.map((name, index) => [name, record[index] ?? '']));
  const row = checkedRow(line, { given, input }, options, errors);
  const numbered = row.errors?.map((error) => ({ ...error, number: numberOf(header, error.column) }));
  return numbered ? { ...row, item: undefined, errors: numbered } : row;
};

const numberOf = (header: string[], column: string | undefined) => {
  const index = column === undefined ? -1 : header.indexOf(column);
  return index < 0 ? undefined : index + 1;
};

const valueIn = (name: (typeof itemFields)[number], cell: string): unknown => {
  if (cell === clearingCell && isOneOf(outcomeFields, name)) return null;
  if (name === 'custom_call_outcome_value') return numberFrom(cell);
  if (name === 'custom_call_metadata') return jsonFrom(cell);
  return cell;
};

const numberFrom = (cell: string) => {
  if (!/^-?\d+(\.\d+)?([eE][+-]?\d+)?$/.test(cell)) {
    throw new Error(`is not a number: ${JSON.stringify(cell)}. Use a decimal point and no separators: 1234.5`);
  }
  return Number(cell);
};

const jsonFrom = (cell: string): unknown => {
  try {
    return parseJson(cell);
  } catch (error) {
    throw new Error(`is not JSON: ${(error as Error).message}`);
  }
};
