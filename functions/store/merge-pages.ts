import pMap from 'p-map';

/** The pages that are read at once. */
const concurrency = 32;
/** The small items that one read unit pays for. */
const itemsPerUnit = 24;

/** Returns the size of a first page when so many items are expected of all. */
export const firstPageSize = (expected: number, collections: number): number => {
  // Items are spread evenly: twice a share is rarely too little.
  const share = Math.ceil((2 * expected) / collections) + 1;
  return Math.min(expected, Math.max(share, itemsPerUnit));
};

type MergeOptions<T> = {
  descending?: boolean;
  /** Returns the place of an item. The items of each collection are in this order, too. */
  getPosition?(item: T): string;
};

/** Yields the items of collections by their positions, which are their sort keys by default. Half of a page used, the next is read. */
export async function* mergePages<T extends { sk: string }>(
  collections: AsyncGenerator<T[]>[],
  { descending = false, getPosition = ({ sk }) => sk }: MergeOptions<T> = {},
): AsyncGenerator<T> {
  const compare = (one: T, other: T) => {
    const [a, b] = [getPosition(one), getPosition(other)];
    return a === b ? 0 : a < b === descending ? 1 : -1;
  };
  const all = collections.map((pages) => ({ pages, items: [] as T[], minItems: 0, isEnded: false }));
  for (;;) {
    const short = all.filter(({ items, minItems, isEnded }) => !isEnded && items.length <= minItems);
    await pMap(
      short,
      async (one) => {
        const page = await nextPage(one.pages);
        one.items.push(...page);
        one.minItems = page.length / 2;
        one.isEnded = page.length === 0;
      },
      { concurrency },
    );
    // Items not read yet come after the last of their collection.
    const [end] = all.flatMap(({ items, isEnded }) => (isEnded ? [] : items.slice(-1))).sort(compare);
    const isReady = (item: T) => end === undefined || compare(item, end) <= 0;
    const ready = all.flatMap(({ items }) => {
      const firstLater = items.findIndex((item) => !isReady(item));
      return items.splice(0, firstLater < 0 ? items.length : firstLater);
    });
    yield* ready.sort(compare);
    if (end === undefined) return;
  }
}

/** Returns the next page with items; an empty page at the end. */
const nextPage = async <T>(pages: AsyncGenerator<T[]>): Promise<T[]> => {
  for (;;) {
    const { value = [], done } = await pages.next();
    if (done || value.length > 0) return value;
  }
};
