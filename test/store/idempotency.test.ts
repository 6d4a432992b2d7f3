import { randomBytes } from 'node:crypto';
import { afterEach, beforeAll, expect, it, vi } from 'vitest';
import type { KeptPosition } from '../../functions/domain/job-messages.ts';
import { hasText } from '../../functions/domain/json.ts';
import { idempotency } from '../../functions/store/idempotency.ts';
import { unique, useTargetInThisProcess } from '../support/world.ts';

beforeAll(useTargetInThisProcess);
afterEach(() => vi.useRealTimers());

const keep = async (uid: string, key: string, body: object) => {
  const claim = await idempotency.get().claim({ uid, operation: 'recordCall', key, contentHash: 'hash' });
  if (claim.state !== 'claimed') throw new Error('The key was used before.');
  await idempotency.get().keep(claim, { statusCode: 200, body: JSON.stringify(body) });
};

const claim = (uid: string, key: string) =>
  idempotency.get().claim({ uid, operation: 'recordCall', key, contentHash: 'hash' });
const isKept = async (uid: string, key: string) => (await claim(uid, key)).state === 'answered';

it('a kept response that is too large for one item is returned as it was', async () => {
  const uid = unique('user');
  const body = { text: randomBytes(400_000).toString('base64') };
  await keep(uid, 'large', body);
  expect(await claim(uid, 'large')).toMatchObject({ answer: { statusCode: 200, body: JSON.stringify(body) } });
});

it('the search of kept responses continues where it stopped, through all users, and deletes responses that mention a person', async () => {
  const uids = [unique('user'), unique('user')];
  const person = '+14155550177';
  const keys = Array.from({ length: 20 }, (_, n) => `key-${n}`);
  for (const uid of uids) {
    await Promise.all(keys.map((key, n) => keep(uid, key, { phone: n % 2 === 0 ? person : 'another', n })));
    // Each in several pieces.
    await keep(uid, 'large', { phone: person, text: randomBytes(400_000).toString('base64') });
    await keep(uid, 'other-large', { phone: 'another', text: randomBytes(400_000).toString('base64') });
  }
  vi.useFakeTimers({ toFake: ['Date'] });
  let [searched, runs] = [0, 0];
  // Each response takes a second, and each run has five.
  const mentions = (body: unknown) => {
    searched += 1;
    vi.setSystemTime(Date.now() + 1000);
    return hasText(body, (text) => text === person);
  };
  let from: KeptPosition | undefined;
  do {
    runs += 1;
    const found = await idempotency.get().forget(uids, mentions, { until: Date.now() + 5000, from });
    expect(found.isUnderWay).toBe(false);
    from = found.stoppedAt;
  } while (from);
  expect([searched, runs]).toEqual([44, 9]);
  for (const uid of uids) {
    const kept = await Promise.all([...keys, 'large', 'other-large'].map((key) => isKept(uid, key)));
    expect(kept).toEqual([...keys.map((_, n) => n % 2 !== 0), false, true]);
  }
});

it('a search of kept responses that continues remembers that a request was in progress', async () => {
  const uid = unique('user');
  await idempotency.get().claim({ uid, operation: 'recordCall', key: 'open', contentHash: 'hash' });
  const since = Date.now() + 1;
  const search = { since, until: Number.POSITIVE_INFINITY };
  expect(await idempotency.get().forget([uid], () => false, search)).toEqual({ isUnderWay: true });
  const from = { uid, shard: 15, isUnderWay: true };
  expect(await idempotency.get().forget([uid], () => false, { ...search, from })).toEqual({ isUnderWay: true });
});
