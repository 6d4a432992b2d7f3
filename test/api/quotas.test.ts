import { expect, it } from 'vitest';
import { countKey } from '../../functions/store/keys.ts';
import { table } from '../../functions/store/table.ts';
import { upload } from '../support/uploads.ts';
import { websitesOf } from '../support/websites.ts';
import { newWorld, type World } from '../support/world.ts';

const url = 'http://127.0.0.1:9/';

/** Makes a counter say that there is no room; a full agent has just been counted again. */
const fill = (owner: { uid: string } | { agentId: string }, count = 1000) =>
  table.get().change(countKey(owner), { set: { count, recountedAt: Date.now() }, add: { changes: 1 } });

const forms = ({ uid, agentId, call }: World, ...names: string[]) =>
  call('POST', '/agent-documents/uploads', {
    body: { uid, agentId, files: names.map((name) => ({ name, size: 4 })) },
  });

it('an agent beyond the quota of its user is 409, created or copied, and the message says who can help', async () => {
  const { uid, agentId, call } = await newWorld();
  await fill({ uid });
  const exceeded = {
    error: 'quota_exceeded',
    message: 'A user can have at most 1,000 agents. The operator of the service can raise this limit.',
  };
  for (const [path, body] of [
    ['/agents', { uid, name: 'One more' }],
    ['/duplicate-agent', { uid, agentId }],
  ] as const) {
    const answer = await call('POST', path, { body });
    expect([answer.status, answer.body]).toEqual([409, exceeded]);
  }
  expect((await call('GET', '/agents', { query: { uid } })).body.agents).toHaveLength(1);
  await fill({ uid }, 999);
  expect((await call('POST', '/duplicate-agent', { body: { uid, agentId } })).status).toBe(200);
  expect((await call('POST', '/agents', { body: { uid, name: 'One more' } })).status).toBe(409);
});

it('websites and documents beyond the quota of their agent are 409, all of a request; a deletion makes room', async () => {
  const world = await newWorld();
  const { agentId } = world;
  const { add, remove, list } = websitesOf(world);
  const { websiteId } = (await add(url)).body;
  await fill({ agentId }, 999);
  const exceeded = {
    error: 'quota_exceeded',
    message:
      'An agent can have at most 1,000 websites and documents together. The operator of the service can raise this limit.',
  };
  for (const answer of [
    await upload(world, [
      ['a.txt', 'text'],
      ['b.txt', 'text'],
    ]),
    await forms(world, 'a.txt', 'b.txt'),
  ]) {
    expect([answer.status, answer.body]).toEqual([409, exceeded]);
  }
  expect((await upload(world, [['a.txt', 'text']])).status).toBe(200);
  for (const answer of [await add(url), await upload(world, [['b.txt', 'text']]), await forms(world, 'b.txt')]) {
    expect([answer.status, answer.body]).toEqual([409, exceeded]);
  }
  expect((await list()).body.websites).toHaveLength(1);
  expect((await remove(websiteId)).status).toBe(200);
  const answers = await Promise.all([forms(world, 'b.txt'), forms(world, 'c.txt')]);
  expect(answers.map(({ status }) => status).sort()).toEqual([200, 409]);
});
