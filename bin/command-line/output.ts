/** Replaces control characters, so that a name from another user cannot send commands to the terminal. */
export const visible = (text: string) => text.replace(/[\p{Cc}\p{Cs}\u202A-\u202E\u2066-\u2069]/gu, '�');

export type Cell = string | number | undefined;

/** Formats labels and values in two columns, without undefined values. */
export const record = (rows: Record<string, Cell>): string => {
  const present = Object.entries(rows).filter(([, value]) => value !== undefined);
  return columns(present.map(([label, value]) => [label, value]));
};

/** Formats rows in aligned columns. */
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

/** Formats items as a table. A column has a heading, and the field or the function that gives its cells. */
export const table = <Item extends object>(
  items: Item[],
  cells: Record<string, keyof Item | ((item: Item) => Cell)>,
  whenEmpty = '',
): string => {
  if (items.length === 0) return whenEmpty;
  const readCell = (item: Item, cell: keyof Item | ((item: Item) => Cell)) =>
    typeof cell === 'function' ? cell(item) : (item[cell] as Cell);
  const rows = items.map((item) => Object.values(cells).map((cell) => readCell(item, cell)));
  return columns(rows, Object.keys(cells));
};

export const formatNumber = (value: number) => value.toLocaleString('en');

/** Formats a number with its unit, singular or plural: `1 row`, `5,000 rows`. */
export const count = (value: number, unit: string, units = `${unit}s`) =>
  `${formatNumber(value)} ${value === 1 ? unit : units}`;

/** Writes the result to standard output: one line of JSON with `--json`, otherwise the text. */
export const print = ({ json }: { json?: boolean }, value: object, text: () => string) => {
  process.stdout.write(`${json ? JSON.stringify(value) : text()}\n`);
};

let isJson = false;

/** Switches to the output of `--json`: there are no messages, and errors are JSON. */
export const printJson = (on: boolean) => {
  isJson = on;
};

/** Writes a message to standard error, so that standard output contains only results. */
export const say = (message: string) => {
  if (!isJson) process.stderr.write(`${message}\n`);
};

/** Formats an error as it is written to standard error: a sentence, or with `--json` an object with a code. */
export const formatError = (code: string, message: string) =>
  isJson ? JSON.stringify({ error: code, message }) : message;
