import { deflateRawSync, inflateRawSync } from 'node:zlib';
import type { Call } from '../domain/calls.ts';

/** The fields by which calls are grouped. A missing status, outcome or version is null. */
export type Groups = {
  direction: Call['direction'];
  status: string | null;
  outcome: string | null;
  version: number | null;
};

/** The sums of some calls. They are whole numbers, so that they are exact in any order of addition. */
export type Sums = {
  calls: number;
  durationMicroseconds: bigint;
  valueMillionths: bigint;
  /** The number of calls whose value is in the sum, and of those whose value is left out. */
  values: number;
  valuesLeftOut: number;
};

/** The sums of an agent's calls that started in the same quarter of an hour of a day (UTC, 0 to 95). */
export type FigureRow = Groups & Sums & { quarter: number };

export const quartersPerDay = 96;
export const allQuarters = Array.from({ length: quartersPerDay }, (_, quarter) => quarter);
export const quarterMilliseconds = 15 * 60 * 1000;
const dayMilliseconds = quartersPerDay * quarterMilliseconds;

/** Returns the day of UTC on which a moment lies, as its date. */
export const dayOf = (moment: string | number) => new Date(moment).toISOString().slice(0, 10);
/** Returns the quarter of an hour of its day in which a moment lies. */
export const quarterOf = (moment: string | number) =>
  Math.floor(mod(new Date(moment).getTime(), dayMilliseconds) / quarterMilliseconds);
/** Returns the day after a day; undefined after the last one of the year 9999. */
export const dayAfter = (day: string): string | undefined => {
  const next = dayOf(Date.parse(day) + dayMilliseconds);
  return next > day ? next : undefined;
};
/** Returns the time of day at which a quarter begins: `10:15`. That of the day's end is `24:00`. */
export const timeOf = (quarter: number) =>
  [Math.floor(quarter / 4), (quarter % 4) * 15].map((part) => String(part).padStart(2, '0')).join(':');
/** Returns the beginning of the quarter of an hour in which a moment lies. */
export const startOfQuarterAt = (moment: string) =>
  new Date(startOfQuarter(dayOf(moment), quarterOf(moment))).toISOString();
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
  | 'custom_call_outcome'
  | 'custom_call_outcome_value'
>;

/** Returns the row of a single call. */
export const rowOf = (call: CountedCall): FigureRow => {
  const { startedAt, direction, status, durationSeconds = 0, custom_call_outcome_value: value } = call;
  const millionths = value === undefined ? undefined : millionthsOf(value);
  return {
    quarter: quarterOf(startedAt),
    direction,
    status: status ?? null,
    outcome: call.custom_call_outcome ?? null,
    version: call.agentVersion ?? null,
    calls: 1,
    durationMicroseconds: BigInt(Math.round(durationSeconds * 1e6)),
    valueMillionths: millionths ?? 0n,
    values: millionths === undefined ? 0 : 1,
    valuesLeftOut: value !== undefined && millionths === undefined ? 1 : 0,
  };
};

/**
 * Returns the exact value in millionths; undefined if its shortest text has more than six decimals, or its size is 1e12 or
 * more.
 */
export const millionthsOf = (value: number): bigint | undefined => {
  if (Math.abs(value) >= 1e12) return undefined;
  const [, whole, decimals = ''] = /^(-?\d+)(?:\.(\d{1,6}))?$/.exec(String(value)) ?? [];
  return whole === undefined ? undefined : BigInt(whole + decimals.padEnd(6, '0'));
};

/** Adds the rows of calls, one after the other. */
export class RowCounter {
  readonly #rows = new Map<string, FigureRow>();

  add(row: FigureRow): void {
    const { quarter, direction, status, outcome, version } = row;
    const name = JSON.stringify([quarter, direction, status, outcome, version]);
    const found = this.#rows.get(name);
    if (!found) return void this.#rows.set(name, row);
    found.calls += row.calls;
    found.durationMicroseconds += row.durationMicroseconds;
    found.valueMillionths += row.valueMillionths;
    found.values += row.values;
    found.valuesLeftOut += row.valuesLeftOut;
  }

  /** Returns the rows by quarter. */
  get rows(): FigureRow[] {
    return [...this.#rows.values()].sort((a, b) => a.quarter - b.quarter);
  }
}

/** The sums of a group by quarter, in columns. The same position in each column is the same quarter. Large numbers are texts. */
export type Series = Groups & {
  quarters: number[];
  calls: number[];
  durationMicroseconds: (number | string)[];
  valueMillionths: (number | string)[];
  values: number[];
  valuesLeftOut: number[];
};

/** A series as it is stored. Texts are positions in a list, from 1 on, and a column of zeros is empty. */
type PackedSeries = [
  direction: 0 | 1,
  status: number,
  outcome: number,
  version: number | null,
  ...columns: (number | string)[][],
];

const columns = ['quarters', 'calls', 'durationMicroseconds', 'valueMillionths', 'values', 'valuesLeftOut'] as const;

/** Packs rows as series: the figures of a busy agent are read in a tenth of the time. */
export const pack = (rows: FigureRow[]): Uint8Array => {
  const texts = new Map<string, number>();
  const positionOf = (text: string | null) => {
    if (text === null) return 0;
    const position = texts.get(text) ?? texts.size + 1;
    texts.set(text, position);
    return position;
  };
  const groups = Map.groupBy(rows, ({ direction, status, outcome, version }) =>
    JSON.stringify([direction, status, outcome, version]),
  );
  const packed = [...groups.values()].map((some): PackedSeries => {
    const [{ direction, status, outcome, version }] = some as [FigureRow];
    const columnOf = (value: (row: FigureRow) => number | string) => {
      const column = some.map(value);
      return column.every((one) => one === 0) ? [] : column;
    };
    return [
      direction === 'inbound' ? 0 : 1,
      ...([positionOf(status), positionOf(outcome)] as const),
      version,
      some.map(({ quarter }) => quarter),
      columnOf(({ calls }) => calls),
      columnOf(({ durationMicroseconds }) => packedNumber(durationMicroseconds)),
      columnOf(({ valueMillionths }) => packedNumber(valueMillionths)),
      columnOf(({ values }) => values),
      columnOf(({ valuesLeftOut }) => valuesLeftOut),
    ];
  });
  return deflateRawSync(JSON.stringify([[...texts.keys()], packed]));
};

export const unpack = (packed: Uint8Array): Series[] => {
  const [texts, all] = JSON.parse(inflateRawSync(packed).toString()) as [string[], PackedSeries[]];
  const textAt = (position: number) => texts[position - 1] ?? null;
  return all.map(([direction, status, outcome, version, quarters = [], ...others]) => {
    const zeros = quarters.map(() => 0);
    const filled = [quarters, ...others.map((column) => (column.length === 0 ? zeros : column))];
    return {
      direction: direction === 0 ? 'inbound' : 'outbound',
      status: textAt(status),
      outcome: textAt(outcome),
      version,
      ...(Object.fromEntries(columns.map((name, index) => [name, filled[index]])) as Omit<Series, keyof Groups>),
    };
  });
};

/** Returns the rows of series. */
export const rowsOf = (series: Series[]): FigureRow[] =>
  series.flatMap(({ direction, status, outcome, version, ...columns }) =>
    columns.quarters.map((quarter, index) => ({
      ...{ quarter, direction, status, outcome, version },
      calls: columns.calls[index] as number,
      durationMicroseconds: BigInt(columns.durationMicroseconds[index] as number | string),
      valueMillionths: BigInt(columns.valueMillionths[index] as number | string),
      values: columns.values[index] as number,
      valuesLeftOut: columns.valuesLeftOut[index] as number,
    })),
  );

const packedNumber = (value: bigint): number | string =>
  Number.isSafeInteger(Number(value)) ? Number(value) : String(value);
