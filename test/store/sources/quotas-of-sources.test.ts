import { afterEach, beforeAll, expect, it } from 'vitest';
import { waitingForFile } from '../../../functions/domain/source-state.ts';
import { countKey, documentCollection, documentKey, websiteCollection } from '../../../functions/store/keys.ts';
import { recountSources, sourceQuota } from '../../../functions/store/quotas.ts';
import { type DocumentRecord, documentKind } from '../../../functions/store/sources/documents.ts';
import { Sources } from '../../../functions/store/sources/sources.ts';
import { type WebsiteRecord, websiteKind } from '../../../functions/store/sources/website-reads.ts';
import { table } from '../../../functions/store/table.ts';
import { itInAnyHistory } from '../../support/any-history.ts';
import { chance, injectFaults, noFaults } from '../../support/faults.ts';
import { faults, listItems, newDocument, readCount } from '../../support/quotas.ts';
import { websiteRecord } from '../../support/websites.ts';
import { newWorld, type World } from '../../support/world.ts';

const limit = 5;
let websites: Sources<WebsiteRecord>;
let documents: Sources<DocumentRecord>;
let world: World;
beforeAll(async () => {
  world = await newWorld();
  websites = new Sources(table.get(), websiteKind, sourceQuota(limit));
  documents = new Sources(table.get(), documentKind, sourceQuota(limit));
});
afterEach(noFaults);

/** The records of sources, without those whose deletion is in progress. */
const listSources = async (agentId: string) =>
  (await listItems(websiteCollection(agentId), documentCollection(agentId))).filter(
    (item) => !('status' in item && item.status === 'deleting'),
  );

it('the quota of sources admits all documents of a request or none; existing ones do not count again', async () => {
  const { agentId } = await newWorld();
  const four = Array.from({ length: 4 }, () => newDocument(agentId));
  expect(await documents.addAll(four)).toEqual(four);
  await expect(documents.addAll([newDocument(agentId), newDocument(agentId)])).rejects.toMatchObject({
    code: 'quota_exceeded',
  });
  const again = [...four, newDocument(agentId)];
  expect(await documents.addAll(again)).toEqual(again);
  expect(await documents.addAll(again)).toEqual(again);
  expect([await readCount({ agentId }), (await listSources(agentId)).length]).toEqual([5, 5]);
  const tooMany = Array.from({ length: limit + 1 }, () => newDocument(world.agentId));
  await expect(documents.addAll(tooMany)).rejects.toMatchObject({ code: 'quota_exceeded' });
  expect(await documents.addAll([])).toEqual([]);
});

itInAnyHistory('the quota of sources is exact in any history, with any faults of DynamoDB', [1, 10], async (runs) => {
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
    const { length } = await listSources(agentId);
    expect(length).toBeLessThanOrEqual(limit);
    expect(await readCount({ agentId })).toBe(length);
  }
});

it('the quota of sources does not count upload forms that have expired, once the agent is full; looked for at most once a minute', async () => {
  const { agentId } = await newWorld();
  const forms = Array.from({ length: limit }, () =>
    newDocument(agentId, { ...waitingForFile(), formIssuedTo: { uid: 'x', keyId: 'x' } }),
  );
  await documents.addAll(forms);
  await expect(documents.add(newDocument(agentId))).rejects.toMatchObject({ code: 'quota_exceeded' });
  const expire = ({ id }: DocumentRecord) =>
    table.get().change(documentKey(agentId, id), { set: { fileDeadlineAt: Date.now() - 1 } });
  await Promise.all(forms.slice(1).map(expire));
  await expect(documents.add(newDocument(agentId))).rejects.toMatchObject({ code: 'quota_exceeded' });
  await table.get().change(countKey({ agentId }), { set: { recountedAt: Date.now() - 61_000 } });
  await documents.add(newDocument(agentId));
  expect(await readCount({ agentId })).toBe(2);
});

itInAnyHistory(
  'the quota of sources stays exact when sources come and go while they are counted again',
  [1, 4],
  async (rounds) => {
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
    injectFaults((operation) => (operation === 'Query' ? 'slow' : undefined));
    for (let round = 1; round <= rounds; round++) {
      let isOver = false;
      const recountOften = async () => {
        while (!isOver) await recountSources(table.get(), agentId, 0);
      };
      await Promise.all([change().finally(() => (isOver = true)), recountOften(), recountOften()]);
      expect(added.length).toBe(8 * round);
      expect(await readCount({ agentId })).toBe(8 * round);
    }
  },
);
