export type Separator = ',' | ';' | '\t';

const separators = [',', ';', '\t'] as const;

/**
 * Returns the separator of cells: the most frequent of those that most of the given lines have. For Excel, a first line can name
 * it: `sep=;`. Such a line is no row.
 */
export const detectSeparator = (...lines: string[]): { separator: Separator; isNamed: boolean } => {
  const line = (lines[0] ?? '').replace(/^\ufeff/, '').replace(/\r$/, '');
  const [, named] = /^"?sep=([,;\t])"?[,;\t]*$/i.exec(line) ?? [];
  if (named) return { separator: named as Separator, isNamed: true };
  const counts = separators.map((separator) => {
    const perLine = lines.map((text) => text.replace(/"[^"]*"/g, '').split(separator).length - 1);
    return { separator, lines: perLine.filter(Boolean).length, cells: perLine.reduce((sum, count) => sum + count, 0) };
  });
  const best = counts.reduce((most, one) =>
    one.lines > most.lines || (one.lines === most.lines && one.cells > most.cells) ? one : most,
  );
  return { separator: best.separator, isNamed: false };
};
