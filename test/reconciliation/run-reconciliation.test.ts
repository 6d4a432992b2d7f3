import { afterAll, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import type { PlatformCall, VoicePlatforms } from '../../bin/local/voice-platforms.ts';
import { sealedSecrets } from '../../functions/clients/sealed-secrets.ts';
import { ApiError } from '../../functions/domain/errors.ts';
import type { PlatformName } from '../../functions/domain/voice-platforms.ts';
import { platformKeys } from '../../functions/reconciliation/platform-keys.ts';
import { reconciliations } from '../../functions/reconciliation/reconciliations.ts';
import { reconcileServices, runReconciliation } from '../../functions/reconciliation/run-reconciliation.ts';
import { lazyServices } from '../../functions/service.ts';
import { agentChanges } from '../../functions/store/agents/agent-changes.ts';
import { type Calls, calls as callStore } from '../../functions/store/calls/calls.ts';
import { table } from '../../functions/store/table.ts';
import { injectFaults, noFaults } from '../support/faults.ts';
import '../support/quiet-logs.ts';
import { other, own, platformCall } from '../support/platform-calls.ts';
import { hour, minute, newReconciledWorld, run, startPlatforms } from '../support/reconciliation.ts';
import { until } from '../support/until.ts';

let platforms: VoicePlatforms;
beforeAll(async () => {
  platforms = await startPlatforms();
});
afterAll(() => platforms.stop());
beforeEach(() => {
  platforms.fault = undefined;
  platforms.maxPage = 1000;
  platforms.requests.length = 0;
});

const names: PlatformName[] = ['vapi', 'retell', 'elevenlabs', 'twilio', 'telnyx'];
const counts = ({ listed, known, recovered, completed, skipped, differing }: Record<string, unknown>) => ({
  ...{ listed, known, recovered, completed, skipped, differing },
});

describe.each(names)('the list of calls of %s', (platform) => {
  it(`calls of ${platform} that are missing are recorded as their end would have, once, by assistants and by number`, async () => {
    const calls = [
      platformCall(platform, { cost: 0.12, summary: 'Booked.', findings: { custom_call_outcome: 'booked' } }),
      platformCall(platform, { direction: 'outbound', startedAt: Date.now() - 2 * hour }),
      platformCall(platform, { assistantId: 'assistant-2', own: '+14155550999' }),
    ];
    const world = await newReconciledWorld(platforms, platform, {
      calls,
      assistantIds: ['twilio', 'telnyx'].includes(platform) ? [own] : ['assistant-1'],
    });
    const first = await world.reconcile();
    expect(first).toMatchObject({
      status: 'done',
      ...counts({ listed: 2, known: 0, recovered: 2, completed: 0, skipped: 0, differing: 0 }),
    });
    const recorded = await world.listCalls();
    expect(recorded).toMatchObject([
      {
        callId: `${platform}:${calls[0]?.id}`,
        phone: other,
        agentPhone: own,
        direction: 'inbound',
        durationSeconds: 65,
      },
      { callId: `${platform}:${calls[1]?.id}`, phone: other, agentPhone: own, direction: 'outbound' },
    ]);
    expect(recorded.map(({ details }: { details: object }) => details)).toMatchObject([
      { source: 'reconciled', ...(platform !== 'retell' && { cost: { amount: 0.12, currency: 'USD' } }) },
      { source: 'reconciled' },
    ]);
    if (!['twilio', 'telnyx'].includes(platform)) expect(recorded[0].custom_call_outcome).toBe('booked');
    expect(await world.reconcile()).toMatchObject({ listed: 2, known: 2, recovered: 0, differing: 0 });
    const byNumber = await newReconciledWorld(platforms, platform, { calls, assistantIds: [] });
    expect(await byNumber.reconcile()).toMatchObject({ status: 'done', listed: 2, recovered: 2 });
  });

  it(`every page of ${platform} is read, also where calls began at the same moment`, async () => {
    // Vapi has no cursor: a small page is its last one.
    const [maxPage, length] = platform === 'vapi' ? [100, 110] : [4, 11];
    platforms.maxPage = maxPage;
    const startedAt = Date.now() - hour;
    const calls = Array.from({ length }, (_, n) =>
      platformCall(platform, {
        id: `c${String(n).padStart(3, '0')}-${startedAt}`,
        startedAt: startedAt + Math.floor(n / 3) * 1000,
      }),
    );
    const world = await newReconciledWorld(platforms, platform, { calls, assistantIds: [] });
    expect(await world.reconcile({ dryRun: true })).toMatchObject({
      status: 'done',
      dryRun: true,
      listed: length,
      recovered: length,
    });
    expect(await world.listCalls()).toEqual([]);
    if (platform === 'vapi') return;
    expect(await world.reconcile()).toMatchObject({ listed: length, recovered: length });
    expect(await world.listCalls()).toHaveLength(length);
  });

  it(`calls of ${platform} that are not over, or outside of the time, are not recorded`, async () => {
    const running = { endedAt: undefined, status: { retell: 'ongoing' }[platform as string] ?? 'in-progress' };
    const calls = [
      platformCall(platform, running),
      platformCall(platform, { startedAt: Date.now() - 30 * hour }),
      platformCall(platform),
    ];
    const world = await newReconciledWorld(platforms, platform, {
      calls,
      assistantIds: platform === 'elevenlabs' ? ['assistant-1'] : [],
    });
    expect(await world.reconcile()).toMatchObject({ listed: 2, skipped: 1, recovered: 1 });
  });
});

describe('a reconciliation', () => {
  it('a key that the platform refuses ends it with a sentence that does not contain the key', async () => {
    const world = await newReconciledWorld(platforms, 'twilio');
    world.account.apiKey = 'another';
    const { status, error } = await world.reconcile();
    expect([status, error]).toEqual(['failed', expect.stringContaining('does not accept the API key (401)')]);
    expect(error).not.toContain(world.apiKeyOfPlatform);
    const [listed] = await Array.fromAsync(platformKeys.get().list(world.uid));
    expect(listed).toMatchObject({ platform: 'twilio', lastRefused: { status: 401 } });
  });

  it('a call without its end gets it, and one with another duration or cost is reported and stays', async () => {
    const calls = [platformCall('vapi', { cost: 0.2 }), platformCall('vapi'), platformCall('vapi', { cost: 0.3 })];
    const world = await newReconciledWorld(platforms, 'vapi', { calls });
    const startedAt = new Date(calls[0]?.startedAt as number).toISOString();
    const [begun, shorter, dearer] = calls.map(({ id }) => `vapi:${id}`) as [string, string, string];
    await world.recordCall(begun, { startedAt });
    await world.recordCall(shorter, { startedAt, durationSeconds: 61 });
    await world.recordCall(dearer, {
      startedAt,
      durationSeconds: 65.5,
      details: { cost: { amount: 0.25, currency: 'USD' } },
    });
    const expected = { listed: 3, known: 2, completed: 1, recovered: 0, differing: 2 };
    expect(await world.reconcile({ dryRun: true })).toMatchObject(expected);
    const done = await world.reconcile();
    expect(done).toMatchObject(expected);
    expect(done.differences).toEqual(
      expect.arrayContaining([
        { callId: shorter, field: 'durationSeconds', here: 61, there: 65 },
        {
          callId: dearer,
          field: 'cost',
          here: { amount: 0.25, currency: 'USD' },
          there: { amount: 0.3, currency: 'USD' },
        },
      ]),
    );
    const recorded = new Map((await world.listCalls()).map((call: { callId: string }) => [call.callId, call]));
    expect(recorded.get(begun)).toMatchObject({ durationSeconds: 65, details: { source: 'reconciled' } });
    expect(recorded.get(shorter)).toMatchObject({ durationSeconds: 61 });
  });

  it('a run that is killed half-way is continued, and counts what it had recorded as recovered', async () => {
    const calls = Array.from({ length: 9 }, (_, n) =>
      platformCall('retell', { startedAt: Date.now() - hour - n * minute }),
    );
    const world = await newReconciledWorld(platforms, 'retell', { calls });
    const reconciliationId = await world.begin();
    let answered = 0;
    platforms.fault = (path) => (path.startsWith('/v2/get-call') && ++answered > 4 ? { status: 503 } : undefined);
    expect(await run(world.agentId, reconciliationId)).toEqual({ delaySeconds: 1 });
    platforms.fault = undefined;
    // The run dies after some of the calls of a page are recorded.
    let written = 0;
    const dying = platforms.requests;
    expect(dying.length).toBeGreaterThan(0);
    const { calls: store } = await import('../../functions/store/calls/calls.ts');
    const record = store.get().recordReported.bind(store.get());
    const spy = Object.assign(store.get(), {
      recordReported: async (...given: Parameters<typeof record>) => {
        if (++written > 3) throw new Error('The function died.');
        return record(...given);
      },
    });
    await expect(run(world.agentId, reconciliationId)).rejects.toThrow('died');
    Object.assign(spy, { recordReported: record });
    while (await run(world.agentId, reconciliationId));
    expect(await world.find(reconciliationId)).toMatchObject({ status: 'done', listed: 9, recovered: 9, known: 0 });
    expect(await world.listCalls()).toHaveLength(9);
  });

  it('a run that is killed between the record of a call and its outcome leaves neither its block nor its outcome out', async () => {
    const call = platformCall('vapi', { findings: { custom_call_outcome: 'do_not_call' } });
    const world = await newReconciledWorld(platforms, 'vapi', { calls: [call] });
    await agentChanges.get().change(world.uid, world.agentId, (agent) => ({
      ...agent,
      configuration: { ...agent.configuration, outcomes: [{ name: 'do_not_call', blocks: 'found' }] },
    }));
    const reconciliationId = await world.begin();
    const dying = vi.spyOn(callStore.get(), 'setOutcome').mockRejectedValueOnce(new Error('The function died.'));
    await expect(run(world.agentId, reconciliationId)).rejects.toThrow('died');
    dying.mockRestore();
    expect((await world.listCalls())[0]).not.toHaveProperty('custom_call_outcome');
    while (await run(world.agentId, reconciliationId));
    expect(await world.find(reconciliationId)).toMatchObject({ status: 'done', recovered: 1, known: 0 });
    expect(await world.listCalls()).toMatchObject([{ custom_call_outcome: 'do_not_call' }]);
    const { uid, agentId } = world;
    const check = await world.call('GET', '/agent-block-list/check', { query: { uid, agentId, number: other } });
    expect(check.body).toMatchObject({ blocked: true, reason: 'do_not_call' });
  });

  it('a key that cannot be opened for the moment is opened by the next run', async () => {
    const world = await newReconciledWorld(platforms, 'vapi', { calls: [platformCall('vapi')] });
    const reconciliationId = await world.begin();
    const open = vi.spyOn(sealedSecrets.get(), 'open').mockRejectedValueOnce(new Error('The secret was not read.'));
    await expect(run(world.agentId, reconciliationId)).rejects.toThrow('not read');
    open.mockRestore();
    while (await run(world.agentId, reconciliationId));
    expect(await world.find(reconciliationId)).toMatchObject({ status: 'done', recovered: 1 });
  });

  it('a platform key that is set while the former one is deleted stays', async () => {
    const [{ uid }, keys] = [await newReconciledWorld(platforms, 'vapi'), platformKeys.get()];
    const former = await keys.find(uid, 'vapi');
    const change = table.get().change.bind(table.get());
    vi.spyOn(table.get(), 'change').mockImplementationOnce(async (...given) => {
      const changed = await change(...given);
      if (former) await keys.set(uid, { ...former, sealed: 'another' });
      return changed;
    });
    expect(await keys.remove(uid, 'vapi')).toBe(true);
    expect(await keys.find(uid, 'vapi')).toMatchObject({ sealed: 'another' });
  });

  it('a platform key whose deletion is killed half-way is not used, and can be deleted again', async () => {
    const [{ uid, reconcile }, keys] = [await newReconciledWorld(platforms, 'vapi'), platformKeys.get()];
    vi.spyOn(table.get(), 'delete').mockRejectedValueOnce(new Error('killed'));
    await expect(keys.remove(uid, 'vapi')).rejects.toThrow('killed');
    expect(await keys.find(uid, 'vapi')).toBeUndefined();
    expect(await Array.fromAsync(keys.list(uid))).toEqual([]);
    expect(await reconcile()).toMatchObject({ status: 'failed', error: expect.stringContaining('was deleted') });
    expect(await keys.remove(uid, 'vapi')).toBe(true);
    expect(await keys.remove(uid, 'vapi')).toBe(false);
  });

  it('an end that arrives afterwards changes nothing', async () => {
    const call = platformCall('retell');
    const world = await newReconciledWorld(platforms, 'retell', { calls: [call] });
    await world.reconcile();
    const [before] = await world.listCalls();
    const sent = { call_id: call.id, from_number: other, to_number: own, direction: 'inbound', call_status: 'ended' };
    const times = { start_timestamp: call.startedAt, end_timestamp: call.endedAt, disconnection_reason: 'user_hangup' };
    const body = { event: 'call_ended', call: { ...sent, ...times } };
    const query = { uid: world.uid, agentId: world.agentId };
    expect((await world.call('POST', '/hooks/retell', { query, body })).status).toBe(200);
    expect(await world.listCalls()).toEqual([before]);
  });

  it('a platform that is busy is asked again as its header says, and given up after a quarter of an hour', async () => {
    const world = await newReconciledWorld(platforms, 'vapi', { calls: [platformCall('vapi')] });
    const reconciliationId = await world.begin();
    platforms.fault = () => ({ status: 429, headers: { 'retry-after': '7' } });
    expect(await run(world.agentId, reconciliationId)).toEqual({ delaySeconds: 7 });
    platforms.fault = () => ({ status: 503 });
    expect(await run(world.agentId, reconciliationId)).toEqual({ delaySeconds: 2 });
    platforms.fault = () => ({ status: 429, headers: { 'retry-after': '3600' } });
    expect(await run(world.agentId, reconciliationId)).toBeUndefined();
    const { status, error } = await world.find(reconciliationId);
    expect([status, error]).toEqual([
      'failed',
      expect.stringContaining(
        'cannot be read. The response has the status 429. The service retries for at most 15 minutes.',
      ),
    ]);
    platforms.fault = undefined;
    expect(await world.reconcile()).toMatchObject({ status: 'done', recovered: 1 });
  });

  it.each([
    ['an account of somebody else', { status: 404 }, 'has no such account (404)'],
    ['a request that the platform refuses', { status: 400 }, 'cannot be read. The response has the status 400.'],
  ])('%s ends it with a sentence', async (_, fault, sentence) => {
    const world = await newReconciledWorld(platforms, 'telnyx');
    platforms.fault = () => fault;
    expect(await world.reconcile()).toMatchObject({ status: 'failed', error: expect.stringContaining(sentence) });
  });

  it('a page that repeats ends it with a sentence, and no call is counted twice', async () => {
    const world = await newReconciledWorld(platforms, 'retell');
    const items = [{ call_id: 'r1', call_status: 'ongoing', start_timestamp: Date.now() - hour, to_number: own }];
    platforms.fault = () => ({ body: { items, has_more: true, pagination_key: 'again' } });
    const { status, error, listed } = await world.reconcile();
    expect([status, error, listed]).toEqual(['failed', expect.stringContaining('repeats a page'), 1]);
  });

  it('a page that is too large is read in parts, and the call where the page before it ended counts once', async () => {
    platforms.maxPage = 100;
    const calls = Array.from({ length: 130 }, (_, n) =>
      platformCall('vapi', { startedAt: Date.now() - hour - n * 1000 }),
    );
    const world = await newReconciledWorld(platforms, 'vapi', { calls });
    let asked = 0;
    platforms.fault = (path) =>
      path.startsWith('/call?') && ++asked === 2 ? { body: 'x'.repeat(49 * 1024 * 1024) } : undefined;
    expect(await world.reconcile({ dryRun: true })).toMatchObject({ status: 'done', listed: 130, recovered: 130 });
    expect(asked).toBe(3);
  });

  it('a list that never ends ends it with a sentence', { tags: 'heavy' }, async () => {
    const world = await newReconciledWorld(platforms, 'retell');
    let pages = 0;
    platforms.fault = () => ({
      body: { items: [{ call_id: `r${++pages}` }], has_more: true, pagination_key: `${pages}` },
    });
    expect(await world.reconcile()).toMatchObject({
      status: 'failed',
      error: expect.stringContaining('more than 2000 pages'),
    });
  });

  it('what a platform sends in another form is no call, and fails nothing', async () => {
    const world = await newReconciledWorld(platforms, 'vapi');
    for (const body of [
      null,
      {},
      [null, 7, { id: 8 }, { id: 'x'.repeat(500), startedAt: new Date().toISOString(), status: 'ended' }],
    ]) {
      platforms.fault = () => ({ body });
      expect(await world.reconcile()).toMatchObject({ status: 'done', recovered: 0 });
    }
  });

  it.each(['retell', 'twilio'] as const)(
    'a call of %s that was deleted stays deleted, whoever reports it, and comes back if the user records it',
    async (platform) => {
      const call = platformCall(platform);
      const assistantIds = ['twilio', 'telnyx'].includes(platform) ? [own] : ['assistant-1'];
      const world = await newReconciledWorld(platforms, platform, { calls: [call], assistantIds });
      const callId = `${platform}:${call.id}`;
      await world.reconcile();
      const remove = () => world.call('DELETE', `/calls/${world.agentId}/${callId}`);
      expect((await remove()).status).toBe(200);
      expect(await world.reconcile()).toMatchObject({ listed: 1, skipped: 1, recovered: 0 });
      expect(await world.reconcile({ comparedUntil: Date.now() })).toMatchObject({ listed: 1, skipped: 1 });
      expect((await world.reportEnd(call)).status).toBe(200);
      expect(await world.listCalls()).toEqual([]);
      expect((await remove()).status).toBe(404);
      await world.recordCall(callId, {
        startedAt: new Date(call.startedAt as number).toISOString(),
        durationSeconds: 65,
      });
      expect(await world.reconcile()).toMatchObject({ listed: 1, known: 1 });
      expect((await remove()).status).toBe(200);
      expect(await world.listCalls()).toEqual([]);
    },
  );

  it('calls of an erased person that began before the erasure never come back, and later ones are recorded', async () => {
    const before = platformCall('retell');
    const lost = platformCall('retell', { startedAt: Date.now() - 2 * hour });
    const others = platformCall('retell', { other: '+14155550177' });
    const world = await newReconciledWorld(platforms, 'retell', { calls: [before, others] });
    await world.reconcile();
    world.account.calls.push(lost);
    await world.erase(other);
    expect(await world.reconcile()).toMatchObject({ listed: 3, known: 1, skipped: 2, recovered: 0 });
    expect(await world.reconcile({ dryRun: true })).toMatchObject({ listed: 3, known: 1, skipped: 2, recovered: 0 });
    for (const call of [before, lost]) expect((await world.reportEnd(call)).status).toBe(200);
    // Without an agent, the hook finds it by our number.
    expect((await world.reportEnd(lost, { agentId: undefined })).status).toBe(200);
    expect((await world.listCalls()).map(({ callId }: { callId: string }) => callId)).toEqual([`retell:${others.id}`]);
    const startedAt = Date.now() + 1;
    const later = [platformCall('retell', { startedAt }), platformCall('retell', { startedAt })];
    await world.reportEnd(later[0] as PlatformCall, { agentId: undefined });
    world.account.calls.push(...later);
    const to = Date.now();
    await until(() => Date.now() > startedAt);
    expect(await world.reconcile({ to: Math.max(to, startedAt + 1) })).toMatchObject({
      listed: 5,
      known: 2,
      recovered: 1,
    });
  });

  it('an hourly pass in which nothing is missing makes two requests to the platform and nine to the table', async () => {
    const calls = Array.from({ length: 15 }, (_, n) =>
      platformCall('retell', { startedAt: Date.now() - 10 * minute - n * 100 * minute }),
    );
    const world = await newReconciledWorld(platforms, 'retell', { calls });
    await world.reconcile();
    // Its last use is not noted yet.
    await world.setKey();
    platforms.maxPage = 10;
    platforms.requests.length = 0;
    const seen: string[] = [];
    injectFaults(
      () => undefined,
      (operation) => seen.push(operation),
    );
    const done = await world.reconcileHourly(Date.now() - 10 * minute);
    noFaults();
    expect(done).toMatchObject({ status: 'done', listed: 15, known: 15, recovered: 0, skipped: 0 });
    expect(platforms.requests).toHaveLength(2);
    expect(seen).toHaveLength(9);
    // One that the platform lists late is found, and one that was deleted since the pass before is not counted as known.
    world.account.calls.push(platformCall('retell', { startedAt: Date.now() - 20 * hour }));
    await world.call('DELETE', `/calls/${world.agentId}/retell:${calls[4]?.id}`);
    expect(await world.reconcileHourly(Date.now())).toMatchObject({
      listed: 16,
      known: 14,
      recovered: 1,
      skipped: 1,
    });
  });

  it('a call without its end gets it from an hourly pass, also if the platform lists it two passes late', async () => {
    const call = platformCall('retell', { startedAt: Date.now() - 100 * minute });
    const world = await newReconciledWorld(platforms, 'retell', { calls: [call] });
    await world.recordCall(`retell:${call.id}`, { startedAt: new Date(call.startedAt as number).toISOString() });
    expect(await world.reconcileHourly(Date.now())).toMatchObject({ listed: 1, completed: 1 });
  });

  it('a call that cannot be recorded is skipped, and is neither recovered nor in the way of others', async () => {
    const calls = [platformCall('retell', { id: 'bad' }), platformCall('retell')];
    const world = await newReconciledWorld(platforms, 'retell', { calls });
    const services = lazyServices(reconcileServices);
    const recordReported: Calls['recordReported'] = async (agentId, callId, ...more) => {
      if (callId.endsWith('bad')) throw new ApiError('invalid_request', 'It cannot be stored.');
      return services.calls.recordReported(agentId, callId, ...more);
    };
    const failing = Object.create(services, { calls: { value: { recordReported } } });
    const reconciliationId = await world.begin();
    const found = await reconciliations.get().find(world.agentId, reconciliationId);
    await runReconciliation(found, Date.now() + minute, failing);
    expect(counts(await world.find(reconciliationId))).toEqual({
      ...{ listed: 2, known: 0, recovered: 1, completed: 0, skipped: 1, differing: 0 },
    });
    expect(await world.listCalls()).toHaveLength(1);
  });

  it('a call by the clock of a platform that is ahead is recorded by the next pass, once', async () => {
    const calls = [platformCall('retell', { startedAt: Date.now() + 5 * minute })];
    const world = await newReconciledWorld(platforms, 'retell', { calls });
    expect(await world.reconcile()).toMatchObject({ listed: 0 });
    const later = { to: Date.now() + 10 * minute, comparedUntil: Date.now() };
    expect(await world.reconcile(later)).toMatchObject({ listed: 1, recovered: 1 });
    expect(await world.reconcile(later)).toMatchObject({ listed: 1, known: 1 });
  });

  it('calls in progress by the thousand are skipped, and the end of one of them is recorded afterwards', async () => {
    const running = { endedAt: undefined, status: 'ongoing' };
    const calls = Array.from({ length: 2500 }, (_, n) =>
      platformCall('retell', { ...running, startedAt: Date.now() - hour - n }),
    );
    const world = await newReconciledWorld(platforms, 'retell', { calls });
    expect(await world.reconcile()).toMatchObject({ listed: 2500, skipped: 2500, recovered: 0 });
    expect(await world.listCalls()).toEqual([]);
    Object.assign(world.account.calls[7] as PlatformCall, { endedAt: Date.now(), status: 'ended' });
    expect(await world.reconcileHourly(Date.now())).toMatchObject({ skipped: 2499, recovered: 1 });
  });

  it('a call with the id of another agent’s call is a call of its own', async () => {
    const call = platformCall('retell');
    const world = await newReconciledWorld(platforms, 'retell', { calls: [call] });
    const { body: second } = await world.call('POST', '/agents', { body: { uid: world.uid, name: 'Other' } });
    const path = `/calls/${second.agentId}/retell:${call.id}`;
    const facts = { direction: 'outbound', startedAt: '2026-03-01T10:00:00Z' };
    const before = (await world.call('PUT', path, { body: facts })).body;
    expect(await world.reconcile()).toMatchObject({ listed: 1, recovered: 1 });
    expect((await world.call('GET', path)).body).toEqual(before);
    expect(await world.listCalls()).toMatchObject([{ callId: `retell:${call.id}`, direction: 'inbound' }]);
  });

  it('only one runs for an agent at a time', async () => {
    const world = await newReconciledWorld(platforms, 'vapi');
    const first = await world.begin();
    await expect(world.begin()).rejects.toMatchObject({ code: 'reconciliation_in_progress' });
    while (await run(world.agentId, first));
    await expect(world.begin()).resolves.toBeTypeOf('string');
    expect(await Array.fromAsync(reconciliations.get().list(world.agentId))).toHaveLength(2);
  });
});
