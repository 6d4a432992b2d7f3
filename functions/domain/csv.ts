/** A spreadsheet would take a text that begins like this for a formula. */
const formula = /^[=+\-@\t\r\n]/;

/** Returns a text as a field of CSV that no spreadsheet takes for a formula. An empty text is quoted. */
export const csvField = (text: string): string => {
  const shown = formula.test(text) ? `'${text}` : text;
  return shown === '' || /[",\r\n]/.test(shown) ? `"${shown.replaceAll('"', '""')}"` : shown;
};

/** Returns rows of fields as CSV (RFC 4180). */
export const csvLines = (rows: (string | number)[][]): string => rows.map((row) => `${row.join(',')}\r\n`).join('');
