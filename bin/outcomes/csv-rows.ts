import { Readable } from 'node:stream';
import { CsvError, parse } from 'csv-parse';
import { outcomeFields } from '../../functions/domain/calls.ts';
import { parseJson } from '../../functions/domain/json.ts';
import { checkedRow, fields } from './checked-row.ts';
import { InputFileError } from './input-file-error.ts';
import type { ReadOptions, Row, RowError } from './row.ts';

/** A column of this form holds one key of the metadata, as text. */
const metadataPrefix = 'custom_call_metadata.';
/** In a cell: clear the field. An empty cell leaves it as it is. */
const clears = '\\N';
/** No row that the service takes weighs as much: a quote that is never closed ends here. */
const rowBytes = 1024 * 1024;

type Parsed = { record: string[]; info: { lines: number } };

/** The rows of a CSV file with a header. Commas, semicolons and tabs may separate its cells. */
export async function* csvRows(file: string, text: AsyncGenerator<string>, options: ReadOptions): AsyncGenerator<Row> {
  const { head, whole } = await peek(text);
  const parser = Readable.from(whole).pipe(
    parse({
      delimiter: delimiterOf(head),
      info: true,
      max_record_size: rowBytes,
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
    throw new InputFileError(`${file}:${error.lines}: from here on the rows cannot be told apart. ${error.message}.`);
  }
  if (!header) throw new InputFileError(`${file} is empty: its first line must name the columns.`);
}

/** The first line, and the text with it. */
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

const delimiterOf = (head: string) => {
  const count = (delimiter: string) => head.split(delimiter).length;
  return [',', ';', '\t'].reduce((most, delimiter) => (count(delimiter) > count(most) ? delimiter : most));
};

const newlinesIn = (record: string[]) => record.join('').match(/\r\n|\n|\r/g)?.length ?? 0;

/** A header in which something is missing, unknown or twice stops everything: a misspelt column must not be passed over. */
const checkedHeader = (file: string, line: number, header: string[], options: ReadOptions): string[] => {
  const wrong = (message: string, place = '') => new InputFileError(`${file}:${line}${place}: ${message}`);
  for (const [index, name] of header.entries()) {
    const place = `:${index + 1}`;
    if (header.indexOf(name) !== index) throw wrong(`the column ${name} is there twice.`, place);
    if (isKnown(name) || options.ignoreUnknown) continue;
    throw wrong(
      `there is no column ${JSON.stringify(name)}. The columns are ${fields.join(', ')} and ${metadataPrefix}KEY; with --ignore-unknown others are passed over.`,
      place,
    );
  }
  if (!header.includes('callIdOrPhone')) throw wrong('the column callIdOrPhone is missing.');
  if (!header.includes('agentId') && options.agentId === undefined) {
    throw wrong('the column agentId is missing. Name it, or give the agent of all rows with --agent-id.');
  }
  if (!header.some((name) => outcomeFields.includes(name as never) || name.startsWith(metadataPrefix))) {
    throw wrong(`there is nothing to set: no column ${outcomeFields.join(', ')} or ${metadataPrefix}KEY.`);
  }
  return header;
};

const isKnown = (name: string) =>
  fields.includes(name as never) || (name.startsWith(metadataPrefix) && name.length > metadataPrefix.length);

const rowOf = (line: number, header: string[], record: string[], options: ReadOptions): Row => {
  const item: Record<string, unknown> = {};
  const mistakes: RowError[] = [];
  if (record.length !== header.length) {
    mistakes.push({ message: `has ${record.length} cells, and the header has ${header.length}` });
  }
  const metadata: [string, unknown][] = [];
  for (const [index, name] of header.entries()) {
    const cell = record[index] ?? '';
    if (cell === '' || !isKnown(name)) continue;
    if (name.startsWith(metadataPrefix)) {
      metadata.push([name.slice(metadataPrefix.length), cell === clears ? null : cell]);
      continue;
    }
    try {
      item[name] = valueIn(name, cell);
    } catch (error) {
      mistakes.push({ column: name, message: (error as Error).message });
    }
  }
  if (metadata.length > 0) {
    item.custom_call_metadata = { ...(item.custom_call_metadata as object), ...Object.fromEntries(metadata) };
  }
  const row = checkedRow(line, item, options, mistakes);
  const numbered = row.mistakes?.map((mistake) => ({ ...mistake, number: numberOf(header, mistake.column) }));
  return numbered ? { ...row, item: undefined, mistakes: numbered } : row;
};

const numberOf = (header: string[], column: string | undefined) => {
  const index = column === undefined ? -1 : header.indexOf(column);
  return index < 0 ? undefined : index + 1;
};

const valueIn = (name: string, cell: string): unknown => {
  if (cell === clears && outcomeFields.includes(name as never)) return null;
  if (name === 'custom_call_outcome_value') return numberFrom(cell);
  if (name === 'custom_call_metadata') return jsonFrom(cell);
  return cell;
};

const numberFrom = (cell: string) => {
  if (!/^-?\d+(\.\d+)?([eE][+-]?\d+)?$/.test(cell)) {
    throw new Error(`is not a number: ${JSON.stringify(cell)}. Write it with a decimal point and nothing else: 1234.5`);
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
