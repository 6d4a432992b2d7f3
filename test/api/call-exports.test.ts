import { Readable } from 'node:stream';
import { parquetMetadata, parquetReadObjects, parquetSchema } from 'hyparquet';
import { afterEach, describe, expect, it, onTestFinished } from 'vitest';
import { callExports } from '../../functions/call-exports/call-exports.ts';
import { columns } from '../../functions/call-exports/columns.ts';
import { runExport } from '../../functions/call-exports/run-export.ts';
import { eventFacts } from '../../functions/domain/calls.ts';
import { newIdentifier } from '../../functions/domain/identifiers.ts';
import { exportCalls } from '../../functions/jobs/export-calls.ts';
import { lazyServices } from '../../functions/service.ts';
import { exportKey } from '../../functions/store/keys.ts';
import { table } from '../../functions/store/table.ts';
import { ended as erasureEnded, newPerson, privateWorld, request as requestErasure } from '../support/erasures.ts';
import { injectFaults, noFaults } from '../support/faults.ts';
import { until } from '../support/until.ts';
import { newWorld, type World } from '../support/world.ts';

afterEach(noFaults);

type Format = 'parquet' | 'csv' | 'jsonl';
const march = { from: '2026-03-01', to: '2026-04-01' };

const getExport = async ({ call, uid }: World, exportId: string) =>
  (await call('GET', `/call-exports/${exportId}`, { query: { uid } })).body;

/** Exports calls, and returns the export when it has ended. */
const makeExport = async (world: World, request: object = {}) => {
  const { body, status } = await world.call('POST', '/call-exports', {
    body: { uid: world.uid, ...march, ...request },
  });
  expect([status, body.status]).toEqual([200, 'pending']);
  return until(async () => {
    const found = await getExport(world, body.exportId);
    return /done|failed/.test(found.status) && found;
  });
};

const download = async ({ url }: { url: string }) => {
  const response = await fetch(url);
  expect(response.status).toBe(200);
  return response.arrayBuffer();
};

const readRows = async (found: { files: { url: string }[]; format: Format }) => {
  const texts = await Promise.all(found.files.map(download));
  if (found.format === 'parquet') return (await Promise.all(texts.map((file) => parquetReadObjects({ file })))).flat();
  const lines = texts.flatMap((text) => Buffer.from(text).toString().split(/\r?\n/).filter(Boolean));
  return found.format === 'jsonl' ? lines.map((line) => JSON.parse(line)) : lines;
};

/** Records a call with a value in every column. */
const recordWhole = async (world: World, callId = 'call-1') => {
  const { status } = await world.call('PUT', `/calls/${world.agentId}/${callId}`, {
    body: {
      ...{ phone: '+14155550100', agentPhone: '+14155550123', direction: 'inbound', status: 'completed' },
      ...{ startedAt: '2026-03-01T10:00:00.123Z', endedAt: '2026-03-01T10:01:00Z', durationSeconds: 59.877 },
      details: {
        ...{ cost: { amount: 0.1234, currency: 'USD' }, endReason: '=HYPERLINK("x")', summary: 'Booked, "soon"\nyes' },
        ...{ source: 'vapi', attestation: 'A', recordingUrl: 'https://example.com/1.mp3' },
      },
    },
  });
  expect(status).toBe(200);
  await world.call('PATCH', `/calls/${world.agentId}/${callId}`, {
    body: {
      custom_call_outcome: '',
      custom_call_outcome_value: 149.5,
      custom_call_metadata: { price: 1e300, half: '\ud83d' },
    },
  });
};

/** Adds an export whose job runs in this process alone. */
const newExport = async (world: World, more: object = {}) => {
  const exportId = newIdentifier('export');
  await callExports.get().add({ uid: world.uid, exportId, ...march, format: 'jsonl', ...more });
  return { uid: world.uid, exportId };
};

const run = (reference: { uid: string; exportId: string }, services = lazyServices(exportCalls.services)) =>
  runExport(reference, Date.now() + 60_000, services);

describe('an export of calls', () => {
  it('Parquet has the columns in their order, with types of its own, and null for what is absent', async () => {
    const world = await newWorld();
    await recordWhole(world);
    await world.call('PUT', `/calls/${world.agentId}/call-2`, {
      body: { direction: 'outbound', startedAt: '2026-03-02T00:00:00Z', details: { endReason: 7, cost: 'free' } },
    });
    const found = await makeExport(world);
    expect(found).toMatchObject({ ...march, status: 'done', format: 'parquet', calls: 2, files: [{ calls: 2 }] });
    const file = await download(found.files[0]);
    expect(file.byteLength).toBe(found.files[0].bytes);
    const { children } = parquetSchema(parquetMetadata(file));
    expect(children.map(({ element }) => element.name)).toEqual([
      ...['call_id', 'agent_id', 'agent_version', 'phone', 'agent_phone', 'direction', 'status', 'started_at'],
      ...['ended_at', 'duration_seconds', 'outcome', 'outcome_value', 'metadata', 'cost', 'cost_currency'],
      ...['end_reason', 'summary', 'source', 'attestation', 'disclosed', 'recorded_at'],
    ]);
    const [whole, bare] = (await parquetReadObjects({ file })) as Record<string, unknown>[];
    expect(whole).toMatchObject({
      ...{ call_id: 'call-1', agent_id: world.agentId, phone: '+14155550100', agent_phone: '+14155550123' },
      ...{ direction: 'inbound', status: 'completed', started_at: new Date('2026-03-01T10:00:00.123Z') },
      ...{ ended_at: new Date('2026-03-01T10:01:00Z'), duration_seconds: 59.877, outcome: '', outcome_value: 149.5 },
      ...{ metadata: '{"price":1e+300,"half":"\\ud83d"}', cost: 0.1234, cost_currency: 'USD', source: 'vapi' },
      ...{ end_reason: '=HYPERLINK("x")', summary: 'Booked, "soon"\nyes', attestation: 'A' },
      recorded_at: expect.any(Date),
    });
    const { call_id, agent_id, direction, started_at, recorded_at: _, ...absent } = bare as Record<string, unknown>;
    expect([call_id, agent_id, direction]).toEqual(['call-2', world.agentId, 'outbound']);
    expect(started_at).toEqual(new Date('2026-03-02T00:00:00Z'));
    expect(Object.values(absent).filter((value) => value !== undefined && value !== null)).toEqual([]);
  });

  it('files have a column for each fact of a call', () => {
    const inFiles = eventFacts.map((name) => name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`));
    expect(columns.map(({ name }) => name)).toEqual(expect.arrayContaining(inFiles));
  });

  it('CSV keeps a null apart from an empty text, and makes texts safe but no phone number', async () => {
    const world = await newWorld();
    await recordWhole(world);
    const found = await makeExport(world, { format: 'csv' });
    const text = Buffer.from(await download(found.files[0])).toString();
    const [header, ...rest] = text.split('\r\n');
    expect(header?.split(',')).toHaveLength(21);
    expect(rest.join('\r\n')).toMatch(
      /^call-1,[^,]+,,\+14155550100,\+14155550123,inbound,completed,2026-03-01T10:00:00.123Z,2026-03-01T10:01:00.000Z,59.877,"",149.5,"\{""price""/,
    );
    expect(rest.join('\r\n')).toContain(`,0.1234,USD,"'=HYPERLINK(""x"")","Booked, ""soon""\nyes",vapi,A,,20`);
  });

  it('JSON Lines have the calls as lists have them', async () => {
    const world = await newWorld();
    await recordWhole(world);
    const [line] = await readRows(await makeExport(world, { format: 'jsonl' }));
    const { calls } = (await world.call('GET', `/calls/${world.agentId}`)).body;
    expect([line]).toEqual(calls);
  });

  it('the calls of all agents are in the order of start, agent and id, also over several files', async () => {
    const world = await newWorld();
    const second = (await world.call('POST', '/agents', { body: { uid: world.uid, name: 'Second' } })).body.agentId;
    const agents = [world.agentId, second].sort();
    const starts = ['2026-03-01T00:00:00Z', '2026-03-01T00:00:00Z', '2026-03-05T00:00:00Z'];
    const items = agents.flatMap((agentId) =>
      starts.map((startedAt, index) => ({ agentId, callId: `call-${9 - index}`, direction: 'inbound', startedAt })),
    );
    const outside = ['2026-02-28T23:59:59.999Z', '2026-04-01T00:00:00Z'].map((startedAt, index) => ({
      ...{ agentId: second, callId: `outside-${index}`, direction: 'inbound', startedAt },
    }));
    const { body } = await world.call('POST', '/calls', { body: { items: [...items, ...outside] } });
    expect(body.failed).toEqual([]);
    const expected = [
      ...agents.flatMap((agentId) => [`${agentId} call-8`, `${agentId} call-9`]),
      ...agents.map((agentId) => `${agentId} call-7`),
    ];
    const names = (rows: Record<string, string>[]) => rows.map(({ agentId, callId }) => `${agentId} ${callId}`);
    expect(names(await readRows(await makeExport(world, { format: 'jsonl' })))).toEqual(expected);
    process.env.CALL_EXPORT_FILE_CALLS = '2';
    onTestFinished(() => void delete process.env.CALL_EXPORT_FILE_CALLS);
    const reference = await newExport(world);
    // Each run writes one file: it has no time left.
    for (const _ of expected) await runExport(reference, 0, lazyServices(exportCalls.services));
    const found = await getExport(world, reference.exportId);
    expect(found.files.map(({ calls }: { calls: number }) => calls)).toEqual([2, 2, 2]);
    expect(names(await readRows(found))).toEqual(expected);
    const one = await makeExport(world, { format: 'jsonl', agentIds: [second] });
    expect(one.calls).toBe(3);
  });

  it('an export without calls has one file with its columns', async () => {
    const found = await makeExport(await newWorld());
    expect(found).toMatchObject({ status: 'done', calls: 0, files: [{ calls: 0 }] });
    expect(parquetSchema(parquetMetadata(await download(found.files[0]))).children).toHaveLength(21);
  });

  it.each<[string, object, string]>([
    ['from after to', { from: '2026-04-01', to: '2026-03-01' }, 'from'],
    ['a day that does not exist', { from: '2026-02-30' }, 'from'],
    ['a time without an offset', { to: '2026-04-01T00:00:00' }, 'to'],
    ['more than 400 days', { to: '2027-04-06' }, 'to'],
    ['no agents', { agentIds: [] }, 'agentIds'],
    ['another format', { format: 'xlsx' }, 'format'],
  ])('an export with %s is refused', async (_, request, path) => {
    const world = await newWorld();
    const { status, body } = await world.call('POST', '/call-exports', {
      body: { uid: world.uid, ...march, ...request },
    });
    expect([status, body.details[0].path]).toEqual([400, path]);
  });

  it('an agent of somebody else is refused, also one that the user may only use', async () => {
    const [world, other] = await Promise.all([newWorld(), newWorld()]);
    await other.call('POST', `/agents/${other.agentId}/access`, { body: { uid: other.uid, guestUid: world.uid } });
    const body = { uid: world.uid, ...march, agentIds: [world.agentId, other.agentId] };
    expect(await world.call('POST', '/call-exports', { body })).toMatchObject({ status: 401 });
  });

  it('one export of a user runs at a time, and the next one after it', async () => {
    const world = await newWorld();
    const { exportId } = await newExport(world);
    const body = { uid: world.uid, ...march };
    const refused = await world.call('POST', '/call-exports', { body });
    expect([refused.status, refused.body.error]).toEqual([409, 'export_in_progress']);
    await run({ uid: world.uid, exportId });
    expect((await world.call('POST', '/call-exports', { body })).status).toBe(200);
  });

  it('files and the export are gone a day after its end', async () => {
    const world = await newWorld();
    const reference = await newExport(world, { format: 'csv' });
    const rest = await run(reference);
    const { files, finishedAt, expiresAt } = await getExport(world, reference.exportId);
    expect(rest).toEqual({ dueAt: Date.parse(expiresAt) });
    expect(Date.parse(expiresAt) - Date.parse(finishedAt)).toBe(24 * 60 * 60 * 1000);
    const set = { expiresAt: new Date().toISOString() };
    await table.get().change(exportKey('CALL', reference.uid, reference.exportId), { set });
    expect((await getExport(world, reference.exportId)).error).toBe('not_found');
    expect(await run(reference)).toBeUndefined();
    expect((await fetch(files[0].url)).status).toBe(404);
    expect(await callExports.get().find(reference.uid, reference.exportId)).toBeUndefined();
  });

  it('an erasure deletes the exports of the user, and what runs meanwhile holds nothing of the person', async () => {
    const world = await privateWorld();
    const person = newPerson();
    const body = { phone: person, direction: 'inbound', startedAt: '2026-03-01T10:00:00Z' };
    await world.call('PUT', `/calls/${world.agentId}/call-1`, { body });
    const before = await makeExport(world, { format: 'jsonl' });
    const reference = await newExport(world);
    const services = lazyServices(exportCalls.services);
    // It has read the person, and its file is written when the person is erased.
    const overtaken = await runExport(reference, Date.now() + 60_000, {
      ...services,
      exportFiles: {
        async putParts(key, parts) {
          const written = Buffer.concat(await Array.fromAsync(parts));
          expect(written.toString()).toContain(person);
          const { body } = await requestErasure(world, person);
          expect(await erasureEnded(world, body.erasureId)).toMatchObject({ status: 'done', erased: { calls: 1 } });
          return services.exportFiles.putParts(key, Readable.from([written]));
        },
        delete: (key) => services.exportFiles.delete(key),
      },
    });
    expect(overtaken).toBeUndefined();
    expect((await fetch(before.files[0].url)).status).toBe(404);
    expect(await getExport(world, before.exportId)).toMatchObject({ error: 'not_found' });
    const after = await until(async () => {
      const found = await getExport(world, reference.exportId);
      return found.status === 'done' && found;
    });
    expect(after).toMatchObject({ calls: 0, files: [] });
  });

  const newSeven = async () => {
    const world = await newWorld();
    const items = Array.from({ length: 7 }, (_, index) => ({
      ...{ agentId: world.agentId, callId: `call-${index}`, direction: 'inbound' },
      startedAt: `2026-03-0${index + 1}T00:00:00Z`,
    }));
    expect((await world.call('POST', '/calls', { body: { items } })).body.failed).toEqual([]);
    return { world, callIds: items.map(({ callId }) => callId) };
  };

  it('an export that is killed at any request to the table is continued, and has each call once', {
    tags: 'heavy',
  }, async () => {
    const { world, callIds } = await newSeven();
    process.env.CALL_EXPORT_FILE_CALLS = '2';
    onTestFinished(() => void delete process.env.CALL_EXPORT_FILE_CALLS);
    let kills = 0;
    for (let isKilled = true; isKilled; kills++) {
      const reference = await newExport(world);
      let requests = 0;
      injectFaults(() => (requests++ === kills ? 'kill' : undefined));
      isKilled = await run(reference).then(
        () => false,
        () => true,
      );
      noFaults();
      await run(reference);
      const found = await getExport(world, reference.exportId);
      expect(found.status, `killed at request ${kills}`).toBe('done');
      expect((await readRows(found)).map(({ callId }) => callId)).toEqual(callIds);
    }
    expect(kills).toBeGreaterThan(8);
  });

  it('an export whose responses of the table are lost keeps its files', async () => {
    const { world, callIds } = await newSeven();
    process.env.CALL_EXPORT_FILE_CALLS = '3';
    onTestFinished(() => void delete process.env.CALL_EXPORT_FILE_CALLS);
    const reference = await newExport(world);
    let updates = 0;
    injectFaults((operation) => (/^Update/.test(operation) && updates++ % 2 === 0 ? 'lost response' : undefined));
    await run(reference);
    noFaults();
    const found = await getExport(world, reference.exportId);
    expect([updates, found.status]).toEqual([12, 'done']);
    expect((await readRows(found)).map(({ callId }) => callId)).toEqual(callIds);
  });
});
