import { brotliCompressSync, brotliDecompressSync, inflateRawSync } from 'node:zlib';
import { readCost } from '../domain/call-costs.ts';
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
export const startOfQuarterAt = (moment: string) =>
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
>;

/** Returns the row of a single call. */
export const toFigureRow = (call: CountedCall): FigureRow => {
  const { startedAt, direction, status, durationSeconds = 0, custom_call_outcome_value: value } = call;
  const millionths = value === undefined ? undefined : toMillionths(value);
  const cost = readCost(call.details);
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

const nameOfGroup = ({ direction, status, outcome, version, currency }: Groups) =>
  JSON.stringify([direction, status, outcome, version, currency]);

/** The sums of a row, in the order in which they are stored. A new one is appended. */
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

/** A group as it is stored, with the number of its rows. Texts are positions in a list, from 1 on. */
type PackedGroup = [
  direction: 0 | 1,
  status: number,
  outcome: number,
  version: number | null,
  currency: number,
  rows: number,
];

/**
 * Figures as they are stored. A column has the rows of all groups, group after group, because similar numbers compress well. A
 * quarter is the distance from the one before it, and the first number of each further column counts the zeros that all of its
 * numbers ended with. A column of zeros is empty.
 */
type Packed = [texts: string[], groups: PackedGroup[], quarters: number[], ...sums: Column[]];

/** Packs rows as columns: the figures of a busy agent are read in a tenth of the time. */
export const pack = (rows: FigureRow[]): Uint8Array => {
  const texts = new Map<string, number>();
  const internText = (text: string | null) => {
    if (text === null) return 0;
    const position = texts.get(text) ?? texts.size + 1;
    texts.set(text, position);
    return position;
  };
  const groups = [...Map.groupBy(rows, nameOfGroup).values()];
  const packedGroups = groups.map((some): PackedGroup => {
    const [{ direction, status, outcome, version, currency }] = some as [FigureRow];
    const positions = [internText(status), internText(outcome)] as const;
    return [direction === 'inbound' ? 0 : 1, ...positions, version, internText(currency), some.length];
  });
  const quarters = groups.flatMap((some) =>
    some.map(({ quarter }, index) => quarter - (some[index - 1]?.quarter ?? 0)),
  );
  const sums = sumNames.map((name) => packColumn(groups.flat().map((row) => BigInt(row[name]))));
  const packed: Packed = [[...texts.keys()], packedGroups, quarters, ...sums];
  return brotliCompressSync(JSON.stringify(packed));
};

const packColumn = (values: bigint[]): Column => {
  if (values.every((value) => value === 0n)) return [];
  let zeros = 0;
  while (values.every((value) => value % 10n ** BigInt(zeros + 1) === 0n)) zeros++;
  return [zeros, ...values.map((value) => toColumn(value / 10n ** BigInt(zeros)))];
};

const unpackColumn = ([zeros = 0, ...values]: Column, rows: number): Column => {
  if (values.length === 0) return Array.from({ length: rows }, () => 0);
  if (zeros === 0) return values;
  const factor = 10 ** Number(zeros);
  return values.map((value) => {
    const number = Number(value) * factor;
    return Number.isSafeInteger(number) ? number : String(BigInt(value) * 10n ** BigInt(zeros));
  });
};

const toColumn = (value: bigint): number | string =>
  Number.isSafeInteger(Number(value)) ? Number(value) : String(value);

export const unpack = (packed: Uint8Array): Series[] => {
  const [texts, groups, quarters, ...columns] = JSON.parse(brotliDecompressSync(packed).toString()) as Packed;
  const textAt = (position: number) => texts[position - 1] ?? null;
  const sums = sumNames.map((name, index) => [name, unpackColumn(columns[index] ?? [], quarters.length)] as const);
  let end = 0;
  return groups.map(([direction, status, outcome, version, currency, rows]) => {
    const first = end;
    end += rows;
    return {
      direction: direction === 0 ? 'inbound' : 'outbound',
      status: textAt(status),
      outcome: textAt(outcome),
      version,
      currency: textAt(currency),
      quarters: addUp(quarters.slice(first, end)),
      ...(Object.fromEntries(sums.map(([name, column]) => [name, column.slice(first, end)])) as Pick<
        Series,
        (typeof sumNames)[number]
      >),
    };
  });
};

const addUp = (distances: number[]): number[] => {
  let sum = 0;
  return distances.map((distance) => {
    sum += distance;
    return sum;
  });
};

/** A series as format 2 stored it, without costs. A column of zeros is empty. */
type SeriesWithoutCosts = [
  direction: 0 | 1,
  status: number,
  outcome: number,
  version: number | null,
  quarters: number[],
  ...sums: Column[],
];

/** Unpacks figures of format 2. */
export const unpackWithoutCosts = (packed: Uint8Array): Series[] => {
  const [texts, all] = JSON.parse(inflateRawSync(packed).toString()) as [string[], SeriesWithoutCosts[]];
  const textAt = (position: number) => texts[position - 1] ?? null;
  return all.map(([direction, status, outcome, version, quarters, ...sums]) => {
    const columns = sumNames.map((name, index) => {
      const column = sums[index] ?? [];
      return [name, column.length === 0 ? quarters.map(() => 0) : column];
    });
    return {
      direction: direction === 0 ? 'inbound' : 'outbound',
      status: textAt(status),
      outcome: textAt(outcome),
      version,
      currency: null,
      quarters,
      ...(Object.fromEntries(columns) as Pick<Series, (typeof sumNames)[number]>),
    };
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
