import { randomBytes } from 'node:crypto';
import { QueryCommand } from '@aws-sdk/lib-dynamodb';
import { expect, it } from 'vitest';
import { versionItems } from '../../functions/store/agents/agent-versions.ts';
import { agentVersionCollection, itemsOfAgent } from '../../functions/store/keys.ts';
import { type Item, table } from '../../functions/store/table.ts';
import { newWorld, type World } from '../support/world.ts';

const change = ({ agentId, call }: World, configuration: object, headers: Record<string, string> = {}) =>
  call('PATCH', `/agents/${agentId}`, { body: { configuration }, headers });
const get = async ({ agentId, uid, call }: World, path: string, query: object = {}) =>
  (await call('GET', `/agents/${agentId}/versions${path}`, { query: { uid, ...query } })).body;

it('a history of 200 large versions takes ten read units', async () => {
  const world = await newWorld();
  const { agentId, uid, keyId } = world;
  const content = { name: 'Agent', configuration: { instructions: randomBytes(5000).toString('hex') } };
  const items = Array.from({ length: 200 }, (_, index) => {
    const createdAt = new Date(Date.UTC(2026, 0, 1, 0, index)).toISOString();
    const changed = ['configuration.instructions'];
    return versionItems(agentId, { version: index + 1, createdAt, uid, keyId, changed, creationId: 'x' }, content);
  });
  await table.get().putMany(items.flat());
  expect((await get(world, '')).versions).toHaveLength(200);
  const { client, name } = table.get();
  const { pk, prefix } = agentVersionCollection(agentId);
  const { ConsumedCapacity } = await client.send(
    new QueryCommand({
      TableName: name,
      ConsistentRead: true,
      KeyConditionExpression: 'pk = :pk and begins_with(sk, :prefix)',
      ExpressionAttributeValues: { ':pk': pk, ':prefix': prefix },
      ReturnConsumedCapacity: 'TOTAL',
    }),
  );
  expect(ConsumedCapacity?.CapacityUnits).toBeLessThanOrEqual(10);
});

/** Stores the versions of an agent as an earlier version of the service did: one item each, with the content. */
const storeAsBefore = async (agentId: string) => {
  const contents: (Item & { content: unknown; creationId?: string })[] = [];
  for await (const item of table
    .get()
    .query<(typeof contents)[number]>({ ...itemsOfAgent(agentId), prefix: 'CONTENT#' }))
    contents.push(item);
  for (const { pk, sk, content, creationId } of contents) {
    const key = { pk, sk: sk.replace('CONTENT#', 'VERSION#') };
    await table.get().change(key, { set: { content, creationId, version: Number(sk.slice('CONTENT#'.length)) } });
    await table.get().delete({ pk, sk });
  }
};

it('versions that an earlier version of the service stored are listed, compared, restored and served', async () => {
  const world = await newWorld();
  const { agentId, uid, call } = world;
  await change(world, { greeting: 'One' });
  await change(world, { greeting: 'Two' });
  await storeAsBefore(agentId);
  await change(world, { greeting: 'Three' });
  expect((await get(world, '')).versions).toMatchObject([4, 3, 2, 1].map((version) => ({ version, uid })));
  expect(JSON.stringify(await get(world, ''))).not.toContain('content');
  expect(await get(world, '/3', { against: '2' })).toMatchObject({
    configuration: { greeting: 'Two' },
    changes: [{ path: '/configuration/greeting', before: 'One', after: 'Two' }],
  });
  const conflict = await change(world, { greeting: 'Four' }, { 'if-match': '"1"' });
  expect([conflict.status, conflict.body.version, conflict.body.details.length]).toEqual([412, 4, 1]);
  const split = [{ version: 2, percent: 100 }];
  expect((await call('PUT', `/agents/${agentId}/traffic`, { body: { uid, split } })).status).toBe(200);
  const start = { uid, agentId, from: '+14155550100', include: ['agent'] };
  expect((await call('POST', '/call-starts', { body: start })).body.agent.configuration.greeting).toBe('One');
  const restored = await call('POST', `/agents/${agentId}/restore`, { body: { uid, version: 3 } });
  expect(restored.body).toMatchObject({ version: 5, configuration: { greeting: 'Two' } });
});
