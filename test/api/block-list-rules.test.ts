import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { agentSharing } from '../../functions/store/agents/agent-sharing.ts';
import { apiKeys } from '../../functions/store/api-keys.ts';
import { ended, newPerson, privateWorld, record, request } from '../support/erasures.ts';
import { findEverything } from '../support/stored.ts';
import { until } from '../support/until.ts';
import { listening } from '../support/webhook-events.ts';
import { newWorld, type World } from '../support/world.ts';

type Rules = { prefixes?: { prefix: string; reason?: string }[]; allow?: string[] };

const get = ({ call, uid }: World, agentId?: string) => call('GET', '/block-list-rules', { query: { uid, agentId } });
const set = (
  { call, uid }: World,
  { agentId, prefixes = [], allow = [] }: Rules & { agentId?: string },
  ifMatch?: string,
) =>
  call('PUT', '/block-list-rules', {
    body: { uid, agentId, prefixes, allow },
    headers: ifMatch === undefined ? {} : { 'if-match': ifMatch },
  });

const caller = '+882161234567';

/** What every way to ask says of a number. */
const ask = async ({ call, uid, agentId }: World, number: string) => {
  const query = { uid, agentId, number };
  const [one, many, all, start, checks] = await Promise.all([
    call('GET', '/agent-block-list/check', { query }),
    call('POST', '/agent-block-list/check', { body: { uid, agentId, numbers: [number] } }),
    call('GET', '/block-list/check', { query: { uid, number } }),
    call('POST', '/call-starts', { body: { uid, agentId, from: number } }),
    call('POST', '/call-start-checks', { body: { uid, agentId, numbers: [number] } }),
  ]);
  const body = { event: 'call_inbound', call_inbound: { from_number: number, to_number: '+14155550123' } };
  const hook = await call('POST', '/hooks/retell', { query: { uid, agentId, assistantId: 'a' }, body });
  return {
    one: one.body,
    many: many.body.blocked[0],
    all: all.body,
    start: start.body,
    checks: checks.body.rejected[0],
    isAccepted: 'dynamic_variables' in hook.body.call_inbound,
  };
};

describe('the rules of a block list', () => {
  it('those of a user and of an agent are versions apart, from version 0 on', async () => {
    const world = await newWorld();
    const { agentId } = world;
    const none = await get(world);
    expect([none.status, none.body, none.headers.get('etag')]).toEqual([
      200,
      { prefixes: [], allow: [], version: 0 },
      '"0"',
    ]);
    const rules = {
      prefixes: [{ prefix: '+49 (0)151', reason: 'Spam' }, { prefix: '+882' }],
      allow: ['+1 415 555 0100'],
    };
    const stored = { prefixes: [{ prefix: '+49151', reason: 'Spam' }, { prefix: '+882' }], allow: ['+14155550100'] };
    const made = await set(world, rules, '"0"');
    expect([made.status, made.body, made.headers.get('etag')]).toEqual([200, { ...stored, version: 1 }, '"1"']);
    expect((await set(world, rules)).body.version).toBe(1);
    expect((await set(world, {}, '"1"')).body).toEqual({ prefixes: [], allow: [], version: 2 });
    const late = await set(world, rules, '"1"');
    expect([late.status, late.body.error, late.body.version]).toEqual([412, 'version_conflict', 2]);
    expect((await set(world, rules, '*')).body.version).toBe(3);
    expect((await get(world)).body).toEqual({ ...stored, version: 3 });
    expect((await get(world, agentId)).body.version).toBe(0);
    expect((await set(world, { agentId, allow: [caller] }, '"0"')).body.version).toBe(1);
    expect((await get(world)).body.version).toBe(3);
  });

  it('two writers of the same version do not both succeed', async () => {
    const world = await newWorld();
    const answers = await Promise.all(
      ['+881', '+882', '+883'].map((prefix) => set(world, { prefixes: [{ prefix }] }, '"0"')),
    );
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 412, 412]);
    expect((await get(world)).body.version).toBe(1);
  });

  it.each([
    ['prefixes.0.prefix', { prefixes: [{ prefix: '+' }] }],
    ['prefixes.0.prefix', { prefixes: [{ prefix: '+0151' }] }],
    ['prefixes.0.prefix', { prefixes: [{ prefix: '+123456789012345' }] }],
    ['prefixes.0.prefix', { prefixes: [{ prefix: '49151' }] }],
    ['prefixes.0.prefix', { prefixes: [{}] }],
    ['prefixes.0.reason', { prefixes: [{ prefix: '+49', reason: 'x'.repeat(257) }] }],
    ['prefixes', { prefixes: [{ prefix: '+49' }, { prefix: '+4 9' }] }],
    ['prefixes', { prefixes: Array.from({ length: 51 }, (_, n) => ({ prefix: `+49${n + 10}` })) }],
    ['allow', { allow: ['+14155550100', '+1 415 555-0100'] }],
    ['allow', { allow: Array.from({ length: 201 }, (_, n) => `+1415555${1000 + n}`) }],
    ['allow.0', { allow: ['555'] }],
  ])('%s is named when it is wrong, and nothing is written', async (path, rules) => {
    const world = await newWorld();
    const { status, body } = await set(world, rules as Rules);
    expect([status, body.error, body.details[0].path]).toEqual([400, 'invalid_request', path]);
    expect((await get(world)).body.version).toBe(0);
  });

  it.each(['1', 'W/"1"', '"x"', '"01"', ''])('the malformed If-Match %j is refused', async (value) => {
    const { status, body } = await set(await newWorld(), {}, value);
    expect([status, body.details[0].path]).toEqual([400, 'If-Match']);
  });

  it('a stranger’s agent has no rules that one could read or set', async () => {
    const [world, { agentId }] = [await newWorld(), await newWorld()];
    expect([(await get(world, agentId)).status, (await set(world, { agentId })).status]).toEqual([401, 401]);
  });
});

describe('what decides on a number', () => {
  it('every way to ask says the same: the longest prefix of either list, then what is allowed, then an entry', async () => {
    const world = await newWorld();
    const { uid, agentId } = world;
    expect((await ask(world, caller)).isAccepted).toBe(true);
    await set(world, { prefixes: [{ prefix: '+882' }, { prefix: '+88216', reason: 'Networks' }] });
    await set(world, { agentId, prefixes: [{ prefix: '+8821', reason: 'Mine' }] });
    const byUser = { scope: 'user', prefix: '+88216', reason: 'Networks' };
    const blockedAt = expect.any(String);
    expect(await ask(world, caller)).toEqual({
      one: { number: caller, blocked: true, blockedAt, ...byUser },
      many: { number: caller, blockedAt, ...byUser },
      all: {
        number: caller,
        blocked: true,
        entries: [
          { ...byUser, blockedAt },
          { scope: 'agent', agentId, prefix: '+8821', reason: 'Mine', blockedAt },
        ],
      },
      start: { decision: 'reject', cause: 'blocked', number: caller, agentId, version: 1, ...byUser },
      checks: { number: caller, cause: 'blocked', scope: 'user', prefix: '+88216' },
      isAccepted: false,
    });
    await set(world, { agentId, prefixes: [{ prefix: '+88216', reason: 'Mine' }] });
    expect((await ask(world, caller)).one).toMatchObject({ scope: 'agent', prefix: '+88216', reason: 'Mine' });

    await set(world, { agentId, prefixes: [{ prefix: '+88216' }], allow: [caller] });
    const allowed = await ask(world, caller);
    expect(allowed).toMatchObject({ one: { blocked: false }, start: { decision: 'accept' }, isAccepted: true });
    expect([allowed.many, allowed.checks]).toEqual([undefined, undefined]);
    // The user’s own rule still catches it, for other agents.
    expect(allowed.all.entries).toMatchObject([{ scope: 'user', prefix: '+88216' }]);
    await set(world, { prefixes: [{ prefix: '+882' }], allow: [caller] });
    await set(world, { agentId, prefixes: [{ prefix: '+88216' }] });
    expect(await ask(world, caller)).toMatchObject({ one: { blocked: false }, all: { blocked: false, entries: [] } });

    await world.call('POST', '/block-list', { body: { uid, numbers: [caller], reason: 'Asked' } });
    const { one, all, isAccepted } = await ask(world, caller);
    expect(one).toMatchObject({ blocked: true, scope: 'user', reason: 'Asked' });
    expect(one).not.toHaveProperty('prefix');
    expect([all.entries.length, isAccepted]).toEqual([1, false]);
  });

  it('both forms of a number meet a prefix and what is allowed', async () => {
    const world = await newWorld();
    const [now, former] = ['+525512345678', '+5215512345678'];
    await set(world, { prefixes: [{ prefix: '+5215512' }] });
    for (const form of [now, former]) expect((await ask(world, form)).one).toMatchObject({ prefix: '+5215512' });
    await set(world, { prefixes: [{ prefix: '+52' }], allow: [former] });
    for (const form of [now, former]) expect((await ask(world, form)).isAccepted).toBe(true);
  });

  it('digits without a plus and a withheld number meet no prefix', async () => {
    const world = await newWorld();
    const { call, uid, agentId } = world;
    await set(world, { prefixes: [{ prefix: '+41' }, { prefix: '+2' }, { prefix: '+8' }] });
    const start = async (from: string | null) =>
      (await call('POST', '/call-starts', { body: { uid, agentId, from } })).body.decision;
    expect(await start('4155550100')).toBe('accept');
    expect(await start('+4155550100')).toBe('reject');
    expect([await start(null), await start('anonymous'), await start('+266696687')]).toEqual([
      'accept',
      'accept',
      'accept',
    ]);
    await world.block(['+4155550100']);
    expect(await start('4155550100')).toBe('reject');
  });

  it('an allowed number is not rejected for its attestation, also where no prefix fits', async () => {
    const world = await newWorld();
    const { call, uid, agentId } = world;
    await call('PATCH', `/agents/${agentId}`, { body: { configuration: { rejectAttestations: ['failed'] } } });
    const start = async () =>
      (await call('POST', '/call-starts', { body: { uid, agentId, from: caller, attestation: 'failed' } })).body;
    expect(await start()).toMatchObject({ decision: 'reject', cause: 'attestation' });
    await set(world, { allow: [caller] });
    expect(await start()).toMatchObject({ decision: 'accept', attestation: 'failed' });
  });

  it('a guest’s calls meet the rules of the agent’s owner, and none of the guest', async () => {
    const [world, guest] = [await newWorld(), await newWorld()];
    await agentSharing.get().share(world.agentId, world.uid, guest.uid);
    const start = async () => {
      const body = { uid: guest.uid, agentId: world.agentId, from: caller };
      return (await guest.call('POST', '/call-starts', { body })).body.decision;
    };
    await set(guest, { prefixes: [{ prefix: '+882' }] });
    expect(await start()).toBe('accept');
    await set(world, { prefixes: [{ prefix: '+882' }] });
    expect(await start()).toBe('reject');
  });

  const numbers = fc
    .constantFrom('+525522', '+5215522', '+1222', '+1223', '+549222')
    .chain((start) =>
      fc.stringMatching(/^[23]{7}$/).map((rest) => (start + rest).slice(0, start.startsWith('+52') ? undefined : 12)),
    );
  const rules = fc.record({
    prefixes: fc.uniqueArray(
      fc.record({ prefix: fc.tuple(numbers, fc.integer({ min: 2, max: 10 })).map(([one, end]) => one.slice(0, end)) }),
      { selector: ({ prefix }) => prefix, maxLength: 5 },
    ),
    allow: fc.uniqueArray(numbers, { maxLength: 3 }),
  });

  it('random rules are decided alike by starts, hooks and checks', { tags: 'heavy' }, async () => {
    const world = await newWorld();
    await fc.assert(
      fc.asyncProperty(rules, rules, fc.array(numbers, { minLength: 1, maxLength: 4 }), async (user, agent, asked) => {
        await set(world, user);
        await set(world, { ...agent, agentId: world.agentId });
        for (const number of asked) {
          const { one, many, start, checks, isAccepted, all } = await ask(world, number);
          const { blocked, scope, prefix } = one;
          expect([start.decision === 'reject', checks !== undefined, !isAccepted]).toEqual([blocked, blocked, blocked]);
          expect([many?.scope, many?.prefix]).toEqual([scope, prefix]);
          expect([start.scope, start.prefix]).toEqual([scope, prefix]);
          if (blocked) expect(all.entries).toContainEqual(expect.objectContaining({ scope, prefix }));
        }
      }),
      { numRuns: 60 },
    );
  });
});

describe('what happens to rules', () => {
  it('a change of rules is one event and one entry of the log, without the numbers that are allowed', async () => {
    const world = await listening({ events: ['block_list.*'], countsRequests: false });
    const { uid, agentId, keyId } = world;
    await set(world, { allow: [caller] });
    await set(world, { allow: [caller] });
    await set(world, { agentId, prefixes: [{ prefix: '+882' }] });
    const events = (await world.all()).filter(({ type }) => type === 'block_list.rules_updated');
    const data = events
      .map((event) => event.data)
      .sort((one, other) => String(other.scope).localeCompare(String(one.scope)));
    expect(data).toEqual([
      { uid, scope: 'user', version: 1 },
      { uid, scope: 'agent', agentId, version: 1 },
    ]);
    const { secret: apiKey } = await apiKeys.get().create(uid, { name: 'log', scopes: ['changes'] });
    const changes = await until(async () => {
      const { body } = await world.call('GET', '/changes', { apiKey, query: { uid, kind: 'block_list' } });
      return body.changes.length >= 2 && body.changes;
    });
    const entry = { action: 'block_list.rules_updated', kind: 'block_list', uid, keyId };
    expect(changes).toMatchObject([{ ...entry, agentId }, entry]);
    expect(JSON.stringify([changes, data])).not.toContain(caller);
  });

  it('a copy of an agent has its rules as version 1, and a deleted agent leaves none', async () => {
    const world = await newWorld();
    const { uid, agentId } = world;
    const rules = { prefixes: [{ prefix: '+882', reason: 'Networks' }], allow: [caller] };
    await set(world, { agentId });
    await set(world, { agentId, ...rules });
    const copy = (await world.call('POST', '/duplicate-agent', { body: { uid, agentId } })).body;
    expect((await get(world, copy.agentId)).body).toEqual({ ...rules, version: 1 });
    expect((await set(world, { agentId: copy.agentId }, '"1"')).body.version).toBe(2);
    for (const id of [agentId, copy.agentId]) await world.call('DELETE', `/agents/${id}`);
    expect((await get(world, agentId)).status).toBe(401);
    await until(async () => (await findEverything(`AGENT#${agentId}#RULES`)).length === 0);
  });

  it('an erasure takes the person out of what is allowed, and a writer of an older version does not put it back', async () => {
    const world = await privateWorld();
    // A prefix has at most 14 digits.
    const person = newPerson().slice(0, 15);
    const prefix = person;
    await record(world, world.agentId, 'call-1', person);
    await set(world, { prefixes: [{ prefix, reason: 'Ada' }], allow: [person, caller] });
    await set(world, { agentId: world.agentId, allow: [person] });
    const { body } = await request(world, person);
    expect((await ended(world, body.erasureId)).status).toBe('done');
    expect((await get(world)).body).toEqual({ prefixes: [{ prefix }], allow: [caller], version: 2 });
    expect((await get(world, world.agentId)).body).toEqual({ prefixes: [], allow: [], version: 2 });
    expect((await set(world, { allow: [person] }, '"1"')).status).toBe(412);
    const again = await request(world, person, { blockList: 'remove' });
    await ended(world, again.body.erasureId);
    expect((await get(world)).body.prefixes).toEqual([]);
    expect(await findEverything(person.slice(1))).toEqual([]);
  });
});
