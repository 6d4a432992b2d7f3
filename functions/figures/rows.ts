import { brotliCompressSync, brotliDecompressSync } from 'node:zlib';
import { type ReportedCost, readCost } from '../domain/call-costs.ts';
import type { Call } from '../domain/calls.ts';
import { toMillionths } from '../domain/millionths.ts';

/** The fields by which calls are grouped. A missing status, outcome, version or cost is null. */
export type Groups = {
  direction: Call['direction'];
  status: string | null;
  outcome: string | null;
  version: number | null;
  /** The currency of the cost, which each call of the group has. */
  currency: string | null;
};

/** The sums of some calls. They are whole numbers, so that they are exact in any order of addition. */
export type Sums = {
  calls: number;
  durationMicroseconds: bigint;
  valueMillionths: bigint;
  /** The number of calls whose value is in the sum, and of those whose value is left out. */
  values: number;
  valuesLeftOut: number;
  costMillionths: bigint;
  /** The number of calls whose cost is left out. */
  costsLeftOut: number;
  /** The number of calls whose outcome is held. */
  held: number;
};

/** The sums of an agent's calls that started in the same quarter of an hour of a day (UTC, 0 to 95). */
export type FigureRow = Groups & Sums & { quarter: number };

export const quartersPerDay = 96;
export const allQuarters = Array.from({ length: quartersPerDay }, (_, quarter) => quarter);
export const quarterMilliseconds = 15 * 60 * 1000;
const dayMilliseconds = quartersPerDay * quarterMilliseconds;

/** Returns the day of UTC on which a moment lies, as its date. */
export const toDay = (moment: string | number) => new Date(moment).toISOString().slice(0, 10);
/** Returns the quarter of an hour of its day in which a moment lies. */
export const toQuarter = (moment: string | number) =>
  Math.floor(mod(new Date(moment).getTime(), dayMilliseconds) / quarterMilliseconds);
/** Returns the day after a day; undefined after the last one of the year 9999. */
export const dayAfter = (day: string): string | undefined => {
  const next = toDay(Date.parse(day) + dayMilliseconds);
  return next > day ? next : undefined;
};
/** Returns the time of day at which a quarter begins: `10:15`. That of the day's end is `24:00`. */
export const quarterTime = (quarter: number) =>
  [Math.floor(quarter / 4), (quarter % 4) * 15].map((part) => String(part).padStart(2, '0')).join(':');
/** Returns the beginning of the quarter of an hour in which a moment lies. */
export const findQuarterStart = (moment: string) =>
  new Date(startOfQuarter(toDay(moment), toQuarter(moment))).toISOString();
/** Returns the beginning of a quarter of an hour, in Unix milliseconds. */
export const startOfQuarter = (day: string, quarter: number) => Date.parse(day) + quarter * quarterMilliseconds;

const mod = (value: number, by: number) => ((value % by) + by) % by;

/** The fields of a call that its figures depend on. */
export type CountedCall = Pick<
  Call,
  | 'startedAt'
  | 'direction'
  | 'status'
  | 'durationSeconds'
  | 'agentVersion'
  | 'details'
  | 'custom_call_outcome'
  | 'custom_call_outcome_value'
  | 'heldOutcome'
> & { reportedCost?: ReportedCost };

/** Returns the row of a single call. */
export const toFigureRow = (call: CountedCall): FigureRow => {
  const { startedAt, direction, status, durationSeconds = 0, custom_call_outcome_value: value } = call;
  const millionths = value === undefined ? undefined : toMillionths(value);
  const cost = readCost(call);
  return {
    quarter: toQuarter(startedAt),
    direction,
    status: status ?? null,
    outcome: call.custom_call_outcome ?? null,
    version: call.agentVersion ?? null,
    currency: cost?.currency ?? null,
    calls: 1,
    durationMicroseconds: BigInt(Math.round(durationSeconds * 1e6)),
    valueMillionths: millionths ?? 0n,
    values: millionths === undefined ? 0 : 1,
    valuesLeftOut: value !== undefined && millionths === undefined ? 1 : 0,
    costMillionths: cost?.millionths ?? 0n,
    costsLeftOut: cost === null ? 1 : 0,
    held: call.heldOutcome ? 1 : 0,
  };
};

/** Adds the rows of calls, one after the other. */
export class RowCounter {
  readonly #rows = new Map<string, FigureRow>();

  add(row: FigureRow): void {
    const name = JSON.stringify([row.quarter, nameOfGroup(row)]);
    const found = this.#rows.get(name);
    if (!found) return void this.#rows.set(name, row);
    found.calls += row.calls;
    found.durationMicroseconds += row.durationMicroseconds;
    found.valueMillionths += row.valueMillionths;
    found.values += row.values;
    found.valuesLeftOut += row.valuesLeftOut;
    found.costMillionths += row.costMillionths;
    found.costsLeftOut += row.costsLeftOut;
    found.held += row.held;
  }

  /** Returns the rows by quarter. */
  get rows(): FigureRow[] {
    return [...this.#rows.values()].sort((a, b) => a.quarter - b.quarter);
  }
}

const nameOfGroup = (row: FigureRow) => JSON.stringify(toGroup(row));

/** The sums of a row, in the order in which they are stored. */
const sumNames = [
  'calls',
  'durationMicroseconds',
  'valueMillionths',
  'values',
  'valuesLeftOut',
  'costMillionths',
  'costsLeftOut',
  'held',
] as const satisfies (keyof Sums)[];

/** The numbers of a column. One that is too large for a number is a text. */
type Column = (number | string)[];

/** The sums of a group by quarter, in columns. The same position in each column is the same quarter. */
export type Series = Groups & { quarters: number[] } & Record<(typeof sumNames)[number], Column>;

/** Figures as they are stored: groups with their numbers of rows. A column has the rows of all groups, because similar numbers compress well. */
type Packed = [groups: [group: Groups, rows: number][], quarters: number[], ...sums: Column[]];

/** Packs rows as columns: the figures of a busy agent are read in a tenth of the time. */
export const pack = (rows: FigureRow[]): Uint8Array => {
  const groups = [...Map.groupBy(rows, nameOfGroup).values()];
  const sorted = groups.flat();
  const packed: Packed = [
    groups.map((some) => [toGroup(some[0] as FigureRow), some.length]),
    sorted.map(({ quarter }) => quarter),
    ...sumNames.map((name) => sorted.map((row) => toColumn(row[name]))),
  ];
  return brotliCompressSync(JSON.stringify(packed));
};

const toGroup = ({ direction, status, outcome, version, currency }: FigureRow): Groups => ({
  direction,
  status,
  outcome,
  version,
  currency,
});

const toColumn = (value: number | bigint): number | string =>
  Number.isSafeInteger(Number(value)) ? Number(value) : String(value);

export const unpack = (packed: Uint8Array): Series[] => {
  const [groups, ...columns] = JSON.parse(brotliDecompressSync(packed).toString()) as Packed;
  let end = 0;
  return groups.map(([group, rows]) => {
    const first = end;
    end += rows;
    const [quarters, ...sums] = columns.map((column) => column.slice(first, end)) as [number[], ...Column[]];
    const named = Object.fromEntries(sumNames.map((name, index) => [name, sums[index]]));
    return { ...group, quarters, ...(named as Pick<Series, (typeof sumNames)[number]>) };
  });
};

/** Returns the rows of series. */
export const expandSeries = (series: Series[]): FigureRow[] =>
  series.flatMap(({ direction, status, outcome, version, currency, ...columns }) =>
    columns.quarters.map((quarter, index) => ({
      quarter,
      direction,
      status,
      outcome,
      version,
      currency,
      calls: columns.calls[index] as number,
      durationMicroseconds: BigInt(columns.durationMicroseconds[index] as number | string),
      valueMillionths: BigInt(columns.valueMillionths[index] as number | string),
      values: columns.values[index] as number,
      valuesLeftOut: columns.valuesLeftOut[index] as number,
      costMillionths: BigInt(columns.costMillionths[index] as number | string),
      costsLeftOut: columns.costsLeftOut[index] as number,
      held: columns.held[index] as number,
    })),
  );
