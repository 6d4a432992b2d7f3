import { beforeAll, describe, expect, it } from 'vitest';
import { blockListImports } from '../../functions/block-list-import/block-list-imports.ts';
import { callExports } from '../../functions/call-exports/call-exports.ts';
import { files } from '../../functions/clients/files.ts';
import { newApiKey } from '../../functions/domain/api-keys.ts';
import { toStoredTranscript } from '../../functions/domain/transcripts.ts';
import { erasures } from '../../functions/erasure/erasures.ts';
import { hookSecrets } from '../../functions/hooks/secrets/hook-secrets.ts';
import { personExports } from '../../functions/person-exports/person-exports.ts';
import { platformKeys } from '../../functions/reconciliation/platform-keys.ts';
import { reconciliations } from '../../functions/reconciliation/reconciliations.ts';
import { agentChanges } from '../../functions/store/agents/agent-changes.ts';
import { apiKeys } from '../../functions/store/api-keys.ts';
import { calls } from '../../functions/store/calls/calls.ts';
import {
  accessKey,
  runningExportKey,
  runningReconciliationKey,
  webhookEndpointsKey,
} from '../../functions/store/keys.ts';
import { documents } from '../../functions/store/sources/documents.ts';
import { websites } from '../../functions/store/sources/websites.ts';
import { table } from '../../functions/store/table.ts';
import { users } from '../../functions/store/users.ts';
import { webhookDeliveries } from '../../functions/webhooks/webhook-deliveries.ts';
import { webhookEndpoints } from '../../functions/webhooks/webhook-endpoints.ts';
import { agentId, described, exampleRequest, operations } from '../support/contract-examples.ts';
import { call, target } from '../support/world.ts';

beforeAll(async () => {
  const createdAt = '2026-03-01T10:00:00.000Z';
  const agent = { uid: target.uid, agentId, name: 'Front desk', configuration: {}, createdAt, updatedAt: createdAt };
  await agentChanges.get().create(agent);
  // The examples name versions.
  for (let n = 2; n <= 8; n++) {
    await agentChanges.get().change(target.uid, agentId, (agent) => ({ ...agent, name: `Front desk ${n}` }));
  }
  // The example of a deletion names another one, so that this one remains.
  await agentChanges.get().create({ ...agent, agentId: 'agent_01KB3N0W7C5M9Y2D4S6V8X1Z3T' });
  await blockListImports
    .get()
    .add({ uid: target.uid, importId: 'import_01KB3P8V4N6T0R2X5Z7B9D1F3H', keyId: 'key_sample', mode: 'add' });
});

const endpointId = 'endpoint_01KB3R0W1P6T8X2Z4B6D8F0H2K';

const { uid } = target;
const at = { createdAt: '2026-03-01T10:00:00.000Z' };
const changes = { lastUpdatedBy: uid, lastUpdatedAt: at.createdAt };
const makeEndpoint = async () => {
  // An endpoint that was deleted is not created again under its id: all of them are forgotten.
  await table.get().delete(webhookEndpointsKey(uid));
  const receiver = { url: 'https://crm.example.com/webhooks', events: ['*'], secrets: [] };
  await webhookEndpoints.get().add(uid, { endpointId, ...receiver, active: true, ...at, confirmedAt: at.createdAt });
};

const makeCall = async () => {
  const facts = { phone: '+14155550100', direction: 'inbound', startedAt: at.createdAt } as const;
  const settings = { keepDays: 1 };
  await table.get().change(accessKey(agentId), { set: { transcripts: settings } });
  const transcript = toStoredTranscript([{ role: 'caller', text: 'Hello?' }], 'api', settings);
  return calls.get().record(agentId, 'demo-call-2', { ...facts, endedAt: new Date().toISOString() }, { transcript });
};

/**
 * The records that the examples name, by the name: a document to try again, a website to read again, to change or to delete, a
 * call, and a webhook endpoint with a delivery.
 */
const examples: Record<string, (id: string) => Promise<unknown>> = {
  'former-client': (client) => users.get().createClient(uid, { uid: client }),
  'demo-client': (client) => users.get().createClient(uid, { uid: client }),
  key_01KB3N0W7C5M9Y2D4S6V8X1Z3T: async (keyId) => {
    await apiKeys.get().delete('demo-client', keyId);
    await apiKeys.get().create('demo-client', { name: 'website' }, { keyId, secret: newApiKey() });
  },
  [endpointId]: makeEndpoint,
  delivery_01KB3R2C5D7F9H1K3M5P7R9T1V: async (deliveryId) => {
    await makeEndpoint();
    const event = { eventId: 'event_1', type: 'agent.created', timestamp: at.createdAt, ids: {}, subject: { uid } };
    const state = { status: 'failed' as const, attempts: [], sequence: 0, failures: 0 };
    const delivery = { deliveryId, endpointId, ...event, ...at, ...state };
    await webhookDeliveries.get().addAll([{ uid, delivery }], Date.now() + 10_000);
  },
  doc_01KB3P8V4N6T0R2X5Z7B9D1F3H0: (id) => {
    const file = { name: 'Price list.pdf', size: 48_213, type: 'pdf' as const };
    return documents.get().add({ id, agentId, ...file, active: true, status: 'failed', ...changes });
  },
  'demo-call-2': makeCall,
  14155550100: makeCall,
  'hook-secrets/vapi': () => {
    const secret = { sealed: '', createdAt: at.createdAt, keyId: 'key_1' };
    return hookSecrets.get().set(uid, 'vapi', secret, async () => true);
  },
  'platform-keys/vapi': () =>
    platformKeys.get().set(uid, { platform: 'vapi', sealed: '', createdAt: at.createdAt, keyId: 'key_1' }),
  '/reconciliations': async () => {
    await platformKeys.get().set(uid, { platform: 'vapi', sealed: '', createdAt: at.createdAt, keyId: 'key_1' });
    await agentChanges.get().change(uid, agentId, (agent) => ({
      ...agent,
      configuration: { platform: { name: 'vapi', assistantIds: ['assistant-1'] } },
    }));
    await table.get().delete(runningReconciliationKey(agentId));
  },
  reconciliation_01KB3P8V4N6T0R2X5Z7B9D1F3H: async (reconciliationId) => {
    const time = { from: at.createdAt, to: '2026-03-02T00:00:00.000Z', dryRun: true };
    const about = { reconciliationId, agentId, uid, platform: 'vapi' as const, assistantIds: ['assistant-1'] };
    await reconciliations.get().add({ ...about, ...time });
  },
  'call-exports': () => table.get().delete(runningExportKey('CALL', uid)),
  export_01KB3P8V4N6T0R2X5Z7B9D1F3H: async (exportId) => {
    await callExports.get().add({ uid, exportId, from: '2026-03-01', to: '2026-03-02', format: 'parquet' });
    for await (const found of personExports.get().list(uid)) await personExports.get().remove(found, files.get());
    await personExports.get().add({ uid, exportId, number: '+14155550177', numberHash: 'hash' });
    const added = await personExports.get().find(uid, exportId);
    if (added) await personExports.get().finish(added, { number: null });
  },
  erasure_01KB3P8V4N6T0R2X5Z7B9D1F3H: (erasureId) =>
    erasures.get().add({ uid, erasureId, number: '+14155550177', numberHash: 'hash', blockList: 'keep' }),
  web_01KB3P8V4N6T0R2X5Z7B9D1F3H: (id) => {
    const crawl = { limit: 5, maxDepth: 1, pages: 0, failedPages: [], includePaths: [], excludePaths: [] };
    const site = { name: 'example.com', url: 'https://example.com/' };
    return websites.get().add({ id, ...site, agentId, ...crawl, active: true, status: 'ready', ...changes });
  },
};
beforeAll(async () => {
  for (const [id, make] of Object.entries(examples)) await make(id);
});

/** Makes what a request names as it was at first, since other requests have changed or deleted it. */
const makeExamplesOf = async ({ address, options }: ReturnType<typeof exampleRequest>) => {
  const request = `${address} ${JSON.stringify(options)}`;
  for (const [text, make] of Object.entries(examples)) if (request.includes(text)) await make(text);
};

/** Another request than this one, that is right too. */
const changed = (body: unknown): unknown => {
  if (body instanceof FormData) {
    const form = new FormData();
    for (const [name, value] of body) form.append(name, value instanceof Blob ? new Blob(['other']) : value);
    return form;
  }
  const { files = [] } = body as { files?: object[] };
  const others: Record<string, unknown> = {
    name: 'Another name',
    number: '+14155550199',
    numbers: ['+14155550188'],
    documentId: 'doc_other',
    websiteId: 'web_other',
    files: [...files, ...files],
    items: [{ agentId, callIdOrPhone: 'other' }],
    consents: [{ number: '+14155550177', purpose: 'service', state: 'given' }],
    custom_call_outcome: 'other',
    size: 14,
    format: 'csv',
    version: 2,
    url: 'https://crm.example.com/other',
    deliveryId: 'delivery_other',
    overlapHours: 12,
    dryRun: true,
  };
  return Object.fromEntries(Object.entries(body as object).map(([field, value]) => [field, others[field] ?? value]));
};

/** A browser and a client take turns in these, each with what the other has sent: see test/api/oauth.test.ts. */
const isOfDialog = (path: string, method: string) =>
  path === '/authorize' || (method === 'POST' && ['/token', '/revoke', '/register'].includes(path));

/** Operations of one tag take turns, since they change and delete what the examples of each other name. */
const byTag = Object.entries(
  Object.groupBy(
    operations.filter(({ path, method }) => !isOfDialog(path, method)),
    // A reconciliation needs the key of a platform, and the agent as its example leaves it.
    ({ path, operation }) => (/platform-keys|reconciliations/.test(path) ? 'Agents' : String(operation.tags)),
  ),
);
const inTurn = { concurrent: false };

describe.concurrent.each(byTag)('the service answers as its document says: %s', (_, some = []) => {
  it.each(some)(
    '$operation.operationId responds as documented to its own examples',
    inTurn,
    async ({ path, method, operation }) => {
      const request = exampleRequest(path, operation);
      await makeExamplesOf(request);
      const { address, options } = request;
      const answer = await call(method, address, options);
      expect(answer.status, answer.text).toBe(200);
      described(path, method, answer);
      expect(answer.headers.get('x-request-id')).toMatch(/^[\w-]+$/);
    },
  );

  const repeatable = some.filter(({ operation }) =>
    operation.parameters?.some(({ $ref }) => $ref === '#/components/parameters/IdempotencyKey'),
  );
  // One place repeats the responses of every operation.
  for (const { path, method, operation } of repeatable)
    it(`${operation.operationId} responds as documented when it is repeated with its Idempotency-Key, and with another request`, {
      ...inTurn,
      tags: operation === repeatable[0]?.operation ? [] : ['heavy'],
    }, async () => {
      const request = exampleRequest(path, operation);
      await makeExamplesOf(request);
      const { address, options } = request;
      const headers = { ...options.headers, 'idempotency-key': `contract-${operation.operationId}` };
      const first = await call(method, address, { ...options, headers });
      const again = await call(method, address, { ...options, headers });
      expect([first.headers.get('idempotency-replayed'), again.headers.get('idempotency-replayed')]).toEqual([
        null,
        'true',
      ]);
      expect(again.body).toEqual(first.body);
      described(path, method, again);
      // If the body names only the user, another endpoint makes another request.
      const otherAddress = address.replace(endpointId, 'endpoint_other');
      const other = await call(method, otherAddress, { ...options, headers, body: changed(options.body) });
      expect(other.status).toBe(409);
      described(path, method, other);
    });

  it.each(some.filter(({ operation }) => operation.parameters?.some(({ name }) => name === 'cursor')))(
    '$operation.operationId responds as documented page by page, and to an invalid cursor',
    inTurn,
    async ({ path, method, operation }) => {
      const { address, options } = exampleRequest(path, operation);
      const answer = await call(method, address, { ...options, query: { ...options.query, limit: '1' } });
      described(path, method, answer);
      const { nextCursor: cursor } = answer.body;
      if (cursor)
        described(path, method, await call(method, address, { ...options, query: { ...options.query, cursor } }));
      const wrong = await call(method, address, { ...options, query: { ...options.query, cursor: 'wrong' } });
      expect(wrong.status).toBe(400);
      described(path, method, wrong);
    },
  );
});

it('the service responds with 404 to an unknown call, with a documented code', async () => {
  for (const method of ['GET', 'PATCH', 'DELETE']) {
    const body = method === 'PATCH' ? { custom_call_outcome: null } : undefined;
    const answer = await call(method, `/calls/${agentId}/absent`, { apiKey: target.apiKey, body });
    expect(answer.status).toBe(404);
    described('/calls/{agentId}/{callIdOrPhone}', method, answer);
  }
});

it.each(['PUT', 'DELETE'])(
  'the service responds with 400 to %s with a phone number as the id of a call',
  async (method) => {
    const body = method === 'PUT' ? { direction: 'inbound', startedAt: at.createdAt } : undefined;
    const answer = await call(method, `/calls/${agentId}/+14155550100`, { apiKey: target.apiKey, body });
    expect(answer.status).toBe(400);
    described('/calls/{agentId}/{callIdOrPhone}', method, answer);
  },
);
