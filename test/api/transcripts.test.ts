import { describe, expect, it } from 'vitest';
import { expireCalls } from '../../functions/jobs/expire-calls.ts';
import { agentSharing } from '../../functions/store/agents/agent-sharing.ts';
import { apiKeys } from '../../functions/store/api-keys.ts';
import { callTranscriptCollection } from '../../functions/store/keys.ts';
import { table } from '../../functions/store/table.ts';
import { deliverMessage } from '../support/deliver-message.ts';
import { ended, newPerson, privateWorld, request } from '../support/erasures.ts';
import { findEverything, toText } from '../support/stored.ts';
import { until } from '../support/until.ts';
import { findings } from '../support/voice-platforms.ts';
import { listening } from '../support/webhook-events.ts';
import { newWorld, unique, type World } from '../support/world.ts';

const day = 24 * 60 * 60 * 1000;
const daysAgo = (days: number) => new Date(Date.now() - days * day).toISOString();

const configure = ({ call, agentId }: World, transcripts: unknown) =>
  call('PATCH', `/agents/${agentId}`, { body: { configuration: { transcripts } } });

const formPath = ({ agentId }: World, callId: string) => `/calls/${agentId}/${callId}/transcript`;
const read = (world: World, callId: string, query: object = {}) =>
  world.call('GET', formPath(world, callId), { query: { uid: world.uid, ...query } });
const remove = (world: World, callId: string) =>
  world.call('DELETE', formPath(world, callId), { query: { uid: world.uid } });
const getCall = async (world: World, callId: string) =>
  (await world.call('GET', `/calls/${world.agentId}/${callId}`)).body;

const turns = [
  { role: 'agent', text: 'Hello, how can I help you?', at: 0.5 },
  { role: 'caller', text: 'When do you open?', at: 3 },
];
const endedAt = daysAgo(1);
const put = (world: World, callId: string, transcript: unknown, more: object = {}) =>
  world.recordCall(callId, { startedAt: endedAt, endedAt, transcript, ...more });

/** The items of transcripts, as they lie in the table. */
const listItems = (world: World) => Array.fromAsync(table.get().query(callTranscriptCollection(world.agentId)));

describe('the transcript of a call', () => {
  it('is kept where the agent says so, and ignored by name otherwise', async () => {
    const world = await newWorld();
    const ignoring = await put(world, 'c1', turns);
    expect([ignoring.status, ignoring.headers.get('x-ignored-fields')]).toEqual([200, 'transcript']);
    expect((await read(world, 'c1')).status).toBe(404);
    await configure(world, { keepDays: 30 });
    const keeping = await put(world, 'c1', turns);
    expect([keeping.body.hasTranscript, keeping.headers.get('x-ignored-fields')]).toEqual([true, null]);
    const expiresAt = new Date(Date.parse(endedAt) + 30 * day).toISOString();
    const { status, body } = await read(world, 'c1');
    expect([status, body]).toEqual([200, { call_id: 'c1', turns, source: 'api', expiresAt }]);
    expect(await getCall(world, 'c1')).toMatchObject({ hasTranscript: true });
    const listed = await world.call('GET', `/calls/${world.agentId}`);
    expect(listed.body.calls[0].hasTranscript).toBe(true);
    expect(listed.text).not.toContain('When do you open');
    // Recorded again, it stays; another one replaces it.
    await put(world, 'c1', undefined, { durationSeconds: 5 });
    expect((await read(world, 'c1')).body.turns).toEqual(turns);
    await put(world, 'c1', turns.slice(0, 1));
    expect((await read(world, 'c1')).body.turns).toEqual(turns.slice(0, 1));
  });

  it('many calls bring theirs along, each by the setting of its agent', async () => {
    const world = await newWorld();
    const { uid, call } = world;
    const other = (await call('POST', '/agents', { body: { uid, name: 'Other' } })).body.agentId;
    await configure(world, { keepDays: 30 });
    const facts = { direction: 'inbound', startedAt: endedAt, transcript: turns };
    const items = [
      ...[world.agentId, other].map((agentId) => ({ agentId, callId: 'c1', ...facts })),
      { agentId: world.agentId, callId: 'c2', ...facts, transcript: [{ role: 'guest', text: 'Hi' }] },
    ];
    const { body, headers } = await call('POST', '/calls', { body: { items } });
    expect([body.recorded.length, body.failed[0].index]).toEqual([2, 2]);
    expect(headers.get('x-ignored-fields')).toBe('transcript');
    expect((await read(world, 'c1')).body.turns).toEqual(turns);
    expect((await read({ ...world, agentId: other }, 'c1')).status).toBe(404);
  });

  it.each([
    ['role', [{ role: 'user', text: 'Hi' }]],
    ['text', [{ role: 'agent' }]],
    ['at', [{ role: 'agent', text: 'Hi', at: -1 }]],
    ['transcript', 'Agent: Hi'],
  ])('a wrong %s is refused', async (name, transcript) => {
    const world = await newWorld();
    await configure(world, { keepDays: 30 });
    const { status, body } = await put(world, 'c1', transcript);
    expect([status, body.details[0].path]).toEqual([400, expect.stringContaining(name)]);
  });

  it.each([
    {},
    { keepDays: 0 },
    { keepDays: 401 },
    { keepDays: 30, redact: ['names'] },
    { keepDays: 30, days: 3 },
    true,
  ])('the setting %j is refused', async (transcripts) => {
    const { status, body } = await configure(await newWorld(), transcripts);
    expect([status, body.details[0].path]).toEqual([400, expect.stringMatching(/^configuration\.transcripts/)]);
  });

  it('a long one is cut at its end, in turns or in bytes, and times that go back stay', async () => {
    const world = await newWorld();
    await configure(world, { keepDays: 30 });
    const many = Array.from({ length: 2001 }, (_, n) => ({ role: 'caller', text: `Turn ${n}`, at: 2001 - n }));
    await put(world, 'c1', many);
    const inTurns = (await read(world, 'c1')).body;
    expect([inTurns.turns, inTurns.truncated]).toEqual([many.slice(0, 2000), true]);
    const large = [
      { role: 'caller', text: 'ä😀'.repeat(100_000) },
      { role: 'agent', text: 'Never kept.' },
    ];
    await put(world, 'c2', large);
    const { body, text } = await read(world, 'c2');
    expect([body.turns.length, body.truncated]).toEqual([1, true]);
    expect(large[0]?.text.startsWith(body.turns[0].text)).toBe(true);
    expect(Buffer.byteLength(text)).toBeGreaterThan(399 * 1024);
    expect(Buffer.byteLength(text)).toBeLessThan(401 * 1024);
    expect((await put(world, 'c3', [{ role: 'caller', text: 'x'.repeat(5_000_000) }])).status).toBe(413);
  });

  it('is deleted by the owner alone, as an entry of the log without text', async () => {
    const world = await newWorld();
    const { uid, agentId, keyId } = world;
    await configure(world, { keepDays: 30 });
    await put(world, 'c1', turns);
    const guest = await newWorld();
    await agentSharing.get().share(agentId, uid, guest.uid);
    const asGuest = { ...world, uid: guest.uid, call: guest.call } as World;
    expect((await read(asGuest, 'c1')).body.turns).toEqual(turns);
    expect((await remove(asGuest, 'c1')).status).toBe(401);
    const stranger = await newWorld();
    expect((await read({ ...world, uid: stranger.uid, call: stranger.call } as World, 'c1')).status).toBe(401);
    expect((await remove(world, 'c1')).body).toEqual({ message: 'Transcript deleted successfully' });
    expect([(await read(world, 'c1')).status, (await remove(world, 'c1')).status]).toEqual([404, 404]);
    expect(await getCall(world, 'c1')).not.toHaveProperty('hasTranscript');
    expect(await listItems(world)).toEqual([]);
    const { secret: apiKey } = await apiKeys.get().create(uid, { name: 'log', scopes: ['changes'] });
    const [entry] = await until(async () => {
      const { body } = await world.call('GET', '/changes', { apiKey, query: { uid, kind: 'call' } });
      return body.changes.length > 0 && body.changes;
    });
    expect(entry).toMatchObject({ action: 'call.transcript_deleted', id: 'c1', agentId, keyId });
  });

  it('goes with its call, and is in no event', async () => {
    const world = await listening({ events: ['call.*'], countsRequests: false });
    const word = unique('zyzzyva');
    await configure(world, { keepDays: 30 });
    await put(world, 'c1', undefined);
    await put(world, 'c1', [{ role: 'caller', text: word }]);
    await remove(world, 'c1');
    await put(world, 'c1', [{ role: 'caller', text: word }]);
    expect((await listItems(world)).map(toText).join()).toContain(word);
    await world.call('DELETE', `/calls/${world.agentId}/c1`);
    const events = await world.all();
    expect(events.map(({ type }) => type).sort()).toEqual(['call.deleted', 'call.recorded']);
    expect(JSON.stringify(events)).not.toContain(word);
    expect(await findEverything(word)).toEqual([]);
  });

  it('goes with its person', async () => {
    const world = await privateWorld();
    const [person, word] = [newPerson(), unique('zyzzyva')];
    await configure(world, { keepDays: 30 });
    await put(world, 'c1', [{ role: 'agent', text: word }], { phone: person });
    const { body } = await request(world, person);
    expect((await ended(world, body.erasureId)).status).toBe('done');
    expect(await findEverything(word)).toEqual([]);
  });

  it('goes when the agent no longer keeps it, and the call stays without a mark', async () => {
    const world = await newWorld();
    await configure(world, { keepDays: 30 });
    await put(world, 'old', turns, { startedAt: daysAgo(10), endedAt: daysAgo(10) });
    await put(world, 'new', turns);
    await put(world, 'too-old', turns, { startedAt: daysAgo(31), endedAt: daysAgo(31) });
    expect((await read(world, 'too-old')).status).toBe(404);
    await configure(world, { keepDays: 5 });
    expect([(await read(world, 'old')).status, (await read(world, 'new')).status]).toEqual([404, 200]);
    const runJob = () => deliverMessage(expireCalls, { job: 'expireCalls', uid: 'all-users' });
    await runJob();
    expect(await listItems(world)).toHaveLength(1);
    expect(await getCall(world, 'old')).not.toHaveProperty('hasTranscript');
    expect(await getCall(world, 'new')).toMatchObject({ hasTranscript: true });
    await configure(world, null);
    expect((await read(world, 'new')).status).toBe(404);
    await runJob();
    expect(await listItems(world)).toEqual([]);
    expect(await getCall(world, 'new')).not.toHaveProperty('hasTranscript');
  });
});

describe('transcripts of voice platforms', () => {
  it.each(Object.keys(findings))('that of %s is kept, with longer ones in its place', async (platform) => {
    const world = await newWorld();
    const { uid, agentId } = world;
    await configure(world, { keepDays: 30 });
    const send = (callerTexts: string[] | undefined) =>
      world.call('POST', `/hooks/${platform}`, {
        query: { uid, agentId },
        body: findings[platform]?.({ id: 'c', fields: {}, callerTexts, agentText: 'Hello.', seconds: 60 }),
      });
    const texts = async () =>
      (await read(world, `${platform}:c`)).body.turns?.map(({ text }: { text: string }) => text);
    expect((await send(undefined)).status).toBe(200);
    expect(await texts()).toBeUndefined();
    await send(['Hi, this is 4111 1111', '1111 1111.', 'Bye']);
    const first = await texts();
    expect(first).toEqual(expect.arrayContaining(['Hello.', 'Hi, this is [card]', '.', 'Bye']));
    for (const shorter of [['Hi.'], undefined]) await send(shorter);
    expect(await texts()).toEqual(first);
    await send(['Hi, this is 4111 1111', '1111 1111.', 'Bye', 'and thanks for everything']);
    expect(await texts()).toContain('and thanks for everything');
    expect((await read(world, `${platform}:c`)).body.source).toBe(platform);
  });
});
