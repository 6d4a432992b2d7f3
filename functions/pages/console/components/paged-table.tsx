import { memo, type ReactNode, useEffect } from 'react';
import type { Pages } from '../service.tsx';
import { Failed, Skeleton } from './states.tsx';
import { useTimeZone } from './time.tsx';

export type Column<Item> = {
  heading: string;
  cell(item: Item): ReactNode;
  /** Numbers are at the end of their cells. */
  isNumber?: true;
  /** Names and sentences, which may take several lines. */
  isLong?: true;
  /** Narrow screens omit the column. */
  isMinor?: true;
  /** The heading is only for screen readers, because the buttons are self-explanatory. */
  isHidden?: true;
};

type TableProps<Item> = { caption: string; columns: Column<Item>[]; keyOf(item: Item, index: number): string };

const classOf = ({ isNumber, isLong, isMinor }: Column<never>) =>
  [isNumber && 'number', isLong && 'long', isMinor && 'minor'].filter(Boolean).join(' ') || undefined;

/** A table of the items of some pages. Each page is a separate body, which is rendered once. */
const TableOfPages = <Item,>({ caption, columns, keyOf, pages }: TableProps<Item> & { pages: Item[][] }) => {
  const timeZone = useTimeZone();
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: scrolling content must be reachable by keyboard
    <section className="wide" tabIndex={0} aria-label={caption}>
      <table>
        <caption className="visually-hidden">{caption}</caption>
        <thead>
          <tr>
            {columns.map((column, index) => (
              // biome-ignore lint/suspicious/noArrayIndexKey: columns keep their places, and headings may be of users
              <th key={index} scope="col" className={classOf(column)}>
                {column.isHidden ? <span className="visually-hidden">{column.heading}</span> : column.heading}
              </th>
            ))}
          </tr>
        </thead>
        {pages.map((items, index) => (
          <Rows
            // biome-ignore lint/suspicious/noArrayIndexKey: pages are only ever added at the end
            key={index}
            items={items}
            columns={columns as Column<unknown>[]}
            keyOf={keyOf as RowsProps['keyOf']}
            timeZone={timeZone}
          />
        ))}
      </table>
    </section>
  );
};

type RowsProps = {
  items: unknown[];
  columns: Column<unknown>[];
  keyOf(item: unknown, index: number): string;
  timeZone: string;
};

const Rows = memo(
  ({ items, columns, keyOf }: RowsProps) => (
    <tbody>
      {items.map((item, index) => (
        <tr key={keyOf(item, index)}>
          {columns.map((column, index) => (
            // biome-ignore lint/suspicious/noArrayIndexKey: columns keep their places, and headings may be of users
            <td key={index} className={classOf(column)}>
              {column.cell(item)}
            </td>
          ))}
        </tr>
      ))}
    </tbody>
  ),
  // Columns are functions of the item, and of the time zone of the address.
  (before, after) => before.items === after.items && before.timeZone === after.timeZone,
);

/** `empty` is shown if there are no items. */
type ItemsProps<Item> = TableProps<Item> & { items: Item[]; empty?: ReactNode };

/** A table whose items are all loaded. */
export const Table = <Item,>({ items, empty, ...table }: ItemsProps<Item>) =>
  items.length === 0 && empty ? empty : <TableOfPages {...table} pages={[items]} />;

type PagedTableProps<Page, Item> = TableProps<Item> & {
  pages: Pages<Page>;
  itemsOf(page: Page): Item[];
  empty: ReactNode;
};

/** A table of a list that is read page by page, with a button for the next page. */
export const PagedTable = <Page, Item>({ pages, itemsOf, empty, ...table }: PagedTableProps<Page, Item>) => {
  const { data, error, hasNextPage, isFetchingNextPage, fetchNextPage, refetch } = pages;
  const loaded = data?.pages.map(itemsOf) ?? [];
  const count = loaded.reduce((sum, items) => sum + items.length, 0);
  // A page may be empty although others follow.
  const isLookingForFirst = count === 0 && hasNextPage && !error;
  useEffect(() => {
    if (isLookingForFirst && !isFetchingNextPage) void fetchNextPage();
  }, [isLookingForFirst, isFetchingNextPage, fetchNextPage]);

  if (error && !data) return <Failed error={error} onRetry={() => void refetch()} />;
  if (!data || isLookingForFirst) return <Skeleton rows={8} />;
  return (
    <>
      {error && <Failed error={error} onRetry={() => void (hasNextPage ? fetchNextPage() : refetch())} />}
      {count === 0 ? empty : <TableOfPages {...table} pages={loaded} />}
      {hasNextPage && !error && (
        <button type="button" className="quiet more" disabled={isFetchingNextPage} onClick={() => void fetchNextPage()}>
          {isFetchingNextPage ? 'Loading …' : 'Show more'}
        </button>
      )}
    </>
  );
};
