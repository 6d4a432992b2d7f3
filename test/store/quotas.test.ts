import { afterEach, beforeAll, expect, it } from 'vitest';
import type { UnversionedAgent } from '../../functions/domain/agents.ts';
import { newIdentifier } from '../../functions/domain/identifiers.ts';
import { type Duplication, Duplications } from '../../functions/duplication/duplications.ts';
import { AgentChanges } from '../../functions/store/agents/agent-changes.ts';
import { agentCollection } from '../../functions/store/keys.ts';
import { agentQuota, sourceQuota } from '../../functions/store/quotas.ts';
import { type DocumentRecord, documentKind } from '../../functions/store/sources/documents.ts';
import { Sources } from '../../functions/store/sources/sources.ts';
import { table } from '../../functions/store/table.ts';
import { openWriteQuota } from '../../functions/store/write-quota.ts';
import { noFaults } from '../support/faults.ts';
import { faults, listItems, newDocument, readCount, readCounter, settled } from '../support/quotas.ts';
import { newUser, newWorld, type World } from '../support/world.ts';

const limit = 5;
let agents: AgentChanges;
let documents: Sources<DocumentRecord>;
let world: World;
beforeAll(async () => {
  world = await newWorld();
  agents = new AgentChanges(table.get(), agentQuota(limit));
  documents = new Sources(table.get(), documentKind, sourceQuota(limit));
});
afterEach(noFaults);

const newAgent = (uid: string): UnversionedAgent => ({
  ...{ uid, agentId: newIdentifier('agent'), name: 'Agent', configuration: {} },
  ...{ createdAt: '2026-03-01T10:00:00.000Z', updatedAt: '2026-03-01T10:00:00.000Z' },
});

it('the quota of agents holds when many are created at once, and counts each', async () => {
  const { uid } = await newUser();
  const { done, codes } = await settled(Array.from({ length: 12 }, () => agents.create(newAgent(uid))));
  expect([done, new Set(codes)]).toEqual([limit, new Set(['quota_exceeded'])]);
  expect(await readCount({ uid })).toBe(limit);
  expect(await listItems(agentCollection(uid))).toHaveLength(limit);
});

it('the quota of agents is exact with any faults of DynamoDB', async () => {
  for (let seed = 0; seed < 3; seed++) {
    const { uid } = await newUser();
    faults(seed);
    for (let n = 0; n < limit + 3; n++) await agents.create(newAgent(uid)).catch(() => {});
    noFaults();
    const { length } = await listItems(agentCollection(uid));
    expect(length).toBeLessThanOrEqual(limit);
    expect(await readCount({ uid })).toBe(length);
  }
});

it('the quota of agents does not limit the operator, whose agents count', async () => {
  const { uid } = await newUser();
  for (let n = 0; n <= limit; n++) await new AgentChanges(table.get()).create(newAgent(uid));
  expect(await readCount({ uid })).toBe(limit + 1);
  await expect(agents.create(newAgent(uid))).rejects.toMatchObject({ code: 'quota_exceeded' });
});

const duplications = (sources = limit) =>
  new Duplications(table.get(), { agents: agentQuota(limit), sources: sourceQuota(sources) }, openWriteQuota());
const makeCopy = (uid: string, sourceAgentId: string, more: Partial<Duplication> = {}): Duplication => ({
  ...{ agent: newAgent(uid), sourceAgentId, shardsDone: [], blockedNumbers: 0, state: 'copying' },
  ...{ websites: { copied: 0, done: true }, documents: { copied: 0, done: true }, ...more },
});

it('a copy counts as one agent from its beginning, and when it is finished', async () => {
  const { uid } = await newUser();
  for (let n = 1; n < limit; n++) await agents.create(newAgent(uid));
  const { agentId: source } = world;
  const copies = Array.from({ length: 6 }, () => makeCopy(uid, source));
  const { done, codes } = await settled(copies.map((copy) => duplications().add(copy)));
  expect([done, new Set(codes)]).toEqual([1, new Set(['quota_exceeded'])]);
  const begun = await Promise.all(copies.map((copy) => duplications().find(copy.agent.agentId)));
  const [copy] = begun.filter((one) => one !== undefined);
  if (!copy) throw new Error('No copy was begun.');
  expect(await duplications().add(copy)).toEqual(copy);
  expect(await readCounter({ uid })).toMatchObject({ count: limit });
  const whole = { ...copy, websites: { copied: 2, done: true }, documents: { copied: 1, done: true } };
  await Promise.all([duplications().finish(whole), duplications().finish(whole)]);
  expect(await readCount({ uid })).toBe(limit);
  expect(await readCount({ agentId: copy.agent.agentId })).toBe(3);
});

it('the count of a copy is exact with any faults of DynamoDB', async () => {
  for (let seed = 20; seed < 22; seed++) {
    const { uid } = await newUser();
    faults(seed);
    for (let n = 0; n < limit + 2; n++) {
      const copy = makeCopy(uid, world.agentId);
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
    expect(await listItems(agentCollection(uid))).toHaveLength(limit);
    expect(await readCounter({ uid })).toMatchObject({ count: limit });
  }
});

it('a copy of an agent with more sources than an agent may have is not begun', async () => {
  const { uid, agentId } = await newWorld();
  await documents.addAll([newDocument(agentId), newDocument(agentId)]);
  const copy = makeCopy(uid, agentId);
  await expect(duplications(1).add(copy)).rejects.toMatchObject({
    code: 'quota_exceeded',
    message: expect.stringContaining('is 1 for the websites and documents'),
  });
  expect(await duplications(1).find(copy.agent.agentId)).toBeUndefined();
  expect(await readCount({ uid })).toBe(1);
  expect((await duplications(2).add(copy)).agent.agentId).toBe(copy.agent.agentId);
});
