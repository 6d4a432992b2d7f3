import type { CallFigures, CallFiguresRow } from '../../../openapi/client/client.ts';
import { useAddress } from '../address.tsx';
import { AgentFilter, ForAgents, HowToRecord, useAgentChoices } from '../components/agent-filter.tsx';
import { Sparkline } from '../components/chart.tsx';
import { FilterBar } from '../components/fields.tsx';
import {
  before,
  countDays,
  type FigureSearch,
  listCurrencies,
  type Period,
  PeriodFilter,
  readPeriod,
  useFigures,
} from '../components/figures.tsx';
import { OutcomeColors } from '../components/outcome.tsx';
import { Empty, Loaded, Skeleton } from '../components/parts.tsx';
import { useTimeZone } from '../components/values.tsx';
import {
  addDays,
  formatDate,
  formatMoney,
  formatNumber,
  formatPercent,
  formatShort,
  toDateInZone,
} from '../formats.ts';
import { Charts } from './charts.tsx';
import { CsvButton } from './csv-button.tsx';
import { FirstSteps } from './first-steps.tsx';
import { ByAgent, Outcomes } from './outcomes.tsx';
import { ToDo } from './to-do.tsx';

/** The view Overview: calls of a period, their outcomes and their value. */
const Overview = () => {
  const { filters } = useAddress();
  const timeZone = useTimeZone();
  const period = readPeriod(filters, timeZone);
  const search: FigureSearch = { agentId: filters.agentId, timeZone, ...period };
  return (
    <>
      <h1>Overview</h1>
      <ToDo />
      <FilterBar>
        <AgentFilter all="All agents" />
        <PeriodFilter />
      </FilterBar>
      <ForAgents>
        <OutcomeColors>
          <Totals search={search} period={period} />
        </OutcomeColors>
      </ForAgents>
    </>
  );
};

const Totals = ({ search, period }: { search: FigureSearch; period: Period }) => {
  const timeZone = useTimeZone();
  const unit = countDays(period) > 120 ? 'week' : 'day';
  const byPeriod = useFigures(search, unit);
  const tomorrow = addDays(toDateInZone(timeZone), 1);
  // The chosen period may be before the last 90 days.
  const isEmpty = byPeriod.data?.totals.calls === 0;
  const ever = useFigures({ ...search, from: addDays(tomorrow, -90), to: tomorrow }, undefined, isEmpty);
  const isNew = isEmpty && ever.data?.totals.calls === 0;
  const isLastOpen = period.to > toDateInZone(timeZone);
  const former = useFigures({ ...search, ...before(period) }).data?.totals;
  return (
    <Loaded query={byPeriod} rows={8}>
      {({ totals, rows, pending }) => (
        <>
          <p className="faint">
            {formatDate(period.from)} to {formatDate(addDays(period.to, -1))}, compared with the {countDays(period)}{' '}
            days before.{pending && ' Recent changes are still being counted.'}
          </p>
          {!isNew && <Tiles totals={totals} former={former} rows={isLastOpen ? rows.slice(0, -1) : rows} />}
          <CurrencyHint totals={totals} agentId={search.agentId} />
          {ever.isLoading ? (
            <Skeleton rows={8} />
          ) : isNew ? (
            <FirstSteps />
          ) : totals.calls === 0 ? (
            <Empty title="No calls in this period">
              Choose another period. <HowToRecord />
            </Empty>
          ) : (
            <>
              <Charts search={search} unit={unit} rows={rows} totals={totals} isLastOpen={isLastOpen} />
              <Outcomes search={search} />
              <ByAgent search={search} />
              <CsvButton search={{ ...search, by: `${unit},outcome` }} />
            </>
          )}
        </>
      )}
    </Loaded>
  );
};

/** `rows` are the figures of the periods that are over. */
type TilesProps = { totals: CallFigures; former: CallFigures | undefined; rows: CallFiguresRow[] };

type Figure = { name: string; of(figures: CallFigures): number; format(value: number): string };

/** Returns the figures that a decision is made by. Costs are among them if there are any. */
const listFigures = (totals: CallFigures): Figure[] => {
  const currencies = listCurrencies(totals);
  const { margin, valueCurrency } = totals;
  const inCurrency = (value: number) => formatMoney(value, valueCurrency);
  return [
    { name: 'Calls', of: ({ calls }) => calls, format: formatShort },
    { name: 'With an outcome', of: ({ calls, withOutcome }) => withOutcome / (calls || 1), format: formatPercent },
    { name: 'Minutes', of: ({ durationSeconds }) => Math.round(durationSeconds / 60), format: formatShort },
    { name: 'Value', of: ({ value }) => Number(value), format: inCurrency },
    { name: 'Value per call', of: ({ calls, value }) => Number(value) / (calls || 1), format: inCurrency },
    ...currencies.map((currency) => ({
      name: currencies.length === 1 ? 'Cost' : `Cost in ${currency}`,
      of: ({ cost }: CallFigures) => Number(cost[currency] ?? 0),
      format: (value: number) => formatMoney(value, currency),
    })),
    ...(margin !== undefined && currencies.length > 0
      ? [{ name: 'Margin', of: ({ margin = '0' }: CallFigures) => Number(margin), format: inCurrency }]
      : []),
  ];
};

const maxNamed = 3;

/** Names the agents without a currency, because of which values have none and there is no margin. */
const CurrencyHint = ({ totals, agentId }: { totals: CallFigures; agentId: string | undefined }) => {
  const agents = useAgentChoices().data ?? [];
  if (totals.valueCurrency !== undefined || Number(totals.value) === 0) return null;
  const counted = agents.filter((agent) => agentId === undefined || agent.agentId === agentId);
  const without = counted.filter(({ configuration }) => configuration.valueCurrency === undefined);
  const names = without.slice(0, maxNamed).map(({ name }) => name);
  const others = without.length - names.length;
  return (
    <p className="faint">
      Values are shown without a currency, and without a margin.{' '}
      {names.length > 0
        ? `Set “Currency of values” of ${names.join(', ')}${others > 0 ? ` and ${others} more` : ''}.`
        : 'The agents have different currencies.'}
    </p>
  );
};
/** The figures, each against the period before. */
const Tiles = ({ totals, former, rows }: TilesProps) => (
  <dl className="tiles">
    {listFigures(totals).map(({ name, of, format }) => (
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
