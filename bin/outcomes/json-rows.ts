import { createInterface } from 'node:readline';
import { Readable } from 'node:stream';
import { parseJson } from '../../functions/domain/json.ts';
import { checkedRow, fields } from './checked-row.ts';
import type { ReadOptions, Row, RowError } from './row.ts';

/** The rows of a file with one JSON object a line; empty lines are none. */
export async function* jsonRows(text: AsyncGenerator<string>, options: ReadOptions): AsyncGenerator<Row> {
  let line = 0;
  for await (const written of createInterface({ input: Readable.from(text), crlfDelay: Number.POSITIVE_INFINITY })) {
    line++;
    if (written.trim() !== '') yield rowOf(line, written, options);
  }
}

const rowOf = (line: number, written: string, options: ReadOptions): Row => {
  const nobody = { line, agentId: '', callIdOrPhone: '' };
  let value: unknown;
  try {
    value = parseJson(written);
  } catch (error) {
    return { ...nobody, mistakes: [{ message: `is not JSON: ${(error as Error).message}` }] };
  }
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    return { ...nobody, mistakes: [{ message: 'is not a JSON object' }] };
  }
  const known = Object.fromEntries(Object.entries(value).filter(([name]) => fields.includes(name as never)));
  const unknown: RowError[] = Object.keys(value)
    .filter((name) => !(name in known) && !options.ignoreUnknown)
    .map((column) => ({ column, message: 'is no field of an outcome' }));
  return checkedRow(line, known, options, unknown);
};
