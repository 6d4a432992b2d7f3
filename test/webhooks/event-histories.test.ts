import type { DynamoDBRecord } from 'aws-lambda';
import fc from 'fast-check';
import { afterAll, afterEach, beforeAll, describe, expect, inject, vi } from 'vitest';
import { makeStores } from '../../bin/operator/stores.ts';
import { BlockListImports } from '../../functions/block-list-import/block-list-imports.ts';
import { CallAttempts } from '../../functions/calling/call-attempts.ts';
import { ChangeLog } from '../../functions/changes/change-log.ts';
import { files, importFiles } from '../../functions/clients/files.ts';
import { SealedSecrets } from '../../functions/clients/sealed-secrets.ts';
import { newIdentifier, newUlid } from '../../functions/domain/identifiers.ts';
import type { JobMessage } from '../../functions/domain/job-messages.ts';
import { newAttempt, websiteStates } from '../../functions/domain/source-state.ts';
import { pagesText, proseText } from '../../functions/domain/sources.ts';
import { type EventType, wantsEvent } from '../../functions/domain/webhooks.ts';
import { Erasures } from '../../functions/erasure/erasures.ts';
import { erasePerson } from '../../functions/erasure/person.ts';
import { CallFigures } from '../../functions/figures/call-figures.ts';
import { ParkedChanges } from '../../functions/parking/parked-changes.ts';
import { AgentDeletions } from '../../functions/store/agents/agent-deletions.ts';
import { BlockListRulesStore } from '../../functions/store/block-list/block-list-rules.ts';
import { Credentials } from '../../functions/store/credentials.ts';
import { IdempotencyStore } from '../../functions/store/idempotency.ts';
import type { BlockListOwner } from '../../functions/store/keys.ts';
import { Sources } from '../../functions/store/sources/sources.ts';
import { type WebsiteRecord, websiteKind } from '../../functions/store/sources/website-reads.ts';
import type { Table } from '../../functions/store/table.ts';
import { type TableChange, toTableChange } from '../../functions/store/table-changes.ts';
import { followChanges, readChange } from '../../functions/stream/follow-changes.ts';
import { createDeliveries } from '../../functions/webhooks/create-deliveries.ts';
import { deliver } from '../../functions/webhooks/deliver.ts';
import { resumeDeliveries } from '../../functions/webhooks/resume-deliveries.ts';
import { newEndpointSecret } from '../../functions/webhooks/secrets.ts';
import { WebhookEvents } from '../../functions/webhooks/webhook-events.ts';
import { WebhookReceivers } from '../../functions/webhooks/webhook-receivers.ts';
import { itInAnyHistory } from '../support/any-history.ts';
import { chance, injectFaultsInto, tenPercent } from '../support/faults.ts';
import { startPartitions } from '../support/partitions.ts';
import { newAgentRecord } from '../support/records.ts';
import { startTableWithStream } from '../support/table-stream.ts';
import { newReceiver, type SentEvent, verified } from '../support/webhooks.ts';
import { target, unique } from '../support/world.ts';

/** The chances of a kill at each step of a process, and the maximum number of changes that it reads. */
const killChance = 0.01;
const batchSize = 8;
const startedAt = '2026-03-01T10:00:00.000Z';

const agentName = fc.constantFrom('one' as const, 'two' as const);
const list = fc.constantFrom('one' as const, 'two' as const, 'user' as const);
const callName = fc.constantFrom('a', 'b');
const numbers = ['+14155550100', '+442071838750', '+4930901820'];
const number = fc.constantFrom(...numbers);
const some = fc.uniqueArray(number, { minLength: 1 });
const verb = <V extends string>(name: V) => fc.constant(name);
const action = fc.oneof(
  { weight: 4, arbitrary: fc.record({ verb: verb('record'), agent: agentName, call: callName, phone: number }) },
  { weight: 3, arbitrary: fc.record({ verb: verb('set outcome'), agent: agentName, call: callName }) },
  { weight: 2, arbitrary: fc.record({ verb: verb('delete call'), agent: agentName, call: callName }) },
  { weight: 4, arbitrary: fc.record({ verb: verb('block'), list, numbers: some }) },
  { weight: 2, arbitrary: fc.record({ verb: verb('unblock'), list, numbers: some }) },
  { weight: 2, arbitrary: fc.record({ verb: verb('rename'), agent: agentName, name: fc.constantFrom('A', 'B') }) },
  { weight: 2, arbitrary: fc.record({ verb: verb('crawl'), agent: agentName, isReady: fc.boolean() }) },
  { weight: 1, arbitrary: fc.record({ verb: verb('delete website'), agent: agentName }) },
  { weight: 1, arbitrary: fc.record({ verb: verb('delete agent'), agent: agentName }) },
);
type Action = typeof action extends fc.Arbitrary<infer T> ? T : never;
/** The actions before each reading of the stream, and the person who is erased at last. */
const history = fc.record({
  rounds: fc.array(fc.array(action, { minLength: 1, maxLength: 5 }), { minLength: 1, maxLength: 3 }),
  erased: fc.option(number),
  seed: fc.integer(),
});

type Message = JobMessage<'createDeliveries' | 'deliverWebhook' | 'resumeDeliveries'>;

/** An event as it is compared: its type, what it is about, and what of it a test can foresee. */
type Expected = { type: EventType; about: string /** It may not come. */; isOptional?: boolean };

let stream: Awaited<ReturnType<typeof startTableWithStream>>;
let sound: Table;
let partitions: Awaited<ReturnType<typeof startPartitions>>;
beforeAll(async () => {
  stream = await startTableWithStream('event-histories');
  sound = stream.open();
  partitions = await startPartitions(target.endpoints.dynamodb);
  partitions.limit({ read: 200, write: 5 });
});
afterEach(() => void vi.useRealTimers());
afterAll(() => Promise.all([stream.stop(), partitions.stop()]));

/** Kills what runs: from some moment on, nothing that it does reaches anything. */
class Process {
  #isDead = false;
  readonly #next: () => number;
  readonly #killChance: number;

  constructor(next: () => number, killChance: number) {
    this.#next = next;
    this.#killChance = killChance;
  }

  get isDead() {
    return this.#isDead;
  }

  /** Returns true when the process is dead. The call itself may kill it. */
  dies(): boolean {
    this.#isDead ||= this.#next() < this.#killChance;
    return this.#isDead;
  }
}

/** A user with agents and endpoints, what is done, and what is to be heard of it. */
class Simulation {
  readonly uid = unique('user');
  readonly expected: Expected[] = [];
  readonly queue: { message: Message; visibleAt: number }[] = [];
  readonly #next: () => number;
  readonly #faults: ReturnType<typeof tenPercent>;
  readonly #table: Table;
  readonly #stores = makeStores(sound);
  readonly #websites = new Sources<WebsiteRecord>(sound, websiteKind);
  readonly #secrets = new SealedSecrets({ read: async () => 'the key of these tests' });
  readonly #ids = { one: unique('agent'), two: unique('agent') };
  readonly #model = { deleted: new Set<string>(), blocked: new Set<string>(), calls: new Map<string, string>() };
  readonly #websiteIds = new Map<string, string>();
  /** The changes that were not read yet. */
  #unread: Expected[] = [];
  isSound = false;

  constructor(seed: number, endpoint?: string) {
    this.#table = stream.open(endpoint);
    this.#next = chance(seed);
    this.#faults = tenPercent(seed + 1);
  }

  async make() {
    await this.#stores.users.create(this.uid);
    for (const agentId of Object.values(this.#ids)) {
      await this.#stores.agentChanges.create(newAgentRecord(this.uid, { agentId, createdAt: startedAt }));
      this.#expect('agent.created', agentId);
    }
  }

  async newEndpoint(events: string[], active: boolean) {
    const replies = [{ status: 500 }, { status: 503, headers: { 'retry-after': '1' } }, { status: 302 }];
    const failures = replies.filter(() => this.#next() < 0.3);
    const receiver = await newReceiver(...failures, { status: 204 });
    const [endpointId, secret] = [newIdentifier('endpoint'), newEndpointSecret()];
    const sealed = await this.#secrets.seal(endpointId, secret);
    await this.#stores.webhookEndpoints.add(this.uid, {
      ...{ endpointId, url: receiver.url, events, active, createdAt: startedAt, confirmedAt: startedAt },
      secrets: [{ sealed, createdBy: 'test', keyId: 'key_test' }],
    });
    /** Returns the received events, each verified by the libraries at the time at which it was sent. */
    const received = async () => {
      const all: SentEvent[] = [];
      for (const request of await receiver.received()) {
        vi.setSystemTime(Number(request.headers['webhook-timestamp']) * 1000);
        all.push(verified(secret, request));
      }
      return all;
    };
    const accepts = ({ type }: Expected) => active && wantsEvent({ events }, type);
    return { received, accepts };
  }

  #expect(type: EventType, about: string) {
    const expected = { type, about };
    this.expected.push(expected);
    this.#unread.push(expected);
  }

  #toBlockListOwner(name: 'one' | 'two' | 'user'): BlockListOwner {
    return name === 'user' ? { uid: this.uid } : { agentId: this.#ids[name] };
  }

  async perform(step: Action): Promise<void> {
    const { agents, agentChanges, calls, blockList } = this.#stores;
    const { deleted, blocked } = this.#model;
    const named = 'agent' in step ? step.agent : step.list === 'user' ? undefined : step.list;
    if (named !== undefined && deleted.has(named)) return;
    const agentId = this.#ids[named ?? 'one'];
    switch (step.verb) {
      case 'record': {
        const { call, phone } = step;
        await calls.record(agentId, call, { phone, direction: 'inbound', startedAt });
        if (this.#model.calls.get(`${agentId} ${call}`) !== phone) this.#expect('call.recorded', `${agentId} ${call}`);
        this.#model.calls.set(`${agentId} ${call}`, phone);
        break;
      }
      case 'set outcome': {
        const change = <C extends object>(call: C) => ({ ...call, custom_call_outcome: 'booked' });
        const reference = { callId: step.call };
        const changed = await calls.setOutcome({ agentId, reference, change });
        if (changed) this.#expect('call.outcome_updated', `${agentId} ${step.call}`);
        break;
      }
      case 'delete call':
        if (await calls.remove(agentId, step.call)) this.#expect('call.deleted', `${agentId} ${step.call}`);
        this.#model.calls.delete(`${agentId} ${step.call}`);
        break;
      case 'block':
      case 'unblock': {
        const isBlock = step.verb === 'block';
        await blockList[isBlock ? 'add' : 'remove'](this.#toBlockListOwner(step.list), step.numbers);
        for (const one of step.numbers) {
          const entry = `${step.list} ${one}`;
          if (blocked.has(entry) !== isBlock) {
            this.#expect('block_list.updated', `${step.list} ${isBlock ? 'added' : 'removed'} ${one}`);
          }
          if (isBlock) blocked.add(entry);
          else blocked.delete(entry);
        }
        break;
      }
      case 'rename': {
        const before = await agents.find(this.uid, agentId);
        await agentChanges.change(this.uid, agentId, (agent) => ({ ...agent, name: step.name }));
        if (before?.name !== step.name) this.#expect('agent.updated', agentId);
        break;
      }
      case 'crawl': {
        const source = { agentId, id: newIdentifier('web') };
        const attempt = newUlid();
        await this.#websites.add({
          ...{ ...source, name: 'Site', url: 'https://example.com/', active: true, pages: 0, failedPages: [] },
          ...newAttempt(websiteStates, attempt),
          ...{ limit: 5, maxDepth: 1, includePaths: [], excludePaths: [] },
          ...{ lastUpdatedBy: this.uid, lastUpdatedAt: startedAt },
        });
        const run = await this.#websites.start(source, attempt);
        if (!run) throw new Error('The crawl did not begin.');
        if (step.isReady) {
          const texts = { content: pagesText([]), contentMD: proseText('Open.') };
          await this.#websites.finish(source, { attempt, revision: run.revision }, texts, { pages: 1 });
        } else await this.#websites.fail(source, attempt, 'It is not there.');
        this.#expect(step.isReady ? 'website.ready' : 'website.failed', `${agentId} ${source.id}`);
        this.#websiteIds.set(agentId, source.id);
        break;
      }
      case 'delete website': {
        const id = this.#websiteIds.get(agentId);
        if (id && (await this.#websites.remove({ agentId, id }))) this.#expect('website.deleted', `${agentId} ${id}`);
        break;
      }
      case 'delete agent':
        await new AgentDeletions(this.#stores.table).remove(this.uid, agentId);
        deleted.add(step.agent);
        await calls.removeAll(agentId, { until: Number.POSITIVE_INFINITY });
        await blockList.removeAll({ agentId }, Number.POSITIVE_INFINITY);
        await this.#websites.removeAll(agentId, Number.POSITIVE_INFINITY);
        for (const call of this.#model.calls.keys()) if (call.startsWith(agentId)) this.#model.calls.delete(call);
        // Nobody may use the agent when they are read. What says that the agent is gone says so of all it had.
        for (const one of this.#unread) one.isOptional ||= one.about.startsWith(`${agentId} `);
        // The numbers of an event go with the list.
        for (const one of this.expected) one.isOptional ||= one.about.startsWith(`${step.agent} `);
        this.#expect('agent.deleted', agentId);
    }
  }

  async erase(phone: string): Promise<void> {
    const { agents, agentSharing, calls, blockList, consents, webhookEvents } = this.#stores;
    const erasureId = newIdentifier('erasure');
    const erasures = new Erasures(sound);
    const begun = { uid: this.uid, erasureId, number: phone, blockList: 'remove' as const };
    await erasures.add({ ...begun, numberHash: '' });
    for (const [call, of] of this.#model.calls) if (of === phone) this.#expect('call.deleted', call);
    for (const one of this.expected) if (one.about.endsWith(` ${phone}`)) one.isOptional = true;
    const services = {
      ...{ agents, agentSharing, calls, blockList, consents, webhookEvents, erasures },
      blockListRules: new BlockListRulesStore(sound),
      ...{ callAttempts: new CallAttempts(sound), idempotency: new IdempotencyStore(sound) },
      ...{ imports: new BlockListImports(sound), files: importFiles.get() },
      parkedChanges: new ParkedChanges(sound, files.get()),
    };
    expect(await erasePerson(begun, Number.POSITIVE_INFINITY, services)).toBeUndefined();
  }

  /** The services of a process that may die: all of them have the same faults. */
  #makeServices(process: Process) {
    injectFaultsInto(this.#table.client, () => (process.dies() ? 'kill' : this.isSound ? undefined : this.#faults()));
    const { webhookEndpoints, webhookDeliveries } = makeStores(this.#table);
    const webhookEvents = new WebhookEvents(this.#table);
    const { users } = makeStores(this.#table);
    const receivers = new WebhookReceivers({ trustedOrigins: new Set([inject('receiverOrigin')]) });
    const send = async (message: Message | JobMessage<'countCalls'>, delaySeconds = 0) => {
      if (process.dies()) throw new Error('killed');
      // Figures have histories of their own.
      if (message.job === 'countCalls') return;
      this.queue.push({ message, visibleAt: Date.now() + delaySeconds * 1000 });
      if (process.dies()) throw new Error('killed');
    };
    const sendMany = async (messages: Message[]) => {
      for (const message of messages) await send(message);
    };
    return {
      ...{ webhookEndpoints, webhookDeliveries, webhookEvents, users },
      changeLog: new ChangeLog(this.#table, 400),
      callFigures: new CallFigures(this.#table),
      credentials: new Credentials(this.#table),
      sealedSecrets: this.#secrets,
      webhookReceivers: {
        post: async (...request: Parameters<WebhookReceivers['post']>) => {
          if (process.dies()) throw new Error('killed');
          return receivers.post(...request);
        },
      },
      jobQueue: { send },
      eventQueue: { sendMany },
      deliveryQueue: { sendMany },
    };
  }

  #newProcess = () => new Process(this.#next, this.isSound ? 0 : killChance);

  /** Reads changes as Lambda does: a batch that fails comes again, from its first failure or as a whole. */
  async read(records: DynamoDBRecord[]): Promise<void> {
    let left = records;
    this.#unread = [];
    while (left.length > 0) {
      const batch = left.slice(0, 1 + Math.floor(this.#next() * batchSize));
      const process = this.#newProcess();
      const changes = batch.map(toTableChange);
      const failed = await this.#publish(changes, process).catch(() => changes[0]);
      if (process.isDead) continue;
      const done = failed ? changes.indexOf(failed) : batch.length;
      // Sometimes the end of a batch is not noted, and it comes again.
      if (this.isSound || this.#next() < 0.9) left = left.slice(done);
    }
  }

  async #publish(changes: TableChange[], process: Process): Promise<TableChange | undefined> {
    const deadlines = { until: Date.now() + 45_000 };
    const { failures } = await followChanges(changes.map(readChange), this.#makeServices(process), deadlines);
    return changes.find((change) => failures.has(change));
  }

  /** Works on messages until there are none, or so many attempts were made. Where nothing is due, the time passes. */
  async work(attempts: number): Promise<void> {
    for (let attempt = 0; attempt < attempts && this.queue.length > 0; attempt++) {
      const first = Math.min(...this.queue.map(({ visibleAt }) => visibleAt));
      if (first > Date.now()) vi.setSystemTime(first);
      const due = this.queue.filter(({ visibleAt }) => visibleAt <= Date.now());
      const entry = due[Math.floor(this.#next() * due.length)] as (typeof due)[number];
      const { message } = entry;
      const process = this.#newProcess();
      const services = this.#makeServices(process);
      const work = () => {
        if (message.job === 'createDeliveries') return createDeliveries(message, services, Number.POSITIVE_INFINITY);
        if (message.job === 'deliverWebhook') return deliver(message, services);
        return resumeDeliveries(message, services, Number.POSITIVE_INFINITY);
      };
      const isDone = await work().then(
        () => true,
        () => false,
      );
      // Sometimes a message comes again that was worked on.
      if (isDone && (this.isSound || this.#next() < 0.9)) this.queue.splice(this.queue.indexOf(entry), 1);
    }
  }

  /** Begins every delivery again, after the deletions of agents have ended. */
  async redeliver(): Promise<void> {
    const { table, webhookDeliveries } = this.#stores;
    const deletions = new AgentDeletions(table);
    for (const agentId of Object.values(this.#ids)) {
      const deleted = await deletions.find(agentId);
      if (deleted) await deletions.finish(agentId, deleted, Number.POSITIVE_INFINITY);
    }
    const { items } = await webhookDeliveries.page(this.uid, {});
    for (const { deliveryId, endpointId } of items) {
      const found = await webhookDeliveries.find(this.uid, deliveryId);
      const sequence = found && (await webhookDeliveries.restart(this.uid, found));
      if (sequence === undefined) continue;
      const message = {
        job: 'deliverWebhook' as const,
        uid: this.uid,
        endpointId,
        deliveryId,
        sequence,
        isRequested: true,
      };
      this.queue.push({ message, visibleAt: 0 });
    }
  }

  /** Returns the content of an event in the words of `expected`: for a block list, one per number. */
  listSubjects({ type, data }: SentEvent): string[] {
    if (type !== 'block_list.updated') {
      const { agentId = data.agent_id, call_id: callId, websiteId } = data;
      return [[agentId, callId ?? websiteId].filter(Boolean).join(' ')];
    }
    const name = Object.entries(this.#ids).find(([, id]) => id === data.agentId)?.[0] ?? 'user';
    return (['added', 'removed'] as const).flatMap((kind) =>
      (data[kind]?.numbers ?? []).map((one: string) => `${name} ${kind} ${one}`),
    );
  }

  isGone({ data }: SentEvent): boolean {
    const { agentId = data.agent_id, call_id: callId } = data;
    const name = Object.entries(this.#ids).find(([, id]) => id === agentId)?.[0];
    return (name !== undefined && this.#model.deleted.has(name)) || (callId && !this.#isThere(agentId, callId));
  }

  #isThere = (agentId: string, callId: string) => this.#model.calls.has(`${agentId} ${callId}`);
}

const distinct = (events: SentEvent[]) => [...new Map(events.map((event) => [event.id, event])).values()];

/** The events of a delivery that came more than once say the same, but for what was deleted meanwhile. */
const agree = (events: SentEvent[]) => {
  for (const event of events) {
    const { type, timestamp } = events.find(({ id }) => id === event.id) as SentEvent;
    expect([event.type, event.timestamp]).toEqual([type, timestamp]);
  }
};

const idFields = new Set(['uid', 'agentId', 'websiteId', 'call_id', 'agent_id', 'scope']);

describe('events under faults', () => {
  const events =
    'events reach every endpoint that subscribes to them at least once, each change under one id, and no other';
  const tables: [string, number, () => string | undefined][] = [
    ['', 1, () => undefined],
    [', also from a table that refuses as partitions do', 0, () => partitions.endpoint],
  ];
  for (const [name, few, endpoint] of tables) {
    itInAnyHistory(events + name, [few, 5], (numRuns) =>
      fc.assert(
        fc.asyncProperty(history, async ({ rounds, erased, seed }) => {
          // From the present again: the history before went days ahead.
          vi.useRealTimers();
          vi.useFakeTimers({ toFake: ['Date'] });
          const simulation = new Simulation(seed, endpoint());
          const endpoints = [
            await simulation.newEndpoint(['*'], true),
            await simulation.newEndpoint(['call.*', 'block_list.updated'], true),
            await simulation.newEndpoint(['*'], false),
          ];
          await simulation.make();
          for (const [index, actions] of rounds.entries()) {
            for (const action of actions) await simulation.perform(action);
            if (erased !== null && index === rounds.length - 1) await simulation.erase(erased);
            await simulation.read(await stream.changesSoFar());
            await simulation.work(5);
          }
          await simulation.work(2000);
          expect(simulation.queue).toEqual([]);
          for (const { received, accepts } of endpoints) {
            const events = await received();
            agree(events);
            const expected = simulation.expected.filter(accepts);
            const found = distinct(events).flatMap((event) =>
              simulation.listSubjects(event).map((about) => `${event.type} ${about}`),
            );
            for (const one of expected) {
              const name = `${one.type} ${one.about}`;
              const foreseen = expected.filter(({ type, about }) => `${type} ${about}` === name);
              const required = foreseen.filter(({ isOptional }) => !isOptional).length;
              const count = found.filter((about) => about === name).length;
              expect(count, name).toBeGreaterThanOrEqual(required);
              expect(count, name).toBeLessThanOrEqual(foreseen.length);
            }
            const names = new Set(expected.map(({ type, about }) => `${type} ${about}`));
            expect(found.filter((name) => !names.has(name))).toEqual([]);
          }
          const before = await Promise.all(endpoints.map(async ({ received }) => (await received()).length));
          simulation.isSound = true;
          await simulation.redeliver();
          await simulation.work(2000);
          for (const [index, { received }] of endpoints.entries()) {
            const repeated = (await received()).slice(before[index]);
            for (const event of repeated.filter((one) => simulation.isGone(one))) {
              expect(
                Object.keys(event.data).filter((field) => !idFields.has(field)),
                event.type,
              ).toEqual([]);
            }
            if (erased !== null) expect(JSON.stringify(repeated)).not.toContain(erased);
          }
        }),
        { numRuns, ...(process.env.EVENT_SEED && { seed: Number(process.env.EVENT_SEED) }) },
      ),
    );
  }
});
