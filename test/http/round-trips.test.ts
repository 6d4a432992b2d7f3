import { afterEach, beforeAll, describe, expect, it } from 'vitest';
import { addBlockedNumbers } from '../../functions/api/add-blocked-numbers.ts';
import { checkBlockedNumber } from '../../functions/api/check-blocked-number.ts';
import { getAgent } from '../../functions/api/get-agent.ts';
import { getCall } from '../../functions/api/get-call.ts';
import { listAgents } from '../../functions/api/list-agents.ts';
import { listBlockedNumbers } from '../../functions/api/list-blocked-numbers.ts';
import { listCalls } from '../../functions/api/list-calls.ts';
import { listDocuments } from '../../functions/api/list-documents.ts';
import { newApiKey } from '../../functions/domain/api-keys.ts';
import { invoke } from '../support/events.ts';
import { injectFaults } from '../support/faults.ts';
import { newWorld, type World } from '../support/world.ts';

let world: World;
let seen: string[] = [];
beforeAll(async () => {
  world = await newWorld();
  await world.recordCall('call-1');
  injectFaults(
    () => undefined,
    (operation) => seen.push(operation),
  );
});
afterEach(() => {
  seen = [];
});

const phone = '+14155550100';

describe('what a request costs', () => {
  it('a malformed key costs nothing', async () => {
    const answer = await invoke(getAgent, { apiKey: 'vap_nonsense', params: { agentId: world.agentId } });
    expect([answer.status, seen]).toEqual([401, []]);
  });

  it('an unknown key costs one read, even with other errors', async () => {
    const request = { apiKey: newApiKey(), body: { uid: 5 } };
    expect((await invoke(addBlockedNumbers, request)).status).toBe(401);
    expect(seen).toEqual(['BatchGetItem']);
  });

  it('an invalid body and a foreign agent cost one read each', async () => {
    expect((await invoke(addBlockedNumbers, { apiKey: world.apiKey, body: {} })).status).toBe(400);
    expect((await invoke(getAgent, { apiKey: world.apiKey, params: { agentId: 'nobody' } })).status).toBe(401);
    expect(seen).toEqual(['BatchGetItem', 'BatchGetItem']);
  });

  it.each([
    ['an existing call', 'call-1', 200],
    ['an unknown call', 'call-2', 404],
    ['what is no identifier', 'call 3', 404],
  ])('%s is looked up by its id in one read, together with the key', async (_, callIdOrPhone, status) => {
    const params = { agentId: world.agentId, callIdOrPhone };
    expect((await invoke(getCall, { apiKey: world.apiKey, params })).status).toBe(status);
    expect(seen).toEqual(['BatchGetItem']);
  });

  it.each([
    ['a foreign agent', 'nobody'],
    ['what is no identifier of an agent', 'no#body'],
    ['an agent whose key would be too long for DynamoDB', 'x'.repeat(3000)],
  ])('a request for the call of %s costs one read', async (_, agentId) => {
    const params = { agentId, callIdOrPhone: 'call-1' };
    expect((await invoke(getCall, { apiKey: world.apiKey, params })).status).toBe(401);
    expect(seen).toEqual(['BatchGetItem']);
  });

  it.each([1, 25, 26, 101])('blocking %d numbers makes one read, and one write for every 25', async (count) => {
    const { uid, agentId, apiKey } = world;
    const numbers = Array.from({ length: count }, (_, index) => `+1${4_155_550_000 + 1000 * count + index}`);
    expect((await invoke(addBlockedNumbers, { apiKey, body: { uid, agentId, numbers } })).status).toBe(200);
    expect(seen).toEqual(['BatchGetItem', ...Array<string>(Math.ceil(count / 25)).fill('BatchExecuteStatement')]);
  });

  const named = () => ({ uid: world.uid, agentId: world.agentId });
  it.each([
    ['getAgent', () => invoke(getAgent, { apiKey: world.apiKey, params: named() }), ['GetItem']],
    ['listAgents', () => invoke(listAgents, { apiKey: world.apiKey, query: named() }), ['Query']],
    [
      'checkBlockedNumber',
      () => invoke(checkBlockedNumber, { apiKey: world.apiKey, query: { ...named(), number: phone } }),
      ['BatchGetItem'],
    ],
    [
      'listBlockedNumbers',
      () => invoke(listBlockedNumbers, { apiKey: world.apiKey, query: named() }),
      Array<string>(16).fill('Query'),
    ],
    [
      'listDocuments without content',
      () => invoke(listDocuments, { apiKey: world.apiKey, query: { ...named(), content: 'false' } }),
      ['Query'],
    ],
    ['listCalls', () => invoke(listCalls, { apiKey: world.apiKey, params: named() }), ['Query', 'BatchGetItem']],
    [
      'getCall by phone',
      () => invoke(getCall, { apiKey: world.apiKey, params: { ...named(), callIdOrPhone: phone } }),
      ['Query', 'GetItem'],
    ],
  ])(
    '%s makes one read after the key’s, several side by side, or reads entries and then what they point to',
    async (_, ask, operations) => {
      expect((await ask()).status).toBe(200);
      expect(seen).toEqual(['BatchGetItem', ...operations]);
    },
  );
});
