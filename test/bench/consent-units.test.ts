import { beforeAll, expect, it } from 'vitest';
import { checkConsent } from '../../functions/api/check-consent.ts';
import { decideCallStart } from '../../functions/api/decide-call-start.ts';
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

it('an outbound start that needs consent makes the same requests as another, and takes at most two more read units', async () => {
  const start = async (calling: object) => {
    const { uid, agentId, apiKey, call } = await newWorld();
    await call('PATCH', `/agents/${agentId}`, { body: { configuration: { calling } } });
    const consent = { number, purpose: 'marketing', state: 'given', at: '2026-03-01T10:00:00Z' };
    await call('POST', '/consents', { body: { uid, consents: [consent] } });
    return measure(decideCallStart, { apiKey, body: { uid, agentId, direction: 'outbound', to: number } });
  };
  const [without, within] = [await start({}), await start({ consent: { purpose: 'marketing' } })];
  expect([without.body.decision, without.operations]).toEqual(['accept', ['BatchGetItem']]);
  expect(within.body).toMatchObject({ decision: 'accept', consentId: expect.any(String) });
  expect(within.operations).toEqual(without.operations);
  expect(within.read - without.read).toBeLessThanOrEqual(2);
  expect(within.write).toBe(0);
});

it('the check of a consent reads one item of one unit beside the key, in one request', async () => {
  const { uid, apiKey } = await newWorld();
  const checked = await measure(checkConsent, { apiKey, query: { uid, number, purpose: 'marketing' } });
  expect([checked.status, checked.body.state, checked.operations]).toEqual([200, 'none', ['BatchGetItem']]);
  expect(checked.read).toBe(2);
});
