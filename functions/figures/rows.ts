import { deflateRawSync, inflateRawSync } from 'node:zlib';
import type { Call } from '../domain/calls.ts';

/** What some calls have in common. A call without a status, an outcome or a version has null. */
export type Groups = {
  direction: Call['direction'];
  status: string | null;
  outcome: string | null;
  version: number | null;
};

/** The sums of some calls. They are whole numbers, so that they are exact in whatever order they are added. */
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
 * Returns a value in millionths, exactly; undefined for one of more than six decimals, in its shortest text, or of a
 * size of 1e12 and above.
 */
export const millionthsOf = (value: number): bigint | undefined => {
  if (Math.abs(value) >= 1e12) return undefined;
  const [, whole, decimals = ''] = /^(-?\d+)(?:\.(\d{1,6}))?$/.exec(String(value)) ?? [];
  return whole === undefined ? undefined : BigInt(whole + decimals.padEnd(6, '0'));
};

/** Adds the sums of a row to others. */
export const addTo = (sums: Sums, row: Sums): void => {
  sums.calls += row.calls;
  sums.durationMicroseconds += row.durationMicroseconds;
  sums.valueMillionths += row.valueMillionths;
  sums.values += row.values;
  sums.valuesLeftOut += row.valuesLeftOut;
};

/** Adds the rows of calls, one after the other. */
export class RowCounter {
  readonly #rows = new Map<string, FigureRow>();

  add(row: FigureRow): void {
    const { quarter, direction, status, outcome, version } = row;
    const name = JSON.stringify([quarter, direction, status, outcome, version]);
    const found = this.#rows.get(name);
    if (found) addTo(found, row);
    else this.#rows.set(name, row);
  }

  /** Returns the rows by quarter. */
  get rows(): FigureRow[] {
    return [...this.#rows.values()].sort((a, b) => a.quarter - b.quarter);
  }
}

/** A row as it is stored: texts are positions in a list, from 1 on, and large numbers are texts. */
type PackedRow = [
  quarter: number,
  direction: 0 | 1,
  status: number,
  outcome: number,
  version: number | null,
  calls: number,
  durationMicroseconds: number | string,
  valueMillionths: number | string,
  values: number,
  valuesLeftOut: number,
];

export const pack = (rows: FigureRow[]): Uint8Array => {
  const texts = new Map<string, number>();
  const positionOf = (text: string | null) => {
    if (text === null) return 0;
    const position = texts.get(text) ?? texts.size + 1;
    texts.set(text, position);
    return position;
  };
  const packed = rows.map(
    (row): PackedRow => [
      row.quarter,
      row.direction === 'inbound' ? 0 : 1,
      positionOf(row.status),
      positionOf(row.outcome),
      row.version,
      row.calls,
      packedNumber(row.durationMicroseconds),
      packedNumber(row.valueMillionths),
      row.values,
      row.valuesLeftOut,
    ],
  );
  return deflateRawSync(JSON.stringify([[...texts.keys()], packed]));
};

export const unpack = (packed: Uint8Array): FigureRow[] => {
  const [texts, rows] = JSON.parse(inflateRawSync(packed).toString()) as [string[], PackedRow[]];
  const textAt = (position: number) => texts[position - 1] ?? null;
  return rows.map(([quarter, direction, status, outcome, version, calls, duration, value, values, valuesLeftOut]) => ({
    quarter,
    direction: direction === 0 ? 'inbound' : 'outbound',
    status: textAt(status),
    outcome: textAt(outcome),
    version,
    calls,
    durationMicroseconds: BigInt(duration),
    valueMillionths: BigInt(value),
    values,
    valuesLeftOut,
  }));
};

const packedNumber = (value: bigint): number | string =>
  Number.isSafeInteger(Number(value)) ? Number(value) : String(value);
