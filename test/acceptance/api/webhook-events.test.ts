import { expect, it } from 'vitest';
import { newEndpoint, newReceiver } from '../../support/webhooks.ts';
import { newWorld } from '../../support/world.ts';
import { importPackage } from '../packages.ts';

const { Webhook } = await importPackage('svix');

it('the library of Svix accepts a delivery, before and after a rotation, and rejects a changed one', async () => {
  const world = await newWorld();
  const receiver = await newReceiver();
  const { endpointId, secret } = await newEndpoint(world, receiver.url, { events: ['call.recorded'] });
  await world.recordCall('call-1');
  const body = { uid: world.uid };
  await receiver.waitFor(1);
  const rotated = (await world.call('POST', `/webhook-endpoints/${endpointId}/rotate-secret`, { body })).body;
  await world.recordCall('call-2');
  const [first, second] = (await receiver.waitFor(2)).map(({ headers, body }) => ({
    body,
    headers: {
      'svix-id': headers['webhook-id'],
      'svix-timestamp': headers['webhook-timestamp'],
      'svix-signature': headers['webhook-signature'],
    },
  }));
  const verify = (key: string, { body, headers } = first!, text = body) => {
    new Webhook(key).verify(text, headers);
    return JSON.parse(text);
  };
  expect(verify(secret)).toMatchObject({ type: 'call.recorded', data: { call_id: 'call-1' } });
  for (const key of [secret, rotated.secret])
    expect(verify(key, second)).toMatchObject({ data: { call_id: 'call-2' } });
  expect(() => verify(rotated.secret)).toThrow();
  expect(() => verify(secret, first, first?.body.replace('call-1', 'call-3'))).toThrow();
});
