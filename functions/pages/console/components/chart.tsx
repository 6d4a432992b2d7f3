import { type PointerEvent, type ReactNode, useState } from 'react';

/** A series with one of the colors of the style sheet. */
export type Series = { name: string; color: number; values: number[] };

type Props = {
  title: string;
  /** The periods from left to right. */
  labels: string[];
  series: Series[];
  /** The last period is not over: it is shown as incomplete. */
  isLastOpen: boolean;
  format(value: number): string;
};

/** Returns the smallest round number that is not below a value. */
const roundUp = (value: number): number => {
  const unit = 10 ** Math.floor(Math.log10(value || 1));
  return [1, 1.2, 1.6, 2, 3, 4, 5, 6, 8, 10].map((factor) => factor * unit).find((round) => round >= value) ?? value;
};

type Scale = { ticks: number[]; y(value: number): number };

/** Values below zero by less than this part of a step get no step of their own: nobody sees them. */
const unseen = 0.02;

/** Returns a scale in two or more equal steps, one of which ends at 0. The plot is 100 high. */
const chooseScale = (values: number[]): Scale => {
  const most = Math.max(0, ...values);
  const least = Math.min(0, ...values);
  const step = roundUp(Math.max(most, -least) || 1) / 2;
  const below = Math.ceil(-least / step - unseen);
  const above = below > 0 ? Math.ceil(most / step) : 2;
  const ticks = Array.from({ length: above + below + 1 }, (_, index) => (above - index) * step);
  return { ticks, y: (value) => (100 * (above * step - value)) / ((above + below) * step) };
};

/** Stacked bars, with a part for each series. */
export const StackedBars = ({ series, ...props }: Props) => {
  const totals = props.labels.map((_, index) => series.reduce((sum, { values }) => sum + (values[index] ?? 0), 0));
  const scale = chooseScale(totals);
  const { y } = scale;
  const below = totals.map(() => 0);
  return (
    <Chart {...props} series={series} scale={scale} hasKey isStacked>
      {series.map(({ color, values }) =>
        values.map((value, index) => {
          if (value <= 0) return null;
          const bottom = below[index] ?? 0;
          below[index] = bottom + value;
          return (
            <rect
              // biome-ignore lint/suspicious/noArrayIndexKey: a bar is its place
              key={`${color} ${index}`}
              className={`series-${color}${props.isLastOpen && index === props.labels.length - 1 ? ' unfinished' : ''}`}
              x={index + 0.12}
              width={0.76}
              y={y(bottom + value)}
              height={y(bottom) - y(bottom + value)}
            />
          );
        }),
      )}
    </Chart>
  );
};

/** A line through each series. One alone has its area filled. */
export const Lines = ({ series, isLastOpen, ...props }: Props) => {
  const scale = chooseScale(series.flatMap(({ values }) => values));
  const { y } = scale;
  return (
    <Chart {...props} series={series} isLastOpen={isLastOpen} scale={scale} hasKey={series.length > 1}>
      {series.map(({ name, color, values }) => {
        const points = values.map((value, index) => `${index + 0.5},${y(value)}`);
        const line = { className: `line series-${color}`, vectorEffect: 'non-scaling-stroke' };
        const closed = isLastOpen && points.length > 1 ? points.slice(0, -1) : points;
        return (
          <g key={name}>
            {series.length === 1 && (
              <polygon
                className="area"
                points={[`0.5,${y(0)}`, ...points, `${values.length - 0.5},${y(0)}`].join(' ')}
              />
            )}
            <polyline {...line} points={closed.join(' ')} />
            {isLastOpen && (
              <polyline {...line} className={`${line.className} unfinished`} points={points.slice(-2).join(' ')} />
            )}
          </g>
        );
      })}
    </Chart>
  );
};

/** A small line without axes, beside a number that says the same. */
export const Sparkline = ({ values }: { values: number[] }) => {
  const { y } = chooseScale(values);
  return (
    <svg className="spark" viewBox={`0 0 ${values.length} 100`} preserveAspectRatio="none" aria-hidden="true">
      <polyline
        className="line"
        points={values.map((value, index) => `${index + 0.5},${y(value)}`).join(' ')}
        vectorEffect="non-scaling-stroke"
      />
    </svg>
  );
};

/** The maximum number of periods with a label. */
const maxTicks = 6;

type FrameProps = Props & { scale: Scale; hasKey?: boolean; isStacked?: boolean; children: ReactNode };

/**
 * The frame of a plot: its axes, its key, and the numbers of the period under the pointer. The plot is stretched to the
 * width of the page. Texts are beside it, so they keep their size. Each chart has a table beside it, for all users.
 */
const Chart = ({
  title,
  labels,
  series,
  isLastOpen,
  format,
  scale,
  hasKey,
  isStacked = false,
  children,
}: FrameProps) => {
  const [active, setActive] = useState<number>();
  const count = labels.length;
  const point = ({ currentTarget, clientX }: PointerEvent) => {
    const { left, width } = currentTarget.getBoundingClientRect();
    setActive(Math.min(count - 1, Math.max(0, Math.floor(((clientX - left) / width) * count))));
  };
  const step = Math.ceil(count / maxTicks);
  const toPercent = (index: number) => `${((index + 0.5) / count) * 100}%`;
  return (
    <figure className="chart">
      <figcaption>
        <h2>{title}</h2>
      </figcaption>
      <div className="plot">
        <ol className="ticks" aria-hidden="true">
          {scale.ticks.map((tick) => (
            <li key={tick}>{format(tick)}</li>
          ))}
        </ol>
        <div className="area-of-plot" onPointerMove={point} onPointerLeave={() => setActive(undefined)}>
          <svg
            viewBox={`0 0 ${count} 100`}
            preserveAspectRatio="none"
            role="img"
            aria-label={`${title}, from ${labels[0]} to ${labels.at(-1)}. The table has the numbers.`}
          >
            {scale.ticks.map(scale.y).map((y) => (
              <line key={y} className="grid" x1={0} x2={count} y1={y} y2={y} vectorEffect="non-scaling-stroke" />
            ))}
            {active !== undefined && <rect className="pointed" x={active} width={1} y={0} height={100} />}
            {children}
          </svg>
          {active !== undefined && (
            <div
              className="readout"
              aria-hidden="true"
              style={active < count / 2 ? { left: toPercent(active + 1) } : { right: toPercent(count - active) }}
            >
              <p>
                {labels[active]}
                {isLastOpen && active === count - 1 && ', so far'}
              </p>
              <Readout series={series} index={active} format={format} hasTotal={isStacked} />
            </div>
          )}
        </div>
        <p className="span" aria-hidden="true">
          {labels.map(
            (label, index) =>
              index % step === 0 && (
                <span key={label} style={{ left: toPercent(index) }}>
                  {label.replace(/, \d{4}$/, '')}
                </span>
              ),
          )}
        </p>
      </div>
      {hasKey && (
        <ul className="key-of-series" aria-hidden="true">
          {series.map(({ name, color }) => (
            <li key={name}>
              <i className={`series-${color}`} /> <bdi>{name}</bdi>
            </li>
          ))}
        </ul>
      )}
    </figure>
  );
};

type ReadoutProps = Pick<Props, 'series' | 'format'> & { index: number; hasTotal: boolean };

/** The numbers of one period: those of each series, and their total. */
const Readout = ({ series, index, format, hasTotal }: ReadoutProps) => {
  const parts = series.filter(({ values }) => values[index]);
  const rows = [
    ...parts.map(({ name, color, values }) => ({ name, color, value: values[index] ?? 0 })),
    ...(hasTotal
      ? [{ name: 'Total', color: 0, value: parts.reduce((sum, { values }) => sum + (values[index] ?? 0), 0) }]
      : []),
  ];
  return (
    <ul className="numbers">
      {rows.map(({ name, color, value }) => (
        <li key={name}>
          <i className={`series-${color}`} /> <bdi>{name}</bdi> <b>{format(value)}</b>
        </li>
      ))}
    </ul>
  );
};
