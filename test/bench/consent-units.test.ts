import { beforeAll, expect, it } from 'vitest';
import { checkConsent } from '../../functions/api/check-consent.ts';
import { decideCallStart } from '../../functions/api/decide-call-start.ts';
import { listConsents } from '../../functions/api/list-consents.ts';
import { recordConsents } from '../../functions/api/record-consents.ts';
import { limits } from '../../functions/domain/limits.ts';
import type { AnyEndpoint } from '../../functions/http/endpoint.ts';
import { table } from '../../functions/store/table.ts';
import { invoke, type OperationRequest } from '../support/events.ts';
import { injectFaults } from '../support/faults.ts';
import { newWorld, useTargetInThisProcess } from '../support/world.ts';
import { countUnits, type Units } from './units.ts';

const number = '+14155550100';

let operations: string[] = [];
let units: Units;
beforeAll(() => {
  useTargetInThisProcess();
  injectFaults(
    () => undefined,
    (operation) => operations.push(operation),
  );
  units = countUnits(table.get().client);
});

/** Sends a request twice, so that the process knows the key, and returns what the second one takes. */
const measure = async (endpoint: AnyEndpoint, request: OperationRequest) => {
  await invoke(endpoint, request);
  operations = [];
  units.take();
  const { status, body } = await invoke(endpoint, request);
  return { status, body, operations: [...operations], ...units.take() };
};

/** Starts a call to a person with one record, whose proof has a text. */
const start = async (calling: object, proofText = 'I agree to be called about offers.') => {
  const { uid, agentId, apiKey, call } = await newWorld();
  await call('PATCH', `/agents/${agentId}`, { body: { configuration: { calling } } });
  const proof = { channel: 'web', text: proofText };
  const consent = { number, purpose: 'marketing', state: 'given', at: '2026-03-01T10:00:00Z', proof };
  await call('POST', '/consents', { body: { uid, consents: [consent] } });
  return measure(decideCallStart, { apiKey, body: { uid, agentId, direction: 'outbound', to: number } });
};
const calling = { consent: { purpose: 'marketing' } };

it('an outbound start that needs consent makes the same requests as another, and takes at most two more read units', async () => {
  const [without, within] = [await start({}), await start(calling)];
  expect([without.body.decision, without.operations]).toEqual(['accept', ['BatchGetItem']]);
  expect(within.body).toMatchObject({ decision: 'accept', consentId: expect.any(String) });
  expect(within.operations).toEqual(without.operations);
  expect(within.read - without.read).toBeLessThanOrEqual(2);
  expect(within.write).toBe(0);
});

it('an outbound start reads as much where the first record of the person is the largest that there is', async () => {
  const [small, large] = [await start(calling), await start(calling, '訪'.repeat(limits.proofTextCharacters))];
  expect(large.body.decision).toBe('accept');
  expect(large.read).toBe(small.read);
});

it('the check of a consent reads one item of one unit beside the key, in one request', async () => {
  const { uid, apiKey } = await newWorld();
  const checked = await measure(checkConsent, { apiKey, query: { uid, number, purpose: 'marketing' } });
  expect([checked.status, checked.body.state, checked.operations]).toEqual([200, 'none', ['BatchGetItem']]);
  expect(checked.read).toBe(2);
});

it('the first consent of a person is one write, and the list reads its item beside the others', async () => {
  const { uid, apiKey } = await newWorld();
  let people = 0;
  const consents = () =>
    Array.from({ length: 40 }, () => ({ purpose: 'marketing', state: 'given', number: `+1415555${3000 + people++}` }));
  await invoke(recordConsents, { apiKey, body: { uid, consents: consents() } });
  units.take();
  operations = [];
  const { body } = await invoke(recordConsents, { apiKey, body: { uid, consents: consents() } });
  expect(body.recorded).toHaveLength(40);
  expect(operations).toEqual(['BatchGetItem', 'BatchGetItem', 'TransactWriteItems']);
  expect(units.take().write).toBe(2 * 40);
  const listed = await measure(listConsents, { apiKey, query: { uid, number: '+14155553000' } });
  expect(listed.body.consents).toHaveLength(1);
  expect(listed.operations.sort()).toEqual(['BatchGetItem', 'GetItem', 'Query']);
  expect(listed.read).toBeLessThanOrEqual(4);
});
