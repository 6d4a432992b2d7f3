import { expect, it } from 'vitest';
import { callerMark, callerMarkHeader } from '../../functions/domain/caller-mark.ts';
import type { Change, ChangeAction } from '../../functions/domain/changes.ts';
import { apiKeys } from '../../functions/store/api-keys.ts';
import { changeCollection } from '../../functions/store/keys.ts';
import { type Item, table } from '../../functions/store/table.ts';
import { users } from '../../functions/store/users.ts';
import { until } from '../support/until.ts';
import { sendForm } from '../support/uploads.ts';
import { type Answer, call, newUser, newWorld, target, unique, type World } from '../support/world.ts';

const phone = '+14155550177';
const text = 'Nobody reads this sentence in the log.';

/** Entries, in which those of one request on a block list are one: its numbers may be read in several batches. */
const joinRequests = (changes: Change[]): Change[] => {
  const requests = Map.groupBy(changes, ({ action, requestId, changeId }) =>
    action === 'block_list.updated' ? requestId : changeId,
  );
  return [...requests.values()].map((entries) => {
    const sum = (kind: 'added' | 'removed') => entries.reduce((total, { counts }) => total + (counts?.[kind] ?? 0), 0);
    const [first, ...others] = entries as [Change];
    return others.length > 0 ? { ...first, counts: { added: sum('added'), removed: sum('removed') } } : first;
  });
};

/** The log of a user, newest first, once it has entries of this many requests. */
const readLog = async (uid: string, apiKey: string, count: number, query: object = {}): Promise<Change[]> => {
  return until(async () => {
    const { body, text } = await call('GET', '/changes', { apiKey, query: { uid, ...query } });
    expect(body?.changes, text).toBeDefined();
    const changes = joinRequests(body.changes);
    return changes.length >= count && changes;
  });
};

const ok = (answer: Answer): Answer => {
  expect(answer.status, answer.text).toBe(200);
  return answer;
};

/** A world with a key of all scopes that a key of a user may have. */
const newOwner = async (): Promise<World> => {
  const world = await newWorld();
  const scopes = ['agents', 'knowledge', 'calls', 'block-list', 'hooks', 'webhooks', 'privacy', 'keys', 'changes'];
  const key = await apiKeys.get().create(world.uid, { name: 'Console', scopes: scopes as never });
  const { secret: apiKey, keyId } = key;
  return { ...world, apiKey, keyId, call: (method, path, options = {}) => call(method, path, { apiKey, ...options }) };
};

it('each action on an agent, its knowledge, calls and block list is one entry with its maker, its request and no value', async () => {
  const { uid, keyId, apiKey, call } = await newOwner();
  const requestIds: string[] = [];
  const ask = async (method: string, path: string, options: object = {}) => {
    const answer = ok(await call(method, path, options));
    requestIds.unshift(answer.headers.get('x-request-id') ?? '');
    return answer.body;
  };
  // The user, two keys and an agent.
  const before = 4;
  const { agentId } = await ask('POST', '/agents', { body: { uid, name: text } });
  const patch = { uid, name: 'Renamed', configuration: { greeting: text, variables: { a: phone }, [phone]: text } };
  await ask('PATCH', `/agents/${agentId}`, { body: patch });
  await ask('PUT', `/agents/${agentId}/traffic`, { body: { uid, split: [{ version: 1, percent: 100 }] } });
  const document = { uid, agentId, name: 'a.txt', content: text };
  const { documentId } = await ask('POST', '/agent-documents/text', { body: document });
  await ask('PATCH', '/agent-documents', { body: { uid, agentId, documentId, name: 'b.txt' } });
  await ask('DELETE', '/agent-documents', { query: { uid, agentId, documentId } });
  const url = 'https://example.com/';
  const { websiteId } = await ask('POST', '/agent-websites', { body: { uid, agentId, url } });
  await ask('PATCH', '/agent-websites', { body: { uid, agentId, websiteId, active: false } });
  await ask('DELETE', '/agent-websites', { query: { uid, agentId, websiteId } });
  await ask('POST', '/agent-block-list', { body: { uid, agentId, numbers: [phone, '+14155550178'], reason: text } });
  await ask('DELETE', '/agent-block-list', { body: { uid, agentId, numbers: [phone] } });
  const facts = { phone, direction: 'inbound', startedAt: '2026-03-01T10:00:00Z' };
  ok(await call('PUT', `/calls/${agentId}/call-1`, { body: facts }));
  await ask('DELETE', `/calls/${agentId}/call-1`);
  const { erasureId } = await ask('POST', '/erasures', { body: { uid, number: phone } });
  await ask('DELETE', `/agents/${agentId}`, { query: { uid } });

  const expected: [ChangeAction, string | undefined, object?][] = [
    ['agent.deleted', agentId],
    ['erasure.requested', erasureId],
    ['call.deleted', 'call-1'],
    ['block_list.updated', undefined, { counts: { added: 0, removed: 1 } }],
    ['block_list.updated', undefined, { counts: { added: 2, removed: 0 } }],
    ['website.deleted', websiteId],
    ['website.updated', websiteId, { changed: ['active'] }],
    ['website.created', websiteId],
    ['document.deleted', documentId],
    ['document.updated', documentId, { changed: ['name'] }],
    ['document.created', documentId],
    ['agent.traffic_updated', agentId, { version: 2 }],
    [
      'agent.updated',
      agentId,
      { changed: expect.arrayContaining(['name', 'configuration.greeting', 'configuration']), version: 2 },
    ],
    ['agent.created', agentId, { version: 1 }],
  ];
  const log = await readLog(uid, apiKey, before + expected.length);
  expect(log.slice(0, expected.length).map(({ action, id }) => [action, id])).toEqual(
    expected.map(([action, id]) => [action, id]),
  );
  for (const [index, [action, , more = {}]] of expected.entries()) {
    expect(log[index]).toMatchObject({
      ...{ uid, keyId, keyName: 'Console', via: 'api', requestId: requestIds[index] },
      kind: action.split('.')[0],
      ...more,
    });
  }
  const stored = await Array.fromAsync(table.get().query<Item>(changeCollection(uid)));
  expect(JSON.stringify(stored)).not.toMatch(/1415555|Nobody reads/);
  const ofAgent = await readLog(uid, apiKey, 1, { agentId, kind: 'website' });
  expect(ofAgent.map(({ action }) => action)).toEqual(['website.deleted', 'website.updated', 'website.created']);
  expect(await readLog(uid, apiKey, 0, { keyId: 'key_other' })).toEqual([]);
  const to = log[0]?.at as string;
  const earlier = await readLog(uid, apiKey, 1, { to, limit: 1 });
  expect(earlier[0]?.changeId).toBe(log.find(({ at }) => at < to)?.changeId);
});

it('the entry of a change names the changed fields of an endpoint and a key, and the import of a file is one entry', async () => {
  const { uid, apiKey, keyId, call } = await newOwner();
  const url = 'https://crm.example.com/';
  const { endpointId } = ok(await call('POST', '/webhook-endpoints', { body: { uid, url } })).body;
  const path = `/webhook-endpoints/${endpointId}`;
  ok(await call('PATCH', path, { body: { uid, description: text } }));
  ok(await call('POST', `${path}/rotate-secret`, { body: { uid } }));
  const made = ok(await call('POST', '/keys', { body: { uid, name: 'CRM', scopes: ['calls'] } })).body;
  await apiKeys.get().change(uid, made.keyId, { name: 'Other' });
  const asked = ok(await call('POST', '/block-list-imports', { body: { uid, size: 100 } })).body;
  await sendForm(asked, `${phone}\n+14155550178\n`);
  const log = await until(async () => {
    const changes = await readLog(uid, apiKey, 10);
    return changes.some(({ kind }) => kind === 'import') && changes;
  });
  const at = (action: ChangeAction) => log.filter((change) => change.action === action);
  expect(at('import.finished')).toMatchObject([
    { id: asked.importId, keyId, keyName: 'Console', via: 'api', counts: { added: 2, removed: 0 } },
  ]);
  expect(at('block_list.updated')).toEqual([]);
  expect(at('webhook_endpoint.updated').map(({ changed }) => changed)).toEqual([['secret'], ['description']]);
  expect(at('key.updated')).toMatchObject([{ id: made.keyId, changed: ['name'] }]);
});

it('a key that administers users reads who changed users, keys and access of its clients, and nothing else', async () => {
  const maker = await newUser(['users']);
  const { apiKey } = maker;
  const [uid, other] = [unique('client'), unique('client')];
  const ask = async (method: string, path: string, options: object = {}) =>
    ok(await call(method, path, { apiKey, ...options })).body;
  for (const client of [uid, other]) await ask('POST', '/users', { body: { uid: client } });
  await ask('PATCH', `/users/${uid}`, { body: { name: 'Ltd', quotas: { agents: 3 } } });
  await ask('PATCH', `/users/${uid}`, { body: { suspended: true } });
  await ask('PATCH', `/users/${uid}`, { body: { suspended: false } });
  const { secret } = await ask('POST', '/keys', { body: { uid, name: 'CRM', scopes: ['agents', 'changes'] } });
  const { agentId } = ok(await call('POST', '/agents', { apiKey: secret, body: { uid, name: 'A' } })).body;
  await ask('PUT', `/agents/${agentId}/access/${other}`, { body: { uid } });
  await ask('DELETE', `/agents/${agentId}/access/${other}`, { query: { uid } });
  const own = await readLog(uid, secret, 8);
  expect(own.map(({ action, id }) => [action, id])).toEqual([
    ['access.ended', other],
    ['access.granted', other],
    ['agent.created', agentId],
    ['key.created', expect.any(String)],
    ['user.resumed', uid],
    ['user.suspended', uid],
    ['user.updated', uid],
    ['user.created', uid],
  ]);
  expect(own[6]).toMatchObject({ uid: maker.uid, keyId: maker.keyId, changed: ['name', 'quotas.agents'] });
  const seenByMaker = await readLog(uid, apiKey, 7);
  expect(seenByMaker.map(({ changeId }) => changeId)).toEqual(
    own.filter(({ kind }) => kind !== 'agent').map(({ changeId }) => changeId),
  );
  const status = async (key: string, query: Record<string, string>) => {
    const { status, body } = await call('GET', '/changes', { apiKey: key, query });
    return [status, body.error];
  };
  expect(await status(apiKey, { uid, kind: 'agent' })).toEqual([401, 'insufficient_permissions']);
  expect(await status(apiKey, { uid: unique('nobody') })).toEqual([404, 'user_not_found']);
  expect(await status(secret, { uid: other })).toEqual([401, 'insufficient_permissions']);
  expect(await status(target.otherApiKey, { uid: target.otherUid })).toEqual([401, 'insufficient_permissions']);
  await ask('DELETE', `/users/${other}`, { query: { confirm: other } });
  const deleted = await until(async () =>
    (await readLog(maker.uid, apiKey, 0)).find(({ action }) => action === 'user.deleted'),
  );
  expect(deleted).toMatchObject({ id: other, uid: maker.uid, keyId: maker.keyId, kind: 'user' });
  await users.get().remove(other);
  expect(await Array.fromAsync(table.get().query(changeCollection(other)))).toEqual([]);
});

it('the service decides how a change was made: by an AI client or a platform, and no header of a caller counts', async () => {
  const { uid, agentId, apiKey, call: callAs } = await newOwner();
  const params = { name: 'addBlockedNumbers', arguments: { agentId, numbers: ['+14155550101'] } };
  const body = { jsonrpc: '2.0', id: 1, method: 'tools/call', params };
  const asked = ok(await callAs('POST', '/mcp', { body, headers: { 'mcp-protocol-version': '2025-11-25' } }));
  const block = (numbers: string[], headers: Record<string, string> = {}) =>
    callAs('POST', '/agent-block-list', { body: { uid, agentId, numbers }, headers });
  const marked = ok(
    await block(['+14155550102'], { [callerMarkHeader]: 'mcp', via: 'operator', 'user-agent': 'operator' }),
  );
  const mark = callerMark({ caller: 'chat', requestId: asked.headers.get('x-request-id') ?? '' }, 'a guess', apiKey);
  const forged = ok(await block(['+14155550103'], { [callerMarkHeader]: mark }));
  const log = await until(async () => {
    const found = await readLog(uid, apiKey, 3, { kind: 'block_list' });
    return found.length === 3 && found;
  });
  expect(log.map(({ via }) => via)).toEqual(['api', 'api', 'mcp']);
  // The caller of an AI client sees the id of its own request alone.
  expect(log.map(({ requestId }) => requestId)).toEqual(
    [forged, marked, asked].map(({ headers }) => headers.get('x-request-id')),
  );
});
