import { expect, it } from 'vitest';
import { limits } from '../../functions/domain/limits.ts';
import { until } from '../support/until.ts';
import { type CallOptions, newUser, newWorld, unique } from '../support/world.ts';

const number = '+14155550100';
const at = '2026-03-01T10:00:00.000Z';
type World = Awaited<ReturnType<typeof newWorld>>;

const record = (world: World, consents: unknown[], options: CallOptions = {}) =>
  world.call('POST', '/consents', { body: { uid: world.uid, consents }, ...options });
const check = async (world: World, query: Record<string, string>) =>
  (await world.call('GET', '/consents/check', { query: { uid: world.uid, number, purpose: 'marketing', ...query } }))
    .body;
const list = async (world: World, query: Record<string, string | number> = {}) =>
  (await world.call('GET', '/consents', { query: { uid: world.uid, number, ...query } })).body;

const given = { number, purpose: 'marketing', state: 'given', at };
const proof = {
  channel: 'web',
  text: 'I agree.',
  url: 'https://www.example.com/offers',
  ip: '2001:db8::7',
  sha256: 'AB'.repeat(32),
  callId: 'vapi:1',
};

it('a consent is recorded with its proof, listed, and decides the check', async () => {
  const world = await newWorld();
  const sent = {
    ...given,
    number: '+1 (415) 555-0100',
    expiresAt: '2099-03-01T11:00:00+01:00',
    seller: 'Dental',
    proof,
  };
  const { status, body } = await record(world, [sent]);
  expect([status, body.failed]).toEqual([200, []]);
  const [{ consentId, ...recorded }] = body.recorded;
  expect(recorded).toEqual(given);
  expect(consentId).toMatch(/^consent_[0-9A-Z]{26}$/);
  const expiresAt = '2099-03-01T10:00:00.000Z';
  const listed = await list(world);
  expect(listed).toEqual({
    consents: [
      {
        ...{ ...given, consentId, expiresAt, seller: 'Dental', proof },
        ...{ recordedAt: expect.any(String), keyId: world.keyId, keyName: 'test' },
      },
    ],
  });
  expect(await check(world, {})).toEqual({ number, purpose: 'marketing', state: 'given', consentId, at, expiresAt });
  expect(await check(world, { purpose: 'service' })).toEqual({ number, purpose: 'service', state: 'none' });
  expect(await check(world, { at: expiresAt })).toMatchObject({ state: 'expired', consentId });
  expect(await check(world, { at: '2026-03-01T09:59:59.999Z' })).toEqual({
    number,
    purpose: 'marketing',
    state: 'none',
  });
});

it('the same record again is the same, also in one request, in another order of fields, and by another key', async () => {
  const world = await newWorld();
  const first = await record(world, [
    { ...given, proof },
    { ...given, proof },
  ]);
  expect(first.body.recorded).toHaveLength(2);
  const [{ consentId }] = first.body.recorded;
  const { callId, ...others } = proof;
  const again = await record(world, [{ proof: { callId, ...others }, ...given, at: '2026-03-01T11:00:00+01:00' }]);
  expect(again.body.recorded).toEqual([first.body.recorded[0]]);
  expect((await list(world)).consents).toHaveLength(1);
  const other = await record(world, [given, { ...given, expiresAt: '2030-01-01T00:00:00Z' }]);
  expect(new Set([consentId, ...other.body.recorded.map((one: { consentId: string }) => one.consentId)]).size).toBe(3);
});

it('a record without a time is new, unless its Idempotency-Key repeats', async () => {
  const world = await newWorld();
  const { at: _, ...timeless } = given;
  const keyed = { headers: { 'idempotency-key': unique('key') } };
  const [one, two] = [await record(world, [timeless], keyed), await record(world, [timeless], keyed)];
  expect(two.body).toEqual(one.body);
  await record(world, [timeless]);
  expect((await list(world)).consents).toHaveLength(2);
});

it('each invalid field has its code, in the order of the fields, and does not fail the other records', async () => {
  const world = await newWorld();
  const ahead = new Date(Date.now() + 6 * 60_000).toISOString();
  const wrong: [code: string, consent: object][] = [
    ['invalid_format', { number: '12345', purpose: 'X' }],
    ['invalid_purpose', { purpose: '*' }],
    ['invalid_purpose', { purpose: 'Marketing', at: 'yesterday' }],
    ['invalid_purpose', { purpose: undefined }],
    ['invalid_purpose', { purpose: 'p'.repeat(33) }],
    ['invalid_purpose', { purpose: 5 }],
    ['invalid_at', { at: '2026-03-01' }],
    ['invalid_at', { at: ahead, expiresAt: 'never' }],
    ['invalid_at', { at: null }],
    ['invalid_expires_at', { expiresAt: at }],
    ['invalid_expires_at', { expiresAt: '2099-01-01' }],
    ['invalid_expires_at', { state: 'revoked', expiresAt: '2099-01-01T00:00:00Z', proof: {} }],
    ['invalid_proof', { proof: {} }],
    ['invalid_proof', { proof: 'a form' }],
    ['invalid_proof', { proof: { channel: 'fax' } }],
    ['invalid_proof', { proof: { ...proof, text: 'x'.repeat(limits.proofTextCharacters + 1) } }],
    ['invalid_proof', { proof: { ...proof, url: 'http://www.example.com/' } }],
    ['invalid_proof', { proof: { ...proof, ip: '300.1.1.1' } }],
    ['invalid_proof', { proof: { ...proof, sha256: 'ab' } }],
  ];
  const near = new Date(Date.now() + 4 * 60_000).toISOString();
  const fine = [{ proof: { ...proof, text: 'é'.repeat(limits.proofTextCharacters), ip: '192.0.2.1' } }, { at: near }];
  const { status, body } = await record(
    world,
    [...wrong.map(([, one]) => one), ...fine].map((one) => ({ ...given, ...one })),
  );
  expect(status).toBe(200);
  expect(body.failed.map(({ code }: { code: string }) => code)).toEqual(wrong.map(([code]) => code));
  expect(body.failed[0].number).toBe('12345');
  expect(body.recorded).toHaveLength(2);
});

it('a record of another shape fails the request, and records nothing', async () => {
  const world = await newWorld();
  const wrong: [path: string, consent: unknown][] = [
    ['consents.1.state', { ...given, state: 'yes' }],
    ['consents.1.seller', { ...given, seller: 's'.repeat(limits.sellerCharacters + 1) }],
    ['consents.1.number', { ...given, number: 14155550100 }],
    ['consents.1', 'x'],
  ];
  for (const [path, one] of wrong) {
    const { status, body } = await record(world, [given, one]);
    expect([status, body.error, body.details[0].path]).toEqual([400, 'invalid_request', path]);
  }
  for (const consents of [[], Array.from({ length: 1001 }, () => given), 'none'])
    expect(await record(world, consents as unknown[])).toMatchObject({
      status: 400,
      body: { details: [{ path: 'consents' }] },
    });
  expect(await list(world)).toEqual({ consents: [] });
});

it('both forms of a number are one person, and a revocation of all purposes counts for each', async () => {
  const world = await newWorld();
  const [today, former] = ['+525512345678', '+5215512345678'];
  await record(world, [
    { ...given, number: former },
    { ...given, number: today, purpose: '*', state: 'revoked', at: '2026-03-02T00:00:00Z' },
  ]);
  for (const form of [today, former]) {
    expect(await check(world, { number: form })).toMatchObject({ number: form, state: 'revoked' });
    expect((await list(world, { number: form })).consents.map((one: { number: string }) => one.number)).toEqual([
      today,
      former,
    ]);
    expect((await list(world, { number: form, purpose: 'service' })).consents).toHaveLength(1);
    expect((await list(world, { number: form, purpose: '*' })).consents).toHaveLength(1);
  }
  expect(await check(world, { number: today, at: '2026-03-01T12:00:00Z' })).toMatchObject({ state: 'given' });
});

it('a thousand records of a person in one request are recorded, and further ones fail', async () => {
  const world = await newWorld();
  const makeTime = (index: number) => new Date(Date.parse(at) + index).toISOString();
  const many = Array.from({ length: 1000 }, (_, index) => ({ ...given, at: makeTime(index) }));
  const first = await record(world, many);
  expect(first.body.recorded.map((one: { at: string }) => one.at)).toEqual(many.map((one) => one.at));
  const { body } = await record(world, [{ ...given, at: makeTime(1000) }, many[999]]);
  expect(body.failed).toMatchObject([{ number, code: 'too_many_records' }]);
  expect(body.recorded).toHaveLength(1);
  expect(await check(world, {})).toMatchObject({ at: makeTime(999) });
  const page = await list(world, { limit: 10 });
  expect(page.consents.map((one: { at: string }) => one.at)).toEqual(
    many
      .slice(-10)
      .reverse()
      .map((one) => one.at),
  );
  expect((await list(world, { limit: 1, cursor: page.nextCursor })).consents[0].at).toBe(makeTime(989));
});

it('the first record of a person has its place in the list, small or large, page by page', async () => {
  const world = await newWorld();
  const records = ['2026-03-02', '2026-03-01', '2026-03-03', '2026-02-01'].map((day) => ({
    ...{ number, purpose: 'marketing', state: 'given', at: `${day}T10:00:00.000Z` },
  }));
  const large = { ...proof, text: 'x'.repeat(limits.proofTextCharacters) };
  const listed = records.map((one) => one.at).sort();
  for (const [person, firstProof] of [
    [number, undefined],
    ['+14155550101', proof],
    ['+14155550102', large],
  ] as const) {
    for (const [index, one] of records.entries())
      await record(world, [{ ...one, number: person, ...(index === 0 && { proof: firstProof }) }]);
    for (const limit of [1, 2, 3, 4]) {
      const found: { at: string; proof?: object }[] = [];
      for (let cursor: string | undefined = ''; cursor !== undefined && found.length <= records.length; ) {
        const page = await list(world, { number: person, limit, ...(cursor && { cursor }) });
        found.push(...page.consents);
        cursor = page.nextCursor;
      }
      expect(found.map((one) => one.at)).toEqual(listed.toReversed());
      expect(found[1]?.proof).toEqual(firstProof);
      expect(found.filter((one) => one.proof)).toHaveLength(firstProof ? 1 : 0);
    }
  }
});

it('two importers at once lose no record of a person', async () => {
  const world = await newWorld();
  const ofImporter = (purpose: string) =>
    Array.from({ length: 120 }, (_, index) => ({
      ...given,
      purpose,
      number: `+1415555${1000 + (index % 60)}`,
      at: new Date(Date.parse(at) - index).toISOString(),
    }));
  const [one, two] = await Promise.all(['a', 'b'].map((purpose) => record(world, ofImporter(purpose).reverse())));
  expect([one?.body.failed, two?.body.failed]).toEqual([[], []]);
  const { consents } = await list(world, { number: '+14155551007' });
  expect(consents).toHaveLength(4);
});

it('a key without the scope block-list, or of another user, reads and records no consent', async () => {
  const [world, hooks, other] = [await newWorld(), await newUser(['hooks']), await newUser()];
  for (const [apiKey, uid] of [
    [hooks.apiKey, hooks.uid],
    [other.apiKey, world.uid],
  ]) {
    for (const path of ['/consents', '/consents/check'])
      expect((await world.call('GET', path, { apiKey, query: { uid, number, purpose: 'marketing' } })).status).toBe(
        401,
      );
    expect((await world.call('POST', '/consents', { apiKey, body: { uid, consents: [given] } })).status).toBe(401);
  }
});

it('a check needs a purpose, and a list a number and a purpose that there may be', async () => {
  const world = await newWorld();
  const bad: [path: string, query: Record<string, string>, field: string][] = [
    ['/consents/check', { purpose: '*' }, 'purpose'],
    ['/consents/check', {}, 'purpose'],
    ['/consents/check', { purpose: 'marketing', at: 'now' }, 'at'],
    ['/consents', { purpose: 'Marketing' }, 'purpose'],
    ['/consents', { number: '1' }, 'number'],
    ['/consents', { cursor: 'x' }, 'cursor'],
  ];
  for (const [path, query, field] of bad) {
    const { status, body } = await world.call('GET', path, { query: { uid: world.uid, number, ...query } });
    expect([status, body.details?.[0].path], JSON.stringify(query)).toEqual([400, field]);
  }
});

it('the records of a request are in the log of changes with counts, and without a number', async () => {
  const world = await newWorld(['block-list', 'changes']);
  const consents = Array.from({ length: 5 }, (_, index) => ({ ...given, number: `+1415555200${index}` }));
  const revoked = { ...given, state: 'revoked' };
  const { headers } = await record(world, [...consents, revoked]);
  await record(world, [revoked]);
  const entries = await until(async () => {
    const { body, text } = await world.call('GET', '/changes', { query: { uid: world.uid, kind: 'consent' } });
    expect(text).not.toContain('+1415');
    const sum = (name: string) =>
      body.changes.reduce(
        (all: number, { counts }: { counts: Record<string, number> }) => all + (counts[name] ?? 0),
        0,
      );
    return sum('given') + sum('revoked') === 6 && { changes: body.changes, given: sum('given') };
  });
  expect(entries.given).toBe(5);
  for (const change of entries.changes)
    expect(change).toMatchObject({
      ...{ action: 'consent.recorded', kind: 'consent', uid: world.uid, keyId: world.keyId, via: 'api' },
      requestId: headers.get('x-request-id'),
    });
});
