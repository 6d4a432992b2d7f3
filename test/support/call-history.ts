import { isDeepStrictEqual } from 'node:util';
import fc from 'fast-check';
import { createTable } from '../../bin/local/table.ts';
import type { FiguresQuery } from '../../functions/domain/call-figures.ts';
import type { JobMessage } from '../../functions/domain/job-messages.ts';
import { CallFigures } from '../../functions/figures/call-figures.ts';
import { type Marking, markDays } from '../../functions/figures/mark-days.ts';
import { countDay, freeze } from '../../functions/figures/recount.ts';
import { findQuarterStart } from '../../functions/figures/rows.ts';
import { Summary } from '../../functions/figures/summary.ts';
import { AgentChanges } from '../../functions/store/agents/agent-changes.ts';
import { Calls } from '../../functions/store/calls/calls.ts';
import { Credentials } from '../../functions/store/credentials.ts';
import { callKey } from '../../functions/store/keys.ts';
import { type Item, openTable, type Table } from '../../functions/store/table.ts';
import { FailedChanges, type TableChange } from '../../functions/store/table-changes.ts';
import { readChange } from '../../functions/stream/follow-changes.ts';
import { Death, mortal } from './mortal.ts';
import { newAgentRecord } from './records.ts';
import { type CallRow, type FiguresByName, recount } from './recount.ts';
import { target, unique, useOwnDatabaseInThisProcess } from './world.ts';

/** Days on which clocks change, and one that Apia has not had. */
const ranges = {
  'America/New_York': ['2026-03-07', '2026-03-10'],
  'Europe/Berlin': ['2026-10-24', '2026-10-27'],
  'Asia/Kathmandu': ['2026-10-24', '2026-10-27'],
  'Australia/Lord_Howe': ['2026-04-04', '2026-04-07'],
  'Pacific/Apia': ['2011-12-29', '2012-01-01'],
  UTC: ['2026-03-07', '2026-03-10'],
} as const;

export const starts = [
  ...[
    '2026-03-08T04:59:59.999Z',
    '2026-03-08T05:00:00Z',
    '2026-03-08T06:59:00Z',
    '2026-03-08T07:00:00Z',
    '2026-03-09T03:59:59Z',
  ],
  ...[
    '2026-10-24T22:00:00Z',
    '2026-10-25T00:30:00Z',
    '2026-10-25T01:30:00Z',
    '2026-10-25T18:14:59Z',
    '2026-10-25T18:15:00Z',
  ],
  ...[
    '2026-04-04T14:29:00Z',
    '2026-04-04T14:45:00Z',
    '2026-04-04T15:00:00Z',
    '2026-04-04T15:29:59Z',
    '2026-04-04T15:30:00Z',
  ],
  ...['2011-12-30T09:59:59.999Z', '2011-12-30T10:00:00Z', '2011-12-31T10:00:00Z'],
].map((start) => new Date(start).toISOString());

const phones = ['+14155550141', '+14155550142'];
export const callIds = ['a', 'b', 'c', 'd', 'e', 'f'];
const outcome = fc.record({
  custom_call_outcome: fc.constantFrom('booked', '=1+1', '', undefined),
  custom_call_outcome_value: fc.constantFrom(0.1, 0.2, -149.5, 1e300, 1e-7, 999_999_999_999.999, 0, undefined),
  heldOutcome: fc.constantFrom({ custom_call_outcome: 'booked', causes: ['too_short'] }, undefined),
});
const details = fc.constantFrom(
  ...[0.1, 0.2, 0, 1e-7, 999_999_999_999.999, 1e12, -0.1, '0.1'].map((amount) => ({
    cost: { amount, currency: 'USD' },
  })),
  ...['EUR', 'credits', 'usd', 'EURO', null].map((currency) => ({ cost: { amount: 4500, currency } })),
  ...[{ cost: null }, { cost: 0.1 }, { cost: [] }, {}, undefined],
);
const callId = fc.constantFrom(...callIds);
/** The method call at which a run dies, before or after what it does; none of so many. */
export const death = fc.record({ at: fc.integer({ min: 0, max: 9 }), isAfter: fc.boolean() });

export const step = fc.oneof(
  {
    weight: 6,
    arbitrary: fc.record({
      kind: fc.constant('record' as const),
      callId,
      facts: fc.record({
        startedAt: fc.constantFrom(...starts),
        phone: fc.constantFrom(...phones),
        direction: fc.constantFrom('inbound' as const, 'outbound' as const),
        status: fc.constantFrom('completed', undefined),
        durationSeconds: fc.constantFrom(0.1, 0.2, 60, undefined),
        details,
      }),
    }),
  },
  { weight: 3, arbitrary: fc.record({ kind: fc.constant('set' as const), callId, outcome }) },
  { weight: 2, arbitrary: fc.record({ kind: fc.constant('bulk' as const), callIds: fc.subarray(callIds), outcome }) },
  { weight: 2, arbitrary: fc.record({ kind: fc.constant('delete' as const), callId }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('erase' as const), phone: fc.constantFrom(...phones) }) },
  {
    weight: 1,
    arbitrary: fc.record({ kind: fc.constant('retain' as const), before: fc.constantFrom(...starts), death }),
  },
  {
    weight: 8,
    arbitrary: fc.record({
      kind: fc.constant('read' as const),
      count: fc.integer({ min: 1, max: 6 }),
      how: fc.constantFrom('once' as const, 'again' as const, 'cut' as const),
      death,
    }),
  },
  { weight: 6, arbitrary: fc.record({ kind: fc.constant('count' as const), death }) },
  { weight: 3, arbitrary: fc.constant({ kind: 'stall' as const }) },
  { weight: 3, arbitrary: fc.constant({ kind: 'go on' as const }) },
);
export type Step = typeof step extends fc.Arbitrary<infer S> ? S : never;

/** Opens a table of its own for histories. */
export const openHistoryTable = async (): Promise<Table> => {
  useOwnDatabaseInThisProcess();
  const name = unique('figures');
  await createTable(name, { endpoint: target.endpoints.dynamodb });
  return openTable(name, { endpoint: target.endpoints.dynamodb });
};

/** Returns the first change whose marks were not written. */
const markChanges = async (changes: TableChange[], services: Marking): Promise<TableChange | undefined> => {
  const failures = new FailedChanges();
  await markDays(changes.map(readChange), services, failures);
  return changes.find((change) => failures.has(change));
};

/** An agent's calls and figures, with changes that were not read and messages that were not handled. */
export class History {
  readonly agentId = unique('agent');
  readonly table: Table;
  readonly figures: CallFigures;
  readonly calls: Calls;
  readonly credentials: Credentials;
  /** Called after a day was counted. */
  readonly onCounted: ((day: string) => Promise<unknown>) | undefined;
  readonly messages: JobMessage<'countCalls'>[] = [];
  /** A count that has read the calls and has not written the figures. */
  stalled: { goOn: () => void; ended: Promise<unknown> } | undefined;
  #records = new Map<string, Item>();
  #unread: TableChange[] = [];
  #sequence = 0;
  /** The calls that retention deleted, and the moment of each day before which calls count no more. */
  #kept: CallRow[] = [];
  #frozen = new Map<string, string>();

  constructor(table: Table, onCounted?: (day: string) => Promise<unknown>) {
    this.table = table;
    this.figures = new CallFigures(table);
    this.calls = new Calls(table);
    this.credentials = new Credentials(table);
    this.onCounted = onCounted;
  }

  async begin(): Promise<void> {
    const { agentId } = this;
    await new AgentChanges(this.table).create(newAgentRecord('user', { agentId, createdAt: new Date().toISOString() }));
  }

  async take(step: Step): Promise<void> {
    const { agentId, calls } = this;
    const setOutcome = (callId: string, outcome: object) => ({
      ...{ agentId, reference: { callId } },
      change: (call: object) => ({ ...call, ...outcome }) as never,
    });
    switch (step.kind) {
      case 'record':
        await calls.record(agentId, step.callId, step.facts);
        break;
      case 'set':
        await calls.setOutcome(setOutcome(step.callId, step.outcome));
        break;
      case 'bulk':
        await calls.setOutcomes(
          step.callIds.map((callId) => setOutcome(callId, step.outcome)),
          Date.now() + 60_000,
        );
        break;
      case 'delete':
        await calls.remove(agentId, step.callId);
        break;
      case 'erase':
        await calls.erase(agentId, step.phone, { until: Number.POSITIVE_INFINITY, alongside: () => [] });
        break;
      case 'retain':
        await this.#retain(findQuarterStart(step.before), step.death);
        break;
      case 'read':
        await this.#read(step.count, step.how, step.death);
        break;
      case 'count':
        await this.#count(step.death);
        break;
      case 'stall':
        await this.#stall();
        break;
      case 'go on':
        await this.goOn();
        break;
    }
    await this.#noteChanges();
  }

  /** Notes what has changed, as the stream does. */
  async #noteChanges(): Promise<void> {
    const found = await this.#readItems();
    for (const callId of callIds) {
      const key = callKey(this.agentId, callId);
      const [before, after] = [this.#records.get(callId), found.get(key.pk)];
      if (isDeepStrictEqual(before, after)) continue;
      this.#unread.push({ key, before, after, at: Date.now(), sequenceNumber: String(++this.#sequence) });
      if (after) this.#records.set(callId, after);
      else this.#records.delete(callId);
    }
  }

  /** The reader reads changes in order, again from the first one that failed. A batch may come twice, or be cut in two. */
  async #read(count: number, how: 'once' | 'again' | 'cut', death: { at: number; isAfter: boolean }): Promise<void> {
    const batch = this.#unread.slice(0, count);
    const jobQueue = { send: async (message: JobMessage<'countCalls'>) => void this.messages.push(message) };
    const services = { callFigures: this.figures, credentials: this.credentials, jobQueue };
    if (how === 'again') await markChanges(batch, services);
    const parts = how === 'cut' ? [batch.slice(0, count >> 1), batch.slice(count >> 1)] : [batch];
    if (how === 'cut') await markChanges(batch, mortal(services, { ...death, at: Math.min(death.at, 3) }));
    for (const part of parts) {
      const failed = await markChanges(part, mortal(services, death));
      this.#unread = this.#unread.slice(failed ? part.indexOf(failed) : part.length);
      if (failed) return;
    }
  }

  async #count(death: { at: number; isAfter: boolean }): Promise<void> {
    const message = this.messages.shift();
    if (!message) return;
    try {
      await countDay(message, mortal(this.figures, death));
      await this.onCounted?.(message.day);
    } catch (error) {
      if (!(error instanceof Death)) throw error;
      this.messages.push(message);
    }
  }

  /** Begins a count that stops between its reads and its write. */
  async #stall(): Promise<void> {
    const message = this.messages.shift();
    if (!message || this.stalled) return void (message && this.messages.push(message));
    const gate = Promise.withResolvers<void>();
    const hasRead = Promise.withResolvers<void>();
    const figures = new Proxy(this.figures, {
      get: (object, name) =>
        name === 'save'
          ? async (...args: Parameters<CallFigures['save']>) => {
              hasRead.resolve();
              await gate.promise;
              return object.save(...args);
            }
          : (object[name as keyof CallFigures] as unknown as () => void).bind(object),
    });
    const ended = countDay(message, figures).then(() => this.onCounted?.(message.day));
    this.stalled = { goOn: () => gate.resolve(), ended };
    await Promise.race([hasRead.promise, ended]);
  }

  async goOn(): Promise<void> {
    this.stalled?.goOn();
    await this.stalled?.ended;
    this.stalled = undefined;
  }

  /** The daily job freezes figures, then deletes calls; where it dies, the next one begins again. */
  async #retain(before: string, death: { at: number; isAfter: boolean }): Promise<void> {
    const { agentId, figures, calls } = this;
    const expire = async (services: CallFigures) => {
      await freeze(agentId, before, Number.POSITIVE_INFINITY, services);
      await calls.removeAll(agentId, { before, until: Number.POSITIVE_INFINITY });
    };
    const old = (await this.#stored()).filter(({ startedAt }) => startedAt < before);
    await expire(mortal(figures, death)).catch((error) => {
      if (!(error instanceof Death)) throw error;
      return expire(figures);
    });
    for (const call of old) {
      const day = call.startedAt.slice(0, 10);
      const frozen = this.#frozen.get(day) ?? day;
      if (call.startedAt >= frozen) this.#kept.push(call);
    }
    for (const { startedAt } of old) {
      const day = startedAt.slice(0, 10);
      const end = before.startsWith(day) ? before : `${day}T24`;
      if (end > (this.#frozen.get(day) ?? day)) this.#frozen.set(day, end);
    }
  }

  async #stored(): Promise<CallRow[]> {
    return [...(await this.#readItems()).values()].flatMap((item) =>
      !('deletedAt' in item) ? [readRow(item as Item & { startedAt: string; outcome?: string; details?: string })] : [],
    );
  }

  /** Reads the items of all calls, by partition key. */
  async #readItems(): Promise<Map<string, Item>> {
    const items = await this.table.getMany(callIds.map((callId) => callKey(this.agentId, callId)));
    return new Map(items.sort((one, other) => (one.pk < other.pk ? -1 : 1)).map((item) => [item.pk, item]));
  }

  /** Reads and counts everything that remains. */
  async end(): Promise<void> {
    await this.goOn();
    await this.#noteChanges();
    await this.#read(Number.POSITIVE_INFINITY, 'once', { at: Number.POSITIVE_INFINITY, isAfter: false });
    while (this.messages.length > 0) await this.#count({ at: Number.POSITIVE_INFINITY, isAfter: false });
  }

  /** True when the figures must be exact: no change is unread, and no day is marked. */
  async isExact(): Promise<boolean> {
    return this.#unread.length === 0 && (await this.figures.marksBetween(this.agentId, '0', '9')).length === 0;
  }

  /** Returns the figures of all time zones, as the service adds them up and as they are recounted. */
  async compare(): Promise<{ figures: FiguresByName; recounted: FiguresByName }[]> {
    const calls = [
      ...this.#kept,
      ...(await this.#stored()).filter(
        (call) => call.startedAt >= (this.#frozen.get(call.startedAt.slice(0, 10)) ?? ''),
      ),
    ];
    const all = [];
    for (const [timeZone, [from, to]] of Object.entries(ranges)) {
      const query: FiguresQuery = { from, to, timeZone, by: { unit: 'hour', group: 'outcome' } };
      const summary = new Summary(query);
      await this.figures.read([this.agentId], summary.days, (day, figures, bytes) => summary.add(day, figures, bytes));
      all.push({ figures: byName(summary), recounted: recount(calls, { from, to, timeZone }) });
    }
    return all;
  }
}

const readRow = ({
  outcome = '{}',
  details = '{}',
  ...item
}: Item & { startedAt: string; outcome?: string; details?: string }): CallRow => ({
  ...item,
  ...JSON.parse(outcome),
  details: JSON.parse(details),
});

const byName = (summary: Summary): FiguresByName =>
  Object.fromEntries(
    summary
      .result()
      .rows.filter(({ calls }) => calls > 0)
      // An hour that a change of the clock cuts short begins within it.
      .map(({ hour = '', outcome, ...sums }) => [
        `${hour.replace(/:\d\d:00/, ':00:00')} ${JSON.stringify(outcome)}`,
        sums,
      ]),
  );
