import { Fragment, type MouseEvent, memo, type ReactNode, useEffect, useMemo, useState } from 'react';
import { chunks } from '../../../domain/chunks.ts';
import { formatNumber } from '../formats.ts';
import type { Pages } from '../service.tsx';
import { useLater } from './later.tsx';
import { Failed, Skeleton } from './parts.tsx';
import { Time, useTimeZone } from './values.tsx';

export type Column<Item> = {
  heading: string;
  cell(item: Item): ReactNode;
  /** Numbers are at the end of their cells. */
  isNumber?: true;
  /** Names and sentences, which may take several lines. */
  isLong?: true;
  /** Sentences, which may take as much room as there is. */
  isSentence?: true;
  /** The value by which a table is sorted when the heading is pressed, the largest first. */
  sortKey?: (item: Item) => number;
  /** The heading is only for screen readers, because the cells are self-explanatory. */
  isHidden?: true;
};

type TableProps<Item> = {
  caption: string;
  columns: Column<Item>[];
  keyOf(item: Item, index: number): string;
  /** The sum of all items, as a last row: its cells are those of numbers. */
  total?: Item | undefined;
  /** The heading of the column by which the table is sorted at first. */
  sortedBy?: string;
  /** The heading of an item's group, such as its day. Items of a group follow one another. */
  groupOf?: (item: Item, timeZone: string) => string;
};

const columnClass = ({ isNumber, isLong, isSentence, isHidden }: Column<never>) =>
  [isNumber && 'number', isLong && 'long', isSentence && 'sentence', isHidden && 'unlabeled']
    .filter(Boolean)
    .join(' ') || undefined;

/** A row is a larger target for the link in its first cell. */
const openRow = ({ target, currentTarget }: MouseEvent<HTMLElement>) => {
  const row = (target as Element).closest('tbody tr');
  const isControl = (target as Element).closest('a, button, input, summary, details');
  if (!row || isControl || !currentTarget.contains(row) || getSelection()?.type === 'Range') return;
  row.querySelector<HTMLElement>('td:first-child a')?.click();
};

/** The number of items of a page that is rendered at once. What follows is rendered when the browser has shown it. */
const itemsPerPage = 15;

/** A table of the items of some pages. Each page is a separate body, which is rendered once. */
const TableOfPages = <Item,>({
  caption,
  columns,
  keyOf,
  groupOf,
  total,
  sortedBy,
  pages: given,
}: TableProps<Item> & { pages: Item[][] }) => {
  const timeZone = useTimeZone();
  const [sorted, setSorted] = useState(sortedBy);
  const sortKey = columns.find(({ heading }) => heading === sorted)?.sortKey;
  const all = sortKey
    ? chunks(
        given.flat().toSorted((a, b) => sortKey(b) - sortKey(a)),
        itemsPerPage,
      )
    : given;
  const pages = all.slice(0, useLater(all.length, 1));
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: scrolling content must be reachable by keyboard
    // biome-ignore lint/a11y/useKeyWithClickEvents: the link in a row is reached by keyboard
    <section className="wide" tabIndex={0} aria-label={caption} onClick={openRow}>
      <table>
        <caption className="visually-hidden">{caption}</caption>
        <thead>
          <tr>
            {columns.map((column, index) => (
              <th
                // biome-ignore lint/suspicious/noArrayIndexKey: columns keep their places, and headings may be of users
                key={index}
                scope="col"
                className={columnClass(column)}
                aria-sort={sorted === column.heading ? 'descending' : undefined}
              >
                {column.isHidden ? (
                  <span className="visually-hidden">{column.heading}</span>
                ) : column.sortKey ? (
                  <button type="button" className="sort" onClick={() => setSorted(column.heading)}>
                    {column.heading}
                  </button>
                ) : (
                  column.heading
                )}
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
            groupOf={groupOf as RowsProps['groupOf']}
            previous={pages[index - 1]?.at(-1)}
            timeZone={timeZone}
          />
        ))}
        {total !== undefined && (
          <tbody className="total">
            <tr>
              <th scope="row">Total</th>
              {columns.slice(1).map((column, index) => (
                // biome-ignore lint/suspicious/noArrayIndexKey: columns keep their places, and headings may be of users
                <td key={index} className={columnClass(column)} data-label={column.heading}>
                  {column.isNumber && column.cell(total)}
                </td>
              ))}
            </tr>
          </tbody>
        )}
      </table>
    </section>
  );
};

type RowsProps = {
  items: unknown[];
  columns: Column<unknown>[];
  keyOf(item: unknown, index: number): string;
  groupOf: TableProps<unknown>['groupOf'];
  /** The last item of the page before. */
  previous: unknown;
  timeZone: string;
};

const Rows = memo(
  ({ items, columns, keyOf, groupOf, previous, timeZone }: RowsProps) => (
    <tbody>
      {items.map((item, index) => {
        const before = index === 0 ? previous : items[index - 1];
        const group = groupOf?.(item, timeZone);
        const isFirst = group !== undefined && (before === undefined || groupOf?.(before, timeZone) !== group);
        return (
          <Fragment key={keyOf(item, index)}>
            {isFirst && (
              <tr>
                <th scope="rowgroup" colSpan={columns.length}>
                  {group}
                </th>
              </tr>
            )}
            <tr data-key={keyOf(item, index)}>
              {columns.map((column, index) => (
                // biome-ignore lint/suspicious/noArrayIndexKey: columns keep their places, and headings may be of users
                <td key={index} className={columnClass(column)} data-label={column.heading}>
                  {column.cell(item)}
                </td>
              ))}
            </tr>
          </Fragment>
        );
      })}
    </tbody>
  ),
  // Columns are functions of the item, and of the time zone of the address.
  (before, after) => before.items === after.items && before.timeZone === after.timeZone,
);

/** `empty` is shown if there are no items. */
type ItemsProps<Item> = TableProps<Item> & { items: Item[]; empty?: ReactNode };

/** The number of items that a table shows at first, and adds when asked for more. */
const itemsAtOnce = 200;

/** A table whose items are all loaded. */
export const Table = <Item,>({ items, empty, ...table }: ItemsProps<Item>) => {
  const [count, setCount] = useState(itemsAtOnce);
  const pages = useMemo(() => chunks(items.slice(0, count), itemsPerPage), [items, count]);
  if (items.length === 0 && empty) return empty;
  return (
    <>
      <TableOfPages {...table} pages={pages} />
      {items.length > count && (
        <button type="button" className="quiet more" onClick={() => setCount(count + itemsAtOnce)}>
          Show more of {formatNumber(items.length)}
        </button>
      )}
    </>
  );
};

type PagedTableProps<Page, Item> = TableProps<Item> & {
  pages: Pages<Page>;
  itemsOf(page: Page): Item[];
  empty: ReactNode;
};

/** A table of a list that is read page by page, with a button for the next page. */
export const PagedTable = <Page, Item>({ pages, itemsOf, empty, ...table }: PagedTableProps<Page, Item>) => {
  const { data, error, hasNextPage, isFetchingNextPage, fetchNextPage, refetch } = pages;
  // biome-ignore lint/correctness/useExhaustiveDependencies: what a page has follows from the page
  const loaded = useMemo(() => (data?.pages ?? []).flatMap((page) => chunks(itemsOf(page), itemsPerPage)), [data]);
  const count = loaded.reduce((sum, items) => sum + items.length, 0);
  // A page may be empty although others follow.
  const isLookingForFirst = count === 0 && hasNextPage && !error;
  useEffect(() => {
    if (isLookingForFirst && !isFetchingNextPage) void fetchNextPage();
  }, [isLookingForFirst, isFetchingNextPage, fetchNextPage]);

  if (error && !data) return <Failed error={error} onRetry={() => void refetch()} />;
  const { searchedBackTo } = (data?.pages.at(-1) ?? {}) as { searchedBackTo?: string };
  const searched = searchedBackTo && (
    <p className="faint" role="status">
      Searched back to <Time at={searchedBackTo} />.
    </p>
  );
  if (!data || isLookingForFirst) {
    return (
      <>
        {searched}
        <Skeleton rows={8} />
      </>
    );
  }
  return (
    <>
      {error && <Failed error={error} onRetry={() => void (hasNextPage ? fetchNextPage() : refetch())} />}
      {count === 0 ? empty : <TableOfPages {...table} pages={loaded} />}
      {hasNextPage && searched}
      {hasNextPage && !error && (
        <button type="button" className="quiet more" disabled={isFetchingNextPage} onClick={() => void fetchNextPage()}>
          {isFetchingNextPage ? 'Loading …' : 'Show more'}
        </button>
      )}
    </>
  );
};
