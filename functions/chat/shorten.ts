/** Maximum size of one result, in UTF-16 units of JSON. It stays in the conversation, which every request sends again. */
const maxResultUnits = 12_000;

/** Shortens a result to fit into a conversation: first its longest texts, then the ends of its lists. */
export const shorten = (result: unknown): unknown => {
  let value = JSON.parse(JSON.stringify(result) ?? 'null');
  for (const max of [4000, 1000, 200]) {
    if (measure(value) <= maxResultUnits) return value;
    value = cutTexts(value, max);
  }
  for (let items = 100; items >= 1 && measure(value) > maxResultUnits; items = Math.floor(items / 2)) {
    value = cutLists(value, items);
  }
  return measure(value) <= maxResultUnits ? value : { tooLong: 'The result is too long to be shown here.' };
};

const measure = (value: unknown) => JSON.stringify(value).length;

const cutTexts = (value: unknown, max: number): unknown => {
  if (typeof value !== 'string') return mapValues(value, (item) => cutTexts(item, max));
  return value.length > max ? `${value.slice(0, max).toWellFormed()}… (cut: ${value.length} characters)` : value;
};

const cutLists = (value: unknown, max: number): unknown => {
  const cut =
    Array.isArray(value) && value.length > max
      ? [...value.slice(0, max), `… (${value.length - max} more, left out here)`]
      : value;
  return mapValues(cut, (item) => cutLists(item, max));
};

const mapValues = (value: unknown, change: (item: unknown) => unknown): unknown => {
  if (Array.isArray(value)) return value.map(change);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, change(item)]));
};
