import { describe, expect, it } from 'vitest';
import { blockedNumberKey } from '../../functions/store/keys.ts';
import { table } from '../../functions/store/table.ts';
import { newWorld, type World } from '../support/world.ts';

/** Who blocked a number, in an entry. */
const by = ({ keyId }: World) => ({ keyId, keyName: 'test' });

const numbers = (count: number, from = 0) =>
  Array.from({ length: count }, (_, index) => `+1415${String(5_000_000 + from + index)}`);

it('blocking numbers adds the new ones and reports the rest, in the order sent', async () => {
  const world = await newWorld();
  const answer = await world.block(['+1 (415) 555-0100', 'nonsense', '+1.415.555.0100', '+442071838750']);
  expect(answer.status).toBe(200);
  expect(answer.body).toEqual({
    message: 'Block list updated successfully',
    added: ['+14155550100', '+442071838750'],
    failed: [
      {
        number: 'nonsense',
        reason: 'Invalid phone number format',
        code: 'invalid_format',
        message: 'Write the number in the digits 0 to 9: the text has none of them.',
      },
      { number: '+1.415.555.0100', reason: 'Number already in block list', code: 'already_blocked' },
    ],
  });
  expect((await world.blockList()).blockList).toEqual(['+14155550100', '+442071838750']);
});

it('unblocking a number removes it in both of its forms, as the block list has them', async () => {
  const world = await newWorld();
  const { uid, agentId } = world;
  const forms = ['+525512345678', '+5215512345678'];
  const remove = (path: string, numbers: string[]) => world.call('DELETE', path, { body: { uid, agentId, numbers } });
  await world.block([forms[1] as string]);
  const own = await remove('/agent-block-list', [forms[0] as string, '+14155550100']);
  expect([own.body.removed, own.body.failed]).toMatchObject([[forms[0]], [{ code: 'not_found' }]]);
  expect((await world.blockList()).blockList).toEqual([]);
  await world.call('POST', '/block-list', { body: { uid, numbers: forms } });
  expect((await remove('/block-list', forms)).body).toMatchObject({ removed: forms, failed: [] });
  expect((await remove('/block-list', forms)).body).toMatchObject({ removed: [], failed: [{}, {}] });
});

it('blocking numbers accepts 10,000 of them in one request, and rejects one more', { tags: 'heavy' }, async () => {
  const world = await newWorld();
  // A busy machine does not write all of them before the request's deadline: the rest is sent again, as a client does.
  // Some of these may have been written although their response came too late.
  let rest = numbers(10_000);
  for (let tries = 1; rest.length > 0; tries++) {
    const { status, body, text } = await world.block(rest);
    if (status >= 500) continue;
    expect(status, text).toBe(200);
    const failed: { number: string; code: string }[] = body.failed;
    expect(body.added.length + failed.length).toBe(rest.length);
    const unknown = failed.filter(({ code }) => code === 'temporarily_unavailable').map(({ number }) => number);
    expect(failed.filter(({ code }) => code !== 'temporarily_unavailable' && code !== 'already_blocked')).toEqual([]);
    if (tries === 1) expect(body.added.length + unknown.length).toBe(10_000);
    expect(unknown.length).toBeLessThan(rest.length);
    rest = unknown;
  }
  const more = await world.block(numbers(10_001));
  expect([more.status, more.body.error]).toEqual([400, 'too_many_numbers']);
  expect((await world.blockList()).blockList).toEqual(numbers(10_000));
});

it('a blocked number keeps its reason, and the time since when it is blocked', async () => {
  const world = await newWorld();
  const started = Date.now();
  await world.block(['+14155550100'], { reason: 'spam' });
  const { entries } = await world.blockList();
  expect(entries).toEqual([{ number: '+14155550100', reason: 'spam', blockedAt: expect.any(String), ...by(world) }]);
  expect(Date.parse(entries[0].blockedAt)).toBeGreaterThanOrEqual(started);
});

it('blocking numbers rejects a reason that is too long and an expiry in the past', async () => {
  const world = await newWorld();
  for (const more of [{ reason: 'x'.repeat(257) }, { expiresAt: '2020-01-01T00:00:00Z' }, { expiresAt: 'tomorrow' }]) {
    expect((await world.block(['+14155550100'], more)).status).toBe(400);
  }
  expect((await world.blockList()).blockList).toEqual([]);
});

it('an expired number is in no list, and can be added again', async () => {
  const world = await newWorld();
  await world.block(['+14155550101']);
  const expiresAt = '2099-01-01T00:00:00.000Z';
  await world.block(['+14155550100'], { expiresAt, reason: 'for now' });
  expect((await world.blockList()).entries[0]).toMatchObject({ number: '+14155550100', expiresAt });
  const key = blockedNumberKey({ agentId: world.agentId }, '+14155550100');
  await table.get().change(key, { set: { blockedUntil: Date.now() - 1 } });
  expect((await world.blockList()).blockList).toEqual(['+14155550101']);
  expect((await world.unblock(['+14155550100'])).body.failed[0].code).toBe('not_found');
  const again = await world.block(['+14155550100']);
  expect(again.body.added).toEqual(['+14155550100']);
  expect((await world.blockList()).entries[0]).toEqual({
    number: '+14155550100',
    blockedAt: expect.any(String),
    ...by(world),
  });
});

it('two callers who add the same numbers at once each get a number reported as added exactly once between them', async () => {
  const world = await newWorld();
  const list = numbers(60);
  const answers = await Promise.all([world.block(list), world.block([...list].reverse()), world.block(list)]);
  const added = answers.flatMap((answer) => answer.body.added).sort();
  expect(added).toEqual(list);
});

it('unblocking numbers removes those that are blocked and reports the rest, in the order sent', async () => {
  const world = await newWorld();
  await world.block(['+14155550100', '+14155550101']);
  const answer = await world.unblock(['+14155550102', '+1 415 555 0100', 'x', '+14155550100']);
  expect(answer.status).toBe(200);
  expect(answer.body).toEqual({
    message: 'Block list updated successfully',
    removed: ['+14155550100'],
    failed: [
      { number: '+14155550102', reason: 'Number not found in block list', code: 'not_found' },
      expect.objectContaining({ number: 'x', reason: 'Invalid phone number format', code: 'invalid_format' }),
      { number: '+14155550100', reason: 'Number not found in block list', code: 'not_found' },
    ],
  });
  expect((await world.blockList()).blockList).toEqual(['+14155550101']);
});

it('a removed number can be blocked again, and nothing is left of its former reason and expiry', async () => {
  const world = await newWorld();
  await world.block(['+14155550100'], { reason: 'old', expiresAt: '2099-01-01T00:00:00Z' });
  await world.unblock(['+14155550100']);
  expect((await world.block(['+14155550100'])).body.added).toEqual(['+14155550100']);
  expect((await world.blockList()).entries).toEqual([
    { number: '+14155550100', blockedAt: expect.any(String), ...by(world) },
  ]);
});

it('two callers who remove the same numbers at once each get a number reported as removed exactly once between them', async () => {
  const world = await newWorld();
  const list = numbers(60);
  await world.block(list);
  const answers = await Promise.all([world.unblock(list), world.unblock(list)]);
  expect(answers.flatMap((answer) => answer.body.removed).sort()).toEqual(list);
  expect((await world.blockList()).blockList).toEqual([]);
});

it('a block list is returned page by page, sorted, each number once', async () => {
  const world = await newWorld();
  await world.block(numbers(37));
  const found: string[] = [];
  let cursor: string | undefined;
  do {
    const page = await world.blockList({ limit: 10, ...(cursor && { cursor }) });
    expect(page.blockList.length).toBeLessThanOrEqual(10);
    found.push(...page.blockList);
    cursor = page.nextCursor;
  } while (cursor);
  expect(found).toEqual(numbers(37));
});

it('checking a number finds it in any format, even when its plus arrives as a space', async () => {
  const world = await newWorld();
  const { uid, agentId } = world;
  await world.block(['+14155550100'], { reason: 'spam' });
  const check = (number: string) =>
    world.call('GET', `/agent-block-list/check?uid=${uid}&agentId=${agentId}&number=${number}`);
  for (const spelling of ['%2B14155550100', '+14155550100', '%2B1%20(415)%20555-0100', '%2014155550100']) {
    expect((await check(spelling)).body, spelling).toEqual({
      number: '+14155550100',
      blocked: true,
      scope: 'agent',
      reason: 'spam',
      blockedAt: expect.any(String),
      ...by(world),
    });
  }
  expect((await check('%2B14155550199')).body).toEqual({ number: '+14155550199', blocked: false });
  for (const bad of ['14155550100', 'abc', '', '%2B1']) expect((await check(bad)).status, bad).toBe(400);
});

describe('the block list of a user', () => {
  const number = '+14155550100';

  it('the block list of a user applies to every agent of the user, in addition to the list of the agent', async () => {
    const world = await newWorld();
    const { uid, agentId } = world;
    const other = (await world.call('POST', '/agents', { body: { uid, name: 'Other' } })).body.agentId;
    const check = async (agent: string) =>
      (await world.call('GET', '/agent-block-list/check', { query: { uid, agentId: agent, number } })).body;
    const added = await world.call('POST', '/block-list', { body: { uid, numbers: [number, 'x'], reason: 'Law' } });
    expect(added.body).toMatchObject({ added: [number], failed: [{ number: 'x', code: 'invalid_format' }] });
    expect(await check(agentId)).toMatchObject({ blocked: true, scope: 'user', reason: 'Law' });
    expect(await check(other)).toMatchObject({ blocked: true, scope: 'user' });
    expect((await world.unblock([number])).body.failed[0].code).toBe('not_found');
    expect((await world.block([number])).body.added).toEqual([number]);
    expect(await check(agentId)).toMatchObject({ blocked: true, scope: 'agent' });
    const listed = await world.call('GET', '/block-list', { query: { uid } });
    expect(listed.body.blockList).toEqual([number]);
    const removed = await world.call('DELETE', '/block-list', { body: { uid, numbers: [number] } });
    expect(removed.body.removed).toEqual([number]);
    const again = await world.call('POST', '/block-list', { body: { uid, numbers: [number] } });
    expect(again.body.added).toEqual([number]);
    await world.call('DELETE', '/block-list', { body: { uid, numbers: [number] } });
    expect([await check(agentId), await check(other)].map(({ blocked }) => blocked)).toEqual([true, false]);
  });

  it('every list of a user that blocks a number is found: the own one, and those of the agents', async () => {
    const [world, stranger] = [await newWorld(), await newWorld()];
    const { uid, agentId } = world;
    const other = (await world.call('POST', '/agents', { body: { uid, name: 'Other' } })).body.agentId;
    const check = async (number: string) =>
      (await world.call('GET', '/block-list/check', { query: { uid, number } })).body;
    await stranger.block([number]);
    expect(await check(number)).toEqual({ number, blocked: false, entries: [] });
    await world.block([number], { reason: 'Spam', expiresAt: '2099-01-31T12:00:00Z' });
    await world.call('POST', '/block-list', { body: { uid, numbers: [number], reason: 'Law' } });
    await world.call('POST', '/agent-block-list', { body: { uid, agentId: other, numbers: ['+14155550199'] } });
    const entry = { blockedAt: expect.stringMatching(/^\d{4}-/), ...by(world) };
    expect(await check(' 1 (415) 555-0100')).toEqual({
      number,
      blocked: true,
      entries: [
        { scope: 'user', reason: 'Law', ...entry },
        { scope: 'agent', agentId, reason: 'Spam', expiresAt: '2099-01-31T12:00:00.000Z', ...entry },
      ],
    });
    expect((await check('+14155550199')).entries).toEqual([{ scope: 'agent', agentId: other, ...entry }]);
  });
});

it('checking many numbers finds those on either list, in the order sent, each once', async () => {
  const world = await newWorld();
  const { uid, agentId } = world;
  await world.block(['+14155550102'], { reason: 'Spam' });
  await world.call('POST', '/block-list', { body: { uid, numbers: ['+14155550101', '+14155550102'] } });
  const numbers = ['x', '+1 (415) 555-0102', '+14155550101', '+14155550102', '+14155550103', 'x'];
  const { body } = await world.call('POST', '/agent-block-list/check', { body: { uid, agentId, numbers } });
  expect(body).toEqual({
    blocked: [
      { number: '+14155550102', scope: 'agent', reason: 'Spam', blockedAt: expect.any(String), ...by(world) },
      { number: '+14155550101', scope: 'user', blockedAt: expect.any(String), ...by(world) },
    ],
    failed: [expect.objectContaining({ number: 'x', code: 'invalid_format' })],
  });
});
