import type { CallFigures, CallFiguresRow } from '../../../openapi/client/client.ts';
import { Lines, type Series, StackedBars } from '../components/chart.tsx';
import { type FigureSearch, listCurrencies, listFigureColumns, useFigures } from '../components/figures.tsx';
import { otherColor, useOutcomeColor } from '../components/outcome.tsx';
import { type Column, Table } from '../components/paged-table.tsx';
import { Details, Loaded } from '../components/parts.tsx';
import { formatDate, formatMoney, formatNumber } from '../formats.ts';

type Props = {
  search: FigureSearch;
  unit: 'day' | 'week';
  rows: CallFiguresRow[];
  totals: CallFigures;
  isLastOpen: boolean;
};

/** Calls by outcome, their value and their cost over time, as charts and as a table. */
export const Charts = ({ search, unit, rows, totals, isLastOpen }: Props) => {
  const colorOf = useOutcomeColor();
  const labels = rows.map(labelPeriod);
  const title = unit === 'day' ? 'Calls a day by outcome' : 'Calls a week by outcome';
  return (
    <Loaded query={useFigures(search, `${unit},outcome`)} rows={8}>
      {(byOutcome) => {
        const series = outcomeSeries(byOutcome.rows, rows, colorOf);
        const columns: Column<number>[] = series.map(({ name, values }) => ({
          heading: name,
          cell: (index) => formatNumber(values[index] ?? 0),
          isNumber: true,
        }));
        const ofPeriod: Column<number>[] = listFigureColumns(totals, ['With an outcome']).map(
          ({ cell, sortKey: _, ...column }) => ({ ...column, cell: (index) => rows[index] && cell(rows[index]) }),
        );
        return (
          <>
            <div className="charts">
              <StackedBars
                title={title}
                labels={labels}
                series={series}
                isLastOpen={isLastOpen}
                format={formatNumber}
              />
              {moneyCharts(totals, rows).map(({ title, currency, series }) => (
                <Lines
                  key={title}
                  title={title}
                  labels={labels}
                  series={series}
                  isLastOpen={isLastOpen}
                  format={(value) => formatMoney(value, currency)}
                />
              ))}
            </div>
            <Details title="The charts as a table">
              <Table
                caption={title}
                items={rows.map((_, index) => rows.length - 1 - index)}
                keyOf={String}
                columns={[
                  { heading: unit === 'day' ? 'Day' : 'Week from', cell: (index) => labels[index] },
                  ...ofPeriod,
                  ...columns,
                ]}
              />
            </Details>
          </>
        );
      }}
    </Loaded>
  );
};

/** Returns the charts of money: value, cost and margin in one if they have the same currency, otherwise each cost in one. */
const moneyCharts = (totals: CallFigures, rows: CallFiguresRow[]) => {
  const { margin, valueCurrency: currency } = totals;
  const value = { name: 'Value', color: 1, values: rows.map(({ value }) => Number(value)) };
  const costSeries = (currency: string) => ({
    ...{ name: 'Cost', color: 2 },
    values: rows.map(({ cost }) => Number(cost[currency] ?? 0)),
  });
  const currencies = listCurrencies(totals);
  if (currencies.length > 0 && margin !== undefined && currency) {
    const margins = { name: 'Margin', color: 3, values: rows.map(({ margin = 0 }) => Number(margin)) };
    return [{ title: 'Value, cost and margin over time', currency, series: [value, costSeries(currency), margins] }];
  }
  const costs = currencies.map((currency) => ({
    title: `Cost in ${currency} over time`,
    ...{ currency, series: [costSeries(currency)] },
  }));
  return [{ title: 'Value over time', currency, series: [value] }, ...costs];
};

const periodStart = ({ day, week }: CallFiguresRow): string => day ?? week ?? '';
const labelPeriod = (row: CallFiguresRow): string => formatDate(periodStart(row));

/** The maximum number of outcomes with their own series. */
const maxOutcomes = 5;
/** The gray of calls without an outcome. */
const noneColor = otherColor + 1;

/** Returns the most frequent outcomes, the others as one series, and calls without an outcome. */
const outcomeSeries = (
  rows: CallFiguresRow[],
  periods: CallFiguresRow[],
  colorOf: (outcome: string) => number,
): Series[] => {
  const places = new Map(periods.map((row, index) => [periodStart(row), index]));
  const countPerPeriod = (chosen: CallFiguresRow[]) => {
    const counts = periods.map(() => 0);
    for (const row of chosen) {
      const place = places.get(periodStart(row));
      if (place !== undefined) counts[place] = (counts[place] ?? 0) + row.calls;
    }
    return counts;
  };
  const byOutcome = Map.groupBy(rows, ({ outcome }) => outcome ?? null);
  const none = byOutcome.get(null) ?? [];
  byOutcome.delete(null);
  const sumCalls = (chosen: CallFiguresRow[]) => chosen.reduce((sum, { calls }) => sum + calls, 0);
  const outcomes = [...byOutcome].sort(([, a], [, b]) => sumCalls(b) - sumCalls(a));
  const others = outcomes.slice(maxOutcomes).flatMap(([, chosen]) => chosen);
  return [
    ...outcomes.slice(0, maxOutcomes).map(([outcome, chosen]) => ({
      name: outcome || '(empty)',
      color: colorOf(outcome ?? ''),
      values: countPerPeriod(chosen),
    })),
    ...(others.length > 0 ? [{ name: 'Other outcomes', color: otherColor, values: countPerPeriod(others) }] : []),
    { name: 'No outcome', color: noneColor, values: countPerPeriod(none) },
  ];
};
