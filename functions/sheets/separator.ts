export type Separator = ',' | ';' | '\t';

const separators = [',', ';', '\t'] as const;

/** Returns the separator of cells. For Excel, a first line can name it: `sep=;`. Such a line is no row. */
export const detectSeparator = (firstLine: string): { separator: Separator; isNamed: boolean } => {
  const line = firstLine.replace(/^\ufeff/, '').replace(/\r$/, '');
  const [, named] = /^"?sep=([,;\t])"?[,;\t]*$/i.exec(line) ?? [];
  if (named) return { separator: named as Separator, isNamed: true };
  const unquoted = line.replace(/"[^"]*"/g, '');
  const count = (separator: string) => unquoted.split(separator).length;
  const separator = separators.reduce((most, one) => (count(one) > count(most) ? one : most));
  return { separator, isNamed: false };
};
