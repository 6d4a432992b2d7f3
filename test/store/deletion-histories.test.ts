import { randomUUID } from 'node:crypto';
import fc from 'fast-check';
import { beforeAll, expect } from 'vitest';
import { newIdentifier } from '../../functions/domain/identifiers.ts';
import { erasures } from '../../functions/erasure/erasures.ts';
import { erasePerson } from '../../functions/jobs/erase-person.ts';
import { finishDeletion } from '../../functions/jobs/finish-deletion.ts';
import type { AnyQueueJob } from '../../functions/jobs/job.ts';
import { agentChanges } from '../../functions/store/agents/agent-changes.ts';
import { agentDeletions } from '../../functions/store/agents/agent-deletions.ts';
import { agentSharing } from '../../functions/store/agents/agent-sharing.ts';
import { agents } from '../../functions/store/agents/agents.ts';
import { blockList } from '../../functions/store/block-list/block-list.ts';
import { BlockListPages } from '../../functions/store/block-list/block-list-pages.ts';
import { calls } from '../../functions/store/calls/calls.ts';
import {
  accessKey,
  type BlockListOwner,
  blockedNumberKey,
  callCollection,
  callKey,
  itemsOfAgent,
  phoneCallCollection,
} from '../../functions/store/keys.ts';
import { type Item, table } from '../../functions/store/table.ts';
import { users } from '../../functions/store/users.ts';
import { itInAnyHistory } from '../support/any-history.ts';
import { deliverMessage } from '../support/deliver-message.ts';
import { injectFaults, noFaults, tenPercent } from '../support/faults.ts';
import { listCalls } from '../support/listed-calls.ts';
import { newAgentRecord } from '../support/records.ts';
import { untilAnswered } from '../support/until.ts';
import { useTargetInThisProcess } from '../support/world.ts';

beforeAll(useTargetInThisProcess);

const numbers = ['+14155550100', '+442071838750'];
const startedAt = '2026-03-01T10:00:00.000Z';
/** Two agents of one user, and one of another user, who may also use the first. */
const agentNames = ['one', 'two', 'foreign'] as const;
type AgentName = (typeof agentNames)[number];
type UserName = 'owner' | 'guest';
const ownerOf: Record<AgentName, UserName> = { one: 'owner', two: 'owner', foreign: 'guest' };

const agent = fc.constantFrom(...agentNames);
const user = fc.constantFrom('owner' as const, 'guest' as const);
const list = fc.oneof(fc.record({ agent }), fc.record({ user }));
const number = fc.constantFrom(...numbers);
const callId = fc.constantFrom('a', 'b', 'c');
const action = fc.oneof(
  {
    weight: 6,
    arbitrary: fc.record({ verb: fc.constant('record' as const), agent, callId, phone: fc.option(number) }),
  },
  { weight: 2, arbitrary: fc.record({ verb: fc.constant('delete call' as const), agent, callId }) },
  { weight: 2, arbitrary: fc.record({ verb: fc.constant('set outcome' as const), agent, callId }) },
  {
    weight: 4,
    arbitrary: fc.record({ verb: fc.constant('block' as const), list, number, reason: fc.option(fc.constant('spam')) }),
  },
  { weight: 2, arbitrary: fc.record({ verb: fc.constant('unblock' as const), list, number }) },
  { weight: 1, arbitrary: fc.record({ verb: fc.constant('delete agent' as const), agent, by: user }) },
  {
    weight: 3,
    arbitrary: fc.record({
      verb: fc.constant('erase' as const),
      user,
      number,
      mode: fc.constantFrom('keep' as const, 'remove' as const),
    }),
  },
);
type Action = typeof action extends fc.Arbitrary<infer T> ? T : never;
/** One action, or two callers at once. */
const step = fc.oneof({ weight: 3, arbitrary: fc.tuple(action) }, { weight: 1, arbitrary: fc.tuple(action, action) });

/** The expected state: calls by agent and id, entries by list and number. */
type Model = {
  deleted: AgentName[];
  calls: Record<string, { phone: string | null; outcome: boolean }>;
  entries: Record<string, string | null>;
};
type List = { agent: AgentName } | { user: UserName };
const pickName = (of: List) => ('agent' in of ? of.agent : of.user);

const apply = (before: Model, action: Action): Model => {
  const model = structuredClone(before);
  const isGone = (name: string) => (model.deleted as string[]).includes(name);
  switch (action.verb) {
    case 'record': {
      const key = `${action.agent} ${action.callId}`;
      if (!isGone(action.agent)) model.calls[key] = { outcome: false, ...model.calls[key], phone: action.phone };
      break;
    }
    case 'delete call':
      delete model.calls[`${action.agent} ${action.callId}`];
      break;
    case 'set outcome': {
      const call = model.calls[`${action.agent} ${action.callId}`];
      if (call) call.outcome = true;
      break;
    }
    case 'block': {
      const name = pickName(action.list as List);
      if (!isGone(name)) model.entries[`${name} ${action.number}`] ??= action.reason ?? '';
      break;
    }
    case 'unblock':
      delete model.entries[`${pickName(action.list as List)} ${action.number}`];
      break;
    case 'delete agent': {
      if (ownerOf[action.agent] !== action.by) break;
      if (!isGone(action.agent)) model.deleted = [...model.deleted, action.agent].sort();
      const isOthers = ([key]: [string, unknown]) => !key.startsWith(`${action.agent} `);
      model.calls = Object.fromEntries(Object.entries(model.calls).filter(isOthers));
      model.entries = Object.fromEntries(Object.entries(model.entries).filter(isOthers));
      break;
    }
    case 'erase': {
      const isOwned = (key: string) => {
        const name = key.split(' ')[0] as string;
        return name === action.user || ownerOf[name as AgentName] === action.user;
      };
      for (const [key, { phone }] of Object.entries(model.calls)) {
        if (isOwned(key) && phone === action.number) delete model.calls[key];
      }
      for (const key of Object.keys(model.entries)) {
        if (!isOwned(key) || !key.endsWith(` ${action.number}`)) continue;
        if (action.mode === 'remove') delete model.entries[key];
        else model.entries[key] = '';
      }
    }
  }
  return model;
};

/** A state in one spelling, so that two can be compared. */
const spell = ({ deleted, calls, entries }: Model) =>
  JSON.stringify([deleted, Object.entries(calls).sort(), Object.entries(entries).sort()]);

const untilDone = <T>(work: () => Promise<T>) => untilAnswered(work, 30);

const deliver = async (job: AnyQueueJob, message: object): Promise<void> => {
  if (!(await deliverMessage(job, message))) throw new Error('It failed.');
};

/** The users and agents of one history, and what callers do with them. */
class World {
  readonly #id = randomUUID();
  readonly uid = (name: UserName) => `${name}-${this.#id}`;
  readonly agentId = (name: AgentName) => `${name}-${this.#id}`;

  async make() {
    for (const name of ['owner', 'guest'] as const) await users.get().create(this.uid(name));
    for (const name of agentNames) {
      await agentChanges.get().create(newAgentRecord(this.uid(ownerOf[name]), { agentId: this.agentId(name) }));
    }
    await agentSharing.get().share(this.agentId('one'), this.uid('owner'), this.uid('guest'));
  }

  toBlockListOwner(of: List): BlockListOwner {
    return 'agent' in of ? { agentId: this.agentId(of.agent) } : { uid: this.uid(of.user) };
  }

  /** Runs an action like a request: access is checked first, and later steps may meet any state. */
  async perform(action: Action): Promise<void> {
    const named =
      'agent' in action ? action.agent : 'list' in action ? (action.list as { agent?: AgentName }).agent : undefined;
    if (named && !(await untilDone(() => agents.get().access(this.agentId(named))))) return;
    await untilDone(() => this.#do(action));
  }

  async #do(action: Action): Promise<unknown> {
    switch (action.verb) {
      case 'record': {
        const facts = { phone: action.phone, direction: 'inbound' as const, startedAt };
        return calls.get().record(this.agentId(action.agent), action.callId, facts);
      }
      case 'delete call':
        return calls.get().remove(this.agentId(action.agent), action.callId);
      case 'set outcome':
        return calls.get().setOutcome({
          agentId: this.agentId(action.agent),
          reference: { callId: action.callId },
          change: (call) => ({ ...call, custom_call_outcome: 'booked' }),
        });
      case 'block': {
        const terms = action.reason === null ? {} : { reason: action.reason };
        return blockList.get().add(this.toBlockListOwner(action.list as List), [action.number], terms);
      }
      case 'unblock':
        return blockList.get().remove(this.toBlockListOwner(action.list as List), [action.number]);
      case 'delete agent':
        return agentDeletions.get().remove(this.uid(action.by), this.agentId(action.agent));
      case 'erase': {
        const uid = this.uid(action.user);
        const erasureId = newIdentifier('erasure');
        const { number, mode } = action;
        await untilDone(() => erasures.get().add({ uid, erasureId, number, numberHash: '', blockList: mode }));
        await untilDone(() => deliver(erasePerson, { job: 'erasePerson', uid, erasureId }));
        const erasure = await untilDone(() => erasures.get().find(uid, erasureId));
        expect(erasure?.status).toBe('done');
      }
    }
  }

  /** Lets the time pass in which requests may be under way, and runs the jobs that follow. */
  async settle(): Promise<void> {
    for (const name of agentNames) {
      const agentId = this.agentId(name);
      if (!(await agentDeletions.get().find(agentId))) continue;
      await table.get().change(accessKey(agentId), { set: { quietAt: 1 } });
      await untilDone(() => deliver(finishDeletion, { job: 'finishDeletion', uid: 'somebody', agentId }));
    }
  }

  /** Reads the state in every way. Throws when the results differ, or when invisible records remain. */
  async read(): Promise<Model> {
    const model: Model = { deleted: [], calls: {}, entries: {} };
    for (const name of agentNames) {
      const agentId = this.agentId(name);
      const isGone = !(await agents.get().access(agentId));
      if (isGone) {
        model.deleted.push(name);
        expect(await Array.fromAsync(table.get().query(itemsOfAgent(agentId)))).toEqual([]);
      }
      const found = await listCalls(agentId);
      for (const call of found) {
        const outcome = call.custom_call_outcome !== undefined;
        model.calls[`${name} ${call.callId}`] = { outcome, phone: call.phone ?? null };
        expect(await calls.get().find(agentId, { callId: call.callId })).toEqual(call);
      }
      for (const phone of numbers) {
        const entries = await Array.fromAsync(table.get().query(phoneCallCollection(agentId, phone)));
        expect(entries.length).toBe(found.filter((call) => call.phone === phone).length);
      }
      const byTime = await Array.fromAsync(table.get().query<Item & { ttlSeconds?: number }>(callCollection(agentId)));
      // An erased call leaves, for an hour, which request it was.
      expect(byTime.filter(({ ttlSeconds }) => ttlSeconds === undefined).length).toBe(found.length);
      const records = await table.get().getMany(['a', 'b', 'c'].map((id) => callKey(agentId, id)));
      // A deleted call leaves that it is deleted.
      expect(records.filter((record) => !('deletedAt' in record)).length).toBe(found.length);
    }
    model.deleted.sort();
    const lists = [...agentNames.map((agent) => ({ agent })), { user: 'owner' as const }, { user: 'guest' as const }];
    for (const of of lists) {
      for await (const { number, reason } of new BlockListPages(table.get()).list(this.toBlockListOwner(of))) {
        model.entries[`${pickName(of)} ${number}`] = reason ?? '';
      }
      if ('agent' in of && model.deleted.includes(of.agent)) {
        const keys = numbers.map((one) => blockedNumberKey(this.toBlockListOwner(of), one));
        expect(await table.get().getMany(keys)).toEqual([]);
      }
    }
    return model;
  }
}

itInAnyHistory(
  'deletions and erasures under faults leave what a plain model says, also of two callers at once',
  [1, 40],
  (numRuns) =>
    fc.assert(
      fc.asyncProperty(fc.array(step, { minLength: 1, maxLength: 10 }), fc.integer(), async (history, seed) => {
        noFaults();
        const world = new World();
        await world.make();
        injectFaults(tenPercent(seed));
        let possible = new Map([['', { deleted: [], calls: {}, entries: {} } as Model]]);
        for (const actions of history as Action[][]) {
          await Promise.all(actions.map((action) => world.perform(action)));
          const orders = actions.length === 1 ? [actions] : [actions, actions.toReversed()];
          const next = [...possible.values()].flatMap((model) => orders.map((order) => order.reduce(apply, model)));
          possible = new Map(next.map((model) => [spell(model), model]));
        }
        noFaults();
        await world.settle();
        expect([...possible.keys()]).toContain(spell(await world.read()));
      }),
      { numRuns, ...(process.env.SEED && { seed: Number(process.env.SEED) }) },
    ),
);
