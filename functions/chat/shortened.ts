/** UTF-16 units of one result as JSON: it stays in the conversation, which comes back with every turn. */
const resultUnits = 12_000;

/** A result cut down to what a conversation can carry: its longest texts first, and then the ends of its lists. */
export const shortened = (result: unknown): unknown => {
  let value = JSON.parse(JSON.stringify(result) ?? 'null');
  for (const most of [4000, 1000, 200]) {
    if (unitsOf(value) <= resultUnits) return value;
    value = cutTexts(value, most);
  }
  for (let items = 100; items >= 1 && unitsOf(value) > resultUnits; items = Math.floor(items / 2)) {
    value = cutLists(value, items);
  }
  return unitsOf(value) <= resultUnits ? value : { tooLong: 'The result is too long to be shown here.' };
};

const unitsOf = (value: unknown) => JSON.stringify(value).length;

const cutTexts = (value: unknown, most: number): unknown => {
  if (typeof value !== 'string') return mapped(value, (item) => cutTexts(item, most));
  return value.length > most ? `${value.slice(0, most).toWellFormed()}… (cut: ${value.length} characters)` : value;
};

const cutLists = (value: unknown, most: number): unknown => {
  const cut =
    Array.isArray(value) && value.length > most
      ? [...value.slice(0, most), `… (${value.length - most} more, left out here)`]
      : value;
  return mapped(cut, (item) => cutLists(item, most));
};

const mapped = (value: unknown, change: (item: unknown) => unknown): unknown => {
  if (Array.isArray(value)) return value.map(change);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, change(item)]));
};
