import { expect, it } from 'vitest';
import { fillPage, fromCursor } from '../../functions/domain/paging.ts';

async function* numbers(from: number, to: number) {
  for (let n = from; n <= to; n++) yield n;
}

const page = { collection: 'numbers', getPosition: String };
const positionAfter = ({ nextCursor }: { nextCursor?: string }) => fromCursor('numbers', nextCursor);

const afterFive = (examined: number) => examined >= 5;

it('a page of a filtered list ends when its search is over, short or empty, and says where the next one begins', async () => {
  const even = { ...page, includes: (n: number) => n % 2 === 0, isOver: afterFive };
  const first = await fillPage(numbers(1, 20), even);
  expect([first.items, positionAfter(first), first.searchedTo]).toEqual([[2, 4], '5', 5]);
  const none = await fillPage(numbers(1, 20), { ...even, includes: () => false });
  expect([none.items, positionAfter(none)]).toEqual([[], '5']);
});

it('a page of a filtered list has a next one only when there is more to examine', async () => {
  const even = { ...page, includes: (n: number) => n % 2 === 0, isOver: afterFive };
  expect(await fillPage(numbers(1, 5), even)).toEqual({ items: [2, 4] });
  expect(positionAfter(await fillPage(numbers(1, 6), { ...even, limit: 1 }))).toBe('3');
  expect(await fillPage(numbers(1, 3), { ...even, limit: 1 })).toEqual({ items: [2] });
  expect(await fillPage(numbers(1, 6), { ...even, limit: 1 })).not.toHaveProperty('searchedTo');
});
