import type { CallFigures, GetCallFiguresParams } from '../../../openapi/client/client.ts';
import { useAddress } from '../address.tsx';
import { formatFullMoney, formatNumber, formatPercent, formatValue } from '../formats.ts';
import { useRead } from '../service.tsx';
import { DateFilter, SelectFilter } from './fields.tsx';
import type { Column } from './paged-table.tsx';
import { periods } from './period.ts';

export { before, countDays, type Period, readPeriod } from './period.ts';

/** The calls that figures are about. */
export type FigureSearch = Omit<GetCallFiguresParams, 'uid' | 'by' | 'format'>;

/** The interval at which figures are read again until they are exact. */
const pendingMilliseconds = 5000;

/** Reads call figures, by a period, a group or both, such as `day,outcome`. */
export const useFigures = (search: FigureSearch, by?: string, enabled = true) => {
  return useRead(['figures', search, by], (api, options) => api.calls.getFigures({ ...search, by }, options), {
    enabled,
    refetchInterval: (figures) => (figures?.pending ? pendingMilliseconds : false),
  });
};

/** Chooses the days of the address. */
export const PeriodFilter = () => (
  <>
    <SelectFilter name="period" label="Period" options={periods} />
    {useAddress().filters.period === 'custom' && (
      <>
        <DateFilter name="from" label="From" />
        <DateFilter name="to" label="To" />
      </>
    )}
  </>
);

const valuePerCall = ({ calls, value }: CallFigures) => Number(value) / (calls || 1);

/** Returns the currencies of costs. A currency may be `credits`. */
export const listCurrencies = ({ cost }: Pick<CallFigures, 'cost'>): string[] => Object.keys(cost);

const formatCost = ({ cost }: CallFigures, parts = 1): string =>
  Object.entries(cost)
    .map(([currency, sum]) => formatFullMoney(Number(sum) / parts, currency))
    .join(' + ');

/** Returns a number by which costs are ordered. Several currencies have no order of their own. */
const sumCosts = ({ cost }: CallFigures) => Object.values(cost).reduce((sum, amount) => sum + Number(amount), 0);

/** The columns that figures with costs have, too. A margin has the currency of the values. */
const columnsOfCost = (valueCurrency: string | undefined): Column<CallFigures>[] => [
  { heading: 'Cost', cell: (row) => formatCost(row), sortKey: sumCosts, isNumber: true },
  {
    heading: 'Cost per call',
    cell: (row) => formatCost(row, row.costs || 1),
    sortKey: (row) => sumCosts(row) / (row.costs || 1),
    isNumber: true,
  },
  {
    heading: 'Margin',
    cell: ({ margin }) => margin && formatFullMoney(Number(margin), valueCurrency),
    sortKey: ({ margin }) => Number(margin ?? 0),
    isNumber: true,
  },
];

/**
 * Returns the columns of figures: values in their currency if it is known, and costs if there are any. `omitted` are headings of
 * columns that a table does not need.
 */
export const listFigureColumns = (
  { valueCurrency, costs }: Pick<CallFigures, 'valueCurrency' | 'costs'>,
  omitted: string[] = [],
) =>
  [...columnsOfValue(valueCurrency), ...(costs > 0 ? columnsOfCost(valueCurrency) : [])].filter(
    ({ heading }) => !omitted.includes(heading),
  );

const columnsOfValue = (valueCurrency: string | undefined): Column<CallFigures>[] => [
  { heading: 'Calls', cell: ({ calls }) => formatNumber(calls), sortKey: ({ calls }) => calls, isNumber: true },
  {
    heading: 'With an outcome',
    cell: ({ calls, withOutcome }) => formatPercent(withOutcome / (calls || 1)),
    sortKey: ({ calls, withOutcome }) => withOutcome / (calls || 1),
    isNumber: true,
  },
  {
    heading: 'Minutes',
    cell: ({ durationSeconds }) => formatNumber(Math.round(durationSeconds / 60)),
    sortKey: ({ durationSeconds }) => durationSeconds,
    isNumber: true,
  },
  {
    heading: 'Value',
    cell: ({ value }) => formatValue(value, valueCurrency),
    sortKey: ({ value }) => Number(value),
    isNumber: true,
  },
  {
    heading: 'Value per call',
    cell: (row) => formatFullMoney(valuePerCall(row), valueCurrency),
    sortKey: valuePerCall,
    isNumber: true,
  },
];
