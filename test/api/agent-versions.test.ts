import { randomBytes } from 'node:crypto';
import { expect, it } from 'vitest';
import { limits } from '../../functions/domain/limits.ts';
import { agentChanges } from '../../functions/store/agents/agent-changes.ts';
import { json as operatorJson } from '../support/operator-command.ts';
import { newGuest, newWorld, unique, type World } from '../support/world.ts';

type Headers = Record<string, string>;

const formPath = ({ agentId }: World) => `/agents/${agentId}`;
const change = (world: World, body: object, headers: Headers = {}) =>
  world.call('PATCH', formPath(world), { body, headers });
const restore = (world: World, body: object, headers: Headers = {}) =>
  world.call('POST', `${formPath(world)}/restore`, { body: { uid: world.uid, ...body }, headers });
const listVersions = async (world: World, query: Record<string, string | number> = {}) =>
  (await world.call('GET', `${formPath(world)}/versions`, { query: { uid: world.uid, ...query } })).body;
const getVersion = (world: World, version: number | string, query: Record<string, string | number> = {}) =>
  world.call('GET', `${formPath(world)}/versions/${version}`, { query: { uid: world.uid, ...query } });

it('a change of the name or the configuration is a version with its author, its note and the fields that changed', async () => {
  const world = await newWorld();
  const { uid, keyId } = world;
  const by = { uid, keyId, keyName: 'test' };
  const changed = await change(world, {
    configuration: { greeting: 'Hello', variables: { a: 1, b: 2 } },
    note: 'Greet people',
  });
  expect([changed.body.version, changed.headers.get('etag')]).toEqual([2, '"2"']);
  await change(world, { name: 'Desk', configuration: { greeting: null } });
  expect(await listVersions(world)).toEqual({
    versions: [
      { version: 3, createdAt: expect.any(String), ...by, changed: ['name', 'configuration.greeting'] },
      {
        ...{ version: 2, createdAt: changed.body.updatedAt, ...by, note: 'Greet people' },
        changed: ['configuration.greeting', 'configuration.variables'],
      },
      // The test's own process created the agent.
      { version: 1, createdAt: expect.any(String), uid, keyId, changed: ['name'] },
    ],
  });
});

it('a change that changes nothing makes no version, also with fields in another order', async () => {
  const world = await newWorld();
  await change(world, { configuration: { variables: { a: 1, b: { c: [1, { d: 2, e: 3 }] } } } });
  const before = (await world.call('GET', formPath(world))).body;
  const same = [{}, { name: 'Agent' }, { configuration: { greeting: null } }, { note: 'Nothing' }];
  const reordered = { configuration: { variables: { b: { c: [1, { e: 3, d: 2 }] }, a: 1 } } };
  for (const body of [...same, reordered]) expect((await change(world, body)).body).toEqual(before);
  expect((await restore(world, { version: 2 })).body).toEqual(before);
  expect((await listVersions(world)).versions).toHaveLength(2);
  const other = { configuration: { variables: { a: 1, b: { c: [{ d: 2, e: 3 }, 1] } } } };
  expect((await change(world, other)).body.version).toBe(3);
});

it('a change of the phone number makes no version, and one of both makes one', async () => {
  const world = await newWorld();
  expect((await change(world, { phoneNumber: '+14155550133' })).body).toMatchObject({
    version: 1,
    phoneNumber: '+14155550133',
  });
  expect((await change(world, { phoneNumber: null, name: 'Desk' })).body.version).toBe(2);
  await restore(world, { version: 1 });
  expect((await world.call('GET', formPath(world))).body).not.toHaveProperty('phoneNumber');
});

it('every agent in a response has its version, and a response with one agent also has an ETag', async () => {
  const world = await newWorld();
  const made = await world.call('POST', '/agents', { body: { uid: world.uid, name: 'Desk', note: 'First' } });
  const read = await world.call('GET', `/agents/${made.body.agentId}`);
  expect([made, read].map(({ body, headers }) => [body.version, headers.get('etag')])).toEqual([
    [1, '"1"'],
    [1, '"1"'],
  ]);
  const listed = await world.call('GET', '/agents', { query: { uid: world.uid } });
  expect(listed.body.agents.map(({ version }: { version: number }) => version)).toEqual([1, 1]);
  expect(listed.headers.get('etag')).toBeNull();
});

it('a copy of an agent begins with version 1, made by who copied it', async () => {
  const world = await newWorld();
  const { uid, keyId } = world;
  await change(world, { configuration: { greeting: 'Hello' } });
  const copied = await world.call('POST', '/duplicate-agent', { body: { uid, agentId: world.agentId } });
  const copy = { ...world, agentId: copied.body.agentId };
  expect((await world.call('GET', formPath(copy))).body).toMatchObject({
    version: 1,
    configuration: { greeting: 'Hello' },
  });
  expect((await listVersions(copy)).versions).toMatchObject([
    { version: 1, uid, keyId, keyName: 'test', changed: ['name', 'configuration.greeting'] },
  ]);
});

it('a version that a guest made names the guest, and one of the operator the owner without a key', async () => {
  const world = await newWorld();
  const guest = await newGuest(world);
  await world.call('PATCH', formPath(world), { apiKey: guest.apiKey, body: { name: 'Desk' } });
  await operatorJson('agent', 'update', world.agentId, '--name', 'Reception', '--note', 'By hand');
  const [byOperator, byGuest] = (await listVersions(world)).versions;
  expect(byOperator).toMatchObject({ version: 3, uid: world.uid, note: 'By hand' });
  expect(byOperator).not.toHaveProperty('keyId');
  expect(byGuest).toMatchObject({ version: 2, uid: guest.uid, keyId: guest.keyId });
});

it('versions are listed page by page, newest first, and one whose number is unknown is not found', async () => {
  const world = await newWorld();
  for (let n = 2; n <= 12; n++) await change(world, { name: `Agent ${n}` });
  const first = await listVersions(world, { limit: 5 });
  const second = await listVersions(world, { limit: 5, cursor: first.nextCursor });
  const third = await listVersions(world, { limit: 5, cursor: second.nextCursor });
  const numbers = [first, second, third].map(({ versions }) =>
    versions.map(({ version }: { version: number }) => version),
  );
  expect(numbers).toEqual([
    [12, 11, 10, 9, 8],
    [7, 6, 5, 4, 3],
    [2, 1],
  ]);
  expect(third).not.toHaveProperty('nextCursor');
  for (const version of [0, 13, '01', 'x', '1e0', '9999999999', '-1']) {
    const answer = await getVersion(world, encodeURIComponent(version));
    expect([answer.status, answer.body.error], String(version)).toEqual([404, 'version_not_found']);
  }
  expect((await getVersion(world, 1, { against: 13 })).status).toBe(404);
  expect((await getVersion(world, 1, { against: 'x' })).body.details).toEqual([
    { path: 'against', message: 'must be the number of a version' },
  ]);
});

it('a version has its name and its configuration, and what changed against another one as JSON Pointers', async () => {
  const world = await newWorld();
  await change(world, { configuration: { greeting: 'Hi', variables: { 'a/b~c': 1, list: [1, 2], gone: true } } });
  await change(world, {
    name: 'Desk',
    configuration: { greeting: null, variables: { 'a/b~c': 2, list: [1, 3, 4] } },
  });
  const { body } = await getVersion(world, 3, { against: 2 });
  expect(body).toMatchObject({
    name: 'Desk',
    configuration: { variables: { 'a/b~c': 2, list: [1, 3, 4] } },
    changes: [
      { path: '/name', before: 'Agent', after: 'Desk' },
      { path: '/configuration/greeting', before: 'Hi' },
      { path: '/configuration/variables/a~1b~0c', before: 1, after: 2 },
      { path: '/configuration/variables/list/1', before: 2, after: 3 },
      { path: '/configuration/variables/list/2', after: 4 },
      { path: '/configuration/variables/gone', before: true },
    ],
  });
  expect((await getVersion(world, 3)).body).not.toHaveProperty('changes');
  expect((await getVersion(world, 3, { against: 3 })).body.changes).toEqual([]);
});

it('the differences of large configurations are bounded, however long their names are', async () => {
  const world = await newWorld();
  const long = 'n'.repeat(60_000);
  const makeList = (value: number) => Array.from({ length: 20_000 }, () => value);
  await change(world, { configuration: { deep: { [long]: makeList(1) }, flat: makeList(1) } });
  const changed = await change(world, { configuration: { deep: { [long]: makeList(2) }, flat: makeList(2) } });
  expect(changed.status, changed.text).toBe(200);
  const { body, text } = await getVersion(world, 3, { against: 2 });
  expect(body.changes.map(({ path }: { path: string }) => path)).toEqual([
    '/configuration/deep',
    '/configuration/flat',
  ]);
  expect(text.length).toBeLessThan(3 * limits.configurationBytes);
});

it('the fields that a version names are bounded', async () => {
  const world = await newWorld();
  const many = Object.fromEntries(Array.from({ length: 5000 }, (_, n) => [`field${n}`, n]));
  expect((await change(world, { configuration: many })).status).toBe(200);
  expect((await change(world, { configuration: { ['n'.repeat(50_000)]: 1 } })).status).toBe(200);
  const { versions } = await listVersions(world, { limit: 2 });
  expect(versions.map(({ changed }: { changed: string[] }) => changed)).toEqual([['configuration'], ['configuration']]);
});

it('a configuration of 200 KB that cannot be compressed is kept with its version', async () => {
  const world = await newWorld();
  const big = randomBytes(150 * 1024)
    .toString('base64')
    .slice(0, limits.configurationBytes - 20);
  expect((await change(world, { configuration: { big } })).status).toBe(200);
  expect((await change(world, { configuration: { big: null } })).status).toBe(200);
  expect((await getVersion(world, 2)).body.configuration).toEqual({ big });
  expect((await restore(world, { version: 2 })).body.configuration).toEqual({ big });
});

it('the newest 200 versions of an agent are kept', { tags: 'heavy' }, async () => {
  const world = await newWorld();
  for (let n = 2; n <= 205; n++) {
    await agentChanges.get().change(world.uid, world.agentId, (agent) => ({ ...agent, name: `Agent ${n}` }));
  }
  const { versions } = await listVersions(world);
  expect([versions.length, versions[0].version, versions.at(-1).version]).toEqual([200, 205, 6]);
  expect((await getVersion(world, 5)).status).toBe(404);
  expect((await restore(world, { version: 5 })).status).toBe(404);
});

it('restoring a version makes a new one that names the restored version', async () => {
  const world = await newWorld();
  await change(world, { configuration: { greeting: 'Hello', voice: 'warm' } });
  await change(world, { name: 'Desk', configuration: { greeting: 'Good day' } });
  const restored = await restore(world, { version: 2, note: 'It was better' });
  expect(restored.body).toMatchObject({
    ...{ version: 4, name: 'Agent', configuration: { greeting: 'Hello', voice: 'warm' } },
  });
  expect(restored.headers.get('etag')).toBe('"4"');
  expect((await listVersions(world)).versions[0]).toMatchObject({
    ...{ version: 4, restoredFrom: 2, note: 'It was better', changed: ['name', 'configuration.greeting'] },
  });
});

it('a version that does not exist is not restored', async () => {
  expect((await restore(await newWorld(), { version: 2 })).body.error).toBe('version_not_found');
});

it('If-Match refuses a change of another version than the newest, and names what changed since', async () => {
  const world = await newWorld();
  await change(world, { configuration: { greeting: 'Hello' } });
  await change(world, { name: 'Desk', configuration: { greeting: 'Good day' } });
  const details = [
    { path: 'configuration.greeting', message: 'was changed in version 3' },
    { path: 'name', message: 'was changed in version 3' },
  ];
  for (const refused of [
    await change(world, { configuration: { voice: 'warm' } }, { 'if-match': '"1"' }),
    // It would change nothing.
    await change(world, { name: 'Desk' }, { 'if-match': '"1"' }),
    await change(world, { phoneNumber: '+14155550134' }, { 'if-match': '"1"' }),
    await restore(world, { version: 1 }, { 'if-match': '"1"' }),
  ]) {
    expect([refused.status, refused.body]).toEqual([
      412,
      { error: 'version_conflict', message: expect.any(String), version: 3, details },
    ]);
  }
  const future = await change(world, { name: 'x' }, { 'if-match': '"4"' });
  expect([future.status, future.body.version]).toEqual([412, 3]);
  expect((await world.call('GET', formPath(world))).body).toMatchObject({ version: 3, name: 'Desk' });
  expect((await change(world, { name: 'Front desk' }, { 'if-match': '"3"' })).body.version).toBe(4);
  expect((await change(world, { name: 'Desk' }, { 'if-match': '*' })).body.version).toBe(5);
  expect((await restore(world, { version: 4 }, { 'if-match': '"5"' })).body.version).toBe(6);
});

it.each(['1', '"01"', 'W/"1"', '"1", "2"', '"0"', '""', '"x"', '', '"1.0"', '"9999999999"', '**'])(
  'the malformed If-Match %s is refused, after the key and before the agent',
  async (value) => {
    const world = await newWorld();
    const answer = await change(world, { name: 'x' }, { 'if-match': value });
    expect([answer.status, answer.body.details?.[0].path]).toEqual([400, 'If-Match']);
    const stranger = { ...world, agentId: 'no-such-agent' };
    expect((await change(stranger, { name: 'x' }, { 'if-match': value })).status).toBe(400);
    const keyless = await world.call('PATCH', formPath(world), {
      apiKey: undefined,
      ...{ body: { name: 'x' }, headers: { 'if-match': value } },
    });
    expect(keyless.status).toBe(401);
  },
);

it('an Idempotency-Key stands for its If-Match, too', async () => {
  const world = await newWorld();
  const key = { 'idempotency-key': unique('key') };
  expect((await change(world, { name: 'Desk' }, { ...key, 'if-match': '"1"' })).status).toBe(200);
  for (const other of [{ 'if-match': '"2"' }, { 'if-match': '*' }, {}] as Record<string, string>[]) {
    const { status, body } = await change(world, { name: 'Desk' }, { ...key, ...other });
    expect([status, body.error]).toEqual([409, 'idempotency_conflict']);
  }
});

it('a change whose response was never kept is found again by its request, also after other changes', async () => {
  const world = await newWorld();
  const { uid, agentId } = world;
  const creationId = (await import('../../functions/domain/identifiers.ts')).newUlid();
  const rename = (ifMatch?: number) =>
    agentChanges.get().change(uid, agentId, (agent) => ({ ...agent, name: 'Desk' }), { creationId, ifMatch });
  const first = await rename(1);
  expect(await rename(1)).toEqual(first);
  await change(world, { name: 'Reception' });
  expect(await rename(1)).toEqual(first);
  expect(await rename()).toEqual(first);
  expect((await world.call('GET', formPath(world))).body).toMatchObject({ version: 3, name: 'Reception' });
});
