import { expect, it } from 'vitest';
import { countKey } from '../../functions/store/keys.ts';
import { table } from '../../functions/store/table.ts';
import { newClientWorld, newMaker, pickError } from '../support/clients.ts';
import { until } from '../support/until.ts';

const days = { from: '2026-03-01', to: '2026-04-01' };
const none = { calls: 0, withOutcome: 0, durationSeconds: 0, value: '0', values: 0 };

it('the figures of each client are the sums of its own agents, and a client without calls has zeros', async () => {
  const maker = await newMaker();
  const worlds = await Promise.all([1, 2, 3].map(() => newClientWorld(undefined, maker)));
  const [busy, other] = worlds as [(typeof worlds)[0], (typeof worlds)[0]];
  const second = await busy.call('POST', '/agents', { body: { uid: busy.uid, name: 'Night shift' } });
  const startedAt = '2026-03-31T22:30:00Z';
  const record = (world: typeof busy, agentId: string, callId: string, more: object = {}) =>
    world.call('PUT', `/calls/${agentId}/${callId}`, {
      body: { direction: 'inbound', startedAt, durationSeconds: 60, ...more },
    });
  await record(busy, busy.agentId, 'call-1', { custom_call_outcome: 'booked' });
  await record(busy, second.body.agentId, 'call-2');
  await busy.call('PATCH', `/calls/${busy.agentId}/call-1`, { body: { custom_call_outcome_value: 12.5 } });
  await record(other, other.agentId, 'call-3');
  const ask = async (query: object) => maker.call('GET', '/user-figures', { query: { ...days, ...query } });
  const rows = await until(async () => {
    const { body } = await ask({});
    const sum = body.users.reduce((total: number, { calls }: { calls: number }) => total + calls, 0);
    return !body.pending && sum === 3 && body.users;
  });
  const byUid = new Map(rows.map((row: { uid: string }) => [row.uid, row]));
  expect(rows.map(({ uid }: { uid: string }) => uid)).toEqual(worlds.map(({ uid }) => uid).toSorted());
  expect(byUid.get(busy.uid)).toMatchObject({ calls: 2, durationSeconds: 120, value: '12.5', values: 1 });
  expect(byUid.get(other.uid)).toMatchObject({ ...none, calls: 1, durationSeconds: 60 });
  expect(byUid.get(worlds[2]?.uid as string)).toMatchObject(none);
  // In Berlin, the calls started in April.
  const inBerlin = (await ask({ timeZone: 'Europe/Berlin' })).body.users;
  expect(inBerlin.map(({ calls }: { calls: number }) => calls)).toEqual([0, 0, 0]);
  // One of them has the sums of its agents, without their names.
  const { uid, agentId } = busy;
  const one = (await ask({ clientUid: uid })).body;
  const { agents, ...sums } = one.users[0];
  expect([one.users.length, sums]).toEqual([1, byUid.get(uid)]);
  expect(agents.map((agent: { agentId: string; value: string }) => [agent.agentId, agent.value])).toEqual(
    [
      [agentId, '12.5'],
      [second.body.agentId, '0'],
    ].toSorted(),
  );
  expect(JSON.stringify(one)).not.toContain('Night shift');
  expect((await ask({ clientUid: worlds[2]?.uid })).body.users).toMatchObject([{ ...none, agents: [] }]);
  const first = await ask({ limit: 2 });
  const next = await ask({ limit: 2, cursor: first.body.nextCursor });
  expect([...first.body.users, ...next.body.users]).toEqual(rows);
});

it('a page of figures ends where its clients have more than 400 agents together, and has at least one client', async () => {
  const maker = await newMaker();
  const worlds = await Promise.all([1, 2, 3, 4].map(() => newClientWorld(undefined, maker)));
  const uids = worlds.map(({ uid }) => uid).toSorted();
  const sizes = [500, 300, 100, 1];
  for (const [index, uid] of uids.entries())
    await table.get().change(countKey({ uid }), { set: { count: sizes[index] } });
  const pages: string[][] = [];
  let cursor: string | undefined;
  do {
    const { body } = await maker.call('GET', '/user-figures', { query: { ...days, cursor } });
    pages.push(body.users.map(({ uid }: { uid: string }) => uid));
    cursor = body.nextCursor;
  } while (cursor);
  expect(pages).toEqual([[uids[0]], [uids[1], uids[2]], [uids[3]]]);
});

it('the figures of clients are for at most 92 days and 20 clients, for the scope users alone, and of no other client', async () => {
  const world = await newClientWorld();
  const ask = (query: object) => world.maker.call('GET', '/user-figures', { query: { ...days, ...query } });
  expect((await ask({ from: '2026-01-01', to: '2026-04-03' })).status).toBe(200);
  expect(pickError(await ask({ from: '2026-01-01', to: '2026-04-04' }))).toEqual([400, 'invalid_request']);
  expect(pickError(await ask({ limit: 21 }))).toEqual([400, 'invalid_request']);
  expect(pickError(await world.call('GET', '/user-figures', { query: days }))).toEqual([
    401,
    'insufficient_permissions',
  ]);
  const others = await newClientWorld();
  for (const clientUid of [others.uid, world.maker.uid, 'nobody', 'no/body'])
    expect(pickError(await ask({ clientUid }))).toEqual([404, 'user_not_found']);
});
