import type { CallFigures } from '../../../openapi/client/client.ts';
import { useAddress } from '../address.tsx';
import { AgentFilter } from '../components/agent-filter.tsx';
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
import { addDays, formatDate, formatNumber, formatPercent, formatValue } from '../formats.ts';
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
          <Tiles totals={totals} former={former} />
          {totals.calls === 0 ? (
            <Empty title="No calls in this period">
              <p>
                Choose another period. Calls are recorded by a voice platform, or by your own program:{' '}
                <a href="/docs/voice-platforms">connect a platform</a>.
              </p>
            </Empty>
          ) : (
            <>
              <Charts search={search} unit={unit} rows={rows} />
              <Outcomes search={search} />
              <CsvButton search={{ ...search, by: `${unit},outcome` }} />
            </>
          )}
        </>
      )}
    </Loaded>
  );
};

type TilesProps = { totals: CallFigures; former: CallFigures | undefined };

const Tiles = ({ totals, former }: TilesProps) => {
  const minutes = (figures: CallFigures) => Math.round(figures.durationSeconds / 60);
  const tiles = [
    ['Calls', formatNumber(totals.calls), totals.calls, former?.calls],
    ['With an outcome', formatNumber(totals.withOutcome), totals.withOutcome, former?.withOutcome],
    ['Minutes', formatNumber(minutes(totals)), minutes(totals), former && minutes(former)],
    ['Value', formatValue(totals.value), Number(totals.value), former && Number(former.value)],
  ] as const;
  return (
    <dl className="tiles">
      {tiles.map(([name, text, value, formerValue]) => (
        <div key={name}>
          <dt>{name}</dt>
          <dd>{text}</dd>
          <dd className="faint">{formerValue === undefined ? ' ' : changeOf(value, formerValue)}</dd>
        </div>
      ))}
    </dl>
  );
};

/** Shows the difference between a figure and that of the previous period. */
const changeOf = (value: number, former: number): string => {
  if (former === 0) return value === 0 ? 'none before either' : 'none before';
  const share = (value - former) / Math.abs(former);
  return `${share > 0 ? '+' : ''}${formatPercent(share)}, from ${formatNumber(former)}`;
};

export default Overview;
