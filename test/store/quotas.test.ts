import { afterEach, beforeAll, describe, expect, it } from 'vitest';
import type { Agent } from '../../functions/domain/agents.ts';
import { newIdentifier } from '../../functions/domain/identifiers.ts';
import { waitingForFile } from '../../functions/domain/source-state.ts';
import { Agents } from '../../functions/store/agents.ts';
import { type DocumentRecord, documentKind } from '../../functions/store/documents.ts';
import { type Duplication, Duplications } from '../../functions/store/duplications.ts';
import { agentsOf, countKey, documentKey, documentsOf, websitesOf } from '../../functions/store/keys.ts';
import { agentQuota, type Counter, recountAgents, recountSources, sourceQuota } from '../../functions/store/quotas.ts';
import { Sources } from '../../functions/store/sources.ts';
import { type Item, table } from '../../functions/store/table.ts';
import { type WebsiteRecord, websiteKind } from '../../functions/store/websites.ts';
import { itInAnyHistory } from '../support/any-history.ts';
import { chance, type Fault, injectFaults } from '../support/faults.ts';
import { websiteRecord } from '../support/websites.ts';
import { newUser, newWorld, type World } from '../support/world.ts';

const limit = 5;
let agents: Agents;
let websites: Sources<WebsiteRecord>;
let documents: Sources<DocumentRecord>;
let world: World;
beforeAll(async () => {
  world = await newWorld();
  agents = new Agents(table.get(), agentQuota(limit));
  websites = new Sources(table.get(), websiteKind, sourceQuota(limit));
  documents = new Sources(table.get(), documentKind, sourceQuota(limit));
});
const noFaults = () => injectFaults(table.get().client, () => undefined);
afterEach(noFaults);

/** One request in five to DynamoDB goes wrong; one response in ten is lost. */
const faults = (seed: number) => {
  const next = chance(seed);
  const kinds: Fault[] = ['lost response', 'lost response', 'conflict', 'throttle', 'server error'];
  injectFaults(table.get().client, () => (next() < 0.2 ? kinds[Math.floor(next() * kinds.length)] : undefined));
};

const counterOf = (owner: { uid: string } | { agentId: string }) => table.get().get<Counter>(countKey(owner));
const countOf = async (owner: { uid: string } | { agentId: string }) => (await counterOf(owner))?.count ?? 0;

const itemsOf = async (...collections: { pk: string; prefix?: string }[]) => {
  const items: Item[] = [];
  for (const collection of collections) for await (const item of table.get().query(collection)) items.push(item);
  return items;
};
const sourcesOf = (agentId: string) => itemsOf(websitesOf(agentId), documentsOf(agentId));

const newAgent = (uid: string): Agent => ({
  ...{ uid, agentId: newIdentifier('agent'), name: 'Agent', configuration: {} },
  ...{ createdAt: '2026-03-01T10:00:00.000Z', updatedAt: '2026-03-01T10:00:00.000Z' },
});

const newDocument = (agentId: string, more: Partial<DocumentRecord> = {}): DocumentRecord => ({
  ...{ id: newIdentifier('doc'), agentId, name: 'a.txt', active: true, size: 1, status: 'pending', attempt: 'first' },
  ...{ lastUpdatedBy: 'user', lastUpdatedAt: '2026-03-01T10:00:00.000Z', ...more },
});

const settled = async (work: Promise<unknown>[]) => {
  const outcomes = await Promise.allSettled(work);
  const errors = outcomes.flatMap((outcome) => (outcome.status === 'rejected' ? [outcome.reason as Error] : []));
  return { done: outcomes.length - errors.length, codes: errors.map((error) => (error as { code?: string }).code) };
};

describe('the quota of agents', () => {
  it('holds when many are created at once, and counts each', async () => {
    const { uid } = await newUser();
    const { done, codes } = await settled(Array.from({ length: 12 }, () => agents.create(newAgent(uid))));
    expect([done, new Set(codes)]).toEqual([limit, new Set(['quota_exceeded'])]);
    expect(await countOf({ uid })).toBe(limit);
    expect(await itemsOf(agentsOf(uid))).toHaveLength(limit);
  });

  it('counts an agent once that is created again under its id, also when there is no room', async () => {
    const { uid } = await newUser();
    const created = Array.from({ length: limit }, () => newAgent(uid));
    for (const agent of [...created, ...created]) expect(await agents.create(agent)).toEqual(agent);
    expect(await countOf({ uid })).toBe(limit);
  });

  it('is exact whatever DynamoDB answers', async () => {
    for (let seed = 0; seed < 3; seed++) {
      const { uid } = await newUser();
      faults(seed);
      for (let n = 0; n < limit + 3; n++) await agents.create(newAgent(uid)).catch(() => {});
      noFaults();
      const { length } = await itemsOf(agentsOf(uid));
      expect(length).toBeLessThanOrEqual(limit);
      expect(await countOf({ uid })).toBe(length);
    }
  });

  it('does not bind the operator, whose agents count', async () => {
    const { uid } = await newUser();
    for (let n = 0; n <= limit; n++) await new Agents(table.get()).create(newAgent(uid));
    expect(await countOf({ uid })).toBe(limit + 1);
    await expect(agents.create(newAgent(uid))).rejects.toMatchObject({ code: 'quota_exceeded' });
  });
});

describe('a copy', () => {
  const duplications = (sources = limit) =>
    new Duplications(table.get(), { agents: agentQuota(limit), sources: sourceQuota(sources) });
  const copyOf = (uid: string, sourceAgentId: string, more: Partial<Duplication> = {}): Duplication => ({
    ...{ agent: newAgent(uid), sourceAgentId, shardsDone: [], blockedNumbers: 0, state: 'copying' },
    ...{ websites: { copied: 0, done: true }, documents: { copied: 0, done: true }, ...more },
  });

  it('counts from its beginning, once, and stays one agent when it is finished', async () => {
    const { uid } = await newUser();
    for (let n = 1; n < limit; n++) await agents.create(newAgent(uid));
    const { agentId: source } = world;
    const copies = Array.from({ length: 6 }, () => copyOf(uid, source));
    const { done, codes } = await settled(copies.map((copy) => duplications().add(copy)));
    expect([done, new Set(codes)]).toEqual([1, new Set(['quota_exceeded'])]);
    const begun = await Promise.all(copies.map((copy) => duplications().find(copy.agent.agentId)));
    const [copy] = begun.filter((one) => one !== undefined);
    if (!copy) throw new Error('No copy was begun.');
    expect(await duplications().add(copy)).toEqual(copy);
    expect(await counterOf({ uid })).toMatchObject({ count: limit, copies: new Set([copy.agent.agentId]) });
    await recountAgents(table.get(), uid);
    expect(await countOf({ uid })).toBe(limit);
    const whole = { ...copy, websites: { copied: 2, done: true }, documents: { copied: 1, done: true } };
    await Promise.all([duplications().finish(whole), duplications().finish(whole)]);
    const { count, copies: left } = (await counterOf({ uid })) ?? {};
    expect([count, left]).toEqual([limit, undefined]);
    expect(await countOf({ agentId: copy.agent.agentId })).toBe(3);
    await recountAgents(table.get(), uid);
    expect(await countOf({ uid })).toBe(limit);
  });

  it('is exact whatever DynamoDB answers', async () => {
    for (let seed = 20; seed < 22; seed++) {
      const { uid } = await newUser();
      faults(seed);
      for (let n = 0; n < limit + 2; n++) {
        const copy = copyOf(uid, world.agentId);
        for (let run = 0; run < 6; run++) {
          const begun = await duplications()
            .add(copy)
            .catch(() => undefined);
          if (
            begun &&
            (await duplications()
              .finish(begun)
              .catch(() => undefined))
          )
            break;
        }
      }
      noFaults();
      expect(await itemsOf(agentsOf(uid))).toHaveLength(limit);
      expect(await counterOf({ uid })).toMatchObject({ count: limit });
    }
  });

  it('of an agent with more sources than an agent may have is not begun', async () => {
    const { uid, agentId } = await newWorld();
    await documents.addAll([newDocument(agentId), newDocument(agentId)]);
    const copy = copyOf(uid, agentId);
    await expect(duplications(1).add(copy)).rejects.toMatchObject({
      code: 'quota_exceeded',
      message: expect.stringContaining('at most 1 websites and documents'),
    });
    expect(await duplications(1).find(copy.agent.agentId)).toBeUndefined();
    expect(await countOf({ uid })).toBe(1);
    expect((await duplications(2).add(copy)).agent.agentId).toBe(copy.agent.agentId);
  });
});

describe('the quota of sources', () => {
  it('is one for websites and documents, and holds when many are added at once', async () => {
    const one = await newWorld();
    const { agentId } = one;
    const { done, codes } = await settled([
      ...Array.from({ length: 6 }, () => websites.add(websiteRecord(one))),
      ...Array.from({ length: 6 }, () => documents.add(newDocument(agentId))),
    ]);
    expect([done, new Set(codes)]).toEqual([limit, new Set(['quota_exceeded'])]);
    expect([await countOf({ agentId }), (await sourcesOf(agentId)).length]).toEqual([limit, limit]);
  });

  it('takes all documents of a request or none; those that are there already do not count again', async () => {
    const { agentId } = await newWorld();
    const four = Array.from({ length: 4 }, () => newDocument(agentId));
    expect(await documents.addAll(four)).toEqual(four);
    await expect(documents.addAll([newDocument(agentId), newDocument(agentId)])).rejects.toMatchObject({
      code: 'quota_exceeded',
    });
    const again = [...four, newDocument(agentId)];
    expect(await documents.addAll(again)).toEqual(again);
    expect(await documents.addAll(again)).toEqual(again);
    expect([await countOf({ agentId }), (await sourcesOf(agentId)).length]).toEqual([5, 5]);
    const tooMany = Array.from({ length: limit + 1 }, () => newDocument(world.agentId));
    await expect(documents.addAll(tooMany)).rejects.toMatchObject({ code: 'quota_exceeded' });
    expect(await documents.addAll([])).toEqual([]);
  });

  it('has room again when a source is deleted, counted once when it is deleted twice at once or never read', async () => {
    const one = await newWorld();
    const { agentId } = one;
    const added = await documents.addAll(Array.from({ length: limit }, () => newDocument(agentId)));
    const [first, second, third] = added as [DocumentRecord, DocumentRecord, DocumentRecord];
    await Promise.all([documents.remove(first), documents.remove(first), documents.deleteOrphans(first)]);
    await documents.deleteOrphans(first);
    await expect(documents.sendOrRemove(second, () => Promise.reject(new Error('down')))).rejects.toThrow('down');
    await table.get().change(documentKey(agentId, third.id), { set: { status: 'deleting' } });
    await Promise.all([documents.deleteOrphans(third), documents.deleteOrphans(third)]);
    expect([await countOf({ agentId }), (await sourcesOf(agentId)).length]).toEqual([2, 2]);
    await websites.add(websiteRecord(one));
    expect(await countOf({ agentId })).toBe(3);
  });

  itInAnyHistory('is exact in any history, whatever DynamoDB answers', [1, 10], async (runs) => {
    for (let seed = 40; seed < 40 + runs; seed++) {
      const one = await newWorld();
      const { agentId } = one;
      const next = chance(seed);
      const known: { kind: 'website' | 'document'; id: string }[] = [];
      faults(seed);
      for (let step = 0; step < 25; step++) {
        const victim = known[Math.floor(next() * known.length)];
        if (next() < 0.6 || !victim) {
          const record = next() < 0.5 ? websiteRecord(one) : newDocument(agentId);
          const kind = 'url' in record ? ('website' as const) : ('document' as const);
          known.push({ kind, id: record.id });
          await ('url' in record ? websites.add(record) : documents.add(record)).catch(() => {});
        } else {
          const source = { agentId, id: victim.id };
          await (victim.kind === 'website' ? websites : documents).remove(source).catch(() => {});
        }
      }
      noFaults();
      const { length } = await sourcesOf(agentId);
      expect(length).toBeLessThanOrEqual(limit);
      expect(await countOf({ agentId })).toBe(length);
    }
  });

  it('does not count upload forms that have expired, once the agent is full; looked for at most once a minute', async () => {
    const { agentId } = await newWorld();
    const forms = Array.from({ length: limit }, () => newDocument(agentId, { ...waitingForFile(), formIssuedTo: 'x' }));
    await documents.addAll(forms);
    await expect(documents.add(newDocument(agentId))).rejects.toMatchObject({ code: 'quota_exceeded' });
    const expire = ({ id }: DocumentRecord) =>
      table.get().change(documentKey(agentId, id), { set: { waitsUntil: Date.now() - 1 } });
    await Promise.all(forms.slice(1).map(expire));
    await expect(documents.add(newDocument(agentId))).rejects.toMatchObject({ code: 'quota_exceeded' });
    await table.get().change(countKey({ agentId }), { set: { recountedAt: Date.now() - 61_000 } });
    await documents.add(newDocument(agentId));
    expect(await countOf({ agentId })).toBe(2);
  });

  itInAnyHistory('stays exact when sources come and go while they are counted again', [1, 4], async (rounds) => {
    const one = await newWorld();
    const { agentId } = one;
    const free = new Sources<WebsiteRecord>(table.get(), websiteKind);
    const added: WebsiteRecord[] = [];
    const change = async () => {
      for (let n = 0; n < 12; n++) {
        const record = await free.add(websiteRecord(one));
        if (n % 3 === 0) await free.remove(record);
        else added.push(record);
      }
    };
    // Counting takes longer than a change.
    injectFaults(table.get().client, (operation) => (operation === 'Query' ? 'slow' : undefined));
    for (let round = 1; round <= rounds; round++) {
      let isOver = false;
      const recountOften = async () => {
        while (!isOver) await recountSources(table.get(), agentId, true);
      };
      await Promise.all([change().finally(() => (isOver = true)), recountOften(), recountOften()]);
      expect(added.length).toBe(8 * round);
      expect(await countOf({ agentId })).toBe(8 * round);
    }
  });
});
