import { expect, it } from 'vitest';
import { fillPage, fromCursor, toCursor } from '../../functions/domain/paging.ts';

async function* numbers(from: number, to: number) {
  for (let n = from; n <= to; n++) yield n;
}

const page = { collection: 'numbers', getPosition: String };
const positionAfter = ({ nextCursor }: { nextCursor?: string }) => fromCursor('numbers', nextCursor);

it('a cursor is valid for its own list alone, as it was issued, at a position that an item may have', () => {
  const cursor = toCursor('numbers', '5');
  expect(fromCursor('numbers', cursor)).toBe('5');
  expect(fromCursor('numbers', undefined)).toBeUndefined();
  const unchecked = Buffer.from('["5",1]').toString('base64url');
  const impossible = ['', 'x'.repeat(2000)].map((position) => toCursor('numbers', position));
  for (const other of ['x', '', cursor.slice(1), `${cursor}x`, toCursor('others', '5'), unchecked, ...impossible])
    expect(() => fromCursor('numbers', other), other).toThrow('cursor: is not a cursor of this list');
});

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
