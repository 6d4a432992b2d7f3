import fc from 'fast-check';
import { expect, it } from 'vitest';
import { mergePages } from '../../functions/store/merge-pages.ts';

type Numbered = { sk: string; collection: number };

/** Yields a collection in pages of these sizes, the last one again and again. An empty page may come anywhere. */
async function* cutPages(items: Numbered[], sizes: number[], read: { pages: number }) {
  let left = items;
  for (let page = 0; left.length > 0; page++) {
    const size = sizes[page] ?? 3;
    read.pages += 1;
    yield left.slice(0, size);
    left = left.slice(size);
  }
}

it('items of several collections come in the order of all, and equal ones in the order of the collections', () =>
  fc.assert(
    fc.asyncProperty(
      fc.array(fc.record({ keys: fc.uniqueArray(fc.integer({ min: 100, max: 130 })), sizes: fc.array(fc.nat(4)) }), {
        maxLength: 5,
      }),
      fc.boolean(),
      async (collections, descending) => {
        const order = (a: Numbered, b: Numbered) =>
          (descending ? b.sk.localeCompare(a.sk) : a.sk.localeCompare(b.sk)) || a.collection - b.collection;
        const items = collections.map(({ keys }, collection) =>
          keys.map((key) => ({ sk: String(key), collection })).sort(order),
        );
        const pages = items.map((one, index) => cutPages(one, collections[index]?.sizes ?? [], { pages: 0 }));
        expect(await Array.fromAsync(mergePages(pages, { descending }))).toEqual(items.flat().sort(order));
      },
    ),
  ));

it('collections are read only as far as their items are taken', async () => {
  const read = { pages: 0 };
  const keys = Array.from({ length: 1000 }, (_, n) => String(1000 + n));
  const collections = [0, 1].map((collection) =>
    cutPages(
      keys.map((sk) => ({ sk, collection })),
      Array(100).fill(10),
      read,
    ),
  );
  const taken: string[] = [];
  for await (const { sk } of mergePages(collections)) if (taken.push(sk) === 10) break;
  expect([taken.at(-1), read.pages]).toEqual(['1004', 2]);
});
