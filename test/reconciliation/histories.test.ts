import fc from 'fast-check';
import { afterAll, beforeAll, expect } from 'vitest';
import type { VoicePlatforms } from '../../bin/local/voice-platforms.ts';
import { receiveHook } from '../../functions/api/receive-hook.ts';
import { newIdentifier } from '../../functions/domain/identifiers.ts';
import { erasures } from '../../functions/erasure/erasures.ts';
import { erasePerson } from '../../functions/jobs/erase-person.ts';
import { reconciliations } from '../../functions/reconciliation/reconciliations.ts';
import { reconcileServices, runReconciliation } from '../../functions/reconciliation/run-reconciliation.ts';
import { lazyServices } from '../../functions/service.ts';
import { calls } from '../../functions/store/calls/calls.ts';
import { hashOfNumber } from '../../functions/store/erased-people.ts';
import { callCollection } from '../../functions/store/keys.ts';
import { type Item, table } from '../../functions/store/table.ts';
import { itInAnyHistory } from '../support/any-history.ts';
import { deliverMessage } from '../support/deliver-message.ts';
import { invoke } from '../support/events.ts';
import { injectFaults, noFaults, tenPercent } from '../support/faults.ts';
import { listCalls } from '../support/listed-calls.ts';
import '../support/quiet-logs.ts';
import { buildEnd, platformCall } from '../support/platform-calls.ts';
import { minute, newReconciledWorld, startPlatforms } from '../support/reconciliation.ts';
import { untilAnswered } from '../support/until.ts';
import { useTargetInThisProcess } from '../support/world.ts';

let platforms: VoicePlatforms;
beforeAll(async () => {
  useTargetInThisProcess();
  platforms = await startPlatforms();
});
afterAll(() => platforms.stop());

const names = ['a', 'b', 'c', 'd'] as const;
type Name = (typeof names)[number];
const people = ['+14155550100', '+442071838750'] as const;
/** Two calls of each person. */
const personOf: Record<Name, number> = { a: 0, b: 0, c: 1, d: 1 };

const name = fc.constantFrom(...names);
const death = fc.record({ at: fc.nat(6), isAfter: fc.boolean() });
const action = fc.oneof(
  { weight: 5, arbitrary: fc.record({ verb: fc.constant('happen' as const), name }) },
  { weight: 5, arbitrary: fc.record({ verb: fc.constant('end' as const), name, isDoubled: fc.boolean() }) },
  { weight: 5, arbitrary: fc.record({ verb: fc.constant('reconcile' as const), death }) },
  { weight: 3, arbitrary: fc.record({ verb: fc.constant('delete' as const), name }) },
  { weight: 1, arbitrary: fc.record({ verb: fc.constant('record' as const), name }) },
  { weight: 1, arbitrary: fc.record({ verb: fc.constant('erase' as const), person: fc.constantFrom(0, 1) }) },
);
type Action = typeof action extends fc.Arbitrary<infer T> ? T : never;
/** One action, or two at once. An erasure waits for no report that is under way, so that it is alone. */
const step = fc.oneof(
  { weight: 3, arbitrary: fc.tuple(action) },
  { weight: 2, arbitrary: fc.tuple(action, action).filter((pair) => !pair.some(({ verb }) => verb === 'erase')) },
);

/** What a call is: how it was recorded, and whether it was deleted, or its person erased after it began. */
type State = { recorded?: 'end' | 'reconciled' | 'own'; isDeleted?: true; isErased?: true };
type Model = Partial<Record<Name, State>>;

const apply = (before: Model, action: Action): Model => {
  const model = structuredClone(before);
  const report = (state: State | undefined, recorded: 'end' | 'reconciled') => {
    if (state && !state.recorded && !state.isDeleted && !state.isErased) state.recorded = recorded;
  };
  switch (action.verb) {
    case 'happen':
      model[action.name] ??= {};
      break;
    case 'end':
      report(model[action.name], 'end');
      break;
    case 'reconcile':
      for (const state of Object.values(model)) report(state, 'reconciled');
      break;
    case 'delete': {
      const state = model[action.name];
      if (state?.recorded) Object.assign(state, { recorded: undefined, isDeleted: true });
      break;
    }
    case 'record': {
      const state = model[action.name];
      if (state) model[action.name] = { isErased: state.isErased, recorded: 'own' };
      break;
    }
    case 'erase':
      for (const one of names) {
        if (personOf[one] !== action.person || !model[one]) continue;
        model[one] = { ...model[one], recorded: undefined, isErased: true };
      }
  }
  return model;
};

const spell = (model: Model) =>
  JSON.stringify(names.flatMap((one) => (model[one]?.recorded ? [[one, model[one].recorded]] : [])));
/** A model with what a later action depends on. */
const spellWhole = (model: Model) => JSON.stringify(names.map((one) => [one, model[one]]));

class Death extends Error {}

/** Wraps services whose process dies at the given call, before or after it has its effect. */
const mortal = (
  services: ReturnType<typeof lazyServices<typeof reconcileServices>>,
  { at, isAfter }: { at: number; isAfter: boolean },
) => {
  let count = 0;
  let isDead = false;
  const wrap = <T extends object>(object: T): T =>
    new Proxy(object, {
      get: (target, property) => {
        const method = (target as Record<PropertyKey, unknown>)[property];
        if (typeof method !== 'function') return method;
        return async (...given: unknown[]) => {
          if (isDead || (count++ === at && !isAfter)) {
            isDead = true;
            throw new Death();
          }
          const result = await method.apply(target, given);
          if (isAfter && count - 1 === at) {
            isDead = true;
            throw new Death();
          }
          return result;
        };
      },
    });
  const { reconciliations, calls } = services;
  return { ...services, reconciliations: wrap(reconciliations), calls: wrap(calls) };
};

const untilDone = <T>(work: () => Promise<T>) => untilAnswered(work, 30);

class World {
  readonly #world: Awaited<ReturnType<typeof newReconciledWorld>>;
  readonly #platform: 'vapi' | 'retell';

  constructor(world: Awaited<ReturnType<typeof newReconciledWorld>>, platform: 'vapi' | 'retell') {
    this.#world = world;
    this.#platform = platform;
  }

  find(one: Name) {
    return this.#world.account.calls.find(({ id }) => id === one);
  }

  async perform(action: Action): Promise<void> {
    const { uid, agentId, account } = this.#world;
    switch (action.verb) {
      case 'happen': {
        if (this.find(action.name)) return;
        const startedAt = Date.now();
        const call = { id: action.name, startedAt, endedAt: startedAt, other: people[personOf[action.name]] };
        account.calls.push(platformCall(this.#platform, call));
        return;
      }
      case 'end': {
        const report = () => untilDone(() => this.#reportEnd(action.name));
        await Promise.all(action.isDoubled ? [report(), report()] : [report()]);
        return;
      }
      case 'reconcile':
        return this.#reconcile(action.death);
      case 'delete':
        return void (await untilDone(() => calls.get().remove(agentId, this.#callId(action.name))));
      case 'record': {
        const call = this.find(action.name);
        if (!call) return;
        const facts = { phone: call.other, direction: 'inbound' as const, durationSeconds: 0, status: 'own' };
        const startedAt = new Date(call.startedAt ?? 0).toISOString();
        return void (await untilDone(() =>
          calls.get().record(agentId, this.#callId(action.name), { ...facts, startedAt }),
        ));
      }
      case 'erase': {
        const erasureId = newIdentifier('erasure');
        const number = people[action.person] as string;
        const numberHash = hashOfNumber(process.env.ERASURE_SECRET ?? '', uid, number);
        await untilDone(() => erasures.get().add({ uid, erasureId, number, numberHash, blockList: 'keep' }));
        await untilDone(async () => {
          if (!(await deliverMessage(erasePerson, { job: 'erasePerson', uid, erasureId })))
            throw new Error('It failed.');
        });
      }
    }
  }

  #callId(one: Name) {
    return `${this.#platform}:${one}`;
  }

  async #reportEnd(one: Name): Promise<void> {
    const call = this.find(one);
    if (!call) return;
    const { uid, agentId, apiKey } = this.#world;
    const { status } = await invoke(receiveHook, {
      ...{ params: { platform: this.#platform }, query: { uid, agentId }, apiKey },
      body: buildEnd(this.#platform, call),
    });
    // The platform sends it again.
    if (status !== 200) throw new Error(`It responded ${status}.`);
  }

  /** Begins a reconciliation whose first run dies, and continues it until it ends. */
  async #reconcile(death: { at: number; isAfter: boolean }): Promise<void> {
    const { agentId, begin, find } = this.#world;
    const services = lazyServices(reconcileServices);
    const to = Date.now() + 1;
    // Two at once: the second one finds the first in progress.
    const reconciliationId = await untilDone(() => begin({ to })).catch(() => undefined);
    if (reconciliationId === undefined) return this.#reconcile(death);
    let isFirst = true;
    for (;;) {
      try {
        const found = await reconciliations.get().find(agentId, reconciliationId);
        const rest = await runReconciliation(found, Date.now() + minute, isFirst ? mortal(services, death) : services);
        if (!rest) break;
      } catch {
        // Its message is delivered again.
      }
      isFirst = false;
    }
    const { status, listed, known, recovered, completed, skipped } = await untilDone(() => find(reconciliationId));
    expect([status, listed]).toEqual(['done', known + recovered + completed + skipped]);
  }

  /** Returns the calls that are recorded, as a model spells them. Throws if an entry has no call. */
  async read(): Promise<string> {
    const { agentId } = this.#world;
    const found = await listCalls(agentId);
    const model: Model = {};
    for (const { callId, status, details } of found) {
      const one = callId.split(':')[1] as Name;
      expect(model[one]).toBeUndefined();
      const by = status === 'own' ? 'own' : details?.source === 'reconciled' ? 'reconciled' : 'end';
      model[one] = { recorded: by };
    }
    const entries = await Array.fromAsync(table.get().query<Item & { ttlSeconds?: number }>(callCollection(agentId)));
    expect(entries.filter(({ ttlSeconds }) => ttlSeconds === undefined)).toHaveLength(found.length);
    return spell(model);
  }
}

/** Waits until the clock has moved: what begins later is later. */
const tick = async () => {
  const before = Date.now();
  while (Date.now() === before) await new Promise((resolve) => setImmediate(resolve));
};

itInAnyHistory(
  'ends, doubled ends, comparisons that die, deletions and erasures leave the calls that a model has',
  [6, 150],
  (numRuns) =>
    fc.assert(
      fc.asyncProperty(
        fc.array(step, { minLength: 3, maxLength: 10 }),
        fc.constantFrom('vapi' as const, 'retell' as const),
        fc.integer(),
        async (history, platform, seed) => {
          noFaults();
          const world = new World(await newReconciledWorld(platforms, platform), platform);
          injectFaults(tenPercent(seed));
          let possible = new Map([['', {} as Model]]);
          for (const actions of history as Action[][]) {
            await tick();
            await Promise.all(actions.map((one) => world.perform(one)));
            const orders = actions.length === 1 ? [actions] : [actions, actions.toReversed()];
            possible = new Map(
              [...possible.values()].flatMap((model) =>
                orders.map((order) => {
                  const after = order.reduce(apply, model);
                  return [spellWhole(after), after] as const;
                }),
              ),
            );
            noFaults();
            const actual = await world.read();
            possible = new Map([...possible].filter(([, model]) => spell(model) === actual));
            if (possible.size === 0) throw new Error(`No order of ${JSON.stringify(actions)} leaves ${actual}.`);
            injectFaults(tenPercent(seed + possible.size));
          }
        },
      ),
      { numRuns, endOnFailure: true },
    ),
);
