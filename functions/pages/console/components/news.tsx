import { type QueryKey, useQuery, useQueryClient } from '@tanstack/react-query';
import { useMemo } from 'react';
import type { ApiClient, RequestOptions } from '../../../openapi/client/client.ts';
import { formatNumber } from '../formats.ts';
import { useService } from '../service.tsx';

/** The interval at which a visible page asks for what is new. */
const newsMilliseconds = 10_000;

type NewsProps<Item> = {
  /** The name under which the list was read. */
  list: QueryKey;
  /** The key of an item in its table. */
  keyOf(item: Item): string;
  one: string;
  several: string;
  isEnabled: boolean;
  shown: Item[];
  /** Reads the items that are new or may have changed: at most `max`. */
  read(api: ApiClient, options: RequestOptions): Promise<Item[]>;
  max?: number;
  intervalMilliseconds?: number | undefined;
  /** What was read about an item, and follows its state. */
  related?: QueryKey;
};

/**
 * Keeps the items of a list as they are now, and says how many the list would have besides. Nothing that is under the pointer
 * moves: new items wait until they are asked for, and so do changes of the rows above it.
 */
export const News = <Item extends object>({
  list,
  keyOf,
  one,
  several,
  isEnabled,
  shown,
  read,
  max,
  intervalMilliseconds = newsMilliseconds,
  related,
}: NewsProps<Item>) => {
  const { api } = useService();
  const queries = useQueryClient();
  // biome-ignore lint/correctness/useExhaustiveDependencies: a key follows from the item
  const states = useMemo(() => new Map(shown.map((item) => [keyOf(item), JSON.stringify(item)])), [shown]);
  const isNew = (item: Item) => !states.has(keyOf(item));
  const isChanged = (item: Item) => !isNew(item) && states.get(keyOf(item)) !== JSON.stringify(item);
  const { data: found } = useQuery<Item[]>({
    queryKey: ['news', ...list],
    queryFn: async ({ signal }) => {
      const found = await read(api, { signal });
      const changed = new Map(found.filter(isChanged).map((item) => [keyOf(item), item]));
      for (const key of listKeysAbovePointer()) changed.delete(key);
      if (changed.size > 0) {
        const replace = (item: Item) => (isNew(item) ? undefined : (changed.get(keyOf(item)) ?? item));
        queries.setQueryData(list, (data: unknown) => replaceItems(data, replace));
        if (related) void queries.invalidateQueries({ queryKey: related });
      }
      return found;
    },
    enabled: isEnabled,
    refetchInterval: intervalMilliseconds,
    // What is new a moment after the list was read is asked for by the interval alone.
    initialData: [],
    staleTime: intervalMilliseconds,
  });
  const fresh = found.filter(isNew).length;
  const changes = found.filter(isChanged).length;
  const words = [
    fresh > 0 && `${formatNumber(fresh)}${fresh === max ? ' or more' : ''} ${fresh === 1 ? one : several}`,
    changes > 0 && `${formatNumber(changes)} ${changes === 1 ? 'change' : 'changes'}`,
  ].filter(Boolean);
  return (
    <p className="news" role="status">
      {words.length > 0 && (
        <button
          type="button"
          className="quiet small"
          onClick={() => void queries.invalidateQueries({ queryKey: list, exact: true })}
        >
          {words.join(', ')}
        </button>
      )}
    </p>
  );
};

/** Returns the keys of the rows that are above what the pointer is on. */
const listKeysAbovePointer = (): string[] => {
  const pointed = [...document.querySelectorAll('main :hover')].at(-1);
  if (!pointed) return [];
  const rows = [...document.querySelectorAll<HTMLElement>('main tr[data-key]')];
  const isAbove = (row: HTMLElement) =>
    !row.contains(pointed) && (row.compareDocumentPosition(pointed) & Node.DOCUMENT_POSITION_FOLLOWING) !== 0;
  return rows.filter(isAbove).map(({ dataset: { key = '' } }) => key);
};

/** Returns what was read with other items in the places of those that `replace` knows, whose fields stay as they are. */
const replaceItems = <Item,>(value: unknown, replace: (item: Item) => Item | undefined): unknown => {
  if (Array.isArray(value)) return value.map((one) => replaceItems(one, replace));
  if (typeof value !== 'object' || value === null) return value;
  const entries = () => Object.entries(value).map(([name, part]) => [name, replaceItems(part, replace)]);
  return replace(value as Item) ?? Object.fromEntries(entries());
};
