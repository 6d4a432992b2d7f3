import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { parquetReadObjects } from 'hyparquet';
import { beforeAll, expect, onTestFinished } from 'vitest';
import * as z from 'zod/mini';
import { openLake, writeLakeFile } from '../../bin/sql/open-lake.ts';
import type { StoredCallExport } from '../../functions/call-exports/call-exports.ts';
import { runExport } from '../../functions/call-exports/run-export.ts';
import { exportFiles, files, lakeFiles } from '../../functions/clients/files.ts';
import { hashingSecret } from '../../functions/clients/secrets.ts';
import { Call } from '../../functions/domain/calls.ts';
import { newIdentifier } from '../../functions/domain/identifiers.ts';
import { isMonth, type LakePeriod, lakeFileKey, toMonth } from '../../functions/domain/lake.ts';
import { Summary } from '../../functions/figures/summary.ts';
import { LakeDays } from '../../functions/lake/lake-days.ts';
import { writeLakePeriod } from '../../functions/lake/write-period.ts';
import { AgentAccess } from '../../functions/store/agents/agent-access.ts';
import { CallLists } from '../../functions/store/calls/call-lists.ts';
import { CallRecords } from '../../functions/store/calls/call-records.ts';
import { Exports } from '../../functions/store/exports.ts';
import type { Table } from '../../functions/store/table.ts';
import { itInAnyHistory } from '../support/any-history.ts';
import { death, History, openHistoryTable, starts, step } from '../support/call-history.ts';
import { Death, mortal } from '../support/mortal.ts';

let table: Table;
beforeAll(async () => {
  table = await openHistoryTable();
});

/** The days and months of the calls of histories. */
const days = [...new Set(starts.map((start) => start.slice(0, 10)))];
const months = [...new Set(days.map(toMonth))].sort();
/** The owner of the agents of histories. */
const owner = 'user';
const never = { at: Number.POSITIVE_INFINITY, isAfter: false };

const lakeStep = fc.oneof(
  // Figures keep what retention deletes, and the lake does not.
  { weight: 6, arbitrary: step.filter(({ kind }) => kind !== 'retain') },
  { weight: 2, arbitrary: fc.record({ kind: fc.constant('write' as const), death }) },
  {
    weight: 1,
    arbitrary: fc.record({ kind: fc.constant('compact' as const), month: fc.constantFrom(...months), death }),
  },
);
type LakeStep = typeof lakeStep extends fc.Arbitrary<infer S> ? S : never;

/** A history whose counts are followed by writes of the lake. */
class LakeHistory {
  readonly #noted: string[] = [];
  readonly history = new History(table, async (day) => {
    const noted = await new LakeDays(table).note({ agentId: this.history.agentId, day });
    if (noted) this.#noted.push(day);
  });
  readonly #lists = new CallLists(table, new CallRecords(table, undefined));
  readonly services = {
    lakeDays: new LakeDays(table),
    lakeFiles: lakeFiles.get(),
    callFigures: this.history.figures,
    callLists: this.#lists,
    agentAccess: new AgentAccess(table),
    secret: hashingSecret.get(),
  };

  async take(one: LakeStep): Promise<void> {
    if (one.kind === 'write') await this.#write(this.#noted.shift(), one.death);
    else if (one.kind === 'compact') await this.#write(one.month, one.death);
    else await this.history.take(one);
  }

  /** Handles a message about a period. A run that dies leaves it in the queue. */
  async #write(day: string | undefined, death: { at: number; isAfter: boolean }): Promise<void> {
    if (day === undefined) return;
    const period = { uid: owner, agentId: this.history.agentId, day };
    const next = await writeLakePeriod(period, mortal(this.services, death)).catch((error) => {
      if (!(error instanceof Death)) throw error;
      return { day };
    });
    if (next) this.#noted.push(next.day);
  }

  /** Counts and writes everything that is left. */
  async end(): Promise<void> {
    await this.history.end();
    for (let written = 0; this.#noted.length > 0; written++) {
      if (written > 200) throw new Error('The lake is never written whole.');
      await this.#write(this.#noted.shift(), never);
    }
  }

  /** Returns the files of the lake that are there. */
  async readFiles(): Promise<(LakePeriod & { key: string; bytes: Uint8Array })[]> {
    const { agentId } = this.history;
    const found = await Promise.all(
      [...months, ...days].map(async (day) => {
        const key = lakeFileKey({ uid: owner, agentId, day });
        const file = await files.get().read(key, 1e7);
        return file && 'bytes' in file ? [{ agentId, day, key, bytes: file.bytes }] : [];
      }),
    );
    return found.flat();
  }

  /** Returns the sums of /call-figures by day. */
  async readFigures(): Promise<Sums[]> {
    const rows = await Promise.all(
      months.map(async (month) => {
        const to = monthAfter(month);
        const summary = new Summary({ from: `${month}-01`, to, timeZone: 'UTC', by: { unit: 'day' } });
        await this.history.figures.read([this.history.agentId], summary.days, (day, found, bytes) =>
          summary.add(day, found, bytes),
        );
        return summary.result().rows;
      }),
    );
    return rows
      .flat()
      .filter(({ calls }) => calls > 0)
      .map(({ day = '', calls, durationSeconds, value, cost }) => ({
        ...{ day, calls, seconds: durationSeconds.toFixed(6), value: Number(value).toFixed(6) },
        ...{ usd: Number(cost.USD ?? 0).toFixed(6), eur: Number(cost.EUR ?? 0).toFixed(6) },
      }));
  }

  /** Returns the calls as GET /calls does, in the order of an export. */
  async readList(): Promise<Call[]> {
    const { calls } = await this.#lists.page('calls', [this.history.agentId], { limit: 100 });
    return calls.map((call) => z.parse(Call, call)).toReversed();
  }

  async readExport(): Promise<object[]> {
    const exports = new Exports<StoredCallExport>(table, 'CALL');
    const agentAccess = new AgentAccess(table);
    const services = { agentAccess, callLists: this.#lists, callExports: exports, exportFiles: exportFiles.get() };
    const lines: object[] = [];
    for (const year of ['2011', '2026']) {
      const reference = { uid: owner, exportId: newIdentifier('export') };
      const range = { from: `${year}-01-01`, to: `${Number(year) + 1}-01-01` };
      await exports.add({ ...reference, ...range, agentIds: [this.history.agentId], format: 'jsonl' });
      await runExport(reference, Date.now() + 60_000, services);
      for (const { key } of (await exports.find(owner, reference.exportId))?.files ?? []) {
        const file = await files.get().read(key, 1e7);
        const text = file && 'bytes' in file ? Buffer.from(file.bytes).toString() : '';
        lines.push(
          ...text
            .split('\n')
            .filter(Boolean)
            .map((line) => JSON.parse(line)),
        );
      }
    }
    return lines;
  }
}

const monthAfter = (month: string): string => {
  const [year = 0, number = 0] = month.split('-').map(Number);
  return new Date(Date.UTC(year, number, 1)).toISOString().slice(0, 10);
};

type Sums = { day: string; calls: number; seconds: string; value: string; usd: string; eur: string };

/** Returns the sums that `npm run sql` returns, with DuckDB. */
const selectSums = async (found: { key: string; bytes: Uint8Array }[]): Promise<Sums[]> => {
  const folder = mkdtempSync(join(tmpdir(), 'voice-agent-lake-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  for (const { key, bytes } of found) writeLakeFile(folder, key, bytes);
  const connection = await openLake(folder);
  const sql = `select cast(day as varchar) as day, count(*) as calls, sum(round(duration_seconds, 6)) as seconds,
    sum(outcome_value) as value, sum(cost) filter (where cost_currency = 'USD') as usd,
    sum(cost) filter (where cost_currency = 'EUR') as eur from calls group by 1 order by 1`;
  const rows = (await connection.runAndReadAll(sql)).getRowObjectsJson();
  return rows.map(({ day, calls, seconds, value, usd, eur }) => ({
    ...{ day: String(day), calls: Number(calls), seconds: Number(seconds).toFixed(6) },
    ...{ value: Number(value).toFixed(6), usd: Number(usd).toFixed(6), eur: Number(eur).toFixed(6) },
  }));
};

type Row = {
  started_at: Date;
  duration_seconds?: number;
  outcome_value?: number;
  cost?: number;
  cost_currency?: string;
};

/** Returns the ids of the calls in files, also of those that a query leaves out. */
const listIds = async (found: { bytes: Uint8Array }[]): Promise<unknown[]> => {
  const rows = await Promise.all(
    found.map(({ bytes }) => parquetReadObjects({ file: Uint8Array.from(bytes).buffer, columns: ['call_id'] })),
  );
  return rows.flat().map(({ call_id }) => call_id);
};

/** Adds up the rows of files as the view does: a file of a month takes the place of those of its days. */
const addUp = async (found: (LakePeriod & { bytes: Uint8Array })[]): Promise<Sums[]> => {
  const isHidden = (day: string) => !isMonth(day) && found.some((other) => other.day === toMonth(day));
  const shown = found.filter(({ day }) => !isHidden(day));
  const rows = await Promise.all(
    shown.map(({ bytes }) => parquetReadObjects({ file: Uint8Array.from(bytes).buffer }) as Promise<Row[]>),
  );
  const days = Map.groupBy(rows.flat(), ({ started_at }) => started_at.toISOString().slice(0, 10));
  return [...days]
    .map(([day, some]) => {
      const sum = (read: (row: Row) => number | undefined) =>
        some.reduce((total, row) => total + (read(row) ?? 0), 0).toFixed(6);
      const costs = (currency: string) => sum((row) => (row.cost_currency === currency ? row.cost : 0));
      return {
        ...{ day, calls: some.length, seconds: sum((row) => row.duration_seconds) },
        ...{ value: sum((row) => row.outcome_value), usd: costs('USD'), eur: costs('EUR') },
      };
    })
    .sort((one, other) => (one.day < other.day ? -1 : 1));
};

itInAnyHistory(
  'the lake has the sums of call figures and an export the calls of their list, after any corrections, deletions, erasures, kills and compactions',
  [1, 60],
  async (runs) => {
    const sumsOf = runs > 10 ? selectSums : addUp;
    await fc.assert(
      fc.asyncProperty(fc.array(lakeStep, { minLength: 10, maxLength: 50 }), async (steps) => {
        const lake = new LakeHistory();
        await lake.history.begin();
        for (const one of steps) await lake.take(one);
        await lake.end();
        const found = await lake.readFiles();
        expect(await sumsOf(found)).toEqual(await lake.readFigures());
        // Nothing is left of the days of a compacted month.
        const compacted = found.filter(({ day }) => isMonth(day)).map(({ day }) => day);
        const single = found.filter(({ day }) => !isMonth(day));
        expect(single.filter(({ day }) => compacted.includes(toMonth(day)))).toEqual([]);
        const list = await lake.readList();
        expect(await lake.readExport()).toEqual(list);
        // No file has a call that was deleted or erased.
        expect((await listIds(found)).sort()).toEqual(list.map(({ callId }) => callId).sort());
      }),
      { numRuns: runs, endOnFailure: true, ...(process.env.SEED && { seed: Number(process.env.SEED) }) },
    );
  },
);
