import { randomBytes } from 'node:crypto';
import { QueryCommand } from '@aws-sdk/lib-dynamodb';
import { expect, it } from 'vitest';
import { versionItems } from '../../functions/store/agents/agent-versions.ts';
import { agentVersionCollection } from '../../functions/store/keys.ts';
import { table } from '../../functions/store/table.ts';
import { newWorld, type World } from '../support/world.ts';

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
