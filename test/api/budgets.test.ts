import { expect, it } from 'vitest';
import { agentSharing } from '../../functions/store/agents/agent-sharing.ts';
import { apiKeys } from '../../functions/store/api-keys.ts';
import { newClientWorld, pickError } from '../support/clients.ts';
import { newHookSecret } from '../support/hook-signers.ts';
import { sendSigned, signedHook } from '../support/signed-hooks.ts';
import { until } from '../support/until.ts';
import { newEndpoint, newReceiver, verified } from '../support/webhooks.ts';
import { call, newUser } from '../support/world.ts';

/** A zone in which it is not almost midnight: no test meets the end of a day. */
const timeZone = new Date().getUTCHours() < 12 ? 'Etc/GMT-6' : 'Etc/GMT+6';
const daily = { amount: 10, currency: 'USD', per: 'day', timeZone, action: 'refuse' };

/** A client with an agent and a budget. */
const newBudgetWorld = async (budget: object | null = daily) => {
  const world = await newClientWorld();
  const { uid, agentId, maker } = world;
  const setBudget = (budget: object | null) => maker.call('PATCH', `/users/${uid}`, { body: { budget } });
  const shown = async () => (await maker.call('GET', `/users/${uid}`)).body.budget;
  const record = (callId: string, amount: number, more: object = {}) =>
    world.call('PUT', `/calls/${agentId}/${callId}`, {
      body: {
        ...{ direction: 'inbound', startedAt: new Date().toISOString(), durationSeconds: 60 },
        details: { cost: { amount, currency: 'USD' } },
        ...more,
      },
    });
  const spends = (spent: string) => until(async () => (await shown())?.spent === spent);
  const start = (direction: 'inbound' | 'outbound', more: object = {}) =>
    world.call('POST', '/call-starts', {
      body: { uid, agentId, from: '+14155550100', to: '+14155550123', direction, ...more },
    });
  const decisions = async () =>
    (await Promise.all([start('inbound'), start('outbound')])).map(({ body }) => body.cause ?? body.decision);
  if (budget) await setBudget(budget);
  return { ...world, setBudget, shown, record, spends, start, decisions };
};

it('a budget is shown to the maker and to the client, with what the calls of the period have cost', async () => {
  const { uid, maker, setBudget, shown, record, spends, call: asClient } = await newBudgetWorld(null);
  expect(await shown()).toBeUndefined();
  const set = await setBudget({ amount: 50, currency: 'USD', per: 'month' });
  const periodEnd = expect.stringMatching(/^\d{4}-\d{2}-01T00:00:00\.000Z$/);
  const known = { amount: 50, currency: 'USD', per: 'month', timeZone: 'UTC', action: 'tell', periodEnd };
  expect(set.body.budget).toEqual({ ...known, spent: '0', share: 0 });
  await record('call-1', 12.3);
  await record('call-2', 0.2);
  await record('call-3', 7, { details: { cost: { amount: 7, currency: 'EUR' } } });
  await record('call-4', 9, { startedAt: '2026-01-15T10:00:00Z' });
  await spends('12.5');
  expect(await shown()).toEqual({ ...known, spent: '12.5', share: 0.25 });
  const listed = await maker.call('GET', '/users');
  expect(listed.body.users.find((user: { uid: string }) => user.uid === uid).budget.spent).toBe('12.5');
  expect((await asClient('GET', '/key')).body.budget).toEqual({ ...known, spent: '12.5', share: 0.25 });
  expect((await setBudget(null)).body).not.toHaveProperty('budget');
  expect((await asClient('GET', '/key')).body).not.toHaveProperty('budget');
});

it('a new client gets its budget with its creation, and its keys know of it', async () => {
  const { maker } = await newClientWorld();
  const created = await maker.call('POST', '/users', { body: { budget: { ...daily, action: 'tell' } } });
  expect(created.body.budget).toMatchObject({ amount: 10, spent: '0' });
  const made = await maker.call('POST', '/keys', { body: { uid: created.body.uid, name: 'first' } });
  expect((await call('GET', '/key', { apiKey: made.body.secret })).body.budget).toEqual(created.body.budget);
});

it('an incomplete budget, and one of a wrong form, name their fields', async () => {
  const { setBudget } = await newBudgetWorld(null);
  const paths = async (budget: object) =>
    (await setBudget(budget)).body.details.map(({ path }: { path: string }) => path);
  expect(await paths({})).toEqual(['budget.amount', 'budget.currency', 'budget.per']);
  expect(await paths({ ...daily, amount: 0 })).toEqual(['budget.amount']);
  expect(await paths({ ...daily, per: 'year' })).toEqual(['budget.per']);
});

it('a budget in a currency that no cost has says that nothing is compared', async () => {
  const { record, shown } = await newBudgetWorld({ ...daily, currency: 'EUR' });
  await record('call-1', 100);
  const { note, spent } = await until(async () => {
    const budget = await shown();
    return budget.note !== undefined && budget;
  });
  expect([note, spent]).toEqual(['No call of this period has a cost in EUR: nothing is compared.', '0']);
});

it('a reached budget rejects calls before any other cause but a block, and ends or is raised at once', async () => {
  const world = await newBudgetWorld({ ...daily, action: 'refuse_outbound' });
  const { uid, agentId, record, decisions, setBudget, start } = world;
  expect(await decisions()).toEqual(['accept', 'accept']);
  await record('call-1', 10);
  await until(async () => (await decisions())[1] === 'budget');
  expect(await decisions()).toEqual(['accept', 'budget']);
  const rejected = await start('outbound');
  expect(rejected.body).toEqual({
    ...{ decision: 'reject', cause: 'budget', number: '+14155550123', agentId, version: 1 },
  });
  await world.call('PATCH', `/agents/${agentId}`, {
    body: { configuration: { rejectWithheldNumbers: true, calling: { attempts: [{ max: 1, hours: 1 }] } } },
  });
  expect((await start('outbound', { to: null })).body.cause).toBe('budget');
  const checks = await world.call('POST', '/call-start-checks', {
    body: { uid, agentId, numbers: ['+14155550123'] },
  });
  expect(checks.body.rejected).toEqual([{ number: '+14155550123', cause: 'budget' }]);
  await world.call('POST', '/agent-block-list', { body: { uid, agentId, numbers: ['+14155550123'] } });
  expect((await start('outbound')).body.cause).toBe('blocked');
  const other = { to: '+14155550199', callId: 'dial-1' };
  expect((await start('outbound', other)).body.cause).toBe('budget');
  // A key that is made while calls are refused knows of it, too.
  const late = await apiKeys.get().create(uid, { name: 'late', scopes: ['hooks'] });
  const byLate = await call('POST', '/call-starts', {
    ...{ apiKey: late.secret, body: { uid, agentId, to: '+14155550199', direction: 'outbound' } },
  });
  expect(byLate.body.cause).toBe('budget');
  // What was rejected by the budget was not kept, and what was accepted then stays accepted.
  await setBudget({ ...daily, action: 'refuse_outbound', amount: 100 });
  expect((await start('outbound', other)).body.decision).toBe('accept');
  await setBudget({ ...daily, action: 'refuse', amount: 5 });
  await until(async () => (await start('inbound')).body.cause === 'budget');
  expect((await start('outbound', other)).body.decision).toBe('accept');
  await setBudget({ ...daily, action: 'tell', amount: 5 });
  expect((await start('inbound')).body.decision).toBe('accept');
});

it('a correction below the amount accepts calls again, and a second crossing is told to nobody', {
  timeout: 180_000,
}, async () => {
  const world = await newBudgetWorld();
  const { uid, record, decisions, spends, maker } = world;
  const [own, makers] = await Promise.all([newReceiver(), newReceiver()]);
  const ofClient = await newEndpoint(world, own.url, { events: ['user.budget_reached'] });
  const admin = await apiKeys.get().create(maker.uid, { name: 'endpoints', scopes: ['webhooks', 'calls'] });
  const asMaker = (method: string, path: string, options: object = {}) =>
    call(method, path, { apiKey: admin.secret, ...options });
  const ofMaker = await newEndpoint({ uid: maker.uid, call: asMaker } as never, makers.url, { events: ['user.*'] });
  await record('call-1', 8);
  await spends('8');
  await record('call-2', 4.5);
  await until(async () => (await decisions())[0] === 'budget');
  await record('call-2', 0.5);
  await until(async () => (await decisions())[0] === 'accept');
  await record('call-3', 2);
  await until(async () => (await decisions())[0] === 'budget');
  await world.call('DELETE', `/calls/${world.agentId}/call-1`);
  await until(async () => (await decisions())[0] === 'accept');
  await spends('2.5');
  const listEvents = async (receiver: typeof own, secret: string) =>
    (await receiver.waitFor(2)).map((request) => verified(secret, request));
  for (const events of [await listEvents(own, ofClient.secret), await listEvents(makers, ofMaker.secret)]) {
    const sorted = events.toSorted((a, b) => a.data.share - b.data.share);
    const period = expect.stringMatching(/^\d{4}-\d{2}-\d{2}$/);
    const known = { uid, amount: 10, currency: 'USD', period };
    expect(sorted.map(({ type, data }) => [type, data])).toEqual([
      ['user.budget_reached', { ...known, share: 0.8, spent: '8' }],
      ['user.budget_reached', { ...known, share: 1, spent: '12.5' }],
    ]);
  }
  const log = async () => (await maker.call('GET', '/changes', { query: { uid, kind: 'user' } })).body.changes;
  const entries = await until(async () => {
    const found = (await log()).filter(({ action }: { action: string }) => action === 'user.budget_reached');
    return found.length >= 2 && found;
  });
  expect(entries).toHaveLength(2);
  expect(entries[0]).toMatchObject({ kind: 'user', id: uid, uid, via: 'job' });
  const updated = (await log()).find(({ action }: { action: string }) => action === 'user.updated');
  expect(updated.changed).toEqual(['budget']);
});

it('the budget of the owner decides on a call that a guest, or a signature, reports', async () => {
  const world = await newBudgetWorld();
  const { uid, agentId, record, decisions } = world;
  const guest = await newUser();
  await agentSharing.get().share(agentId, uid, guest.uid);
  const { secret, fields } = newHookSecret('retell');
  await world.call('PUT', '/hook-secrets/retell', { body: { uid, ...fields } });
  const event = { event: 'call_inbound', call_inbound: { from_number: '+14155550100', to_number: '+14155550199' } };
  const signed = async () =>
    sendSigned(signedHook('retell', { query: { uid, agentId, unsure: 'accept' }, body: event, secret }));
  const accepted = await signed();
  await record('call-1', 11);
  await until(async () => (await decisions())[0] === 'budget');
  const byGuest = await call('POST', '/call-starts', {
    ...{ apiKey: guest.apiKey, body: { uid: guest.uid, agentId, from: '+14155550100' } },
  });
  expect(byGuest.body.cause).toBe('budget');
  expect((await signed()).body).not.toEqual(accepted.body);
  // Searches, checks and ends go on.
  const found = await world.call('POST', '/agent-knowledge/search', { body: { uid, agentId, query: 'hours' } });
  expect(found.status).toBe(200);
  expect((await record('call-2', 1)).status).toBe(200);
});

it('nobody but its maker sets the budget of a client', async () => {
  const { uid, call: asClient } = await newBudgetWorld();
  const changed = await asClient('PATCH', `/users/${uid}`, { body: { budget: null } });
  expect(pickError(changed)).toEqual([401, 'insufficient_permissions']);
});
