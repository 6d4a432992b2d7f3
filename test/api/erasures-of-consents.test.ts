import { randomUUID } from 'node:crypto';
import { expect, it } from 'vitest';
import { consentCollections } from '../../functions/store/keys.ts';
import { table } from '../../functions/store/table.ts';
import { ended, newPerson, privateWorld, request } from '../support/erasures.ts';
import { findStored, toText } from '../support/stored.ts';
import { until } from '../support/until.ts';
import { newEndpoint, newReceiver } from '../support/webhooks.ts';
import { newUser, type World } from '../support/world.ts';

const at = '2026-03-01T10:00:00.000Z';
const proof = { channel: 'web', text: 'I agree.' };

const record = async (world: World, consents: object[]) => {
  const { body, text } = await world.call('POST', '/consents', { body: { uid: world.uid, consents } });
  expect(body.failed, text).toEqual([]);
};
const list = async (world: World, number: string) =>
  (await world.call('GET', '/consents', { query: { uid: world.uid, number } })).body.consents;
const check = async (world: World, number: string) =>
  (await world.call('GET', '/consents/check', { query: { uid: world.uid, number, purpose: 'marketing' } })).body.state;

/** A person with a given consent, a revocation with a proof and one without. */
const person = async (world: World, number: string) => {
  await record(world, [
    { number, purpose: 'marketing', state: 'given', at, seller: 'Dental', proof },
    { number, purpose: 'service', state: 'revoked', at, proof },
    { number, purpose: '*', state: 'revoked', at },
  ]);
};

it('an erasure deletes given consents, and keeps revocations without what proves them', async () => {
  const [world, number] = [await privateWorld(), newPerson()];
  await person(world, number);
  await record(world, [{ number: '+14155550100', purpose: 'marketing', state: 'given', at }]);
  const { body } = await request(world, number);
  expect(body.found).toEqual({ calls: 0, blockedNumbers: 0, consents: 3 });
  expect(await ended(world, body.erasureId)).toMatchObject({ status: 'done', erased: { consents: 2 } });
  const kept = await list(world, number);
  expect(kept.map(({ purpose, state }: { purpose: string; state: string }) => [purpose, state]).sort()).toEqual([
    ['*', 'revoked'],
    ['service', 'revoked'],
  ]);
  for (const one of kept)
    expect(Object.keys(one).sort()).toEqual([
      'at',
      'consentId',
      'keyId',
      'keyName',
      'number',
      'purpose',
      'recordedAt',
      'state',
    ]);
  expect(await check(world, number)).toBe('revoked');
  expect(await check(world, '+14155550100')).toBe('given');
  const again = await request(world, number);
  expect(again.body.found.consents).toBe(2);
  expect(await ended(world, again.body.erasureId)).toMatchObject({ erased: { consents: 0 } });
});

it('an erasure that removes takes the revocations along, in both forms, and events lose the number', async () => {
  const world = await privateWorld();
  await newEndpoint(world, (await newReceiver()).url, { events: ['consent.*'] });
  const digits = `2${newPerson().slice(-9)}`;
  const [today, former] = [`+52${digits}`, `+521${digits}`];
  await person(world, former);
  await record(world, [{ number: today, purpose: 'marketing', state: 'given', at }]);
  const events = async () =>
    (await Array.fromAsync(table.get().query({ pk: `USER#${world.uid}`, prefix: 'EVENT#' }))).map(toText);
  await until(async () => (await events()).length === 4);
  expect((await events()).filter((text) => text.includes(digits))).toHaveLength(4);
  const { body } = await request(world, today, { blockList: 'remove' });
  expect(body.found.consents).toBe(4);
  expect(await ended(world, body.erasureId)).toMatchObject({ status: 'done', erased: { consents: 4 } });
  await until(async () => (await findStored(digits)).length === 0);
  expect(await check(world, former)).toBe('none');
});

it('an erasure takes the first record of a person, or its proof and seller, and leaves the others', async () => {
  const world = await privateWorld();
  await newEndpoint(world, (await newReceiver()).url, { events: ['consent.*'] });
  const words = randomUUID();
  const secret = { seller: `${words} Dental`, proof: { ...proof, text: `${words} I agree.` } };
  for (const state of ['given', 'revoked']) {
    const number = newPerson();
    const times = ['2026-03-02T10:00:00.000Z', '2026-03-01T10:00:00.000Z', '2026-03-03T10:00:00.000Z'];
    for (const [index, time] of times.entries())
      await record(world, [
        { number, purpose: 'marketing', at: time, ...(index ? { state: 'revoked' } : { state, ...secret }) },
      ]);
    const events = async () =>
      (await Array.fromAsync(table.get().query({ pk: `USER#${world.uid}`, prefix: 'EVENT#' }))).map(toText);
    await until(async () => (await events()).filter((text) => text.includes(number)).length === 3);
    const keeping = await request(world, number);
    expect(keeping.body.found.consents).toBe(3);
    expect(await ended(world, keeping.body.erasureId)).toMatchObject({ erased: { consents: 1 } });
    const kept = (await list(world, number)).map((one: { at: string }) => one.at);
    expect(kept).toEqual([times[2], ...(state === 'revoked' ? [times[0]] : []), times[1]]);
    expect(await findStored(words)).toEqual([]);
    await until(async () => !(await events()).some((text) => text.includes(number)));
    const removing = await request(world, number, { blockList: 'remove' });
    expect(await ended(world, removing.body.erasureId)).toMatchObject({ erased: { consents: kept.length } });
    expect(await list(world, number)).toEqual([]);
    await until(async () => (await findStored(number)).length === 0);
  }
});

it('more records than a transaction takes are erased', async () => {
  const [world, number] = [await privateWorld(), newPerson()];
  const consents = Array.from({ length: 200 }, (_, index) => ({
    ...{ number, purpose: 'marketing', state: index % 2 ? 'given' : 'revoked', proof },
    at: new Date(Date.parse(at) + index).toISOString(),
  }));
  await record(world, consents);
  const { body } = await request(world, number);
  expect(await ended(world, body.erasureId)).toMatchObject({ status: 'done', erased: { consents: 200 } });
  expect(await list(world, number)).toHaveLength(100);
  expect(await check(world, number)).toBe('revoked');
});

it('the deletion of a user takes the consents along', async () => {
  const maker = await newUser(['users']);
  const world = await privateWorld();
  const { call } = world;
  const made = await call('POST', '/users', { apiKey: maker.apiKey, body: { name: 'Client' } });
  const { uid } = made.body;
  const key = await call('POST', '/keys', {
    apiKey: maker.apiKey,
    body: { uid, name: 'client', scopes: ['block-list'] },
  });
  const body = { uid, consents: [{ number: newPerson(), purpose: 'marketing', state: 'given', at }] };
  expect((await call('POST', '/consents', { apiKey: key.body.secret, body })).body.recorded).toHaveLength(1);
  await call('DELETE', `/users/${uid}`, { apiKey: maker.apiKey, query: { confirm: uid } });
  const left = async () =>
    (await Promise.all(consentCollections(uid).map((one) => Array.fromAsync(table.get().query(one))))).flat();
  await until(async () => (await left()).length === 0);
});
