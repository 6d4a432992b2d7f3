import { expect, it } from 'vitest';
import { agentSharing } from '../../../functions/store/agents/agent-sharing.ts';
import { agents } from '../../../functions/store/agents/agents.ts';
import { newHookSecret } from '../../support/hook-signers.ts';
import { json, operator } from '../../support/operator-command.ts';
import { isQueued } from '../../support/queued.ts';
import { sendSigned, signedHook } from '../../support/signed-hooks.ts';
import { findStored } from '../../support/stored.ts';
import { until } from '../../support/until.ts';
import { sendForm, upload } from '../../support/uploads.ts';
import { call, newGuest, newUser, newWorld, target } from '../../support/world.ts';

const service = ['--base-url', target.baseUrl];
const phone = '+14155550100';

it('operator agent delete counts first, and deletes the agent with --yes', async () => {
  const world = await newWorld();
  await newGuest(world);
  await world.recordCall('call-1');
  await world.block([phone, '+14155550101']);
  await upload(world, [['hours.txt', 'Open until six.']]);
  const counts = { calls: 1, blockedNumbers: 2, websites: 0, documents: 1, guests: 1 };
  const { stdout, stderr } = await operator('agent', 'delete', world.agentId, ...service, '--json');
  expect(JSON.parse(stdout)).toEqual({ agentId: world.agentId, done: false, ...counts });
  expect(stderr).toBe('');
  expect((await world.call('GET', `/agents/${world.agentId}`)).status).toBe(200);
  const done = await operator('agent', 'delete', world.agentId, ...service, '--yes', '--json');
  expect([done.code, JSON.parse(done.stdout)]).toEqual([0, { agentId: world.agentId, done: true, ...counts }]);
  expect((await world.call('GET', `/agents/${world.agentId}`)).status).toBe(401);
  expect(await operator('agent', 'delete', world.agentId, ...service, '--yes')).toMatchObject({
    code: 1,
    stderr: `There is no agent ${world.agentId}.\n`,
  });
});

it('operator erase counts first, and erases a person with --yes', async () => {
  const world = await newWorld();
  const person = `+4930${String(Date.now()).slice(-9)}`;
  await world.recordCall('call-1', { phone: person });
  await world.block([person], { reason: 'spam' });
  const erase = ['erase', '--uid', world.uid, '--number', person, ...service];
  const counted = await operator(...erase, '--json');
  expect(JSON.parse(counted.stdout)).toEqual({
    ...{ uid: world.uid, status: 'dry_run' },
    ...{ calls: 1, blockedNumbers: 1, consents: 0 },
  });
  expect(counted.stderr).toBe('');
  const { code, stdout } = await operator(...erase, '--unblock', '--yes', '--json');
  expect([code, JSON.parse(stdout)]).toMatchObject([0, { status: 'done', calls: 1, blockedNumbers: 1 }]);
  expect(await findStored(person)).toEqual([]);
  // No key of its own remains.
  expect((await json('key', 'list', '--uid', world.uid)).keys.length).toBe(1);
  expect((await operator('erase', '--uid', world.uid, '--number', '12', ...service)).code).toBe(2);
});

it('operator user delete counts first, and with --yes deletes the user with everything but what other users own', async () => {
  const world = await newWorld();
  const other = await newWorld();
  await agentSharing.get().share(other.agentId, other.uid, world.uid);
  await world.recordCall('call-1');
  await world.call('POST', '/block-list', { body: { uid: world.uid, numbers: [phone] } });
  const { secret, fields } = newHookSecret('retell');
  await world.call('PUT', '/hook-secrets/retell', { body: { uid: world.uid, ...fields } });
  const body = { event: 'call_inbound', call_inbound: {} };
  const signed = () =>
    sendSigned(signedHook('retell', { query: { uid: world.uid, agentId: other.agentId }, body, secret }));
  expect((await signed()).status).toBe(200);
  const headers = { 'idempotency-key': 'key' };
  await world.call('PATCH', `/calls/${other.agentId}/none`, { body: {}, headers });
  const counted = JSON.parse((await operator('user', 'delete', world.uid, ...service, '--json')).stdout);
  expect(counted).toMatchObject({ done: false, agents: 1, keys: 1, calls: 1, blockedNumbers: 1 });
  const { code, stdout } = await operator('user', 'delete', world.uid, ...service, '--yes', '--json');
  expect([code, JSON.parse(stdout)]).toMatchObject([0, { ...counted, done: true }]);
  expect((await world.call('GET', '/agents', { query: { uid: world.uid } })).status).toBe(401);
  expect((await signed()).status).toBe(401);
  expect(await agents.get().access(other.agentId)).toMatchObject({ guests: [] });
  expect((await other.call('GET', `/agents/${other.agentId}`)).status).toBe(200);
  // The agent is forgotten when no request of before can still write.
  // The log of another user keeps who had access.
  const isOthers = (key: string) => key.endsWith(' ACCESS') || key.startsWith(`USER#${other.uid}#CHANGES `);
  await expect.poll(async () => (await findStored(world.uid)).filter((key) => !isOthers(key))).toEqual([]);
  expect((await operator('user', 'delete', world.uid, ...service, '--yes')).code).toBe(1);
});

it('operator user delete waits for an import that runs, and leaves no number and no lock', {
  tags: 'heavy',
}, async () => {
  const { uid, apiKey } = await newUser();
  const form = (await call('POST', '/block-list-imports', { apiKey, body: { uid, size: 1_000_000 } })).body;
  const numbers = Array.from({ length: 20_000 }, (_, n) => `+1415${6_000_000 + n}\n`).join('');
  await sendForm(form, numbers);
  const path = `/block-list-imports/${form.importId}`;
  // Other heavy tests run beside it: the first step of an import may take a minute.
  await until(async () => (await call('GET', path, { apiKey, query: { uid } })).body.lines > 0, { seconds: 300 });
  expect((await operator('user', 'delete', uid, ...service, '--yes')).code).toBe(0);
  const left = async () => (await findStored(uid)).length;
  expect(await left()).toBe(0);
  // A step that was running ends with its message.
  await until(async () => !(await isQueued(form.importId)));
  expect(await left()).toBe(0);
});
