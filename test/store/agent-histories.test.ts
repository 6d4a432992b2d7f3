import fc from 'fast-check';
import { afterEach, beforeAll, expect } from 'vitest';
import { decideCallStart } from '../../functions/api/decide-call-start.ts';
import { duplicateAgent } from '../../functions/api/duplicate-agent.ts';
import { getAgentVersion } from '../../functions/api/get-agent-version.ts';
import { listAgentVersions } from '../../functions/api/list-agent-versions.ts';
import { restoreAgent } from '../../functions/api/restore-agent.ts';
import { setAgentTraffic } from '../../functions/api/set-agent-traffic.ts';
import { updateAgent } from '../../functions/api/update-agent.ts';
import { newIdentifier } from '../../functions/domain/identifiers.ts';
import { chooseVersion, type Share } from '../../functions/domain/traffic.ts';
import { changedFields, type Versioned } from '../../functions/domain/versions.ts';
import { agentChanges } from '../../functions/store/agents/agent-changes.ts';
import { agents } from '../../functions/store/agents/agents.ts';
import { apiKeys } from '../../functions/store/api-keys.ts';
import { idempotencyCollections } from '../../functions/store/keys.ts';
import { table } from '../../functions/store/table.ts';
import { users } from '../../functions/store/users.ts';
import { itInAnyHistory } from '../support/any-history.ts';
import { invoke } from '../support/events.ts';
import { chance, injectFaults, noFaults, tenPercent } from '../support/faults.ts';
import { newAgentRecord } from '../support/records.ts';
import { unique, useTargetInThisProcess } from '../support/world.ts';

beforeAll(useTargetInThisProcess);
afterEach(noFaults);

/** The chances of a kill at each call to the table. A process may die after a write as well as after a read. */
const killChance = 0.03;
const killedAfterWriteChance = 0.15;

let isDisturbed = false;
/** Returns the agent as it is stored. Reads of the test itself do not fail. */
const stored = async (uid: string, agentId: string) => {
  isDisturbed = false;
  const agent = await agents.get().find(uid, agentId);
  isDisturbed = true;
  return agent;
};

const change = fc.constantFrom<Record<string, unknown>>(
  { name: 'A' },
  { name: 'B' },
  { configuration: { greeting: 'Hello' } },
  { configuration: { greeting: null } },
  { configuration: { variables: { a: 1, b: [1, { c: 2, d: 3 }] } } },
  { configuration: { variables: { b: [1, { d: 3, c: 2 }], a: 1 } } },
  { name: 'C', configuration: { voice: 'warm' }, phoneNumber: '+14155550100' },
  { phoneNumber: null },
);
/** The version that a writer has seen: none is named, the newest one, or an older one. */
const seen = fc.constantFrom('any' as const, 'newest' as const, 'older' as const);
const write = fc.oneof(
  { weight: 5, arbitrary: fc.record({ verb: fc.constant('change' as const), change, seen }) },
  { weight: 2, arbitrary: fc.record({ verb: fc.constant('restore' as const), back: fc.nat({ max: 4 }), seen }) },
);
const action = fc.oneof(
  { weight: 6, arbitrary: fc.tuple(write) },
  { weight: 3, arbitrary: fc.tuple(write, write) },
  {
    weight: 2,
    arbitrary: fc.tuple(fc.record({ verb: fc.constant('split' as const), percent: fc.integer({ min: 1, max: 100 }) })),
  },
  { weight: 1, arbitrary: fc.tuple(fc.record({ verb: fc.constant('copy' as const) })) },
  { weight: 2, arbitrary: fc.tuple(fc.record({ verb: fc.constant('repeat' as const), back: fc.nat({ max: 4 }) })) },
);
const history = fc.record({ steps: fc.array(action, { minLength: 2, maxLength: 10 }), seed: fc.integer() });

type Model = { versions: Versioned[]; split: Share[] };
type Body = Record<string, unknown>;
type Answer = { status?: number; body: Body; headers?: Record<string, unknown> };
/** A write as it is sent: with the version that its writer has seen, and a key. */
type Request = { change: Body; restored?: number; ifMatch?: number; key: string };

const newest = ({ versions }: Model) => versions.at(-1) as Versioned;

/** Returns the agent after a write, and the status and the version of its response. */
const apply = (
  model: Model,
  { change, restored, ifMatch }: Request,
): { after: Model; status: number; version: number } => {
  const { versions } = model;
  const refused = ifMatch !== undefined && ifMatch !== versions.length;
  if (refused) return { after: model, status: 412, version: versions.length };
  const present = newest(model);
  const { name = present.name, configuration = {} } = change as Partial<Versioned>;
  const merged = Object.entries({ ...present.configuration, ...configuration }).filter(([, value]) => value !== null);
  const wanted = restored ? (versions[restored - 1] as Versioned) : { name, configuration: Object.fromEntries(merged) };
  const isSame = changedFields(present, wanted as Versioned).length === 0;
  const after = isSame ? model : { ...model, versions: [...versions, wanted as Versioned] };
  return { after, status: 200, version: after.versions.length };
};

class Play {
  readonly uid = unique('user');
  readonly agentId = newIdentifier('agent');
  apiKey = '';
  model: Model = { versions: [{ name: 'Agent', configuration: {} }], split: [] };
  readonly #answered: { request: Request; answer: Answer }[] = [];
  #requests = 0;

  async begin(): Promise<this> {
    await users.get().create(this.uid);
    this.apiKey = (await apiKeys.get().create(this.uid, { name: 'test' })).secret;
    await agentChanges.get().create(newAgentRecord(this.uid, { agentId: this.agentId }));
    return this;
  }

  /** Sends a request until it gets a response, as a client does whose requests fail. */
  async send(work: () => Promise<Answer>): Promise<Answer> {
    for (let attempt = 0; attempt < 60; attempt++) {
      const answer = await work();
      if (answer.status !== 500 && answer.status !== 503 && answer.body.error !== 'idempotency_in_progress')
        return answer;
      await this.#expireClaims();
    }
    throw new Error('A request is never answered.');
  }

  /** Ends the claims of requests that died: time does so, too. */
  async #expireClaims(): Promise<void> {
    try {
      for (const shard of idempotencyCollections(this.uid)) {
        for await (const { pk, sk, answer } of table.get().query<{ pk: string; sk: string; answer?: unknown }>(shard)) {
          if (answer === undefined) await table.get().change({ pk, sk }, { set: { claimedUntil: 0 } });
        }
      }
    } catch {
      // This died as well.
    }
  }

  #sendWrite({ change, restored, ifMatch, key }: Request): Promise<Answer> {
    const { uid, agentId, apiKey } = this;
    const headers = { 'idempotency-key': key, ...(ifMatch !== undefined && { 'if-match': `"${ifMatch}"` }) };
    const sent = { apiKey, params: { agentId }, headers };
    return this.send(() =>
      restored
        ? invoke(restoreAgent, { ...sent, body: { uid, version: restored } })
        : invoke(updateAgent, { ...sent, body: change }),
    );
  }

  async play(step: typeof action extends fc.Arbitrary<infer T> ? T : never): Promise<void> {
    const [first] = step;
    if (first.verb === 'split') return this.#split(first.percent);
    if (first.verb === 'copy') return this.#copy();
    if (first.verb === 'repeat') return this.#repeat(first.back);
    await this.#write(step as (typeof write extends fc.Arbitrary<infer T> ? T : never)[]);
  }

  /** One writer, or two at once: the responses are those of one order of them. */
  async #write(writes: (typeof write extends fc.Arbitrary<infer T> ? T : never)[]): Promise<void> {
    const { length } = this.model.versions;
    const requests = writes.map((write): Request => {
      const ifMatch = { any: undefined, newest: length, older: Math.max(1, length - 1) }[write.seen];
      const key = `key-${this.#requests++}`;
      return write.verb === 'change'
        ? { change: write.change, ifMatch, key }
        : { change: {}, restored: Math.max(1, length - write.back), ifMatch, key };
    });
    const answers = await Promise.all(requests.map((request) => this.#sendWrite(request)));
    const orders =
      requests.length === 1
        ? [[0]]
        : [
            [0, 1],
            [1, 0],
          ];
    const outcomes = orders.map((order) => {
      let model = this.model;
      const expected: { status: number; version: number }[] = [];
      for (const n of order) {
        const { after, status, version } = apply(model, requests[n] as Request);
        model = after;
        expected[n] = { status, version };
      }
      return { model, expected };
    });
    const seen = answers.map(({ status, body }) => ({ status, version: body.version }));
    const fitting = outcomes.filter(({ expected }) => JSON.stringify(expected) === JSON.stringify(seen));
    expect(fitting.length, `${JSON.stringify({ requests, seen, outcomes })}`).toBeGreaterThan(0);
    // When both orders fit, the stored agent shows the actual one.
    const { name, configuration } = (await stored(this.uid, this.agentId)) as Versioned;
    const is = fitting.find(({ model }) => changedFields(newest(model), { name, configuration }).length === 0);
    expect(is, JSON.stringify({ requests, seen, name, configuration })).toBeDefined();
    if (is) this.model = is.model;
    for (const [n, answer] of answers.entries()) {
      if (answer.status === 200) this.#answered.push({ request: requests[n] as Request, answer });
    }
  }

  async #split(percent: number): Promise<void> {
    const { uid, agentId, apiKey } = this;
    const { length } = this.model.versions;
    const other = Math.max(1, length - 1);
    const split =
      percent === 100 || other === length
        ? [{ version: other, percent: 100 }]
        : [
            { version: other, percent: 100 - percent },
            { version: length, percent },
          ];
    const put = () => invoke(setAgentTraffic, { apiKey, params: { agentId }, body: { uid, split } });
    expect(await this.send(put)).toMatchObject({ status: 200, body: { agentId, split } });
    const unknown = { uid, split: [{ version: length + 1, percent: 100 }] };
    const refused = await this.send(() => invoke(setAgentTraffic, { apiKey, params: { agentId }, body: unknown }));
    expect(refused.status).toBe(404);
    this.model = { ...this.model, split };
  }

  async #copy(): Promise<void> {
    const { uid, agentId, apiKey } = this;
    const headers = { 'idempotency-key': `key-${this.#requests++}` };
    const copied = await this.send(() => invoke(duplicateAgent, { apiKey, headers, body: { uid, agentId } }));
    const copy = await stored(uid, copied.body.agentId as string);
    expect(copy).toMatchObject({ version: 1, configuration: newest(this.model).configuration });
    expect(copy?.split).toBeUndefined();
  }

  async #repeat(back: number): Promise<void> {
    const former = this.#answered.at(-1 - back);
    if (!former) return;
    const { status, body, headers = {} } = await this.#sendWrite(former.request);
    const { name, configuration, version } = former.answer.body;
    if (headers['idempotency-replayed']) return expect([status, body]).toEqual([200, former.answer.body]);
    // The table failed when the response was to be kept. The version is found by its request; what made none is done again.
    if (body.version === version) return expect(body).toMatchObject({ name, configuration });
    const { after, ...expected } = apply(this.model, former.request);
    expect({ status, version: body.version }).toEqual(expected);
    this.model = after;
  }

  /** The history is the model's: each accepted change is one version, and none has changed. */
  async end(): Promise<void> {
    noFaults();
    const { uid, agentId, apiKey, model } = this;
    const sent = { apiKey, params: { agentId }, query: { uid } };
    const { versions } = (await invoke(listAgentVersions, sent)).body;
    const expected = model.versions.map((version, n) => ({
      version: n + 1,
      changed: changedFields(model.versions[n - 1] ?? {}, version),
    }));
    const listed = versions.map(({ version, changed }: { version: number; changed: string[] }) => ({
      version,
      changed,
    }));
    expect(listed.reverse()).toEqual(expected);
    for (const [n, { name, configuration }] of model.versions.entries()) {
      const params = { agentId, version: String(n + 1) };
      expect((await invoke(getAgentVersion, { ...sent, params })).body).toMatchObject({ name, configuration });
    }
    expect(await agents.get().find(uid, agentId)).toMatchObject({ version: model.versions.length, ...newest(model) });
    for (const from of ['+14155550100', '+442071838750', '+4930901820']) {
      const version = chooseVersion(agentId, from, model.split) ?? model.versions.length;
      const body = { uid, agentId, from, include: ['agent'] };
      expect((await invoke(decideCallStart, { apiKey, body })).body).toMatchObject({
        ...{ version, agent: { version, name: model.versions[version - 1]?.name } },
      });
    }
  }
}

itInAnyHistory(
  'the versions of agents are those of the accepted changes, with any faults of DynamoDB and after any death of a request',
  [1, 60],
  async (runs) => {
    const property = fc.asyncProperty(history, async ({ steps, seed }) => {
      noFaults();
      const play = await new Play().begin();
      const [fault, next] = [tenPercent(seed), chance(seed + 1)];
      isDisturbed = true;
      const choose = () => (!isDisturbed ? undefined : next() < killChance ? 'kill' : fault());
      // A function may also die after its transaction was written, without a response.
      const die = (operation: string) => {
        if (!isDisturbed || operation !== 'TransactWriteItems' || next() >= killedAfterWriteChance) return;
        throw Object.assign(new Error('killed'), { $fault: 'client', $metadata: { httpStatusCode: 400 } });
      };
      injectFaults(choose, die);
      for (const step of steps) await play.play(step);
      await play.end();
    });
    await fc.assert(property, { numRuns: runs });
  },
);
