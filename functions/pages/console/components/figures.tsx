import type { CallFiguresRow, GetCallFiguresParams } from '../../../openapi/client/client.ts';
import { useAddress } from '../address.tsx';
import { formatNumber, formatValue } from '../formats.ts';
import { useRead, useService } from '../service.tsx';
import { DateFilter, SelectFilter } from './fields.tsx';
import type { Column } from './paged-table.tsx';
import { periods } from './period.ts';

export { before, daysIn, type Period, periodOf } from './period.ts';

/** The calls that figures are about. */
export type FigureSearch = Omit<GetCallFiguresParams, 'uid' | 'by' | 'format'>;

/** The interval at which figures are read again until they are exact. */
const pendingMilliseconds = 5000;

/** Reads call figures, by a period, a group or both, such as `day,outcome`. */
export const useFigures = (search: FigureSearch, by?: string) => {
  const { api } = useService();
  return useRead(['figures', search, by], (options) => api.calls.getFigures({ ...search, by }, options), {
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

export const figureColumns: Column<CallFiguresRow>[] = [
  { heading: 'Calls', cell: ({ calls }) => formatNumber(calls), isNumber: true },
  { heading: 'With an outcome', cell: ({ withOutcome }) => formatNumber(withOutcome), isNumber: true, isMinor: true },
  {
    heading: 'Minutes',
    cell: ({ durationSeconds }) => formatNumber(Math.round(durationSeconds / 60)),
    isNumber: true,
    isMinor: true,
  },
  { heading: 'Value', cell: ({ value }) => formatValue(value), isNumber: true },
];
