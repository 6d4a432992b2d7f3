import { createInterface } from 'node:readline';
import { Readable } from 'node:stream';
import { tooManyDigitsError } from '../../functions/domain/exact-number.ts';
import { findLostNumber, isJsonObject, parseJson } from '../../functions/domain/json.ts';
import { CommandError, exitCodes } from '../command-line/exit-codes.ts';
import { checkedRow } from './checked-row.ts';
import { isAmongNames, isKnown, itemFields, unknownHint } from './fields.ts';
import type { ReadOptions, Row } from './row.ts';

/** Yields the rows of a file with one JSON object per line. Empty lines are skipped. */
export async function* jsonRows(file: string, text: AsyncGenerator<string>, options: ReadOptions): AsyncGenerator<Row> {
  let line = 0;
  for await (const written of createInterface({ input: Readable.from(text), crlfDelay: Number.POSITIVE_INFINITY })) {
    line++;
    if (written.trim() !== '') yield toJsonRow(file, line, written, options);
  }
}

/** Names fields. If several are mapped to one, the first in the map that is not empty is its value. */
const mapFields = (value: Record<string, unknown>, map: Record<string, string>): Record<string, unknown> => {
  const order = Object.keys(map);
  const isEmpty = (one: unknown) => one === undefined || one === null || one === '';
  const fields = new Map<string, unknown>();
  for (const [name, one] of Object.entries(value).sort(([a], [b]) => order.indexOf(a) - order.indexOf(b))) {
    const field = map[name] ?? name;
    if (!fields.has(field) || (isEmpty(fields.get(field)) && !isEmpty(one))) fields.set(field, one);
  }
  return Object.fromEntries(fields);
};

const toJsonRow = (file: string, line: number, written: string, options: ReadOptions): Row => {
  const unreadable = { line, place: { agentId: '', callIdOrPhone: '' }, input: { input: written } };
  let value: unknown;
  try {
    value = parseJson(written);
  } catch (error) {
    return { ...unreadable, errors: [{ message: `is not JSON: ${(error as Error).message}` }] };
  }
  if (!isJsonObject(value)) {
    return { ...unreadable, errors: [{ message: 'is not a JSON object' }] };
  }
  const [lost] = findLostNumber(value, { ...value }) ?? [];
  if (options.map) value = mapFields(value, options.map);
  const fields = value as Record<string, unknown>;
  const unknown = Object.keys(fields).find((name) => !isKnown(name, options));
  if (unknown !== undefined) {
    throw new CommandError(
      `${file}:${line}: unknown field ${JSON.stringify(unknown)}. The fields are ${itemFields.join(', ')}. ${unknownHint(unknown)}`,
      exitCodes.usage,
    );
  }
  if (options.onlyFailed && !('line' in fields && 'status' in fields)) {
    throw new CommandError(
      `${file}:${line}: --only-failed requires a results file, whose lines have the fields line and status.`,
      exitCodes.usage,
    );
  }
  const given = Object.fromEntries(Object.entries(fields).filter(([name]) => isAmongNames(itemFields, name)));
  const column = lost && (options.map?.[lost] ?? lost);
  const errors = column && column in given ? [{ column, message: tooManyDigitsError }] : [];
  return checkedRow(line, { given, input: fields }, options, errors);
};
