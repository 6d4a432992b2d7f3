import type { SQSEvent } from 'aws-lambda';
import { afterEach, describe, expect, it } from 'vitest';
import { createErasure } from '../../functions/api/create-erasure.ts';
import { Files } from '../../functions/clients/files.ts';
import { importFailure, importFileKey } from '../../functions/domain/block-list-imports.ts';
import { newIdentifier } from '../../functions/domain/identifiers.ts';
import { jobMessages } from '../../functions/domain/job-messages.ts';
import { environment } from '../../functions/environment.ts';
import { hashOfNumber } from '../../functions/erasure/number-hash.ts';
import { erasePerson as erase, eraseServices } from '../../functions/erasure/person.ts';
import { erasePerson } from '../../functions/jobs/erase-person.ts';
import { maxDeliveries, worker } from '../../functions/jobs/job.ts';
import { lazyServices } from '../../functions/service.ts';
import { agents } from '../../functions/store/agents.ts';
import { apiKeys } from '../../functions/store/api-keys.ts';
import { blockList } from '../../functions/store/block-list.ts';
import { blockListImports, type ImportRecord } from '../../functions/store/block-list-imports.ts';
import { erasures } from '../../functions/store/erasures.ts';
import { idempotency } from '../../functions/store/idempotency.ts';
import { erasureKey, erasuresOf } from '../../functions/store/keys.ts';
import { table } from '../../functions/store/table.ts';
import { invoke } from '../support/events.ts';
import { injectFaults } from '../support/faults.ts';
import { everythingWith, storedWith } from '../support/stored.ts';
import { newEndpoint, newReceiver } from '../support/webhooks.ts';
import { newUser, newWorld, target, unique, type World } from '../support/world.ts';

const noFaults = () => injectFaults(table.get().client, () => undefined);
afterEach(noFaults);

let last = 0;
/** A number that nothing else in the table holds. */
const newPerson = () => `+4915${String(Date.now()).slice(-8)}${String(last++).padStart(3, '0').slice(-3)}`.slice(0, 16);
const other = '+14155550100';
const startedAt = '2026-03-01T10:00:00Z';

const privateWorld = () => newWorld(['agents', 'knowledge', 'calls', 'block-list', 'privacy', 'webhooks']);
const request = (world: World, number: string, more: object = {}, headers: Record<string, string> = {}) =>
  world.call('POST', '/erasures', { body: { uid: world.uid, number, ...more }, headers });
const statusOf = async (world: World, erasureId: string) =>
  (await world.call('GET', `/erasures/${erasureId}`, { query: { uid: world.uid } })).body;
const ended = async (world: World, erasureId: string) => {
  await expect.poll(async () => (await statusOf(world, erasureId)).status).toMatch(/done|failed/);
  return statusOf(world, erasureId);
};
const deliver = async (uid: string, erasureId: string, delivery = 1): Promise<boolean> => {
  const body = JSON.stringify({ job: 'erasePerson', uid, erasureId });
  const Records = [{ messageId: 'm', body, attributes: { ApproximateReceiveCount: String(delivery) } }];
  const { batchItemFailures } = (await worker(erasePerson)({ Records } as unknown as SQSEvent)) as {
    batchItemFailures: unknown[];
  };
  return batchItemFailures.length === 0;
};

const newAgent = async (world: World) =>
  (await world.call('POST', '/agents', { body: { uid: world.uid, name: 'Agent' } })).body.agentId as string;
const record = (world: World, agentId: string, callId: string, phone: string | null) =>
  world.call('PUT', `/calls/${agentId}/${callId}`, { body: { phone, direction: 'inbound', startedAt } });
const block = (world: World, agentId: string, number: string, more: object = {}) =>
  world.call('POST', '/agent-block-list', {
    body: { uid: world.uid, agentId, numbers: [number, other], ...more },
    headers: { 'idempotency-key': unique('key') },
  });

/** Waits until events about some lists hold a number. */
const eventsHold = async (number: string, partitions: string[]) => {
  for (const pk of partitions) {
    const isThere = async () => (await storedWith(number)).some((key) => key.startsWith(`${pk} EVENT#`));
    await expect.poll(isThere, { timeout: 20_000 }).toBe(true);
  }
};

/** A person with calls and entries at two agents of a user, responses that are kept and, if wanted, events of webhooks. */
const knownPerson = async ({ withWebhook = false } = {}) => {
  const world = await privateWorld();
  if (withWebhook) await newEndpoint(world, (await newReceiver()).url, { events: ['*'] });
  const person = newPerson();
  const guest = await newUser();
  await agents.get().grant(world.agentId, world.uid, guest.uid);
  const second = await newAgent(world);
  for (const agentId of [world.agentId, second]) {
    await Promise.all(
      [other, person, person, person, other].map((phone, n) => record(world, agentId, `call-${n}`, phone)),
    );
    await record(world, agentId, 'withheld', null);
    const outcome = { body: { custom_call_outcome: 'booked' }, headers: { 'idempotency-key': unique('key') } };
    await world.call('PATCH', `/calls/${agentId}/${encodeURIComponent(person)}`, outcome);
    await block(world, agentId, person, { reason: 'asked not to be called' });
  }
  const { apiKey } = guest;
  const body = { items: [{ agentId: world.agentId, callIdOrPhone: person, custom_call_outcome: 'won' }] };
  const bulk = await world.call('POST', '/call-outcomes', { apiKey, body, headers: { 'idempotency-key': 'bulk' } });
  expect(bulk.body.updated[0].phone).toBe(person);
  await world.call('POST', '/block-list', { body: { uid: world.uid, numbers: [person] } });
  if (withWebhook) await eventsHold(person, [`AGENT#${world.agentId}`, `AGENT#${second}`, `USER#${world.uid}`]);
  return { world, person, second, guest };
};

describe('the erasure of a person', () => {
  it('deletes their calls, keeps them blocked without a reason, and leaves nothing else with their number', async () => {
    const { world, person, second } = await knownPerson({ withWebhook: true });
    const { uid } = world;
    const answer = await request(world, person.replace(/^(.{3})/, '$1 '));
    expect([answer.status, answer.body]).toEqual([
      200,
      {
        erasureId: expect.stringMatching(/^erasure_/),
        status: 'pending',
        found: { calls: 6, blockedNumbers: 3 },
      },
    ]);
    expect(await ended(world, answer.body.erasureId)).toEqual({
      erasureId: answer.body.erasureId,
      status: 'done',
      erased: { calls: 6, blockedNumbers: 2 },
      requestedAt: expect.any(String),
      finishedAt: expect.any(String),
    });
    for (const agentId of [world.agentId, second]) {
      const { body } = await world.call('GET', `/calls/${agentId}`);
      expect(body.calls.length).toBe(3);
      const query = { uid, agentId, number: person };
      const check = (await world.call('GET', '/agent-block-list/check', { query })).body;
      expect(check).toMatchObject({ blocked: true, scope: 'agent' });
      expect(check).not.toHaveProperty('reason');
      const otherCheck = await world.call('GET', '/agent-block-list/check', { query: { ...query, number: other } });
      expect(otherCheck.body.reason).toBe('asked not to be called');
    }
    // The entries that were kept, and nothing else. What events say of a call goes a moment after the call.
    await expect.poll(async () => (await storedWith(person)).length, { timeout: 20_000 }).toBe(3);
    const left = await storedWith(person);
    expect(left.every((key) => key.includes('#BLOCKED#') && key.endsWith(` ${person}`))).toBe(true);
    expect(await everythingWith(person.slice(1))).toEqual(left);
  });

  it('with `remove` takes their entries away, too, so that nothing at all holds the number', async () => {
    const { world, person } = await knownPerson({ withWebhook: true });
    // An entry that was removed a moment ago is kept for a day, and one that has expired until DynamoDB deletes it.
    const third = await newAgent(world);
    await block(world, third, person);
    await world.call('DELETE', '/agent-block-list', { body: { uid: world.uid, agentId: third, numbers: [person] } });
    await eventsHold(person, [`AGENT#${third}`]);
    const { body } = await request(world, person, { blockList: 'remove' });
    expect(await ended(world, body.erasureId)).toMatchObject({
      status: 'done',
      erased: { calls: 6, blockedNumbers: 3 },
    });
    await expect.poll(() => storedWith(person), { timeout: 20_000 }).toEqual([]);
    expect(await everythingWith(person.slice(1))).toEqual([]);
    const query = { uid: world.uid, agentId: world.agentId, number: person };
    expect((await world.call('GET', '/agent-block-list/check', { query })).body.blocked).toBe(false);
  });

  it('leaves a keyed hash of the number, and its messages hold neither', async () => {
    const world = await privateWorld();
    const person = newPerson();
    const { body } = await request(world, person);
    await ended(world, body.erasureId);
    const item = (await table.get().get(erasureKey(world.uid, body.erasureId))) as unknown as { numberHash: string };
    expect(item).not.toHaveProperty('number');
    expect(item.numberHash).toMatch(/^[\w-]{43}$/);
    expect(hashOfNumber('secret', world.uid, person)).not.toBe(hashOfNumber('other', world.uid, person));
    expect(Object.keys(jobMessages.erasePerson.shape).sort()).toEqual(['erasureId', 'job', 'uid']);
  });

  it('as a dry run counts, and does and keeps nothing', async () => {
    const { world, person } = await knownPerson();
    const before = await storedWith(person);
    const { status, body } = await request(world, person, { dryRun: true });
    expect([status, body]).toEqual([200, { status: 'dry_run', found: { calls: 6, blockedNumbers: 3 } }]);
    expect(await storedWith(person)).toEqual(before);
  });

  it('by a guest reaches what the guest owns, and nothing of the owner', async () => {
    const { world, person, guest } = await knownPerson();
    const key = await apiKeys.get().create(guest.uid, { name: 'privacy', scopes: ['privacy', 'agents', 'calls'] });
    const options = { apiKey: key.secret };
    const own = await world.call('POST', '/agents', { ...options, body: { uid: guest.uid, name: 'Own' } });
    const facts = { phone: person, direction: 'inbound', startedAt };
    await world.call('PUT', `/calls/${own.body.agentId}/call-1`, { ...options, body: facts });
    const body = { uid: guest.uid, number: person, blockList: 'remove' };
    const answer = await world.call('POST', '/erasures', { ...options, body });
    expect(answer.body.found).toEqual({ calls: 1, blockedNumbers: 0 });
    await expect.poll(async () => (await erasures.get().find(guest.uid, answer.body.erasureId))?.status).toBe('done');
    expect((await request(world, person, { dryRun: true })).body.found).toEqual({ calls: 6, blockedNumbers: 3 });
  });

  it('is for keys that name the scope, and for their own user', async () => {
    const world = await newWorld();
    const refused = await request(world, other);
    expect([refused.status, refused.body.message]).toEqual([401, 'This API key lacks the scope "privacy".']);
    const first = await privateWorld();
    const { body } = await request(first, newPerson());
    const second = await privateWorld();
    const foreign = await second.call('GET', `/erasures/${body.erasureId}`, { query: { uid: second.uid } });
    expect([foreign.status, foreign.body.error]).toEqual([404, 'erasure_not_found']);
    expect((await second.call('GET', `/erasures/${body.erasureId}`, { query: { uid: first.uid } })).status).toBe(401);
    for (const unknown of ['none', 'a%20b', 'x'.repeat(200)]) {
      expect((await first.call('GET', `/erasures/${unknown}`, { query: { uid: first.uid } })).status).toBe(404);
    }
  });

  it('needs a phone number, and one of the two ways with block lists', async () => {
    const world = await privateWorld();
    for (const number of ['', '123', 'abc', 5, null, '4155550100']) {
      const answer = await request(world, number as string);
      expect([answer.status, answer.body.details?.[0]?.path]).toEqual([400, 'number']);
    }
    expect((await request(world, other, { blockList: 'drop' })).body.details[0].path).toBe('blockList');
    expect((await request(world, other, { dryRun: 'yes' })).body.details[0].path).toBe('dryRun');
  });

  it('repeated with its Idempotency-Key is one erasure', async () => {
    const world = await privateWorld();
    const person = newPerson();
    const headers = { 'idempotency-key': unique('key') };
    const first = await request(world, person, {}, headers);
    const again = await request(world, person, {}, headers);
    expect(again.body).toEqual(first.body);
    expect(again.headers.get('idempotency-replayed')).toBe('true');
    await ended(world, first.body.erasureId);
  });

  it('twice at once ends as done both times, and each call and entry counts for one of them', async () => {
    const { world, person } = await knownPerson();
    const answers = await Promise.all([request(world, person), request(world, person)]);
    const both = await Promise.all(answers.map(({ body }) => ended(world, body.erasureId)));
    expect(both.map(({ status }) => status)).toEqual(['done', 'done']);
    const sum = (field: string) => both.reduce((total, { erased }) => total + erased[field], 0);
    expect([sum('calls'), sum('blockedNumbers')]).toEqual([6, 2]);
  });

  it('leaves a call that is recorded while it runs whole, or not at all', async () => {
    const { world, person, second } = await knownPerson();
    const { body } = await request(world, person);
    const recorded = await Promise.all(
      Array.from({ length: 10 }, (_, n) => record(world, second, `meanwhile-${n}`, person)),
    );
    expect(recorded.every(({ status }) => status === 200)).toBe(true);
    expect((await ended(world, body.erasureId)).status).toBe('done');
    const query = { phone: person };
    const byPhone = (await world.call('GET', `/calls/${second}`, { query })).body.calls;
    const all = (await world.call('GET', `/calls/${second}`)).body.calls;
    expect(byPhone).toEqual(all.filter((call: { phone?: string }) => call.phone === person));
    for (const { callId } of byPhone) {
      expect((await world.call('GET', `/calls/${second}/${callId}`)).status).toBe(200);
    }
    expect((await storedWith(person)).filter((key) => key.includes('#PHONE#')).length).toBe(byPhone.length);
  });

  it('finishes when it is killed at any write, and counts each call and entry once', {
    tags: 'heavy',
    timeout: 120_000,
  }, async () => {
    let kills = 0;
    for (let kill = 0; ; kill++) {
      const world = await privateWorld();
      const person = newPerson();
      for (let n = 0; n < 30; n++) await record(world, world.agentId, `call-${n}`, person);
      await block(world, world.agentId, person, { reason: 'spam' });
      const erasureId = newIdentifier('erasure');
      await erasures.get().add({ uid: world.uid, erasureId, number: person, numberHash: 'hash', blockList: 'remove' });
      let writes = 0;
      injectFaults(table.get().client, (operation) =>
        /^(Put|Update|Delete|TransactWrite|BatchWrite)/.test(operation) && writes++ === kill ? 'kill' : undefined,
      );
      const isDone = await deliver(world.uid, erasureId);
      noFaults();
      if (isDone) break;
      kills += 1;
      expect((await statusOf(world, erasureId)).status).toMatch(/pending|running/);
      expect(await deliver(world.uid, erasureId)).toBe(true);
      expect(await statusOf(world, erasureId), `killed at write ${kill}`).toMatchObject({
        status: 'done',
        erased: { calls: 30, blockedNumbers: 1 },
      });
      expect(await storedWith(person)).toEqual([]);
    }
    expect(kills).toBeGreaterThan(4);
  });

  it('counts once what was erased by a write whose response was lost', async () => {
    const world = await privateWorld();
    const person = newPerson();
    await Promise.all(Array.from({ length: 30 }, (_, n) => record(world, world.agentId, `call-${n}`, person)));
    await blockList.get().add({ agentId: world.agentId }, [person], { reason: 'spam' });
    const erasureId = newIdentifier('erasure');
    await erasures.get().add({ uid: world.uid, erasureId, number: person, numberHash: 'hash', blockList: 'keep' });
    let attempt = 0;
    injectFaults(table.get().client, (operation) =>
      operation === 'TransactWriteItems' && attempt++ % 2 === 0 ? 'lost response' : undefined,
    );
    expect(await deliver(world.uid, erasureId)).toBe(true);
    noFaults();
    expect(await statusOf(world, erasureId)).toMatchObject({
      status: 'done',
      erased: { calls: 30, blockedNumbers: 1 },
    });
  });

  it('is not done while a request is under way whose response may hold the number', async () => {
    const { world, person } = await knownPerson();
    const claimed = { uid: world.uid, operation: 'updateCallOutcome', key: unique('key'), contentHash: 'hash' };
    const claim = await idempotency.get().claim(claimed);
    const { body } = await request(world, person, { blockList: 'remove' });
    await expect.poll(async () => (await statusOf(world, body.erasureId)).erased.calls).toBe(6);
    await new Promise((resolve) => setTimeout(resolve, 1000));
    expect((await statusOf(world, body.erasureId)).status).toBe('running');
    if (claim.state !== 'claimed') throw new Error('The key was used before.');
    await idempotency
      .get()
      .keep(claim, { statusCode: 200, body: JSON.stringify({ call_id: 'call-1', phone: person }) });
    expect((await ended(world, body.erasureId)).status).toBe('done');
    expect(await storedWith(person)).toEqual([]);
  });

  it('waits for imports that are under way, and takes the number out of what they report', async () => {
    const world = await privateWorld();
    const person = newPerson();
    const imports = blockListImports.get();
    const importId = newIdentifier('import');
    await imports.add({ uid: world.uid, importId, agentId: world.agentId, mode: 'add' });
    const begun = await imports.begin((await imports.find({ uid: world.uid, importId })) as ImportRecord, 'etag');
    const failures = [
      importFailure(1, person.replace('+49', '+49 '), 'invalid_expires_at'),
      importFailure(2, other, 'invalid_expires_at'),
    ];
    const advanced = await imports.advance(begun as ImportRecord, { failures, failed: 2 });
    const { body } = await request(world, person);
    await new Promise((resolve) => setTimeout(resolve, 1500));
    expect((await statusOf(world, body.erasureId)).status).toBe('running');
    await blockList.get().add({ agentId: world.agentId }, [person], { reason: 'by the import' });
    await imports.finish(advanced as ImportRecord);
    expect(await ended(world, body.erasureId)).toMatchObject({ status: 'done', erased: { blockedNumbers: 1 } });
    expect(await imports.find({ uid: world.uid, importId })).toMatchObject({ failed: 2, failures: [failures[1]] });
    expect((await storedWith(person)).length).toBe(1);
  });

  it('waits for a file of an import that has come, and whose notification has not', async () => {
    const world = await privateWorld();
    const person = newPerson();
    // A bucket of which nobody tells the service.
    const bucket = unique('imports');
    await fetch(`${target.endpoints.s3}/${bucket}`, { method: 'PUT' });
    const files = new Files({ ...environment.s3, bucket });
    const reference = { uid: world.uid, importId: newIdentifier('import') };
    const erasureId = newIdentifier('erasure');
    const running = { uid: world.uid, erasureId, number: person, blockList: 'keep' as const };
    await erasures.get().add({ ...running, numberHash: 'hash' });
    const run = () => erase(running, Number.POSITIVE_INFINITY, { ...lazyServices(eraseServices), files });
    await blockListImports.get().add({ ...reference, agentId: world.agentId, mode: 'add' });
    expect(await run()).toBe(undefined);
    await files.put(importFileKey(reference), Buffer.from(`${person}\n`));
    expect(await run()).toBeGreaterThan(0);
    await files.delete(importFileKey(reference));
    expect(await run()).toBe(undefined);
  });

  it('that cannot be completed ends as failed with a reason, and without the number', async () => {
    const world = await privateWorld();
    const person = newPerson();
    await record(world, world.agentId, 'call-1', person);
    const erasureId = newIdentifier('erasure');
    await erasures.get().add({ uid: world.uid, erasureId, number: person, numberHash: 'hash', blockList: 'keep' });
    injectFaults(table.get().client, (operation) => (operation === 'TransactWriteItems' ? 'kill' : undefined));
    expect(await deliver(world.uid, erasureId, maxDeliveries)).toBe(false);
    noFaults();
    expect(await statusOf(world, erasureId)).toMatchObject({
      status: 'failed',
      error: 'The erasure could not be completed. Request it again.',
    });
    expect((await storedWith(person)).filter((key) => key.includes('ERASURE'))).toEqual([]);
  });

  it('that could not be recorded has not begun', async () => {
    const world = await privateWorld();
    const person = newPerson();
    const body = { uid: world.uid, number: person };
    await record(world, world.agentId, 'call-1', person);
    process.env.CHAT_SIGNING_SECRET ??= 'secret';
    injectFaults(table.get().client, (operation) => (operation === 'PutItem' ? 'kill' : undefined));
    // The message that was sent first finds nothing to do.
    expect((await invoke(createErasure, { apiKey: world.apiKey, body })).status).toBe(500);
    noFaults();
    expect(await Array.fromAsync(table.get().query(erasuresOf(world.uid)))).toEqual([]);
    expect((await invoke(createErasure, { apiKey: world.apiKey, body })).body.found).toEqual({
      calls: 1,
      blockedNumbers: 0,
    });
  });
});
