import { crc32 } from 'node:zlib';
import * as z from 'zod/mini';
import { describe, describedObject, textField } from './describe.ts';
import { invalidField } from './errors.ts';
import { formatLimit } from './format-limit.ts';
import { limits } from './limits.ts';

/** Declares `limit` of a query: a whole number of items. */
export const pageLimit = (max: number, description: string, example: number) =>
  z
    .pipe(
      z.string().check(
        z.refine((value) => /^\d{1,6}$/.test(value) && Number(value) >= 1 && Number(value) <= max, {
          error: `must be a whole number from 1 to ${max}`,
          // Otherwise cross-field checks would run on an invalid number.
          abort: true,
        }),
      ),
      z.transform(Number),
    )
    .check(
      describe(description, example, {
        type: 'integer',
        minimum: 1,
        maximum: max,
      }),
    );

const exampleCursor = 'WyJkZW1vLWNhbGwtMiIsMTIzNDU2Nzg5XQ';

/** The query parameters of every list. */
export const paging = {
  limit: z.optional(
    pageLimit(
      limits.pageItems,
      `Maximum number of items per page. Default: as many as fit into a response of ${formatLimit('answerBytes')}.`,
      100,
    ),
  ),
  cursor: z.optional(textField('`nextCursor` of the previous page.', exampleCursor)),
};

/** The field that every list has in addition to its items. */
export const nextPage = {
  nextCursor: z.optional(
    textField('Send it as `cursor` to get the next page. Absent on the last page.', exampleCursor),
  ),
};

/** Declares the response of a list. */
export const describedPage = <Fields extends z.core.$ZodLooseShape>(description: string, fields: Fields) =>
  describedObject(description, { ...fields, ...nextPage });

/** Creates a cursor: a position in one collection, with a checksum over both. */
export const toCursor = (collection: string, position: string) =>
  Buffer.from(JSON.stringify([position, crc32(`${collection}\n${position}`)])).toString('base64url');

/** Returns the position of a cursor. Throws a 400 for one that was not issued for this collection. */
export const fromCursor = (collection: string, cursor: string | undefined): string | undefined => {
  if (cursor === undefined) return undefined;
  try {
    const [position, checksum] = JSON.parse(Buffer.from(cursor, 'base64url').toString()) as [unknown, unknown];
    const isPosition = typeof position === 'string' && position !== '' && position.length <= limits.cursorCharacters;
    if (isPosition && toCursor(collection, position) === cursor && typeof checksum === 'number') return position;
  } catch {
    // Not JSON: not a cursor of this service.
  }
  throw invalidField('cursor', 'is not a cursor of this list');
};

/** A page to fill, of a collection whose cursors are valid for it alone. */
type Page<Item> = {
  collection: string;
  limit?: number;
  getPosition: (item: Item) => string;
  weigh?: (item: Item) => number;
  includes?: (item: Item) => boolean;
  isOver?: (examined: number) => boolean;
};

/** Fills the page at a cursor. `list` yields the items after a position, and expects that so many are taken. */
export const readPage = <Item>(
  list: (options: { after?: string; limit?: number }) => AsyncIterable<Item> | Iterable<Item>,
  { cursor, ...page }: Page<Item> & { cursor?: string },
) => fillPage(list({ after: fromCursor(page.collection, cursor), limit: page.limit && page.limit + 1 }), page);

/** Takes items up to a limit or the response's size. `isOver` ends pages of excluded items, up to `searchedTo`. */
export const fillPage = async <Item>(
  items: AsyncIterable<Item> | Iterable<Item>,
  page: Page<Item>,
): Promise<{ items: Item[]; nextCursor?: string; searchedTo?: Item }> => {
  const weigh = page.weigh ?? ((item: Item) => Buffer.byteLength(JSON.stringify(item)) + 1);
  const taken: Item[] = [];
  let bytes = 0;
  let examined = 0;
  let last: Item | undefined;
  for await (const item of items) {
    const isIncluded = page.includes?.(item) ?? true;
    if (isIncluded) bytes += weigh(item);
    const isFull = isIncluded && taken.length > 0 && (taken.length === page.limit || bytes > limits.answerBytes);
    const isOver = page.isOver?.(examined) ?? false;
    if (last !== undefined && (isFull || isOver)) {
      const nextCursor = toCursor(page.collection, page.getPosition(last));
      return isFull ? { items: taken, nextCursor } : { items: taken, nextCursor, searchedTo: last };
    }
    if (isIncluded) taken.push(item);
    examined += 1;
    last = item;
  }
  return { items: taken };
};
