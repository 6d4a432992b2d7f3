import type { Json } from './deployment.ts';

type Sample = { sum: number; count: number };

/** The metrics that CloudWatch makes of lines of a log: the samples of each series, by minute. */
export type MetricSeries = Map<string, Map<number, Sample>>;

const seriesKey = (namespace: string, name: string, dimensions: Record<string, string>) =>
  JSON.stringify([namespace, name, Object.entries(dimensions).sort()]);

/** Adds what a line in CloudWatch's embedded metric format says to the series. */
export const readMetrics = (line: Json, series: MetricSeries) => {
  for (const { Namespace, Dimensions, Metrics } of line._aws?.CloudWatchMetrics ?? [])
    for (const names of Dimensions as string[][])
      for (const { Name } of Metrics) {
        if (typeof line[Name] !== 'number') throw new Error(`${Name} of a line is no number.`);
        const key = seriesKey(Namespace, Name, Object.fromEntries(names.map((name) => [name, line[name]])));
        const minutes = series.get(key) ?? new Map<number, Sample>();
        const minute = Math.floor(line._aws.Timestamp / 60_000);
        const { sum, count } = minutes.get(minute) ?? { sum: 0, count: 0 };
        series.set(key, minutes.set(minute, { sum: sum + line[Name], count: count + 1 }));
      }
};

/** Returns the sum of a metric over the period that ends with a minute; undefined without a sample. */
const sumPeriod = ({ Metric, Period, Stat }: Json, series: MetricSeries, lastMinute: number): number | undefined => {
  if (Stat !== 'Sum') throw new Error(`${Stat} is not computed here.`);
  const dimensions = Object.fromEntries(Metric.Dimensions.map(({ Name, Value }: Json) => [Name, Value]));
  const minutes = series.get(seriesKey(Metric.Namespace, Metric.MetricName, dimensions));
  let total: number | undefined;
  for (let minute = lastMinute - Period / 60 + 1; minute <= lastMinute; minute++) {
    const sample = minutes?.get(minute);
    if (sample) total = (total ?? 0) + sample.sum;
  }
  return total;
};

/** Returns true when an alarm of metric math and of one period is raised at the end of a minute. A missing value is not breaching. */
export const isRaised = ({ Metrics, Threshold, ...alarm }: Json, series: MetricSeries, lastMinute: number): boolean => {
  const { ComparisonOperator, EvaluationPeriods, TreatMissingData } = alarm;
  const kind = [ComparisonOperator, EvaluationPeriods, TreatMissingData].join();
  if (kind !== 'GreaterThanOrEqualToThreshold,1,notBreaching')
    throw new Error(`An alarm is not computed here: ${kind}`);
  const stats = Metrics.filter(({ MetricStat }: Json) => MetricStat);
  const values = stats.map(({ MetricStat }: Json) => sumPeriod(MetricStat, series, lastMinute));
  if (values.includes(undefined)) return false;
  const { Expression } = Metrics.find((metric: Json) => metric.Expression);
  const compute = new Function('IF', ...stats.map(({ Id }: Json) => Id), `return ${Expression};`);
  return compute((condition: boolean, yes: number, no: number) => (condition ? yes : no), ...values) >= Threshold;
};
