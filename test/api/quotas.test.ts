import { expect, it, onTestFinished, vi } from 'vitest';
import { now } from '../../functions/domain/date-time.ts';
import { countKey, dailyWritesKey, type ItemKey } from '../../functions/store/keys.ts';
import { table } from '../../functions/store/table.ts';
import { WriteQuota } from '../../functions/store/write-quota.ts';
import { until } from '../support/until.ts';
import { sendForm, upload } from '../support/uploads.ts';
import { makeWebsites } from '../support/websites.ts';
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

it('a copy and an import beyond the writes of their user in a day are refused, and say so', async () => {
  const { uid, agentId, call } = await newWorld();
  const message =
    'The imports and copies of a user can write at most 10,000,000 numbers a day. The operator of the service can raise this limit.';
  await table.get().put({ ...dailyWritesKey(uid, now().slice(0, 10)), count: 10_000_000 } as ItemKey);
  const copy = await call('POST', '/duplicate-agent', { body: { uid, agentId } });
  expect([copy.status, copy.body]).toEqual([409, { error: 'quota_exceeded', message }]);
  const form = (await call('POST', '/block-list-imports', { body: { uid, agentId, size: 13 } })).body;
  await sendForm(form, '+14155550100\n');
  const find = async () => (await call('GET', `/block-list-imports/${form.importId}`, { query: { uid } })).body;
  const ended = await until(async () => {
    const found = await find();
    return found.status === 'failed' && found;
  });
  expect(ended).toMatchObject({ added: 0, error: message });
});

it('the writes of a day are counted up to the quota, and from zero on the next day', async () => {
  const { uid } = await newWorld();
  const quota = new WriteQuota(table.get(), 10);
  expect([await quota.take(uid, 11), await quota.take(uid, 6), await quota.take(uid, 5)]).toEqual([false, true, false]);
  expect(await quota.take(uid, 4)).toBe(true);
  vi.setSystemTime(Date.now() + 24 * 60 * 60 * 1000);
  onTestFinished(() => void vi.useRealTimers());
  expect(await quota.take(uid, 10)).toBe(true);
});

it('websites and documents beyond the quota of their agent are 409, all of a request; a deletion makes room', async () => {
  const world = await newWorld();
  const { agentId } = world;
  const { add, remove, list } = makeWebsites(world);
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
