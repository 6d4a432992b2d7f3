import { hash } from 'node:crypto';
import type { DynamoDBRecord } from 'aws-lambda';
import fc from 'fast-check';
import { afterAll, beforeAll, expect } from 'vitest';
import { makeStores, type Stores } from '../../bin/operator/stores.ts';
import { withCause } from '../../functions/cause.ts';
import { ChangeLog } from '../../functions/changes/change-log.ts';
import type { ChangeMaker, Way } from '../../functions/domain/change-maker.ts';
import type { Change } from '../../functions/domain/changes.ts';
import { newIdentifier, newUlid } from '../../functions/domain/identifiers.ts';
import { newAttempt, websiteStates } from '../../functions/domain/source-state.ts';
import { Erasures } from '../../functions/erasure/erasures.ts';
import { Credentials } from '../../functions/store/credentials.ts';
import { type BlockListOwner, changeCollection } from '../../functions/store/keys.ts';
import { Sources } from '../../functions/store/sources/sources.ts';
import { type WebsiteRecord, websiteKind } from '../../functions/store/sources/website-reads.ts';
import { toTableChange } from '../../functions/store/table-changes.ts';
import { publishChanges } from '../../functions/webhooks/publish-changes.ts';
import { itInAnyHistory } from '../support/any-history.ts';
import { chance, injectFaultsInto, tenPercent } from '../support/faults.ts';
import { startTableWithStream } from '../support/table-stream.ts';
import { unique } from '../support/world.ts';

/** The chance that a writer's response is lost. */
const lostChance = 0.1;
/** The chances that the reader dies at a request, that its time is short, and that changes come again that it has read. */
const [killChance, shortChance, againChance] = [0.03, 0.3, 0.5];
const maxBatch = 10;
const workers = 2;

/** What must not be in the log. */
const text = 'Nobody reads this sentence in the log';
const numbers = Array.from({ length: 100 }, (_, index) => `+1415555${1000 + index}`);
const createdAt = '2026-03-01T10:00:00.000Z';

/** An entry without what the maker and the request say in each. */
type Made = Pick<Change, 'action'> & Partial<Pick<Change, 'id' | 'agentId' | 'counts'>>;
type Logged = Made & Pick<ChangeMaker, 'uid' | 'keyId' | 'via'> & { requestId: string };

/** Returns entries as they are compared. Those of one request on a block list are one, whose counts add up. */
const comparable = (entries: Logged[]): string[] => {
  const names = entries.map(({ action, id, agentId, uid, keyId, via, requestId }) =>
    [action, id, agentId, uid, keyId, via, requestId].map(String).join(' '),
  );
  const sums = new Map<string, { added: number; removed: number }>();
  for (const [index, { counts }] of entries.entries()) {
    if (!counts) continue;
    const { added, removed } = sums.get(names[index] as string) ?? { added: 0, removed: 0 };
    sums.set(names[index] as string, { added: added + counts.added, removed: removed + counts.removed });
  }
  const others = names.filter((_, index) => !entries[index]?.counts);
  return [...others, ...[...sums].map(([name, { added, removed }]) => `${name} +${added} -${removed}`)].sort();
};

let stream: Awaited<ReturnType<typeof startTableWithStream>>;
beforeAll(async () => {
  stream = await startTableWithStream('log-histories');
});
afterAll(() => stream.stop());

/** A user with an agent, and a guest. */
class World {
  readonly uid = unique('user');
  readonly guest = unique('guest');
  agentId = unique('agent');
  isShared = false;
  isSplit = false;
  readonly blocked = new Set<string>();
  readonly stores: Stores;
  readonly websites: Sources<WebsiteRecord>;
  readonly erasures: Erasures;

  constructor(next: () => number) {
    const table = stream.open();
    // Not two in a row: after three attempts, a request fails.
    let isLost = false;
    injectFaultsInto(table.client, () => {
      isLost = !isLost && next() < lostChance;
      return isLost ? 'lost response' : undefined;
    });
    this.stores = makeStores(table);
    this.websites = new Sources<WebsiteRecord>(table, websiteKind);
    this.erasures = new Erasures(table);
  }

  async createAgent(): Promise<Made> {
    const { uid, agentId } = this;
    await this.stores.agents.create({ uid, agentId, name: text, configuration: {}, createdAt, updatedAt: createdAt });
    return { action: 'agent.created', id: agentId, agentId };
  }
}

type Step = { onAgent: boolean; phones: string[]; isRepeated: boolean };

const changeList = async (world: World, isBlock: boolean, { onAgent, phones, isRepeated }: Step): Promise<Made[]> => {
  const { uid, agentId, blocked, stores } = world;
  const list: BlockListOwner = onAgent ? { agentId } : { uid };
  const request = `${unique('request')}/${phones.length}`;
  // A caller whose response was lost asks again.
  for (const _ of isRepeated ? [1, 2] : [1]) {
    if (isBlock) await stores.blockList.add(list, phones, { reason: text }, request);
    else await stores.blockList.remove(list, phones, request);
  }
  const entry = (phone: string) => JSON.stringify([list, phone]);
  const changed = phones.filter((phone) => blocked.has(entry(phone)) !== isBlock).length;
  for (const phone of phones) blocked[isBlock ? 'add' : 'delete'](entry(phone));
  if (changed === 0) return [];
  const counts = { added: isBlock ? changed : 0, removed: isBlock ? 0 : changed };
  return [{ action: 'block_list.updated', agentId: onAgent ? agentId : undefined, counts }];
};

/** What a request may do. Each returns the entries that it makes. */
const requests: Record<string, (world: World, step: Step) => Promise<Made[]>> = {
  block: (world, step) => changeList(world, true, step),
  unblock: (world, step) => changeList(world, false, step),
  async replaceAgent(world) {
    const { uid, agentId, stores } = world;
    await stores.agents.remove(uid, agentId);
    Object.assign(world, { agentId: unique('agent'), isShared: false, isSplit: false });
    return [{ action: 'agent.deleted', id: agentId, agentId }, await world.createAgent()];
  },
  async renameAgent({ uid, agentId, stores }) {
    await stores.agents.change(uid, agentId, (agent) => ({ ...agent, name: `${text} ${unique('name')}` }));
    return [{ action: 'agent.updated', id: agentId, agentId }];
  },
  async splitTraffic(world) {
    const { uid, agentId, stores, isSplit } = world;
    await stores.agents.setTraffic(uid, agentId, isSplit ? [] : [{ version: 1, percent: 100 }]);
    world.isSplit = !isSplit;
    return [{ action: 'agent.traffic_updated', id: agentId, agentId }];
  },
  async shareAgent(world) {
    const { uid, guest, agentId, stores, isShared } = world;
    await stores.agents[isShared ? 'revoke' : 'share'](agentId, uid, guest);
    world.isShared = !isShared;
    return [{ action: isShared ? 'access.ended' : 'access.granted', id: guest, agentId }];
  },
  async recordAndDeleteCall({ agentId, stores }, { phones: [phone = ''], isRepeated }) {
    const id = unique('call');
    await stores.calls.record(agentId, id, { phone, direction: 'inbound', startedAt: createdAt });
    if (isRepeated) return [];
    await stores.calls.remove(agentId, id);
    return [{ action: 'call.deleted', id, agentId }];
  },
  async addAndDeleteWebsite({ uid, agentId, websites }) {
    const id = newIdentifier('web');
    await websites.add({
      ...{ agentId, id, name: text, url: 'https://example.com/', active: true, pages: 0, failedPages: [] },
      ...newAttempt(websiteStates, newUlid()),
      ...{ limit: 5, maxDepth: 1, includePaths: [], excludePaths: [], lastUpdatedBy: uid, lastUpdatedAt: createdAt },
    });
    await websites.edit({ agentId, id }, { name: `${text}.` }, uid);
    await websites.remove({ agentId, id });
    return (['created', 'updated', 'deleted'] as const).map((done) => ({ action: `website.${done}`, id, agentId }));
  },
  async addAndDeleteEndpoint({ uid, stores: { webhookEndpoints } }) {
    const id = newIdentifier('endpoint');
    const url = `https://${id}.example.com/`;
    const endpoint = { endpointId: id, url, events: ['*'], active: true, createdAt, confirmedAt: createdAt };
    await webhookEndpoints.add(uid, { ...endpoint, secrets: [] });
    await webhookEndpoints.change(uid, id, (found) => ({ ...found, description: text }));
    await webhookEndpoints.remove(uid, id);
    return (['created', 'updated', 'deleted'] as const).map((done) => ({ action: `webhook_endpoint.${done}`, id }));
  },
  async setAndDeleteHookSecret({ uid, stores: { hookSecrets } }) {
    await hookSecrets.set(uid, 'vapi', { sealed: unique('sealed'), createdAt, keyId: 'key_test' }, async () => false);
    await hookSecrets.remove(uid, 'vapi');
    return (['set', 'deleted'] as const).map((done) => ({ action: `hook_secret.${done}`, id: 'vapi' }));
  },
  async createAndRevokeKey({ uid, stores: { apiKeys } }) {
    const { keyId: id } = await apiKeys.create(uid, { name: text });
    await apiKeys.change(uid, id, { name: `${text}.` });
    await apiKeys.revoke(uid, id);
    return (['created', 'updated', 'revoked'] as const).map((done) => ({ action: `key.${done}`, id }));
  },
  async suspendUser({ uid, stores: { users } }) {
    await users.change(uid, { name: `${text} ${unique('name')}`, suspended: true });
    await users.change(uid, { suspended: false });
    return (['updated', 'suspended', 'resumed'] as const).map((done) => ({ action: `user.${done}`, id: uid }));
  },
  async requestErasure({ uid, erasures }, { phones: [number = ''] }) {
    const erasureId = newIdentifier('erasure');
    await erasures.add({ uid, erasureId, number, numberHash: '', blockList: 'remove' });
    return [{ action: 'erasure.requested', id: erasureId }];
  },
};

const step = fc.record({
  request: fc.oneof(fc.constantFrom('block', 'unblock'), fc.constantFrom(...Object.keys(requests))),
  isGuest: fc.boolean(),
  via: fc.constantFrom<Way>('api', 'mcp', 'chat', 'operator', 'platform'),
  onAgent: fc.boolean(),
  // One, some, or more than an entry has room for.
  phones: fc.oneof(
    { weight: 3, arbitrary: fc.constantFrom(...numbers).map((number) => [number]) },
    { weight: 3, arbitrary: fc.uniqueArray(fc.constantFrom(...numbers.slice(0, 6)), { minLength: 2 }) },
    { weight: 1, arbitrary: fc.constant(numbers) },
  ),
  isRepeated: fc.boolean(),
});
/** The requests before each reading of the stream. */
const rounds = fc.array(fc.array(step, { minLength: 3, maxLength: 8 }), { minLength: 2, maxLength: 3 });

const hashOf = ({ dynamodb }: DynamoDBRecord) =>
  Number.parseInt(hash('sha1', JSON.stringify(dynamodb?.Keys)).slice(0, 8), 16);

/** Reads changes as Lambda does: several workers at once, each with the changes of some items. A batch comes again, as a whole or in part. */
const readAll = async (records: DynamoDBRecord[], seed: number): Promise<void> => {
  const parts = Map.groupBy(records, (record) => hashOf(record) % workers);
  await Promise.all([...parts].map(([part, those]) => readPart(those, seed * workers + part)));
};

const readPart = async (records: DynamoDBRecord[], seed: number): Promise<void> => {
  const [next, faults, table] = [chance(seed), tenPercent(seed + 1), stream.open()];
  const { webhookEndpoints, webhookDeliveries, webhookEvents } = makeStores(table);
  const send = async () => {};
  const services = {
    changeLog: new ChangeLog(table, 400),
    credentials: new Credentials(table),
    ...{ webhookEndpoints, webhookDeliveries, webhookEvents },
    deliveryQueue: { sendMany: send },
    jobQueue: { send },
  };
  for (let left = records; left.length > 0; ) {
    const batch = left.slice(0, 1 + Math.floor(next() * maxBatch)).map(toTableChange);
    let isDead = false;
    const dies = () => {
      isDead ||= next() < killChance;
      return isDead;
    };
    injectFaultsInto(table.client, () => (dies() ? 'kill' : faults()));
    const until = Date.now() + (next() < shortChance ? next() * 15 : 45_000);
    const firstFailed = await publishChanges(batch, services, { until }).catch(() => batch[0]);
    const failed = batch.findIndex(({ sequenceNumber }) => sequenceNumber === firstFailed?.sequenceNumber);
    const done = failed < 0 ? batch.length : failed;
    // It also dies after all was written. The position that it has reached is then not noted, or an earlier one is.
    const noted = dies() ? 0 : next() < againChance ? Math.floor(next() * done) : done;
    left = left.slice(noted);
  }
};

itInAnyHistory(
  'the log has each change once, with its maker and request, and no number or text of anybody, however its reader dies and repeats',
  [3, 60],
  (numRuns) =>
    fc.assert(
      fc.asyncProperty(rounds, fc.nat(), async (rounds, seed) => {
        const world = new World(chance(seed));
        const expected: Logged[] = [];
        const perform = async (maker: ChangeMaker, work: () => Promise<Made[]>) => {
          const requestId = unique('request');
          const made = await withCause({ maker, requestId }, work);
          expected.push(...made.map((entry) => ({ ...entry, ...maker, requestId })));
        };
        const { uid, guest, stores } = world;
        await stores.users.create(guest);
        await perform({ uid, via: 'operator' }, async () => {
          await stores.users.create(uid);
          return [{ action: 'user.created', id: uid }, await world.createAgent()];
        });
        for (const [index, steps] of rounds.entries()) {
          for (const { request, isGuest, via, ...step } of steps) {
            const maker = { uid: isGuest ? guest : uid, keyId: unique('key'), keyName: 'CRM', via };
            await perform(maker, async () => (await requests[request]?.(world, step)) ?? []);
          }
          await readAll(await stream.changesSoFar(), seed + index);
        }
        const stored = await Array.fromAsync(stream.open().query(changeCollection(uid)));
        expect(comparable(stored as unknown as Logged[])).toEqual(comparable(expected));
        const raw = JSON.stringify(stored);
        expect([text, ...numbers].filter((secret) => raw.includes(secret))).toEqual([]);
      }),
      { numRuns, endOnFailure: true },
    ),
);
