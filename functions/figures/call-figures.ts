import { randomUUID } from 'node:crypto';
import pMap from 'p-map';
import { chunks } from '../domain/chunks.ts';
import { service } from '../service.ts';
import { CallLists } from '../store/calls/call-lists.ts';
import { CallRecords } from '../store/calls/call-records.ts';
import { exists, isAbsent, when } from '../store/expressions.ts';
import {
  accessKey,
  callCollection,
  dayOfFigures,
  figuresCollection,
  figuresKey,
  uncountedDayCollection,
  uncountedDayKey,
} from '../store/keys.ts';
import { backOff, type Item, TableStore, table } from '../store/table.ts';
import { dayAfter, type FigureRow, pack, quarterTime, RowCounter, type Series, toFigureRow, unpack } from './rows.ts';

/** A day's figures. Quarters before `frozen` have no calls left. */
export type DayFigures = { series: Series[]; frozen: number; version?: string; pieces: number };

/** The first item has the number of pieces, which share its version. */
type FiguresItem = Item & { columns: Uint8Array; version: string; frozen?: number; pieces?: number };

/** The quarters to count again. `by` names the change that queues the count, `run` the count in progress. */
export type UncountedDay = { quarters: Set<number>; by?: string; run?: string };
type UncountedItem = Item & UncountedDay;

/** A day of UTC of an agent. */
export type AgentDay = { agentId: string; day: string };

/** An item has at most 400 KB. */
const pieceBytes = 350_000;
/** The number of days that one query reads. A busy agent's figures for them fit into its page of 1 MB. */
const daysPerQuery = 16;
/** The maximum number of queries of one request at once. The SDK has 50 connections. */
export const queriesInFlight = 32;
/** The maximum number of reads of a day whose figures keep changing. */
const maxReads = 8;

/** The figures of agents' calls by day. Counts write figures before they remove marks: unmarked figures are exact. */
export class CallFigures extends TableStore {
  /** All records, including calls that are older than retention. */
  readonly #calls = new CallLists(this.table, new CallRecords(this.table));

  /** Marks quarters of a day to be counted again, and returns the change that queues the count: `by`, unless an earlier one does. */
  async mark({ agentId, day }: AgentDay, quarters: Iterable<number>, by?: string): Promise<string | undefined> {
    const change = { add: { quarters: new Set(quarters) }, set: { run: null }, initial: { by } };
    const item = await this.table.change<UncountedItem>(uncountedDayKey(agentId, day), change);
    return item?.by;
  }

  /** Returns the marks of days, in the same order. */
  async getMarks(days: AgentDay[]): Promise<(UncountedDay | undefined)[]> {
    const keys = days.map(({ agentId, day }) => uncountedDayKey(agentId, day));
    const found = await this.table.getMany<UncountedItem>(keys);
    const byKey = new Map(found.map((item) => [item.pk + item.sk, item]));
    return keys.map(({ pk, sk }) => byKey.get(pk + sk));
  }

  /** Returns the marks of an agent from one day to another. */
  async marksBetween(agentId: string, from: string, to: string): Promise<(UncountedDay & { day: string })[]> {
    const query = this.table.query<UncountedItem>(uncountedDayCollection(agentId), { from, to });
    return (await Array.fromAsync(query)).map(({ sk, ...mark }) => ({ ...mark, day: sk }));
  }

  /** Begins a count of all quarters that are marked. Returns undefined when none is. */
  async begin({ agentId, day }: AgentDay): Promise<(UncountedDay & { run: string }) | undefined> {
    const run = randomUUID();
    const change = { set: { run, by: null } };
    const item = await this.table.change<UncountedItem>(uncountedDayKey(agentId, day), change, exists);
    return item && { ...item, run };
  }

  /** Removes the mark of a day, unless a quarter was marked after the count had begun. */
  async end({ agentId, day }: AgentDay, { run }: { run: string }): Promise<void> {
    await this.table.delete(uncountedDayKey(agentId, day), when`#run = ${run}`);
  }

  /** Counts the calls that started in quarters of a day. */
  async count({ agentId, day }: AgentDay, quarters: Iterable<number>): Promise<FigureRow[]> {
    const counter = new RowCounter();
    for (const { first, end } of joinQuarters(quarters)) {
      const [from, to] = [first, end].map((quarter) => `${day}T${quarterTime(quarter)}`);
      for await (const call of this.#calls.list([agentId], { from, to })) counter.add(toFigureRow(call));
    }
    return counter.rows;
  }

  async find({ agentId, day }: AgentDay): Promise<DayFigures> {
    for (let attempt = 0; attempt < maxReads; attempt++) {
      const query = this.table.query<FiguresItem>({ ...figuresCollection(agentId), prefix: day });
      const found = readDayFigures(await Array.fromAsync(query));
      if (found) return found;
      await backOff(attempt);
    }
    throw new Error('The figures of a day kept changing while they were read.');
  }

  /** Replaces unchanged figures of a day. `changed`: they have changed. `gone`: the agent was deleted. */
  async save(
    { agentId, day }: AgentDay,
    former: DayFigures,
    { rows, frozen }: { rows: FigureRow[]; frozen: number },
  ): Promise<'saved' | 'changed' | 'gone'> {
    const packed = pack(rows);
    const version = randomUUID();
    const pieces = Math.ceil(packed.length / pieceBytes);
    const [first, ...others] = Array.from({ length: pieces }, (_, piece) => ({
      ...figuresKey(agentId, day, piece),
      columns: packed.subarray(piece * pieceBytes, (piece + 1) * pieceBytes),
      version,
      ...(piece === 0 && { pieces, frozen }),
    }));
    const table = this.table;
    const failed = await table.tryTransact([
      table.putAction(first as Item, former.version === undefined ? isAbsent : when`#version = ${former.version}`),
      // Figures that are written after the agent was deleted would never be removed.
      ...(former.version === undefined ? [table.checkAction(accessKey(agentId), when`attribute_exists(uid)`)] : []),
      ...others.map((item) => table.putAction(item)),
      ...listPieces(pieces, former.pieces).map((piece) => table.deleteAction(figuresKey(agentId, day, piece))),
    ]);
    if (!failed) return 'saved';
    return failed.has(1) ? 'gone' : 'changed';
  }

  /** Reads the figures of agents from one day to another, and passes on the figures of each day in any order. */
  async read(
    agentIds: string[],
    days: string[],
    visit: (day: AgentDay, figures: DayFigures, bytes: number) => void,
  ): Promise<void> {
    // Many agents are read at once anyway.
    const size = agentIds.length > queriesInFlight ? Math.max(1, days.length) : daysPerQuery;
    const queries = agentIds.flatMap((agentId) => chunks(days, size).map((some) => ({ agentId, some })));
    await pMap(
      queries,
      async ({ agentId, some }) => {
        // Further pieces of the last day have a sort key after it.
        const range = { from: some[0], to: `${some.at(-1)}~` };
        let items: FiguresItem[] = [];
        const visitDay = async () => {
          const day = items[0] && { agentId, day: dayOfFigures(items[0].sk) };
          if (day) visit(day, readDayFigures(items) ?? (await this.find(day)), countBytes(items));
        };
        for await (const item of this.table.query<FiguresItem>(figuresCollection(agentId), range)) {
          if (items[0] && dayOfFigures(items[0].sk) !== dayOfFigures(item.sk)) {
            await visitDay();
            items = [];
          }
          items.push(item);
        }
        await visitDay();
      },
      { concurrency: queriesInFlight },
    );
  }

  /** Yields the days on which calls of an agent started, up to a moment. */
  async *daysWithCalls(agentId: string, to?: string): AsyncGenerator<string> {
    for (let from: string | undefined = '0000'; from !== undefined && (to === undefined || from < to); ) {
      const options = { from, to, limit: 1, keysOnly: true };
      const { value: entry } = await this.table.query(callCollection(agentId), options).next();
      if (!entry) return;
      const day = entry.sk.slice(0, 'yyyy-mm-dd'.length);
      yield day;
      from = dayAfter(day);
    }
  }

  /** Returns the days that have figures, or a mark. */
  async days(agentId: string): Promise<string[]> {
    const days = new Set<string>();
    for (const collection of [figuresCollection(agentId), uncountedDayCollection(agentId)])
      for await (const { sk } of this.table.query(collection, { keysOnly: true })) days.add(dayOfFigures(sk));
    return [...days];
  }

  /** Deletes the figures and marks of an agent until a time (Unix milliseconds). Returns true if none is left. */
  async removeAll(agentId: string, until = Number.POSITIVE_INFINITY): Promise<boolean> {
    const table = this.table;
    return (
      (await table.deleteAll(figuresCollection(agentId), until)) &&
      table.deleteAll(uncountedDayCollection(agentId), until)
    );
  }
}

/** Returns the figures of a day from its items; undefined when the items are not those of one version. */
const readDayFigures = (items: FiguresItem[]): DayFigures | undefined => {
  const [first] = items;
  if (!first) return { series: [], frozen: 0, pieces: 0 };
  const { version, frozen = 0, pieces } = first;
  if (items.length !== pieces || items.some((item) => item.version !== version)) return undefined;
  return { series: unpack(Buffer.concat(items.map(({ columns }) => columns))), frozen, version, pieces };
};

const countBytes = (items: FiguresItem[]) => items.reduce((sum, { columns }) => sum + columns.length, 0);

const listPieces = (first: number, end: number) =>
  Array.from({ length: Math.max(0, end - first) }, (_, index) => first + index);

/** Joins quarters that follow one another. */
const joinQuarters = (quarters: Iterable<number>): { first: number; end: number }[] => {
  const ranges: { first: number; end: number }[] = [];
  for (const quarter of [...quarters].sort((a, b) => a - b)) {
    const last = ranges.at(-1);
    if (last?.end === quarter) last.end = quarter + 1;
    else ranges.push({ first: quarter, end: quarter + 1 });
  }
  return ranges;
};

export const callFigures = /* @__PURE__ */ service(() => new CallFigures(table.get()), {
  mark: ['dynamodb:UpdateItem'],
  getMarks: ['dynamodb:BatchGetItem'],
  marksBetween: ['dynamodb:Query'],
  begin: ['dynamodb:UpdateItem'],
  end: ['dynamodb:DeleteItem'],
  count: ['dynamodb:BatchGetItem', 'dynamodb:Query'],
  find: ['dynamodb:Query'],
  save: ['dynamodb:ConditionCheckItem', 'dynamodb:DeleteItem', 'dynamodb:PutItem'],
  read: ['dynamodb:Query'],
  daysWithCalls: ['dynamodb:Query'],
  days: ['dynamodb:Query'],
  removeAll: ['dynamodb:BatchWriteItem', 'dynamodb:Query'],
});
