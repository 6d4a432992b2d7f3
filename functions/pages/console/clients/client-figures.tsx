import { useEffect } from 'react';
import { csvField, csvLines } from '../../../domain/csv.ts';
import type { User, UserFigures } from '../../../openapi/client/client.ts';
import { NameLink, useAddress } from '../address.tsx';
import { before, listCurrencies, type Period, readPeriod } from '../components/figures.tsx';
import type { Column } from '../components/paged-table.tsx';
import { useTimeZone } from '../components/values.tsx';
import { formatFullMoney, formatNumber, formatPercent, formatValue } from '../formats.ts';
import { useAllPages, usePages } from '../service.tsx';
import { ClientStatus } from './client-status.tsx';

/** A client with its figures in a period and in the one before. They are undefined until they are read. */
export type ClientRow = Pick<User, 'uid' | 'name' | 'agents'> &
  Partial<Pick<User, 'suspended' | 'quotas'>> & {
    figures: Figures | undefined;
    former: Figures | undefined;
    /** The part of all costs in the chosen currency, or of all calls without a cost. */
    share: number | undefined;
  };
type Figures = Pick<
  UserFigures,
  'calls' | 'withOutcome' | 'durationSeconds' | 'value' | 'cost' | 'margin' | 'valueCurrency'
>;

/** The number of clients whose figures are read without being asked for. */
const maxRead = 300;

/** Reads the figures of clients, page by page, or those of one with its agents. */
const useAllFigures = ({ from, to }: Period, clientUid?: string) => {
  const search = { from, to, timeZone: useTimeZone(), clientUid };
  const { data, error, hasNextPage, isFetchingNextPage, fetchNextPage, refetch } = usePages(
    ['clients', 'figures', search],
    (api, options, cursor) => api.users.getFigures({ ...search, limit: 20, cursor }, options),
  );
  const figures = data?.pages.flatMap(({ users }) => users) ?? [];
  const isNext = hasNextPage && !isFetchingNextPage && !error && figures.length < maxRead;
  useEffect(() => {
    if (isNext) void fetchNextPage();
  }, [isNext, fetchNextPage]);
  return {
    error,
    retry: () => void (hasNextPage ? fetchNextPage() : refetch()),
    isComplete: data !== undefined && !hasNextPage,
    isPending: data?.pages.some(({ pending }) => pending) ?? false,
    more: hasNextPage && !isNext && !isFetchingNextPage ? () => void fetchNextPage() : undefined,
    byClient: new Map(figures.map((row) => [row.uid, row])),
  };
};

/** Reads the figures of one client and of its agents, in the period of the address. */
export const useClientFigures = (client: User) => {
  const { uid } = client;
  const period = readPeriod(useAddress().filters, useTimeZone());
  const now = useAllFigures(period, uid);
  const figures = now.byClient.get(uid);
  const former = useAllFigures(before(period), uid).byClient.get(uid);
  return { now, figures, row: { ...client, figures, former, share: undefined } };
};

/** Reads the clients with their figures in the period of the address. */
export const useClientRows = () => {
  const { filters } = useAddress();
  const period = readPeriod(filters, useTimeZone());
  const clients = useAllPages(['clients', 'all'], (api, options) => api.users.list({ limit: 500 }, options));
  const now = useAllFigures(period);
  const past = useAllFigures(before(period));
  const all = [...now.byClient.values()];
  const currencies = [...new Set(all.flatMap(listCurrencies))];
  const currency = currencies.find((one) => one === filters.currency) ?? currencies[0];
  const readCost = (figures: Figures | undefined) => Number((currency && figures?.cost[currency]) ?? 0);
  const measure = (figures: Figures) => (currency ? readCost(figures) : figures.calls);
  const whole = all.reduce((sum, figures) => sum + measure(figures), 0);
  const rows: ClientRow[] = (clients.data ?? []).map((client) => {
    const figures = now.byClient.get(client.uid);
    const share = figures && whole > 0 ? measure(figures) / whole : undefined;
    return { ...client, figures, former: past.byClient.get(client.uid), share };
  });
  return { clients, period, now, rows, currencies, currency, total: addUp(rows) };
};

const sum = (rows: ClientRow[], read: (figures: Figures) => number, of: 'figures' | 'former' = 'figures') =>
  rows.reduce((all, row) => all + (row[of] ? read(row[of]) : 0), 0);

/** Returns the sums of all clients. Values of several currencies have no sum. */
const addUp = (rows: ClientRow[]): ClientRow => {
  const withValue = rows.flatMap(({ figures }) => (figures && Number(figures.value) !== 0 ? figures : []));
  const valueCurrencies = [...new Set(withValue.map(({ valueCurrency }) => valueCurrency))];
  const [valueCurrency] = valueCurrencies;
  const isOne = valueCurrencies.length < 2;
  const currencies = [...new Set(rows.flatMap(({ figures }) => (figures ? listCurrencies(figures) : [])))];
  const addFigures = (of: 'figures' | 'former'): Figures => ({
    calls: sum(rows, ({ calls }) => calls, of),
    withOutcome: sum(rows, ({ withOutcome }) => withOutcome, of),
    durationSeconds: sum(rows, ({ durationSeconds }) => durationSeconds, of),
    value: isOne ? String(sum(rows, ({ value }) => Number(value), of)) : '',
    cost: Object.fromEntries(
      currencies.map((one) => [one, String(sum(rows, ({ cost }) => Number(cost[one] ?? 0), of))]),
    ),
    ...(isOne && valueCurrency && { valueCurrency, margin: String(sum(rows, ({ margin = 0 }) => Number(margin), of)) }),
  });
  const agents = rows.reduce((all, { agents }) => all + agents, 0);
  return { uid: '', agents, figures: addFigures('figures'), former: addFigures('former'), share: undefined };
};

/** Returns the relative change of a client's calls; undefined without calls in the period before. */
const changeOfCalls = ({ figures, former }: ClientRow) =>
  figures && former && former.calls > 0 ? figures.calls / former.calls - 1 : undefined;

const Change = ({ row }: { row: ClientRow }) => {
  const change = changeOfCalls(row);
  if (change === undefined) return row.former && row.figures ? <span className="faint">none before</span> : null;
  return (
    <span className={change > 0 ? 'up' : change < 0 ? 'down' : undefined}>
      {change > 0 && '+'}
      {formatPercent(change)}
    </span>
  );
};

/** A share as a bar and a number. */
const Share = ({ share }: { share: number }) => (
  <span className="share">
    <progress aria-hidden="true" max={1} value={share} /> {formatPercent(share)}
  </span>
);

/** Returns the columns of clients. Costs are in one currency. */
export const listClientColumns = (currency: string | undefined): Column<ClientRow>[] => {
  const number = (heading: string, read: (figures: Figures) => number, format: (figures: Figures) => string) => ({
    ...{ heading, isNumber: true as const },
    cell: ({ figures }: ClientRow) => figures && format(figures),
    sortKey: ({ figures }: ClientRow) => (figures ? read(figures) : Number.NEGATIVE_INFINITY),
  });
  const readCost = ({ cost }: Figures) => Number((currency && cost[currency]) ?? 0);
  return [
    {
      heading: 'Client',
      isLong: true,
      cell: ({ uid, name }) => <NameLink view="clients" filters={{ client: uid }} name={name ?? uid} />,
    },
    { heading: 'State', cell: ({ suspended = false }) => <ClientStatus suspended={suspended} /> },
    {
      heading: 'Agents',
      isNumber: true,
      cell: ({ agents, quotas }) =>
        quotas ? `${formatNumber(agents)} of ${formatNumber(quotas.agents)}` : formatNumber(agents),
      sortKey: ({ agents }) => agents,
    },
    number(
      'Calls',
      ({ calls }) => calls,
      ({ calls }) => formatNumber(calls),
    ),
    {
      heading: 'Change',
      isNumber: true,
      cell: (row) => <Change row={row} />,
      sortKey: (row) => changeOfCalls(row) ?? -2,
    },
    number(
      'Minutes',
      ({ durationSeconds }) => durationSeconds,
      ({ durationSeconds }) => formatNumber(Math.round(durationSeconds / 60)),
    ),
    number(
      'Value',
      ({ value }) => Number(value),
      ({ value, valueCurrency }) => (value === '' ? '' : formatValue(value, valueCurrency)),
    ),
    ...(currency ? [number('Cost', readCost, (figures) => formatFullMoney(readCost(figures), currency))] : []),
    ...(currency
      ? [
          number(
            'Margin',
            ({ margin }) => Number(margin ?? Number.NEGATIVE_INFINITY),
            ({ margin, valueCurrency }) => (margin === undefined ? '' : formatFullMoney(Number(margin), valueCurrency)),
          ),
        ]
      : []),
    {
      heading: currency ? 'Share of cost' : 'Share of calls',
      isNumber: true,
      cell: ({ share }) => share !== undefined && <Share share={share} />,
      sortKey: ({ share }) => share ?? -1,
    },
  ];
};

/** Returns the clients with their figures as CSV, with each currency in a column of its own. */
export const toClientCsv = (rows: ClientRow[], currencies: string[]): string => {
  const headings = [
    ...['uid', 'name', 'agents', 'calls', 'calls_before', 'with_outcome', 'minutes', 'value', 'value_currency'],
    ...currencies.map((currency) => `cost_${currency}`),
    'margin',
  ];
  return csvLines([
    headings,
    ...rows.map(({ uid, name = '', agents, figures, former }) => [
      ...[csvField(uid), csvField(name), agents, figures?.calls ?? '', former?.calls ?? ''],
      ...[figures?.withOutcome ?? '', figures ? (figures.durationSeconds / 60).toFixed(2) : ''],
      ...[figures?.value ?? '', figures?.valueCurrency ?? ''],
      ...currencies.map((currency) => figures?.cost[currency] ?? ''),
      figures?.margin ?? '',
    ]),
  ]);
};
