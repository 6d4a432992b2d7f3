import type { FigureSums, Figures, FiguresBy, FiguresQuery, FiguresRow } from '../domain/call-figures.ts';
import { invalidField } from '../domain/errors.ts';
import { fitsIntoAnswer } from '../domain/json.ts';
import { limits } from '../domain/limits.ts';
import { toDecimal } from '../domain/millionths.ts';
import type { AgentDay, DayFigures } from './call-figures.ts';
import { Periods } from './periods.ts';
import { allQuarters, type Groups, type Series, startOfQuarter } from './rows.ts';

type GroupValue = string | number | null;

/** An exact sum of whole numbers. It is a `bigint` only where a number would be rounded. */
class ExactSum {
  #sum = 0;
  #carried = 0n;

  add(value: number | string): void {
    const sum = typeof value === 'number' ? this.#sum + value : Number.NaN;
    if (Number.isSafeInteger(sum)) {
      this.#sum = sum;
      return;
    }
    this.#carried += BigInt(this.#sum) + BigInt(value);
    this.#sum = 0;
  }

  addSum({ total }: ExactSum): void {
    this.#carried += total;
  }

  get total(): bigint {
    return this.#carried + BigInt(this.#sum);
  }
}

const counters = ['calls', 'withOutcome', 'values', 'valuesLeftOut', 'costs', 'costsLeftOut', 'held'] as const;

/** The sums of a row of the response. */
class RowSums {
  calls = 0;
  withOutcome = 0;
  values = 0;
  valuesLeftOut = 0;
  costs = 0;
  costsLeftOut = 0;
  held = 0;
  readonly durationMicroseconds = new ExactSum();
  readonly valueMillionths = new ExactSum();
  /** The sums of the costs by currency. */
  readonly costMillionths = new Map<string, ExactSum>();

  /** Adds one quarter of a series. */
  add(series: Series, index: number): void {
    const calls = series.calls[index] as number;
    this.calls += calls;
    if (series.outcome !== null) this.withOutcome += calls;
    this.values += series.values[index] as number;
    this.valuesLeftOut += series.valuesLeftOut[index] as number;
    this.durationMicroseconds.add(series.durationMicroseconds[index] as number | string);
    this.valueMillionths.add(series.valueMillionths[index] as number | string);
    this.costsLeftOut += series.costsLeftOut[index] as number;
    this.held += series.held[index] as number;
    if (series.currency === null) return;
    this.costs += calls;
    this.#costSum(series.currency).add(series.costMillionths[index] as number | string);
  }

  addSums(other: RowSums): void {
    for (const counter of counters) this[counter] += other[counter];
    this.durationMicroseconds.addSum(other.durationMicroseconds);
    this.valueMillionths.addSum(other.valueMillionths);
    for (const [currency, sum] of other.costMillionths) this.#costSum(currency).addSum(sum);
  }

  #costSum(currency: string): ExactSum {
    const found = this.costMillionths.get(currency);
    if (found) return found;
    const sum = new ExactSum();
    this.costMillionths.set(currency, sum);
    return sum;
  }

  /** Returns the figures. They have a margin if the values are in a currency, and no cost is in another one. */
  toFigures(valueCurrency: string | undefined): FigureSums & { margin?: string } {
    const { calls, withOutcome, values, valuesLeftOut, costs, costsLeftOut, held } = this;
    const value = this.valueMillionths.total;
    const cost = [...this.costMillionths].sort(([a], [b]) => compare(a, b));
    const margin = valueCurrency && toDecimal(value - (this.costMillionths.get(valueCurrency)?.total ?? 0n));
    return {
      calls,
      withOutcome,
      durationSeconds: Number(this.durationMicroseconds.total) / 1e6,
      value: toDecimal(value),
      values,
      valuesLeftOut,
      cost: Object.fromEntries(cost.map(([currency, { total }]) => [currency, toDecimal(total)])),
      costs,
      costsLeftOut,
      held,
      margin,
    };
  }
}

/** The figures that a request asks for, added up day by day. */
export class Summary {
  readonly #by: FiguresBy;
  readonly #filters: Partial<Record<'direction' | 'status' | 'outcome' | 'version', GroupValue>>;
  readonly #periods: Periods;
  /** The period of each quarter of a day of UTC. */
  readonly #positions = new Map<string, (number | undefined)[]>();
  /** The sums by period, then by group. */
  readonly #rows: Map<GroupValue, RowSums>[];
  #count = 0;
  #bytes = 0;

  constructor({ from, to, timeZone, by = {}, ...filters }: FiguresQuery) {
    if (Date.parse(to) - Date.parse(from) > limits.figureDays * 24 * 60 * 60 * 1000)
      throw invalidField('to', `must be at most ${limits.figureDays} days after \`from\``);
    this.#by = by;
    this.#filters = Object.fromEntries(
      Object.entries({
        direction: filters.direction,
        status: filters.status,
        outcome: filters.outcome,
        version: filters.version,
      }).filter(([, value]) => value !== undefined),
    );
    this.#periods = new Periods({ from, to, timeZone, unit: by.unit });
    this.#rows = Array.from({ length: by.unit ? this.#periods.names.length : 1 }, () => new Map());
  }

  /** The days of UTC whose calls may be in the figures. */
  get days(): string[] {
    return this.#periods.days;
  }

  /** Returns true if the figures may have calls from one of these quarters of a day. */
  touches(day: string, quarters: Iterable<number>): boolean {
    const positions = this.#dayPositions(day);
    return [...quarters].some((quarter) => positions[quarter] !== undefined);
  }

  /** Adds the figures of an agent's day. */
  add({ agentId, day }: AgentDay, { series: all }: Pick<DayFigures, 'series'>, bytes: number): void {
    this.#bytes += bytes;
    if (this.#bytes > limits.figureBytes) throw tooMuch();
    const positions = this.#dayPositions(day);
    const filters = Object.entries(this.#filters) as [keyof Groups, GroupValue][];
    const { group } = this.#by;
    for (const series of all) {
      if (filters.some(([name, value]) => series[name] !== value)) continue;
      const value = group === undefined ? null : group === 'agent' ? agentId : series[group];
      for (const [index, quarter] of series.quarters.entries()) {
        const position = positions[quarter];
        if (position !== undefined) this.#groupSums(position, value).add(series, index);
      }
    }
  }

  #groupSums(position: number, value: GroupValue): RowSums {
    const groups = this.#rows[position] as Map<GroupValue, RowSums>;
    const found = groups.get(value);
    if (found) return found;
    this.#count++;
    if (this.#count > limits.figureRows) throw tooMuch();
    const sums = new RowSums();
    groups.set(value, sums);
    return sums;
  }

  /** Returns the rows of all periods and the totals, with a margin if there is one currency. */
  result(valueCurrency?: string): { rows: FiguresRow[]; totals: Figures } {
    const { unit, group } = this.#by;
    const totals = new RowSums();
    for (const groups of this.#rows) for (const sums of groups.values()) totals.addSums(sums);
    const hasMargin = [...totals.costMillionths.keys()].every((currency) => currency === valueCurrency);
    const marginCurrency = hasMargin ? valueCurrency : undefined;
    const rows = this.#rows.flatMap((groups, position) => {
      const period = unit && { [unit]: this.#periods.names[position] };
      if (unit && groups.size === 0) groups.set(null, new RowSums());
      return [...groups]
        .sort(([a], [b]) => compare(a, b))
        .map(([value, sums]) => ({ ...period, ...(group && { [group]: value }), ...sums.toFigures(marginCurrency) }));
    });
    const result = {
      rows: unit || group ? rows : [],
      totals: { ...totals.toFigures(marginCurrency), valueCurrency: marginCurrency },
    };
    if (!fitsIntoAnswer(result)) throw tooMuch();
    return result;
  }

  #dayPositions(day: string): (number | undefined)[] {
    const known = this.#positions.get(day);
    if (known) return known;
    const positions = allQuarters.map((quarter) => this.#periods.findPeriod(startOfQuarter(day, quarter)));
    this.#positions.set(day, positions);
    return positions;
  }
}

const tooMuch = () =>
  invalidField('to', 'asks for too many figures at once: ask for fewer days, one agent, or without a group');

/** Orders texts by their code units, numbers by size, and null last. */
const compare = (a: GroupValue, b: GroupValue) => {
  if (a === null || b === null) return Number(a === null) - Number(b === null);
  return a < b ? -1 : 1;
};
