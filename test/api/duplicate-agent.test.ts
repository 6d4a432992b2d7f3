import { afterEach, expect, it } from 'vitest';
import { duplicateAgent } from '../../functions/api/duplicate-agent.ts';
import { beginCopy, continueCopy, copyServices } from '../../functions/duplication/copy.ts';
import { finishDuplication } from '../../functions/jobs/finish-duplication.ts';
import { lazyServices } from '../../functions/service.ts';
import { duplicationKey } from '../../functions/store/keys.ts';
import { table } from '../../functions/store/table.ts';
import { deliverMessage } from '../support/deliver-message.ts';
import { invoke } from '../support/events.ts';
import { injectFaults, noFaults } from '../support/faults.ts';
import { keptRequest } from '../support/kept-request.ts';
import { newUser, newWorld, unique, type World } from '../support/world.ts';

const phones = (count: number) => Array.from({ length: count }, (_, n) => `+1415${5_000_000 + n}`);
afterEach(noFaults);

const duplicate = (world: World, body: object = {}, headers: Record<string, string> = {}) =>
  world.call('POST', '/duplicate-agent', { body: { uid: world.uid, agentId: world.agentId, ...body }, headers });

const listAgents = async (world: World): Promise<string[]> => {
  const { body } = await world.call('GET', '/agents', { query: { uid: world.uid } });
  return body.agents.map((agent: { agentId: string }) => agent.agentId);
};

const readBlockList = async (world: World, agentId: string) => {
  const { status, body } = await world.call('GET', '/agent-block-list', { query: { uid: world.uid, agentId } });
  return status === 200 ? body.entries : status;
};

const deliver = (agentId: string) =>
  deliverMessage(finishDuplication, { job: 'finishDuplication', uid: 'somebody', agentId });

/** The new agents whose copies a request to DynamoDB begins or continues. */
const listCopies = (input: unknown): string[] => {
  const { TransactItems = [] } = input as { TransactItems?: { Put?: { Item: { pk: { S: string } } } }[] };
  const prefix = duplicationKey('').pk;
  const keys = TransactItems.map(({ Put }) => Put?.Item.pk.S ?? '');
  return keys.filter((pk) => pk.startsWith(prefix)).map((pk) => pk.slice(prefix.length));
};

it('duplicating an agent copies configuration and block list, and neither number, calls nor access', async () => {
  const world = await newWorld();
  const configuration = { greeting: 'Hello', variables: { a: [1, null] } };
  await world.call('PATCH', `/agents/${world.agentId}`, {
    body: { configuration, phoneNumber: '+14155550100', key: 'desk', name: 'Desk' },
  });
  await world.block(phones(60), { reason: 'spam', expiresAt: '2099-01-01T00:00:00Z' });
  await world.block(['+442071838750']);
  await world.unblock(phones(10));
  await world.recordCall('call-1');
  const answer = await duplicate(world);
  expect(answer.status).toBe(200);
  expect(answer.body).toEqual({
    uid: world.uid,
    agentId: expect.stringMatching(/^agent_/),
    name: 'Desk (Copy)',
    copied: { configuration: true, websites: 0, documents: 0, blockedNumbers: 51 },
    notCopied: ['phoneNumber', 'key', 'calls', 'access'],
  });
  const { agentId } = answer.body;
  const copy = (await world.call('GET', `/agents/${agentId}`)).body;
  expect(copy).toMatchObject({
    uid: world.uid,
    agentId,
    name: 'Desk (Copy)',
    configuration,
    sourceAgentId: world.agentId,
  });
  expect(copy).not.toHaveProperty('phoneNumber');
  expect(copy).not.toHaveProperty('key');
  expect(await readBlockList(world, agentId)).toEqual(await readBlockList(world, world.agentId));
  expect((await world.call('GET', `/calls/${agentId}`)).body.calls).toEqual([]);
  expect(await listAgents(world)).toEqual([world.agentId, agentId]);
});

it('duplicating an agent accepts a name, and shortens the default one to the maximum length', async () => {
  const world = await newWorld();
  expect((await duplicate(world, { name: 'Mine' })).body.name).toBe('Mine');
  await world.call('PATCH', `/agents/${world.agentId}`, { body: { name: '🙂'.repeat(200) } });
  expect((await duplicate(world)).body.name).toBe(`${'🙂'.repeat(193)} (Copy)`);
  expect((await duplicate(world, { name: '' })).status).toBe(400);
});

it('a copy of another user’s agent belongs to the user who made it', async () => {
  const world = await newWorld();
  const guest = await newUser();
  const { agentSharing } = await import('../../functions/store/agents/agent-sharing.ts');
  await agentSharing.get().share(world.agentId, world.uid, guest.uid);
  const body = { uid: guest.uid, agentId: world.agentId };
  const answer = await world.call('POST', '/duplicate-agent', { apiKey: guest.apiKey, body });
  expect(answer.body.uid).toBe(guest.uid);
  expect((await world.call('GET', `/agents/${answer.body.agentId}`)).status).toBe(401);
  expect((await world.call('GET', `/agents/${answer.body.agentId}`, { apiKey: guest.apiKey })).status).toBe(200);
});

it('duplicating an agent is whole or absent when its function is killed after any write, and the job completes it', {
  tags: ['heavy', 'local-only'],
}, async () => {
  const world = await newWorld();
  await world.block(phones(60));
  const body = { uid: world.uid, agentId: world.agentId };
  const isWrite = (operation: string) => /^(Put|Update|TransactWrite|BatchWrite)/.test(operation);
  let writes = 0;
  injectFaults((operation) => {
    if (isWrite(operation)) writes += 1;
    return undefined;
  });
  expect((await invoke(duplicateAgent, { apiKey: world.apiKey, body })).status).toBe(200);
  expect(writes).toBeGreaterThan(5);
  let known = await listAgents(world);

  for (let kill = 1; kill <= writes; kill++) {
    let done = 0;
    const begun: string[] = [];
    injectFaults(
      (operation) => {
        if (done >= kill) return 'kill';
        if (isWrite(operation)) done += 1;
        return undefined;
      },
      () => {},
      (input) => {
        begun.push(...listCopies(input));
      },
    );
    const answer = await invoke(duplicateAgent, { apiKey: world.apiKey, body });
    noFaults();
    const now = await listAgents(world);
    const appeared = now.filter((id) => !known.includes(id));
    const agentId = begun[0] as string;
    if (answer.status === 200) expect(appeared).toEqual([answer.body.agentId]);
    if (appeared.length === 0) {
      expect(await readBlockList(world, agentId)).toBe(401);
      expect(await deliver(agentId)).toBe(true);
      expect((await listAgents(world)).filter((id) => !known.includes(id))).toEqual([agentId]);
    }
    expect((await readBlockList(world, agentId)).length, `killed after write ${kill}`).toBe(60);
    known = await listAgents(world);
  }
});

// The request is killed in this process, which does not know the secret that keys what a deployment keeps.
it('duplicating an agent again under the Idempotency-Key of a killed request ends in the same agent', {
  tags: 'local-only',
}, async () => {
  const world = await newWorld();
  await world.block(phones(60));
  const headers = { 'idempotency-key': unique('key') };
  const body = { uid: world.uid, agentId: world.agentId };
  let batches = 0;
  let dead = false;
  const begun: string[] = [];
  injectFaults(
    (operation) => {
      dead ||= operation === 'BatchWriteItem' && ++batches > 3;
      return dead ? 'kill' : undefined;
    },
    () => {},
    (input) => {
      begun.push(...listCopies(input));
    },
  );
  expect((await invoke(duplicateAgent, { apiKey: world.apiKey, body, headers })).status).toBe(500);
  noFaults();
  expect(await listAgents(world)).toEqual([world.agentId]);
  // The dead function could not release its claim, which expires by itself.
  expect((await duplicate(world, {}, headers)).body.error).toBe('idempotency_in_progress');
  const { pk, sk } = await keptRequest(world.uid, 'duplicateAgent');
  await table.get().change({ pk, sk }, { set: { claimedUntil: 1 } });
  const again = await duplicate(world, {}, headers);
  expect(again.body).toMatchObject({ agentId: begun[0], copied: { blockedNumbers: 60 } });
  expect((await duplicate(world, {}, headers)).body).toEqual(again.body);
  expect(await listAgents(world)).toEqual([world.agentId, begun[0]]);
});

it('a copy that is too large for one response is pending, invisible until it is whole, and finished in the background', async () => {
  const world = await newWorld();
  await world.block(phones(400));
  const source = (await world.call('GET', `/agents/${world.agentId}`)).body;
  const agent = { ...source, agentId: unique('agent') };
  const services = lazyServices(copyServices);
  const begun = await beginCopy({ agent, sourceAgentId: world.agentId }, services);
  const reached = await continueCopy(begun, 0, services);
  expect(reached).toMatchObject({ state: 'copying' });
  expect(await readBlockList(world, agent.agentId)).toBe(401);
  expect(await listAgents(world)).toEqual([world.agentId]);
  await deliver(agent.agentId);
  expect((await readBlockList(world, agent.agentId)).length).toBe(400);
  // A message that is delivered again, or for an unknown copy, has no effect.
  await world.call('DELETE', '/agent-block-list', {
    body: { uid: world.uid, agentId: agent.agentId, numbers: phones(1) },
  });
  expect([await deliver(agent.agentId), await deliver('nobody')]).toEqual([true, true]);
  expect((await readBlockList(world, agent.agentId)).length).toBe(399);
});
