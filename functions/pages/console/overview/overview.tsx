import type { CallFigures, CallFiguresRow } from '../../../openapi/client/client.ts';
import { useAddress } from '../address.tsx';
import { AgentFilter } from '../components/agent-filter.tsx';
import { Sparkline } from '../components/chart.tsx';
import { FilterBar } from '../components/fields.tsx';
import {
  before,
  daysIn,
  type FigureSearch,
  type Period,
  PeriodFilter,
  periodOf,
  useFigures,
} from '../components/figures.tsx';
import { Empty, Loaded } from '../components/states.tsx';
import { useTimeZone } from '../components/time.tsx';
import { addDays, dateIn, formatDate, formatMoney, formatNumber, formatPercent, formatShort } from '../formats.ts';
import { Charts } from './charts.tsx';
import { CsvButton } from './csv-button.tsx';
import { Outcomes } from './outcomes.tsx';

/** The view Overview: calls of a period, their outcomes and their value. */
const Overview = () => {
  const { filters } = useAddress();
  const timeZone = useTimeZone();
  const period = periodOf(filters, timeZone);
  const search: FigureSearch = { agentId: filters.agentId, timeZone, ...period };
  return (
    <>
      <h1>Overview</h1>
      <FilterBar>
        <AgentFilter all="All agents" />
        <PeriodFilter />
      </FilterBar>
      <Totals search={search} period={period} />
    </>
  );
};

const Totals = ({ search, period }: { search: FigureSearch; period: Period }) => {
  const timeZone = useTimeZone();
  const unit = daysIn(period) > 120 ? 'week' : 'day';
  const byPeriod = useFigures(search, unit);
  const former = useFigures({ ...search, ...before(period) }).data?.totals;
  return (
    <Loaded query={byPeriod} rows={8}>
      {({ totals, rows, pending }) => (
        <>
          <p className="faint">
            {formatDate(period.from)} to {formatDate(addDays(period.to, -1))}, compared with the {daysIn(period)} days
            before.{pending && ' Recent changes are still being counted.'}
          </p>
          <Tiles totals={totals} former={former} rows={rows} />
          {totals.calls === 0 ? (
            <Empty title="No calls in this period">
              <p>
                Choose another period. Calls are recorded by a voice platform, or by your own program:{' '}
                <a href="/docs/voice-platforms">connect a platform</a>.
              </p>
            </Empty>
          ) : (
            <>
              <Charts search={search} unit={unit} rows={rows} isLastOpen={period.to > dateIn(timeZone)} />
              <Outcomes search={search} />
              <CsvButton search={{ ...search, by: `${unit},outcome` }} />
            </>
          )}
        </>
      )}
    </Loaded>
  );
};

type TilesProps = { totals: CallFigures; former: CallFigures | undefined; rows: CallFiguresRow[] };

/** The figures that a decision is made by, each against the period before. */
const figures: { name: string; of(figures: CallFigures): number; format(value: number): string }[] = [
  { name: 'Calls', of: ({ calls }) => calls, format: formatShort },
  { name: 'With an outcome', of: ({ calls, withOutcome }) => withOutcome / (calls || 1), format: formatPercent },
  { name: 'Minutes', of: ({ durationSeconds }) => Math.round(durationSeconds / 60), format: formatShort },
  { name: 'Value', of: ({ value }) => Number(value), format: formatMoney },
  { name: 'Value per call', of: ({ calls, value }) => Number(value) / (calls || 1), format: formatMoney },
];

const Tiles = ({ totals, former, rows }: TilesProps) => (
  <dl className="tiles">
    {figures.map(({ name, of, format }) => (
      <div key={name}>
        <dt>{name}</dt>
        <dd title={formatNumber(of(totals))}>{format(of(totals))}</dd>
        <dd className="faint">{former && <Change value={of(totals)} former={of(former)} format={format} />}</dd>
        <dd>
          <Sparkline values={rows.map(of)} />
        </dd>
      </div>
    ))}
  </dl>
);

type ChangeProps = { value: number; former: number; format(value: number): string };

/** The difference between a figure and that of the previous period. */
const Change = ({ value, former, format }: ChangeProps) => {
  if (former === 0) return value === 0 ? null : 'none before';
  const share = (value - former) / Math.abs(former);
  return (
    <>
      <span className={share > 0 ? 'up' : share < 0 ? 'down' : undefined}>
        {share > 0 ? '+' : ''}
        {formatPercent(share)}
      </span>
      , from {format(former)}
    </>
  );
};

export default Overview;
