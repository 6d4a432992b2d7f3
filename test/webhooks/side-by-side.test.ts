import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, beforeAll, expect, onTestFinished, vi } from 'vitest';
import { FairQueue } from '../../bin/local/fair-queue.ts';
import { createTable } from '../../bin/local/table.ts';
import { storesOf } from '../../bin/operator/stores.ts';
import { SealedSecrets } from '../../functions/clients/sealed-secrets.ts';
import { newIdentifier } from '../../functions/domain/identifiers.ts';
import { groupOf, type JobMessage } from '../../functions/domain/job-messages.ts';
import { Credentials } from '../../functions/store/credentials.ts';
import { callKey } from '../../functions/store/keys.ts';
import { openTable } from '../../functions/store/table.ts';
import type { TableChange } from '../../functions/store/table-changes.ts';
import { deliver } from '../../functions/webhooks/deliver.ts';
import { publishChanges } from '../../functions/webhooks/publish-changes.ts';
import { resumeDeliveries } from '../../functions/webhooks/resume-deliveries.ts';
import { newEndpointSecret } from '../../functions/webhooks/secrets.ts';
import { itInAnyHistory } from '../support/any-history.ts';
import { startPartitions, unitsPerSecond } from '../support/partitions.ts';
import { target, unique, useOwnDatabaseInThisProcess } from '../support/world.ts';

beforeAll(useOwnDatabaseInThisProcess);
// This is the timeout of a job's function: a request would give up.
beforeAll(() => void Object.assign(process.env, { TABLE_THROTTLED_MILLISECONDS: '60000' }));
afterEach(() => void vi.useRealTimers());

const names = ['good', 'slow', 'dead'] as const;
type Name = (typeof names)[number];
type Message = JobMessage<'deliverWebhook' | 'resumeDeliveries' | 'closeBlockListEvent'>;

const hours = 60 * 60 * 1000;
/** For so long the dead endpoint refuses events. */
const deadMilliseconds = 6 * hours;

/** A queue whose messages with a delay come by the clock of the test. */
class VirtualQueue {
  /** The number of messages that were sent for each group. */
  readonly sent = new Map<string, number>();
  readonly #ready = new FairQueue(64);
  readonly #later: { message: Message; at: number }[] = [];
  readonly #handle: (message: Message) => Promise<void>;
  #waiting = 0;
  #error: unknown;

  constructor(handle: (message: Message) => Promise<void>) {
    this.#handle = handle;
  }

  send(message: Message, delaySeconds = 0): void {
    const group = groupOf(message) as string;
    this.sent.set(group, (this.sent.get(group) ?? 0) + 1);
    if (delaySeconds > 0) this.#later.push({ message, at: Date.now() + delaySeconds * 1000 });
    else this.#add(message);
  }

  #add(message: Message): void {
    this.#waiting += 1;
    const handle = async () => {
      await this.#handle(message).catch((error) => (this.#error ??= error));
      this.#waiting -= 1;
    };
    this.#ready.add(groupOf(message) as string, handle);
  }

  /** Waits until something holds, or nothing is left to do without a delay. */
  async until(holds = () => this.#waiting === 0): Promise<void> {
    while (!holds()) {
      if (this.#error) throw this.#error;
      await sleep(10);
    }
  }

  /** Lets time pass: what has waited comes in its order. */
  async passUntil(end: number): Promise<void> {
    for (;;) {
      await this.until();
      const [next] = this.#later.sort((one, other) => one.at - other.at);
      if (!next || next.at > end) break;
      this.#later.shift();
      vi.setSystemTime(Math.max(next.at, Date.now()));
      this.#add(next.message);
    }
    vi.setSystemTime(Math.max(end, Date.now()));
  }
}

/**
 * Sends events to three endpoints of a user, from a table that refuses as partitions do. The slow one answers only when the good
 * one has everything; the dead one comes back after some hours.
 */
const deliverSideBySide = async (events: number, units: typeof unitsPerSecond) => {
  const tableName = unique('side-by-side');
  await createTable(tableName, { endpoint: target.endpoints.dynamodb });
  const partitions = await startPartitions(target.endpoints.dynamodb);
  onTestFinished(() => partitions.stop());
  partitions.limit(units);
  vi.useFakeTimers({ toFake: ['Date'] });
  // A busy machine may take long to connect.
  const table = openTable(tableName, { endpoint: partitions.endpoint, requestHandler: {} });
  const stores = storesOf(table);
  const sealedSecrets = new SealedSecrets({ read: async () => 'the key of these tests' });
  const [uid, agentId] = [unique('user'), newIdentifier('agent')];
  const createdAt = new Date(Date.now() - hours).toISOString();
  await stores.agents.create({ uid, agentId, name: 'A', configuration: {}, createdAt, updatedAt: createdAt });
  for (const name of names) {
    const secrets = [{ sealed: await sealedSecrets.seal(name, newEndpointSecret()), createdBy: 'test', keyId: 'key' }];
    const endpoint = { endpointId: name, url: `https://${name}.example.com/`, events: ['*'], secrets, active: true };
    // The dead one has failed for a while.
    const failing = name === 'dead' && { failingSince: createdAt };
    await stores.webhookEndpoints.add(uid, { ...endpoint, createdAt, ...failing });
  }
  let isDead = true;
  const { promise: goodIsDone, resolve: endGood } = Promise.withResolvers<void>();
  const posts = { good: 0, slow: 0, dead: 0 };
  /** The ids of the events of each call, by endpoint. */
  const received = { good: new Map(), slow: new Map(), dead: new Map() } as Record<Name, Map<string, Set<string>>>;
  // Receivers in this process: thirty thousand connections are not what is tried here.
  const post = async (url: string, { headers, body }: { headers: Record<string, string>; body: string }) => {
    const name = new URL(url).hostname.split('.')[0] as Name;
    posts[name] += 1;
    if (name === 'slow') await goodIsDone;
    if (name === 'dead' && isDead) return { status: 500, milliseconds: 1, cause: 'status 500' };
    const { call_id: callId } = JSON.parse(body).data;
    const ids = received[name].get(callId) ?? new Set();
    received[name].set(callId, ids.add(headers['webhook-id'] ?? ''));
    if (received.good.size === events) endGood();
    return { status: 204, milliseconds: 1 };
  };
  const queue = new VirtualQueue(async (message) => {
    if (message.job === 'deliverWebhook') await deliver(message, services);
    if (message.job === 'resumeDeliveries') await resumeDeliveries(message, services, Number.POSITIVE_INFINITY);
  });
  const services = {
    ...stores,
    credentials: new Credentials(table),
    sealedSecrets,
    webhookReceivers: { post },
    jobQueue: { send: async (message: Message, delaySeconds?: number) => queue.send(message, delaySeconds) },
    deliveryQueue: {
      sendMany: async (messages: Message[]) => {
        for (const message of messages) queue.send(message);
      },
    },
  };
  const changes = callsRecorded(agentId, events);
  for (let from = 0; from < events; ) {
    const batch = changes.slice(from, from + 500);
    const failed = await publishChanges(batch, services, { until: Number.POSITIVE_INFINITY });
    // The stream brings a batch again from the first change that failed.
    from = failed ? changes.indexOf(failed) : from + batch.length;
  }
  await queue.until(() => received.good.size === events);
  await queue.passUntil(Date.now() + deadMilliseconds);
  const postsToDead = posts.dead;
  // The stream brings changes again whose reader died at the end.
  expect(await publishChanges(changes.slice(-20), services, { until: Number.POSITIVE_INFINITY })).toBeUndefined();
  await queue.until();
  isDead = false;
  await queue.passUntil(Date.now() + deadMilliseconds);
  return { received, posts, postsToDead, sent: queue.sent };
};

/** The changes in the stream when calls are recorded. */
const callsRecorded = (agentId: string, count: number): TableChange[] =>
  Array.from({ length: count }, (_, index) => {
    const [callId, startedAt] = [`call-${index}`, '2026-03-01T10:00:00.000Z'];
    const key = callKey(agentId, callId);
    const after = { ...key, agentId, callId, direction: 'inbound', startedAt, version: '1' };
    return { key, after, at: Date.now(), sequenceNumber: String(100_000 + index) };
  });

itInAnyHistory(
  'a good endpoint gets every event once despite a slow and a dead one, which get theirs with the same ids, and the dead one costs few messages',
  // HISTORIES=10000 sends ten thousand, which takes tens of minutes.
  [20, 500],
  async (events) => {
    const units = events < 1000 ? { read: 300, write: 15 } : unitsPerSecond;
    const { received, posts, postsToDead, sent } = await deliverSideBySide(events, units);
    for (const name of names) {
      const ids = [...received[name].values()];
      expect([name, ids.length, ids.filter(({ size }) => size > 1).length]).toEqual([name, events, 0]);
    }
    expect([posts.good, posts.slow, sent.get('good'), sent.get('slow')]).toEqual([events, events, events, events]);
    // Those that were under way together when the first one failed, and the probes of those hours.
    expect(postsToDead).toBeLessThanOrEqual(64 + 10);
    expect((sent.get('dead') ?? 0) / events).toBeLessThanOrEqual(15);
    if (events >= 1000)
      process.stdout.write(`${events} events: ${JSON.stringify({ postsToDead, dead: sent.get('dead') })}\n`);
  },
);
