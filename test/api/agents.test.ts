import { describe, expect, it } from 'vitest';
import { agentChanges } from '../../functions/store/agents/agent-changes.ts';
import { agentSharing } from '../../functions/store/agents/agent-sharing.ts';
import { newGuest, newUser, newWorld, type World } from '../support/world.ts';

it('agents are created, read, changed and listed with the given fields', async () => {
  const world = await newWorld();
  const { uid } = world;
  const configuration = { greeting: 'Hello', variables: { a: 1e300, b: [null, { c: 'ü' }] }, ours: { x: true } };
  const made = await world.call('POST', '/agents', {
    body: { uid, name: 'Desk', configuration, phoneNumber: '+1 415 555 0100' },
  });
  expect(made.body).toEqual({
    uid,
    agentId: expect.stringMatching(/^agent_[0-9A-Z]{26}$/),
    name: 'Desk',
    configuration,
    phoneNumber: '+14155550100',
    version: 1,
    createdAt: expect.any(String),
    updatedAt: made.body.createdAt,
  });
  const { agentId } = made.body;
  expect((await world.call('GET', `/agents/${agentId}`)).body).toEqual(made.body);

  const change = {
    name: 'Front desk',
    configuration: { greeting: null, voice: 'warm', ours: { y: 1 } },
    phoneNumber: null,
  };
  const changed = await world.call('PATCH', `/agents/${agentId}`, { body: change });
  expect(changed.status).toBe(200);
  expect(changed.body.name).toBe('Front desk');
  expect(changed.body.configuration).toEqual({ variables: configuration.variables, ours: { y: 1 }, voice: 'warm' });
  expect(changed.body).not.toHaveProperty('phoneNumber');
  expect(changed.body.createdAt).toBe(made.body.createdAt);

  const { body } = await world.call('GET', '/agents', { query: { uid } });
  expect(body.agents.map((agent: { agentId: string }) => agent.agentId)).toEqual([world.agentId, agentId]);
  expect(body.agents[1]).toEqual(changed.body);
});

it('agents keep a field that was null at their creation until a change clears it', async () => {
  const world = await newWorld();
  const configuration = { fallback: null, ours: { deep: null } };
  const made = await world.call('POST', '/agents', { body: { uid: world.uid, name: 'Desk', configuration } });
  const path = `/agents/${made.body.agentId}`;
  const renamed = await world.call('PATCH', path, { body: { name: 'Front desk', configuration: { voice: 'warm' } } });
  expect(renamed.body.configuration).toEqual({ ...configuration, voice: 'warm' });
  const cleared = await world.call('PATCH', path, { body: { configuration: { fallback: null } } });
  expect(cleared.body.configuration).toEqual({ ours: configuration.ours, voice: 'warm' });
});

it('agents never change their identity', async () => {
  const world = await newWorld();
  const body = { name: 'x', uid: 'somebody', agentId: 'other', createdAt: 'now', sourceAgentId: 'y' };
  const changed = await world.call('PATCH', `/agents/${world.agentId}`, { body });
  expect(changed.body).toMatchObject({ uid: world.uid, agentId: world.agentId });
  expect(changed.body).not.toHaveProperty('sourceAgentId');
});

it('two concurrent changes of an agent are both kept', async () => {
  const world = await newWorld();
  const path = `/agents/${world.agentId}`;
  const fields = ['a', 'b', 'c', 'd', 'e', 'f'];
  const answers = await Promise.all(
    fields.map((field) => world.call('PATCH', path, { body: { configuration: { [field]: field } } })),
  );
  expect(answers.map(({ status }) => status)).toEqual(fields.map(() => 200));
  const { body } = await world.call('GET', path);
  expect(Object.keys(body.configuration).sort()).toEqual(fields);
});

it.each([
  [{ name: 'x', configuration: { big: 'x'.repeat(200 * 1024) } }, 'configuration'],
  [{ name: 'x', phoneNumber: '415' }, 'phoneNumber'],
  [{ name: 'x', configuration: { outcomeFrom: { outcomes: 'x' } } }, 'configuration.outcomeFrom'],
  [{ name: '\ud800' }, 'name'],
])('agents reject the name or configuration %j', async (given, path) => {
  const world = await newWorld();
  const answer = await world.call('POST', '/agents', { body: { uid: world.uid, ...given } });
  expect([answer.status, answer.body.error]).toEqual([400, 'invalid_request']);
  expect(answer.body.details[0].path).toBe(path);
});

it('agents reject a number in their configuration that could not be returned as sent', async () => {
  const world = await newWorld();
  for (const [configuration, field] of [
    ['{"ours":1e400}', 'configuration.ours'],
    ['{"variables":{"a":[-1e400]}}', 'configuration.variables.a.0'],
  ] as const) {
    const body = `{"uid":"${world.uid}","name":"x","configuration":${configuration}}`;
    for (const [method, path] of [
      ['POST', '/agents'],
      ['PATCH', `/agents/${world.agentId}`],
    ] as const) {
      const answer = await world.call(method, path, { body });
      expect([answer.status, answer.body.details?.[0].path], `${method} ${configuration}`).toEqual([400, field]);
    }
  }
});

it('agents reject a number with more digits than come back, and a name that no object keeps, each by its path', async () => {
  const { uid, agentId, call } = await newWorld();
  const post = (configuration: string) =>
    call('POST', '/agents', { body: `{"uid":"${uid}","name":"A","configuration":${configuration}}` });
  const patch = (configuration: string) =>
    call('PATCH', `/agents/${agentId}`, { body: `{"configuration":${configuration}}` });
  for (const send of [post, patch]) {
    for (const [configuration, path] of [
      ['{"crm":{"ids":[1,12345678901234567890]}}', 'configuration.crm.ids.1'],
      ['{"account":9007199254740993}', 'configuration.account'],
      ['{"variables":{"price":6E-578}}', 'configuration.variables.price'],
      ['{"__proto__":{"a":1}}', 'configuration.__proto__'],
    ] as const) {
      const { status, body } = await send(configuration);
      expect([status, body.details?.map((detail: { path: string }) => detail.path)]).toEqual([400, [path]]);
    }
  }
  const kept = '{"price":1.50,"share":0.10000000000000001,"big":1e23,"constructor":"Acme"}';
  expect((await patch(kept)).status).toBe(200);
  const { body } = await call('GET', `/agents/${agentId}`, { query: { uid } });
  expect(body.configuration).toEqual(JSON.parse(kept));
});

it('agents keep their configuration within its size when it grows change by change', async () => {
  const world = await newWorld();
  const path = `/agents/${world.agentId}`;
  const half = 'x'.repeat(120 * 1024);
  expect((await world.call('PATCH', path, { body: { configuration: { a: half } } })).status).toBe(200);
  const over = await world.call('PATCH', path, { body: { configuration: { b: half } } });
  expect([over.status, over.body.details[0].path]).toEqual([400, 'configuration']);
  expect(Object.keys((await world.call('GET', path)).body.configuration)).toEqual(['a']);
});

it('agents can be used and listed by a user with access, until the access is revoked', async () => {
  const world = await newWorld();
  const guest = await newUser();
  const use = () => world.call('GET', `/agents/${world.agentId}`, { apiKey: guest.apiKey });
  const list = async () =>
    (await world.call('GET', '/agents', { apiKey: guest.apiKey, query: { uid: guest.uid } })).body.agents;
  expect((await use()).status).toBe(401);
  await agentSharing.get().share(world.agentId, world.uid, guest.uid);
  expect((await use()).body.uid).toBe(world.uid);
  expect((await list()).map((agent: { agentId: string }) => agent.agentId)).toEqual([world.agentId]);
  const body = { uid: guest.uid, agentId: world.agentId, numbers: ['+14155550100'] };
  expect((await world.call('POST', '/agent-block-list', { apiKey: guest.apiKey, body })).status).toBe(200);
  await agentSharing.get().revoke(world.agentId, world.uid, guest.uid);
  expect((await use()).status).toBe(401);
  expect(await list()).toEqual([]);
});

it('a guest changes what an agent says, and neither its key nor its phone number', async () => {
  const world = await newWorld();
  const { apiKey } = await newGuest(world);
  const path = `/agents/${world.agentId}`;
  await world.call('PATCH', path, { body: { key: 'desk', phoneNumber: '+14155550101' } });
  const change = async (body: object) => (await world.call('PATCH', path, { apiKey, body })).status;
  for (const body of [{ key: 'other' }, { key: null }, { phoneNumber: '+14155550102' }, { phoneNumber: null }])
    expect(await change({ name: 'Changed', ...body })).toBe(401);
  expect((await world.call('GET', path)).body).toMatchObject({
    name: 'Agent',
    key: 'desk',
    phoneNumber: '+14155550101',
  });
  expect(await change({ name: 'Desk', key: 'desk', phoneNumber: '+14155550101' })).toBe(200);
});

it('agents are listed page by page, and a page never exceeds the size of a response', { tags: 'heavy' }, async () => {
  const world = await newWorld();
  const { uid } = world;
  const configuration = { big: 'x'.repeat(190 * 1024) };
  await Promise.all(
    Array.from({ length: 30 }, () => world.call('POST', '/agents', { body: { uid, name: 'big', configuration } })),
  );
  const pages: { agents: { agentId: string }[]; nextCursor?: string }[] = [];
  let cursor: string | undefined;
  do {
    const answer = await world.call('GET', '/agents', { query: { uid, cursor } });
    expect(answer.text.length).toBeLessThan(5.3 * 1024 * 1024);
    pages.push(answer.body);
    cursor = answer.body.nextCursor;
  } while (cursor);
  expect(pages.length).toBe(2);
  const ids = pages.flatMap((page) => page.agents.map(({ agentId }) => agentId));
  expect([ids.length, new Set(ids).size, [...ids].sort()]).toEqual([31, 31, ids]);
  const two = await world.call('GET', '/agents', { query: { uid, limit: 2 } });
  expect(two.body.agents.length).toBe(2);
});

const names = {
  phoneNumber: {
    spelled: '+1 415 555 0123',
    ...{ first: '+14155550123', second: '+14155550124', error: 'phone_number_in_use' },
  },
  key: { spelled: 'first', first: 'first', second: 'second', error: 'key_in_use' },
};

describe.each(Object.entries(names))('the %s of an agent', (name, { spelled, first, second, error }) => {
  const create = (world: World, value = first) =>
    world.call('POST', '/agents', { body: { uid: world.uid, name: 'Desk', [name]: value } });
  const change = (world: World, agentId: string, value: string | null) =>
    world.call('PATCH', `/agents/${agentId}`, { body: { [name]: value } });
  const find = async (world: World, value: string) => {
    const { body } = await world.call('GET', '/agents', { query: { uid: world.uid, [name]: value } });
    return body.agents.map(({ agentId }: { agentId: string }) => agentId);
  };

  it(`the ${name} of an agent finds it, and finds no agent of another user`, async () => {
    const world = await newWorld();
    const { agentId } = (await create(world, spelled)).body;
    expect(await find(world, spelled)).toEqual([agentId]);
    expect(await find(world, first)).toEqual([agentId]);
    expect(await find(world, second)).toEqual([]);
    expect(await find(await newWorld(), first)).toEqual([]);
  });

  it(`the ${name} of an agent belongs to one agent of a user, even with two concurrent requests`, async () => {
    const world = await newWorld();
    const responses = await Promise.all([1, 2, 3, 4].map(() => create(world)));
    expect(responses.map(({ status }) => status).sort()).toEqual([200, 409, 409, 409]);
    expect(responses.find(({ status }) => status === 409)?.body.error).toBe(error);
    const changed = await change(world, world.agentId, first);
    expect([changed.status, changed.body.error]).toEqual([409, error]);
    expect((await create(await newWorld())).status).toBe(200);
  });

  it(`the ${name} of an agent can be used again once its agent has another one, none, or is deleted`, async () => {
    const world = await newWorld();
    const { agentId } = (await create(world)).body;
    expect((await change(world, agentId, second)).body[name]).toBe(second);
    expect([await find(world, first), await find(world, second)]).toEqual([[], [agentId]]);
    expect((await create(world)).status).toBe(200);
    expect((await change(world, agentId, null)).body).not.toHaveProperty(name);
    const next = await create(world, second);
    expect(next.status).toBe(200);
    await world.call('DELETE', `/agents/${next.body.agentId}`);
    expect((await create(world, second)).status).toBe(200);
  });
});

it('agents are found by key and phone number together', async () => {
  const world = await newWorld();
  const names = { key: 'front-desk', phoneNumber: '+14155550128' };
  await world.call('PATCH', `/agents/${world.agentId}`, { body: names });
  const find = async (query: object) =>
    (await world.call('GET', '/agents', { query: { uid: world.uid, ...query } })).body.agents;
  expect(await find(names)).toMatchObject([{ agentId: world.agentId }]);
  expect(await find({ ...names, key: 'other' })).toEqual([]);
});

it.each([
  [{ language: 'english' }, 'configuration.language', 'must be a BCP 47 language tag such as en-US'],
  [{ timeZone: 'Berlin' }, 'configuration.timeZone', 'must be an IANA time zone such as Europe/Berlin'],
  [
    { transferTo: '0800 123' },
    'configuration.transferTo',
    'must be a phone number in E.164 format, such as +14155550100',
  ],
])('the configuration of an agent is validated when it is written: %j', async (configuration, path, message) => {
  const world = await newWorld();
  const body = { uid: world.uid, name: 'Desk', configuration };
  const details = [{ path, message }];
  expect((await world.call('POST', '/agents', { body })).body).toMatchObject({ error: 'invalid_request', details });
  const changed = await world.call('PATCH', `/agents/${world.agentId}`, { body: { configuration } });
  expect([changed.status, changed.body.details]).toEqual([400, details]);
});

it('the configuration of an agent keeps the transfer number in E.164 format', async () => {
  const world = await newWorld();
  const configuration = { language: 'de', timeZone: 'Europe/Berlin', transferTo: '+49 (30) 123456' };
  const changed = await world.call('PATCH', `/agents/${world.agentId}`, { body: { configuration } });
  expect(changed.body.configuration).toEqual({ ...configuration, transferTo: '+4930123456' });
});

it('the configuration of an agent that was stored before a check existed can still be read, and its other fields changed', async () => {
  const world = await newWorld();
  await agentChanges
    .get()
    .change(world.uid, world.agentId, (agent) => ({ ...agent, configuration: { language: 'english' } }));
  const renamed = await world.call('PATCH', `/agents/${world.agentId}`, { body: { name: 'Front desk' } });
  expect([renamed.status, renamed.body.configuration]).toEqual([200, { language: 'english' }]);
});
