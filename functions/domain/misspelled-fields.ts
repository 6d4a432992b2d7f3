/** A name that is long enough to tell a slip of the pen from another word. */
const minCharacters = 5;
/** The last word of a name, such as that of `valueCurrency`, stands for the whole name from this length on. */
const minWordCharacters = 7;

/** Returns the known field that a field which is none of them most likely means; undefined if it resembles none. */
export const findMeantField = (field: string, known: string[]): string | undefined => {
  if (known.includes(field) || field.length < minCharacters) return undefined;
  const spelled = simplify(field);
  const isMeant = (name: string) => {
    const other = simplify(name);
    const endsSo = spelled.length >= minWordCharacters && name.endsWith(capitalize(field));
    return spelled === other || endsSo || countEdits(spelled, other) <= (other.length > 7 ? 2 : 1);
  };
  return known.find(isMeant);
};

const simplify = (name: string) => name.toLowerCase().replaceAll(/[^a-z0-9]/g, '');
const capitalize = (name: string) => name.slice(0, 1).toUpperCase() + name.slice(1);

/** The maximum length of a name that is compared letter by letter. */
const maxCompared = 64;

/** Counts the letters to insert, delete, replace or swap with the next one. */
const countEdits = (one: string, other: string): number => {
  if (Math.abs(one.length - other.length) > 2 || one.length > maxCompared) return Number.POSITIVE_INFINITY;
  const rows = [Array.from({ length: other.length + 1 }, (_, column) => column)];
  for (let row = 1; row <= one.length; row++) {
    const current = [row];
    for (let column = 1; column <= other.length; column++) {
      const at = (up: number, left: number) => rows[row - up]?.[column - left] ?? 0;
      const isSame = one[row - 1] === other[column - 1];
      const isSwapped = one[row - 1] === other[column - 2] && one[row - 2] === other[column - 1];
      const edits = [at(1, 0) + 1, (current[column - 1] ?? 0) + 1, at(1, 1) + (isSame ? 0 : 1)];
      current.push(Math.min(...edits, isSwapped ? at(2, 2) + 1 : Number.POSITIVE_INFINITY));
    }
    rows.push(current);
  }
  return rows.at(-1)?.at(-1) ?? 0;
};
