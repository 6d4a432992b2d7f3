import type { FiguresBy, FiguresRow } from '../domain/call-figures.ts';

const figures = ['calls', 'withOutcome', 'durationSeconds', 'value', 'values', 'valuesLeftOut'] as const;

/** Returns rows as CSV (RFC 4180). A group that is null is empty, and an empty text is quoted. */
export const toCsv = (rows: FiguresRow[], { unit, group }: FiguresBy = {}): string => {
  const names = [...[unit, group].filter((name) => name !== undefined), ...figures];
  const lines = rows.map((row) =>
    names.map((name) => (name === group && typeof row[name] === 'string' ? textField(row[name]) : (row[name] ?? ''))),
  );
  return [names, ...lines].map((fields) => `${fields.join(',')}\r\n`).join('');
};

/** A spreadsheet would take a text that begins like this for a formula. */
const formula = /^[=+\-@\t\r\n]/;

const textField = (text: string): string => {
  const shown = formula.test(text) ? `'${text}` : text;
  return shown === '' || /[",\r\n]/.test(shown) ? `"${shown.replaceAll('"', '""')}"` : shown;
};
