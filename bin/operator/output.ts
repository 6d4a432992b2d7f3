/** Text that others wrote, fit for a terminal: a control character in a name must not command it. */
export const visible = (text: string) => text.replace(/[\p{Cc}\p{Cs}\u202A-\u202E\u2066-\u2069]/gu, '�');

export type Cell = string | number | undefined;

/** Labels and values in two columns; what has no value is left out. */
export const record = (rows: Record<string, Cell>): string => {
  const present = Object.entries(rows).filter(([, value]) => value !== undefined);
  return columns(present.map(([label, value]) => [label, value]));
};

/** Rows in aligned columns, with headings or without. */
export const columns = (rows: Cell[][], headings?: string[]): string => {
  const lines = [...(headings ? [headings] : []), ...rows].map((row) => row.map((cell) => visible(String(cell ?? ''))));
  const widths = lines[0]?.map((_, column) => Math.max(...lines.map((line) => line[column]?.length ?? 0))) ?? [];
  return lines
    .map((line) =>
      line
        .map((cell, column) => cell.padEnd(widths[column] ?? 0))
        .join('   ')
        .trimEnd(),
    )
    .join('\n');
};

/** Prints a result: one line of JSON when `json` is asked for, otherwise the text for people. */
export const print = ({ json }: { json?: boolean | undefined }, value: object, text: () => string) => {
  process.stdout.write(`${json ? JSON.stringify(value) : text()}\n`);
};

/** Says something that is no result, where it does not disturb one: on standard error. */
export const say = (sentence: string) => process.stderr.write(`${sentence}\n`);
