import { expect, it } from 'vitest';
import { fillPage, fromCursor } from '../../functions/domain/paging.ts';

async function* numbers(from: number, to: number) {
  for (let n = from; n <= to; n++) yield n;
}

const page = { collection: 'numbers', positionOf: String };
const positionAfter = ({ nextCursor }: { nextCursor?: string }) => fromCursor('numbers', nextCursor);

it('a page of a filtered list ends after so many items were examined, short or empty, and the next one begins there', async () => {
  const even = { ...page, includes: (n: number) => n % 2 === 0, maxExamined: 5 };
  const first = await fillPage(numbers(1, 20), even);
  expect([first.items, positionAfter(first)]).toEqual([[2, 4], '5']);
  const none = await fillPage(numbers(1, 20), { ...even, includes: () => false });
  expect([none.items, positionAfter(none)]).toEqual([[], '5']);
});

it('a page of a filtered list has a next one only when there is more to examine', async () => {
  const even = { ...page, includes: (n: number) => n % 2 === 0, maxExamined: 5 };
  expect(await fillPage(numbers(1, 5), even)).toEqual({ items: [2, 4] });
  expect(positionAfter(await fillPage(numbers(1, 6), { ...even, limit: 1 }))).toBe('3');
  expect(await fillPage(numbers(1, 3), { ...even, limit: 1 })).toEqual({ items: [2] });
});
