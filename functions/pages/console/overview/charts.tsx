import type { CallFiguresRow } from '../../../openapi/client/client.ts';
import { Line, type Series, StackedBars } from '../components/chart.tsx';
import { type FigureSearch, figureColumns, useFigures } from '../components/figures.tsx';
import { otherColor, useOutcomeColor } from '../components/outcome.tsx';
import { type Column, Table } from '../components/paged-table.tsx';
import { Loaded } from '../components/states.tsx';
import { formatDate, formatNumber, formatShort } from '../formats.ts';

type Props = { search: FigureSearch; unit: 'day' | 'week'; rows: CallFiguresRow[]; isLastOpen: boolean };

/** Calls by outcome and their value over time, as charts and as a table. */
export const Charts = ({ search, unit, rows, isLastOpen }: Props) => {
  const colorOf = useOutcomeColor();
  const labels = rows.map(labelOf);
  const title = unit === 'day' ? 'Calls a day by outcome' : 'Calls a week by outcome';
  const values = rows.map(({ value }) => Number(value));
  return (
    <Loaded query={useFigures(search, `${unit},outcome`)} rows={8}>
      {(byOutcome) => {
        const series = seriesOf(byOutcome.rows, rows, colorOf);
        const columns: Column<number>[] = series.map(({ name, values }) => ({
          heading: name,
          cell: (index) => formatNumber(values[index] ?? 0),
          isNumber: true,
        }));
        const totals: Column<number>[] = figureColumns
          .filter(({ heading }) => heading !== 'With an outcome')
          .map(({ cell, sortKey: _, ...column }) => ({ ...column, cell: (index) => rows[index] && cell(rows[index]) }));
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
              <Line
                title="Value over time"
                labels={labels}
                series={[{ name: 'Value', color: 0, values }]}
                isLastOpen={isLastOpen}
                format={formatShort}
              />
            </div>
            <details>
              <summary>The charts as a table</summary>
              <Table
                caption={title}
                items={rows.map((_, index) => rows.length - 1 - index)}
                keyOf={String}
                columns={[
                  { heading: unit === 'day' ? 'Day' : 'Week from', cell: (index) => labels[index] },
                  ...totals,
                  ...columns,
                ]}
              />
            </details>
          </>
        );
      }}
    </Loaded>
  );
};

const periodOf = ({ day, week }: CallFiguresRow): string => day ?? week ?? '';
const labelOf = (row: CallFiguresRow): string => formatDate(periodOf(row));

/** The maximum number of outcomes with their own series. */
const maxOutcomes = 5;
/** The gray of calls without an outcome. */
const noneColor = otherColor + 1;

/** Returns the most frequent outcomes, the others as one series, and calls without an outcome. */
const seriesOf = (
  rows: CallFiguresRow[],
  periods: CallFiguresRow[],
  colorOf: (outcome: string) => number,
): Series[] => {
  const places = new Map(periods.map((row, index) => [periodOf(row), index]));
  const countsOf = (chosen: CallFiguresRow[]) => {
    const counts = periods.map(() => 0);
    for (const row of chosen) {
      const place = places.get(periodOf(row));
      if (place !== undefined) counts[place] = (counts[place] ?? 0) + row.calls;
    }
    return counts;
  };
  const byOutcome = Map.groupBy(rows, ({ outcome }) => outcome ?? null);
  const none = byOutcome.get(null) ?? [];
  byOutcome.delete(null);
  const callsOf = (chosen: CallFiguresRow[]) => chosen.reduce((sum, { calls }) => sum + calls, 0);
  const outcomes = [...byOutcome].sort(([, a], [, b]) => callsOf(b) - callsOf(a));
  const others = outcomes.slice(maxOutcomes).flatMap(([, chosen]) => chosen);
  return [
    ...outcomes.slice(0, maxOutcomes).map(([outcome, chosen]) => ({
      name: outcome || '(empty)',
      color: colorOf(outcome ?? ''),
      values: countsOf(chosen),
    })),
    ...(others.length > 0 ? [{ name: 'Other outcomes', color: otherColor, values: countsOf(others) }] : []),
    { name: 'No outcome', color: noneColor, values: countsOf(none) },
  ];
};
