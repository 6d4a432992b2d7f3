import { csvField, csvLines } from '../domain/csv.ts';
import { toDecimal } from '../domain/millionths.ts';
import type { StoredCall } from '../store/calls/call-records.ts';
import { type Column, columns, phoneColumns } from './columns.ts';
import { createTextFile } from './export-file.ts';

/** Returns an empty CSV file of calls (RFC 4180) with its header. */
export const createCsvFile = () => createTextFile(csvLines([columns.map(({ name }) => name)]), formatLine);

const formatLine = (call: StoredCall['call']) => csvLines([columns.map((column) => formatValue(column, call))]);

/** A null is an empty field. A phone number has digits alone, so that no formula can be in it. */
const formatValue = (column: Column, call: StoredCall['call']): string | number => {
  const value = column.read(call);
  if (value === undefined) return '';
  if (typeof value === 'bigint') return toDecimal(value);
  return column.type === 'text' && !phoneColumns.includes(column.name) ? csvField(String(value)) : (value as string);
};
