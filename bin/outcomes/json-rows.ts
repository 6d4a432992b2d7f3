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

const toJsonRow = (file: string, line: number, written: string, options: ReadOptions): Row => {
  const unreadable = { line, agentId: '', callIdOrPhone: '', input: { input: written } };
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
  if (options.map)
    value = Object.fromEntries(Object.entries(value).map(([name, one]) => [options.map?.[name] ?? name, one]));
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
