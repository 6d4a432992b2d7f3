import type { FiguresBy, FiguresRow } from '../domain/call-figures.ts';
import { csvField, csvLines } from '../domain/csv.ts';

type Column = { name: string; read(row: FiguresRow): string | number | null | undefined };

/** Returns rows as CSV (RFC 4180). A group that is null is empty, and an empty text is quoted. New columns come after the known ones. */
export const toCsv = (rows: FiguresRow[], { unit, group }: FiguresBy = {}): string => {
  const readGroup = (row: FiguresRow) => {
    const value = group && row[group];
    return typeof value === 'string' ? csvField(value) : value;
  };
  const currencies = [...new Set(rows.flatMap(({ cost }) => Object.keys(cost)))].sort();
  const columns: Column[] = [
    ...(unit ? [{ name: unit, read: (row: FiguresRow) => row[unit] }] : []),
    ...(group ? [{ name: group, read: readGroup }] : []),
    ...columnsNamed('calls', 'withOutcome', 'durationSeconds', 'value', 'values', 'valuesLeftOut'),
    ...currencies.map((currency) => ({ name: `cost_${currency}`, read: ({ cost }: FiguresRow) => cost[currency] })),
    ...columnsNamed('costs', 'costsLeftOut', 'held'),
    ...(rows.some(({ margin }) => margin !== undefined) ? columnsNamed('margin') : []),
  ];
  const lines = rows.map((row) => columns.map(({ read }) => read(row) ?? ''));
  return csvLines([columns.map(({ name }) => name), ...lines]);
};

const columnsNamed = (...names: Exclude<keyof FiguresRow, 'cost'>[]): Column[] =>
  names.map((name) => ({ name, read: (row) => row[name] }));
