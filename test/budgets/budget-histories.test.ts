import { isDeepStrictEqual } from 'node:util';
import fc from 'fast-check';
import { afterEach, beforeAll, expect, vi } from 'vitest';
import { createTable } from '../../bin/local/table.ts';
import { type BudgetServices, checkBudget } from '../../functions/budgets/check-budget.ts';
import { type BudgetMark, findPeriod, type GivenBudget, showBudget } from '../../functions/domain/budgets.ts';
import { CallFigures } from '../../functions/figures/call-figures.ts';
import { recountDay } from '../../functions/figures/recount.ts';
import { toDay } from '../../functions/figures/rows.ts';
import { AgentAccess } from '../../functions/store/agents/agent-access.ts';
import { AgentChanges } from '../../functions/store/agents/agent-changes.ts';
import { ApiKeys } from '../../functions/store/api-keys.ts';
import { Calls } from '../../functions/store/calls/calls.ts';
import { userKey } from '../../functions/store/keys.ts';
import { type Item, openTable, type Table } from '../../functions/store/table.ts';
import { type UserItem, Users } from '../../functions/store/users.ts';
import { decode } from '../../functions/stream/decode.ts';
import { itInAnyHistory } from '../support/any-history.ts';
import { Death, mortal } from '../support/mortal.ts';
import { newAgentRecord } from '../support/records.ts';
import { target, unique, useOwnDatabaseInThisProcess } from '../support/world.ts';

/** Moments within a day and a month of which zones disagree, on days on which clocks change. */
const moments = ['2026-03-29T00:30:00Z', '2026-10-25T00:30:00Z', '2026-10-31T22:59:59Z'].map(Date.parse);
const zones = ['UTC', 'Europe/Berlin', 'America/New_York', 'Asia/Kathmandu', 'Pacific/Kiritimati'];
const hours = [-30, -20, -6, -1, 0, 1, 5];
const hour = 3_600_000;

const budget = fc.record({
  amount: fc.constantFrom(1, 10, 0.3),
  currency: fc.constantFrom('USD', 'EUR'),
  per: fc.constantFrom('day' as const, 'month' as const),
  timeZone: fc.constantFrom(...zones),
  action: fc.constantFrom('tell' as const, 'refuse' as const, 'refuse_outbound' as const),
});
/** The method call at which a check dies, before or after what it does. */
const death = fc.record({ at: fc.integer({ min: 0, max: 9 }), isAfter: fc.boolean() });
const callId = fc.constantFrom('a', 'b', 'c', 'd');
const agent = fc.constantFrom(0, 1);
const step = fc.oneof(
  {
    weight: 5,
    arbitrary: fc.record({
      kind: fc.constant('record' as const),
      // A call of this id keeps its start, or is moved.
      ...{ agent, callId, hour: fc.option(fc.constantFrom(...hours)), currency: fc.constantFrom('USD', 'EUR') },
      amount: fc.constantFrom(0.1, 0.2, 4, 8, 10.000001, 1e-7),
    }),
  },
  { weight: 2, arbitrary: fc.record({ kind: fc.constant('delete' as const), agent, callId }) },
  { weight: 2, arbitrary: fc.record({ kind: fc.constant('budget' as const), budget: fc.option(budget) }) },
  { weight: 5, arbitrary: fc.record({ kind: fc.constant('check' as const), death }) },
  { weight: 1, arbitrary: fc.constant({ kind: 'new key' as const }) },
  { weight: 3, arbitrary: fc.record({ kind: fc.constant('pass' as const), hours: fc.constantFrom(1, 2, 20, 25, 30) }) },
);
type Step = typeof step extends fc.Arbitrary<infer S> ? S : never;

let table: Table;
beforeAll(async () => {
  useOwnDatabaseInThisProcess();
  const name = unique('budgets');
  await createTable(name, { endpoint: target.endpoints.dynamodb });
  table = openTable(name, { endpoint: target.endpoints.dynamodb });
});

afterEach(() => void vi.useRealTimers());

type Told = { budgetId: string; period: string; share: number; spent: string; amount: number };

/** A client with two agents, the events about its budget, and its calls as a model. */
class History {
  readonly uid = unique('client');
  readonly agentIds = [unique('agent'), unique('agent')];
  readonly told: Told[] = [];
  readonly #users = new Users(table);
  readonly #figures = new CallFigures(table);
  readonly #calls = new Map<string, { startedAt: number; amount: number; currency: string }>();
  /** Since when the budget is what it is. */
  #since = Date.now();
  #before: UserItem | undefined;

  async begin(given: GivenBudget): Promise<void> {
    const maker = unique('maker');
    await table.put({ ...userKey(maker), uid: maker } as Item);
    await this.#users.createClient(maker, { uid: this.uid, budget: given });
    for (const agentId of this.agentIds)
      await new AgentChanges(table).create(newAgentRecord(this.uid, { agentId, createdAt: new Date().toISOString() }));
    await this.#newKey();
    await this.#follow();
  }

  #newKey = () => new ApiKeys(table).create(this.uid, { name: 'key' });

  async take(one: Step): Promise<void> {
    switch (one.kind) {
      case 'record': {
        const former = this.#calls.get(`${this.agentIds[one.agent]} ${one.callId}`)?.startedAt ?? Date.now();
        const startedAt = new Date(one.hour === null ? former : Date.now() + one.hour * hour).toISOString();
        const { amount, currency } = one;
        await this.#change(one, startedAt, async (agentId) => {
          const facts = { direction: 'inbound' as const, startedAt, details: { cost: { amount, currency } } };
          await new Calls(table).record(agentId, one.callId, facts);
          this.#calls.set(`${agentId} ${one.callId}`, { startedAt: Date.parse(startedAt), amount, currency });
        });
        break;
      }
      case 'delete':
        await this.#change(one, undefined, async (agentId) => {
          await new Calls(table).remove(agentId, one.callId);
          this.#calls.delete(`${agentId} ${one.callId}`);
        });
        break;
      case 'budget': {
        const { budget: former } = (await this.#users.find(this.uid)) ?? {};
        await this.#users.change(this.uid, { budget: one.budget });
        const others = { action: undefined, budgetId: undefined, since: undefined };
        if (!isDeepStrictEqual({ ...former, ...others }, { ...one.budget, ...others })) this.#since = Date.now();
        break;
      }
      case 'check':
        await this.check(one.death);
        break;
      case 'new key':
        await this.#newKey();
        break;
      case 'pass':
        vi.setSystemTime(Date.now() + one.hours * hour);
    }
    await this.#follow();
  }

  /** Changes a call, and counts the days that it has left and that it is on now. */
  async #change(
    { agent, callId }: { agent: number; callId: string },
    startedAt: string | undefined,
    change: (agentId: string) => Promise<void>,
  ): Promise<void> {
    const agentId = this.agentIds[agent] as string;
    const former = this.#calls.get(`${agentId} ${callId}`)?.startedAt;
    await change(agentId);
    for (const day of new Set([former, startedAt].flatMap((at) => (at === undefined ? [] : [toDay(at)]))))
      await recountDay({ agentId, day }, this.#figures);
  }

  /** Checks the budget, possibly with a death, after which the message comes again. */
  async check(death?: { at: number; isAfter: boolean }): Promise<void> {
    const services: BudgetServices = {
      users: this.#users,
      agentAccess: new AgentAccess(table),
      callFigures: this.#figures,
    };
    // The store of users writes several times: it dies within.
    const dying = death ? { ...mortal(services, death), users: new Users(mortal(table, death)) } : services;
    const told = this.told.length;
    const isOver = await checkBudget(this.uid, dying as BudgetServices, { waitsForCounts: false }).catch((error) => {
      if (!(error instanceof Death)) throw error;
    });
    await this.#follow();
    await this.#compareTold(this.told.slice(told), isOver !== undefined);
  }

  async #follow(): Promise<void> {
    const after = await table.get<UserItem>(userKey(this.uid));
    const change = { key: userKey(this.uid), before: this.#before, after, at: Date.now(), sequenceNumber: '1' };
    for (const what of decode(change as never))
      if (what.kind === 'userBudgetReached') this.told.push({ ...what, budgetId: after?.told?.budgetId ?? '' });
    this.#before = after;
  }

  /** Compares what a check has told with the sums of the periods since the budget was set, at most 27 hours ago. */
  async #compareTold(added: Told[], isOver: boolean): Promise<void> {
    const names = this.told.map(({ budgetId, period, share }) => `${budgetId} ${period} ${share}`);
    expect(names).toEqual([...new Set(names)]);
    for (const { share, spent, amount } of added) expect(Number(spent)).toBeGreaterThanOrEqual(share * amount);
    const user = await table.get<UserItem>(userKey(this.uid));
    if (!user?.budget) return;
    const { budget } = user;
    const since = Math.max(this.#since, Date.now() - 27 * hour);
    const moments = Array.from({ length: 28 }, (_, hours) => Math.max(since, Date.now() - hours * hour));
    const periods = new Set(moments.map((at) => namePeriod(budget, at)));
    for (const { period } of added) expect(periods).toContain(period);
    for (const period of isOver ? periods : [])
      for (const share of [0.8, 1])
        if (this.#addUp(budget, period) >= share * budget.amount * 1e6)
          expect(names).toContain(`${budget.budgetId} ${period} ${share}`);
  }

  /** Adds up what the calls of a period have cost, in millionths, call by call. */
  #addUp = (budget: GivenBudget, period: string): number =>
    [...this.#calls.values()]
      .filter(({ startedAt, currency }) => namePeriod(budget, startedAt) === period && currency === budget.currency)
      .reduce((sum, { amount }) => sum + (amount < 1e-6 ? 0 : Math.round(amount * 1e6)), 0);

  /** Compares the record and each key with the sum of the calls. */
  async compare(): Promise<void> {
    const user = await table.get<UserItem>(userKey(this.uid));
    const marks = await this.#marksOfKeys();
    if (!user?.budget) return expect(marks).toEqual(marks.map(() => undefined));
    const { budget } = user;
    const spent = this.#addUp(budget, namePeriod(budget, Date.now()));
    const shown = showBudget(user);
    expect(Number(shown?.spent) * 1e6).toBeCloseTo(spent, 3);
    const { endsAt } = findPeriod(budget, Date.now());
    const isReached = spent >= budget.amount * 1e6 && budget.action !== 'tell';
    const mark: BudgetMark = isReached ? { refuses: { action: budget.action as 'refuse', until: endsAt } } : {};
    expect(marks).toEqual(marks.map(() => mark));
  }

  async #marksOfKeys(): Promise<(BudgetMark | undefined)[]> {
    const keys = await new ApiKeys(table).list(this.uid);
    return keys.map(({ budgetMark }) => budgetMark);
  }
}

const namePeriod = ({ per, timeZone }: GivenBudget, at: number) =>
  new Intl.DateTimeFormat('sv-SE', { timeZone }).format(at).slice(0, per === 'day' ? 10 : 7);

const daily: GivenBudget = { amount: 1, currency: 'USD', per: 'day', timeZone: 'UTC', action: 'refuse' };
const record = (callId: 'a' | 'b' | 'c', hour: number): Step => ({
  ...{ kind: 'record', agent: 0, callId, hour, currency: 'USD', amount: 4 },
});
const check: Step = { kind: 'check', death: { at: 9, isAfter: true } };
/** Calls of yesterday, and of three days in any order, are recorded soon after midnight. */
const examples: [number, GivenBudget, Step[]][] = [
  [moments[0] as number, daily, [{ kind: 'pass', hours: 25 }, record('a', -20)]],
  [
    moments[0] as number,
    daily,
    [{ kind: 'pass', hours: 25 }, record('a', -6), record('b', 0), check, record('c', -30)],
  ],
];

itInAnyHistory('a share of a budget is told once a period', [8, 1000], (runs) =>
  fc.assert(
    fc.asyncProperty(
      fc.constantFrom(...moments),
      budget,
      fc.array(step, { minLength: 1, maxLength: 14 }),
      async (now, given, steps) => {
        vi.useFakeTimers({ toFake: ['Date'], now });
        const history = new History();
        await history.begin(given);
        for (const one of steps) await history.take(one);
        await history.check();
        await history.compare();
      },
    ),
    { numRuns: runs, examples },
  ),
);
