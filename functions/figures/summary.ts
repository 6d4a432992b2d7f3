import type { Figures, FiguresBy, FiguresQuery, FiguresRow } from '../domain/call-figures.ts';
import { invalidField } from '../domain/errors.ts';
import { limits } from '../domain/limits.ts';
import type { AgentDay } from './call-figures.ts';
import { Periods } from './periods.ts';
import { addTo, allQuarters, type FigureRow, type Sums, startOfQuarter } from './rows.ts';

type GroupValue = string | number | null;
type SumsWithOutcome = Sums & { withOutcome: number };

const noSums = (): SumsWithOutcome => ({
  ...{ calls: 0, withOutcome: 0, durationMicroseconds: 0n, valueMillionths: 0n, values: 0, valuesLeftOut: 0 },
});

/** The figures that a request asks for, added up day by day. */
export class Summary {
  readonly #by: FiguresBy;
  readonly #filters: Partial<Record<'direction' | 'status' | 'outcome' | 'version', GroupValue>>;
  readonly #periods: Periods;
  /** The period of each quarter of a day of UTC. */
  readonly #positions = new Map<string, (number | undefined)[]>();
  readonly #totals = noSums();
  /** By period, then by group. */
  readonly #rows: Map<GroupValue, SumsWithOutcome>[];
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

  /** Returns whether the figures may have calls of one of these quarters of a day. */
  touches(day: string, quarters: Iterable<number>): boolean {
    const positions = this.#positionsOf(day);
    return [...quarters].some((quarter) => positions[quarter] !== undefined);
  }

  /** Adds the figures of an agent's day. */
  add({ agentId, day }: AgentDay, rows: FigureRow[], bytes: number): void {
    this.#bytes += bytes;
    if (this.#bytes > limits.figureBytes) throw tooMuch();
    const positions = this.#positionsOf(day);
    const filters = Object.entries(this.#filters) as [keyof FigureRow, GroupValue][];
    const { group } = this.#by;
    for (const row of rows) {
      const position = positions[row.quarter];
      if (position === undefined || filters.some(([name, value]) => row[name] !== value)) continue;
      addWithOutcome(this.#totals, row);
      if (!this.#by.unit && !group) continue;
      const groups = this.#rows[position] as Map<GroupValue, SumsWithOutcome>;
      const value = group === undefined ? null : group === 'agent' ? agentId : row[group];
      let sums = groups.get(value);
      if (!sums) {
        this.#count++;
        if (this.#count > limits.figureRows) throw tooMuch();
        sums = noSums();
        groups.set(value, sums);
      }
      addWithOutcome(sums, row);
    }
  }

  /** Returns the rows, complete with those of periods without calls, and the totals. */
  result(): { rows: FiguresRow[]; totals: Figures } {
    const { unit, group } = this.#by;
    const rows = this.#rows.flatMap((groups, position) => {
      const period = unit && { [unit]: this.#periods.names[position] };
      if (unit && groups.size === 0) groups.set(null, noSums());
      return [...groups]
        .sort(([a], [b]) => compare(a, b))
        .map(([value, sums]) => ({ ...period, ...(group && { [group]: value }), ...figuresOf(sums) }));
    });
    return { rows, totals: figuresOf(this.#totals) };
  }

  #positionsOf(day: string): (number | undefined)[] {
    const known = this.#positions.get(day);
    if (known) return known;
    const positions = allQuarters.map((quarter) => this.#periods.positionOf(startOfQuarter(day, quarter)));
    this.#positions.set(day, positions);
    return positions;
  }
}

const tooMuch = () =>
  invalidField('to', 'asks for too many figures at once: ask for fewer days, one agent, or without a group');

const addWithOutcome = (sums: SumsWithOutcome, row: FigureRow) => {
  addTo(sums, row);
  if (row.outcome !== null) sums.withOutcome += row.calls;
};

/** Orders texts by their code units, numbers by size, and null last. */
const compare = (a: GroupValue, b: GroupValue) => {
  if (a === null || b === null) return Number(a === null) - Number(b === null);
  return a < b ? -1 : 1;
};

const figuresOf = ({ durationMicroseconds, valueMillionths, ...sums }: SumsWithOutcome): Figures => ({
  ...sums,
  durationSeconds: Number(durationMicroseconds) / 1e6,
  value: decimalOf(valueMillionths),
});

/** Returns millionths as a decimal number without needless zeros. */
const decimalOf = (millionths: bigint): string => {
  const digits = String(millionths < 0n ? -millionths : millionths).padStart(7, '0');
  const decimals = digits.slice(-6).replace(/0+$/, '');
  return `${millionths < 0n ? '-' : ''}${digits.slice(0, -6)}${decimals && `.${decimals}`}`;
};
