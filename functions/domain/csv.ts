/** A spreadsheet would take a text that begins like this for a formula. The apostrophes before it are text. */
const formula = /^'*[=+\-@\t\r\n\uff0b\uff0d\uff1d\uff20]/;

/** Returns a text that no spreadsheet takes for a formula: it gets an apostrophe, which `unprotectText` takes off. */
export const protectText = (text: string): string => (formula.test(text) ? `'${text}` : text);

/** Returns the text that `protectText` protected. Any other text stays as it is. */
export const unprotectText = (text: string): string =>
  text.startsWith("'") && formula.test(text) ? text.slice(1) : text;

/** Returns a text as a field of CSV that no spreadsheet takes for a formula. An empty text is quoted. */
export const csvField = (text: string): string => {
  const shown = protectText(text);
  return shown === '' || /[",\r\n]/.test(shown) ? `"${shown.replaceAll('"', '""')}"` : shown;
};

/** Returns rows of fields as CSV (RFC 4180). */
export const csvLines = (rows: (string | number)[][]): string => rows.map((row) => `${row.join(',')}\r\n`).join('');
