import type { SQSEvent } from 'aws-lambda';
import { afterAll, beforeAll, expect, it } from 'vitest';
import * as z from 'zod/mini';
import { deleteCall } from '../../functions/api/delete-call.ts';
import { getCall } from '../../functions/api/get-call.ts';
import { listCalls } from '../../functions/api/list-calls.ts';
import { recordCall } from '../../functions/api/record-call.ts';
import { updateCallOutcome } from '../../functions/api/update-call-outcome.ts';
import { updateCallOutcomes } from '../../functions/api/update-call-outcomes.ts';
import { jobMessages } from '../../functions/domain/job-messages.ts';
import { environment } from '../../functions/environment.ts';
import { expireCalls } from '../../functions/jobs/expire-calls.ts';
import { type AnyQueueJob, queueWorker } from '../../functions/jobs/job.ts';
import { lazyServices } from '../../functions/service.ts';
import { invoke } from '../support/events.ts';
import { findStored } from '../support/stored.ts';
import { newWorld, type World } from '../support/world.ts';

/** The maximum retention, so that the job finds no other test's calls to delete. */
const days = 3650;
const phone = '+14155550188';
const daysAgo = (count: number, milliseconds = 0) =>
  new Date(Date.now() - count * 24 * 60 * 60 * 1000 + milliseconds).toISOString();

let world: World;
beforeAll(async () => {
  process.env.CALL_RETENTION_DAYS = String(days);
  world = await newWorld();
});
afterAll(() => {
  delete process.env.CALL_RETENTION_DAYS;
});

const record = (callId: string, startedAt: string) =>
  invoke(recordCall, {
    apiKey: world.apiKey,
    params: { agentId: world.agentId, callIdOrPhone: callId },
    body: { phone, direction: 'inbound', startedAt },
  });
const get = (callIdOrPhone: string, preference = 'last') =>
  invoke(getCall, {
    apiKey: world.apiKey,
    params: { agentId: world.agentId, callIdOrPhone },
    query: { preference },
  });
const list = async (query: Record<string, string> = {}) =>
  (await invoke(listCalls, { apiKey: world.apiKey, params: { agentId: world.agentId }, query })).body;
const listIds = (calls: { callId: string }[]) => calls.map(({ callId }) => callId);

const deliver = async (job: AnyQueueJob = expireCalls): Promise<unknown[]> => {
  const body = JSON.stringify({ job: 'expireCalls' });
  const result = await queueWorker(job)({ Records: [{ messageId: 'm', body }] } as SQSEvent);
  return (result as { batchItemFailures: unknown[] }).batchItemFailures;
};

it('a call older than CALL_RETENTION_DAYS is in no response, and can still be recorded', async () => {
  const names = { old: daysAgo(days, -1000), young: daysAgo(days, 3_600_000), younger: daysAgo(1) };
  for (const [callId, startedAt] of Object.entries(names)) {
    expect((await record(callId, startedAt)).body).toMatchObject({ callId, startedAt });
  }
  expect((await get('old')).status).toBe(404);
  expect((await get('young')).status).toBe(200);
  expect((await get(phone, 'first')).body.callId).toBe('young');
  expect((await get(phone, 'last')).body.callId).toBe('younger');
  const queries: Record<string, string>[] = [{}, { phone }, { from: daysAgo(days + 10) }];
  for (const query of queries) {
    expect(listIds((await list(query)).calls)).toEqual(['younger', 'young']);
  }
  expect((await list({ from: daysAgo(days + 10), to: daysAgo(days + 5) })).calls).toEqual([]);
  expect((await list({ to: daysAgo(days + 5) })).calls).toEqual([]);
  const { nextCursor } = await list({ limit: '1' });
  expect(listIds((await list({ limit: '1', cursor: nextCursor })).calls)).toEqual(['young']);
  const params = { agentId: world.agentId, callIdOrPhone: 'old' };
  const body = { custom_call_outcome: 'booked' };
  expect((await invoke(updateCallOutcome, { apiKey: world.apiKey, params, body })).status).toBe(404);
  expect((await invoke(deleteCall, { apiKey: world.apiKey, params })).status).toBe(404);
  const items = [{ ...params, ...body }];
  const bulk = await invoke(updateCallOutcomes, { apiKey: world.apiKey, body: { items } });
  expect(bulk.body.failed[0].error).toBe('call_not_found');
  // Recorded again, it is corrected and not a second call.
  expect((await record('old', daysAgo(days, -5000))).status).toBe(200);
  expect((await findStored('#CALL#old')).filter((key) => key.includes(world.agentId)).length).toBe(1);
});

it('a call that was the last of its page, and has become older than CALL_RETENTION_DAYS, ends the list', async () => {
  const { CallLists } = await import('../../functions/store/calls/call-lists.ts');
  const { CallRecords } = await import('../../functions/store/calls/call-records.ts');
  const { table } = await import('../../functions/store/table.ts');
  const later = new CallLists(table.get(), new CallRecords(table.get(), 1));
  const after = `${daysAgo(2)}#call`;
  expect(await Array.fromAsync(later.list([world.agentId], { after }))).toEqual([]);
});

it('a call older than CALL_RETENTION_DAYS is deleted with its entries by a daily job, no other is, and figures keep it', async () => {
  await record('old', daysAgo(days, -3_600_000));
  const other = await newWorld();
  await other.recordCall('ancient', { startedAt: '2001-01-01T00:00:00Z' });
  const startedAt = daysAgo(days, -3_600_000);
  const { agentId, apiKey, uid, call } = await newWorld();
  const name = { params: { agentId, callIdOrPhone: 'old' }, apiKey };
  const body = { direction: 'inbound', startedAt, durationSeconds: 60 };
  expect((await invoke(recordCall, { ...name, body })).status).toBe(200);
  const from = startedAt.slice(0, 10);
  // `later` is on the day of `startedAt`, or on the next one.
  const query = { uid, agentId, from, to: daysAgo(days - 2).slice(0, 10) };
  const figures = async () => (await call('GET', '/call-figures', { query })).body;
  // The reader and the job that counts may come before or after: the calls are counted before they are deleted.
  expect(await deliver()).toEqual([]);
  expect((await findStored(world.agentId)).filter((key) => key.includes('#old') || key.includes('#CALL#old'))).toEqual(
    [],
  );
  expect((await findStored(other.agentId)).filter((key) => key.includes('ancient'))).toEqual([]);
  expect((await get('young')).status).toBe(200);
  expect((await findStored(`${agentId}#CALL#old`)).length).toBe(0);
  expect((await figures()).totals).toMatchObject({ calls: 1, durationSeconds: 60 });
  // The deletion is a change, too, and changes nothing. The reader has seen it once it has seen a later one.
  const young = { params: { agentId, callIdOrPhone: 'young' }, apiKey };
  const later = { ...body, startedAt: daysAgo(days, 3_600_000) };
  expect((await invoke(recordCall, { ...young, body: later })).status).toBe(200);
  await expect.poll(async () => (await figures()).totals.calls).toBe(2);
  await expect.poll(async () => (await figures()).pending).toBeUndefined();
  expect((await figures()).totals).toMatchObject({ calls: 2, durationSeconds: 120 });
});

it('the deletion of old calls continues in other messages when its time is over, at a segment of the table, and none holds a number', async () => {
  await record('old', daysAgo(days, -3_600_000));
  expect(await deliver({ ...expireCalls, timeoutSeconds: 0 })).toEqual([]);
  // Nothing was deleted, since there was no time.
  expect((await findStored(`${world.agentId}#CALL#old`)).length).toBe(1);
  const services = lazyServices(expireCalls.services);
  // The time runs out once at each of these agents.
  const slow = new Set([world.agentId, ...(await Promise.all([newWorld(), newWorld()])).map((one) => one.agentId)]);
  const messages: z.infer<typeof jobMessages.expireCalls>[] = [{ job: 'expireCalls' }];
  for (let run = 0; run < messages.length; run++) {
    const calls = {
      expireTranscripts: services.calls.expireTranscripts.bind(services.calls),
      removeAll: (...[agentId, options]: Parameters<typeof services.calls.removeAll>) =>
        services.calls.removeAll(agentId, slow.delete(agentId) ? { ...options, until: 0 } : options),
    };
    const jobQueue = {
      send: async (message: object) => void messages.push(z.parse(jobMessages.expireCalls, message)),
    };
    await expireCalls.handle(
      messages[run] as (typeof messages)[number],
      { ...services, calls, jobQueue },
      { until: Date.now() + 60_000 },
    );
  }
  expect(messages.length).toBe(4);
  const segments = messages.slice(1).map(({ segment }) => segment);
  expect(segments).toEqual(segments.toSorted((a = 0, b = 0) => a - b));
  expect(segments[0]).toBeGreaterThanOrEqual(0);
  expect((await findStored(`${world.agentId}#CALL#old`)).length).toBe(0);
});

it('CALL_RETENTION_DAYS must be from 1 to 3,650', () => {
  for (const wrong of ['0', '3651', '-1', '1.5', 'all']) {
    process.env.CALL_RETENTION_DAYS = wrong;
    expect(() => environment.callRetentionDays, wrong).toThrow(/CALL_RETENTION_DAYS/);
  }
  process.env.CALL_RETENTION_DAYS = String(days);
  expect(environment.callRetentionDays).toBe(days);
});
