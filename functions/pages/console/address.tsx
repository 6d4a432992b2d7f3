import { type ComponentProps, type MouseEvent, useSyncExternalStore } from 'react';

/** The query of an address. An absent or empty filter is not in it. */
export type Filters = Record<string, string | undefined>;

export type Address = { view: string; filters: Filters };

const hrefNow = () => location.pathname + location.search;

const subscribe = (onChange: () => void) => {
  window.addEventListener('popstate', onChange);
  return () => window.removeEventListener('popstate', onChange);
};

const parse = (href: string): Address => {
  const { pathname, searchParams } = new URL(href, location.origin);
  return { view: pathname.split('/')[2] ?? '', filters: Object.fromEntries(searchParams) };
};

let isReturn = false;

window.addEventListener('popstate', ({ isTrusted }) => {
  isReturn = isTrusted;
});

/** Whether the browser went back or forward. It scrolls to where the page was, if that is rendered at once. */
export const isReturning = (): boolean => isReturn;

let parsed: { href: string; address: Address } | undefined;

/** Returns the present address without following changes. In a long list, only the list follows it, not its thousands of items. */
export const addressNow = (): Address => {
  const href = hrefNow();
  if (parsed?.href !== href) parsed = { href, address: parse(href) };
  return parsed.address;
};

/** Returns the view and the filters that the address names. A reload or a shared link restores nothing else. */
export const useAddress = (): Address => useSyncExternalStore(subscribe, addressNow);

/** Returns the view of the address. A change of its filters renders nothing again. */
export const useView = (): string => useSyncExternalStore(subscribe, () => addressNow().view);

/** Returns the address of a view. The time zone of the present address is kept. */
export const buildHref = (view: string, filters: Filters = {}): string => {
  const { timeZone } = addressNow().filters;
  const entries = Object.entries({ timeZone, ...filters }).filter((entry): entry is [string, string] => !!entry[1]);
  const query = new URLSearchParams(entries).toString();
  return (view ? `/console/${view}` : '/console') + (query && `?${query}`);
};

/** Goes to an address of the console. `replace` leaves no way back to the present one. */
export const navigate = (href: string, { replace = false } = {}): void => {
  if (href === hrefNow()) return;
  history[replace ? 'replaceState' : 'pushState'](null, '', href);
  window.dispatchEvent(new PopStateEvent('popstate'));
};

/** Changes some filters of the present address. */
export const setFilters = (change: Filters, options?: { replace: boolean }): void => {
  const { view, filters } = addressNow();
  navigate(buildHref(view, { ...filters, ...change }), options);
};

type LinkProps = Omit<ComponentProps<'a'>, 'href'> & { view?: string; filters?: Filters | undefined };

/** The name of an item, as a link to it. */
export const NameLink = ({ name, ...link }: LinkProps & { name: string }) => (
  <Link {...link}>
    <bdi>{name}</bdi>
  </Link>
);

/**
 * A link to an address of the console, which is opened without loading the page again. Without a view, it changes filters of
 * the present address, and is the current one once they are set.
 */
export const Link = ({ view, filters, ...rest }: LinkProps) => {
  const findHref = () => {
    const now = addressNow();
    return view === undefined ? buildHref(now.view, { ...now.filters, ...filters }) : buildHref(view, filters);
  };
  // Only the links that begin or end to be the current one are rendered again.
  const isCurrent = useSyncExternalStore(
    subscribe,
    () => !view && Object.entries(filters ?? {}).every(([name, value]) => addressNow().filters[name] === value),
  );
  const open = (event: MouseEvent) => {
    // The browser itself opens new tabs and windows.
    if (event.button !== 0 || event.metaKey || event.ctrlKey || event.shiftKey || event.altKey) return;
    event.preventDefault();
    // The address may have changed since the link was rendered.
    navigate(findHref());
  };
  return <a aria-current={isCurrent || undefined} {...rest} href={findHref()} onClick={open} />;
};
