import { afterEach, expect, it } from 'vitest';
import { now } from '../../functions/domain/date-time.ts';
import { finishUserDeletion } from '../../functions/jobs/finish-user-deletion.ts';
import { agentSharing } from '../../functions/store/agents/agent-sharing.ts';
import { accessKey, deletedAgentCollection, userKey } from '../../functions/store/keys.ts';
import { table } from '../../functions/store/table.ts';
import { users } from '../../functions/store/users.ts';
import '../support/quiet-logs.ts';
import { type Maker, newClientWorld, newMaker, pickError } from '../support/clients.ts';
import { becomeQuiet, deliverDeletion } from '../support/deletions.ts';
import { deliverMessage } from '../support/deliver-message.ts';
import { injectFaults, noFaults } from '../support/faults.ts';
import { newHookSecret } from '../support/hook-signers.ts';
import { isQueued } from '../support/queued.ts';
import { storedBesideChanges } from '../support/stored.ts';
import { call, newGuest, unique } from '../support/world.ts';

afterEach(noFaults);

const remove = (maker: Maker, uid: string) => maker.call('DELETE', `/users/${uid}`, { query: { confirm: uid } });
const run = (uid: string) => deliverMessage(finishUserDeletion, { job: 'finishUserDeletion', uid });

/** Returns the items and files that mention one of some texts, besides logs of other users. */
const mentioning = async (...texts: string[]) => (await Promise.all(texts.map(storedBesideChanges))).flat();

it('a deleted client is gone with the response, and its data when the job ends: a scan of the table finds nothing of it', async () => {
  const world = await newClientWorld(['agents', 'knowledge', 'calls', 'block-list', 'hooks', 'webhooks', 'privacy']);
  const { uid, agentId, apiKey, maker } = world;
  const guest = await newGuest(world);
  const { fields } = newHookSecret('vapi');
  const headers = { 'idempotency-key': 'once' };
  await world.call('PUT', '/hook-secrets/vapi', { body: { uid, ...fields } });
  await world.call('POST', '/webhook-endpoints', { body: { uid, url: 'https://crm.example.com/hooks' } });
  await world.call('POST', '/block-list', { body: { uid, numbers: ['+14155550100'] }, headers });
  await world.call('POST', '/block-list-imports', { body: { uid, size: 10 } });
  const configuration = { transcripts: { keepDays: 30 }, callerHistory: {} };
  await world.call('PATCH', `/agents/${agentId}`, { body: { configuration } });
  for (const list of [{ uid }, { uid, agentId }])
    await world.call('PUT', '/block-list-rules', { body: { ...list, prefixes: [], allow: ['+14155550101'] } });
  const transcript = [{ role: 'caller', text: 'When do you open?' }];
  expect((await world.recordCall('call-1', { startedAt: now(), transcript })).body.hasTranscript).toBe(true);
  await world.call('POST', '/agent-documents/text', { body: { uid, agentId, name: 'a.txt', content: 'Text' } });

  expect((await mentioning(uid, agentId)).length).toBeGreaterThan(10);
  expect(pickError(await maker.call('DELETE', `/users/${uid}`))).toEqual([400, 'invalid_request']);
  expect(pickError(await maker.call('DELETE', `/users/${uid}`, { query: { confirm: 'other' } }))).toEqual([
    400,
    'invalid_request',
  ]);
  const removed = await remove(maker, uid);
  expect([removed.status, removed.body]).toEqual([200, { message: 'User deleted successfully' }]);
  expect(pickError(await call('GET', '/key', { apiKey }))).toEqual([401, 'invalid_api_key']);
  expect(pickError(await maker.call('GET', `/users/${uid}`))).toEqual([404, 'user_not_found']);
  expect(pickError(await remove(maker, uid))).toEqual([404, 'user_not_found']);
  expect(pickError(await maker.call('POST', '/users', { body: { uid } }))).toEqual([409, 'uid_taken']);
  expect(pickError(await maker.call('POST', '/keys', { body: { uid, name: 'late' } }))).toEqual([
    404,
    'user_not_found',
  ]);
  expect((await maker.call('GET', '/users')).body.users).toEqual([]);

  // The service runs the same jobs: its runs and these may happen at once.
  expect(await run(uid)).toBe(true);
  expect((await call('GET', `/agents/${agentId}`, { apiKey: guest.apiKey })).status).toBe(401);
  await becomeQuiet(agentId);
  await deliverDeletion(agentId);
  await run(uid);
  await table.get().change(userKey(uid), { set: { deletingAt: 1 } });
  await deliverDeletion(agentId);
  await run(uid);
  expect(await Array.fromAsync(table.get().query(deletedAgentCollection(uid)))).toEqual([]);
  expect(await mentioning(uid, agentId)).toEqual([]);
  const again = await maker.call('POST', '/users', { body: { uid } });
  expect([again.status, again.body.agents]).toEqual([200, 0]);
});

it('the deletion of a user who is no client makes no job', { tags: 'local-only' }, async () => {
  const [world, maker] = [await newClientWorld(), await newMaker()];
  expect(pickError(await remove(maker, world.uid))).toEqual([404, 'user_not_found']);
  const unknown = unique('nobody');
  expect(pickError(await remove(maker, unknown))).toEqual([404, 'user_not_found']);
  const job = 'finishUserDeletion';
  expect([await isQueued(world.uid, job), await isQueued(unknown, job)]).toEqual([false, false]);
});

it('a client that has clients is not deleted, and neither is a client of another maker, nor the maker', async () => {
  const world = await newClientWorld();
  const { uid, maker } = world;
  await table.get().change(userKey(uid), { add: { clients: 1 } });
  const refused = await remove(maker, uid);
  expect([refused.status, refused.body.details[0].path]).toEqual([400, 'uid']);
  expect((await call('GET', '/key', { apiKey: world.apiKey })).status).toBe(200);
  await table.get().change(userKey(uid), { set: { clients: null } });
  const other = await newMaker();
  expect(pickError(await remove(other, uid))).toEqual([404, 'user_not_found']);
  expect(pickError(await remove(maker, maker.uid))).toEqual([404, 'user_not_found']);
  expect((await remove(maker, uid)).status).toBe(200);
});

it('the message that begins a deletion again does so only when no run has begun for ten minutes', async () => {
  const { uid, agentId, apiKey } = await newClientWorld();
  const rescue = () => deliverMessage(finishUserDeletion, { job: 'finishUserDeletion', uid, isRescue: true });
  const has = async () => (await call('GET', '/agents', { apiKey, query: { uid } })).body.agents?.length;
  await table.get().change(userKey(uid), { set: { deletingAt: Date.now(), deletionRunAt: Date.now() } });
  expect([await rescue(), await has()]).toEqual([true, 1]);
  await table.get().change(userKey(uid), { set: { deletionRunAt: Date.now() - 601_000 } });
  expect([await rescue(), await has()]).toEqual([true, undefined]);
  expect(await table.get().get(accessKey(agentId))).toMatchObject({ formerOwner: uid });
});

it.each(['first', 'last'])(
  'a deletion completes wherever its %s run is killed, at every write',
  {
    tags: ['heavy', 'local-only'],
  },
  async (which) => {
    let kills = 0;
    for (let kill = 0; ; kill++) {
      const world = await newClientWorld();
      const { uid, agentId, maker } = world;
      await newGuest(world);
      const other = await newClientWorld(undefined, maker);
      await agentSharing.get().share(other.agentId, other.uid, uid);
      await world.call('POST', '/block-list', { body: { uid, numbers: ['+14155550100'] } });
      await users.get().beginDeletion(maker.uid, uid);
      await table.get().change(userKey(uid), { set: { deletingAt: 1 } });
      const finishAgent = async () => {
        await run(uid);
        await becomeQuiet(agentId);
        await deliverDeletion(agentId);
      };
      if (which === 'last') await finishAgent();
      let writes = 0;
      injectFaults((operation) =>
        /^(Put|Update|Delete|TransactWrite|BatchWrite|BatchExecute)/.test(operation) && writes++ >= kill
          ? 'kill'
          : undefined,
      );
      const isDone = await run(uid);
      noFaults();
      if (isDone) break;
      kills += 1;
      await finishAgent();
      await run(uid);
      expect(await mentioning(uid), `killed at write ${kill}`).toEqual([]);
      expect((await maker.call('GET', '/users')).body.users).toMatchObject([{ uid: other.uid }]);
    }
    expect(kills).toBeGreaterThan(which === 'first' ? 5 : 3);
  },
);
