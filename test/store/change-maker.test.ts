import { expect, it } from 'vitest';
import { accessKey, agentKey, blockedNumberKey, userKey } from '../../functions/store/keys.ts';
import { type Item, table } from '../../functions/store/table.ts';
import { call, newGuest, newUser, newWorld, unique } from '../support/world.ts';

it('an item has the user, the key and its name, the way and the request of its last change', async () => {
  const { uid, agentId, keyId, call: callAs, block, unblock } = await newWorld();
  const guest = await newGuest({ uid, agentId });
  const agent = agentKey(uid, agentId);
  const number = blockedNumberKey({ agentId }, '+14155550100');
  const readMaker = async (key: typeof agent) =>
    (await table.get().get<typeof agent & { madeBy?: object }>(key))?.madeBy;
  expect(await readMaker(agent)).toBeUndefined();

  const named = { keyName: 'test', via: 'api', at: expect.any(Number) };
  await callAs('PATCH', `/agents/${agentId}`, { body: { uid, name: 'Renamed' } });
  expect(await readMaker(agent)).toEqual({ uid, keyId, ...named });

  await call('POST', '/agent-block-list', {
    apiKey: guest.apiKey,
    body: { uid: guest.uid, agentId, numbers: ['+14155550100'] },
  });
  expect(await readMaker(number)).toEqual({ uid: guest.uid, keyId: guest.keyId, ...named });
  await unblock(['+14155550100']);
  expect(await readMaker(number)).toEqual({ uid, keyId, ...named });
  await block(['+14155550100']);
  expect(await readMaker(number)).toEqual({ uid, keyId, ...named });

  const { headers } = await callAs('DELETE', `/agents/${agentId}`, { query: { uid } });
  expect(await table.get().get(accessKey(agentId))).toMatchObject({
    madeBy: { uid, keyId, ...named },
    requestId: headers.get('x-request-id'),
  });
});

it('a client keeps the user that created it as its maker, whoever changes it', async () => {
  const { uid, apiKey, keyId } = await newUser(['users']);
  const client = unique('client');
  const found = () => table.get().get<Item & { maker?: string; madeBy?: object }>(userKey(client));
  const by = { uid, keyId, keyName: 'test', via: 'api', at: expect.any(Number) };
  await call('POST', '/users', { apiKey, body: { uid: client } });
  expect(await found()).toMatchObject({ maker: uid, madeBy: by });
  await call('PATCH', `/users/${client}`, { apiKey, body: { suspended: true } });
  expect(await found()).toMatchObject({ maker: uid, madeBy: by, suspended: true });
});
