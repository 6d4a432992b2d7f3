import { beforeAll, describe, expect, it } from 'vitest';
import { Scope } from '../../functions/domain/api-keys.ts';
import type { OpenApiDocument, Operation } from '../../functions/openapi/openapi.ts';
import { agents } from '../../functions/store/agents.ts';
import { apiKeys } from '../../functions/store/api-keys.ts';
import { blockListImports } from '../../functions/store/block-list-imports.ts';
import { calls } from '../../functions/store/calls.ts';
import { documents } from '../../functions/store/documents.ts';
import { erasures } from '../../functions/store/erasures.ts';
import { webhookDeliveries } from '../../functions/store/webhook-deliveries.ts';
import { webhookEndpoints } from '../../functions/store/webhook-endpoints.ts';
import { websites } from '../../functions/store/websites.ts';
import { contractOf } from '../support/contract.ts';
import { call, target, useTargetInThisProcess } from '../support/world.ts';

/** The document as the running service gives it: everything below follows from it, as it would for a stranger. */
const document = (await call('GET', '/openapi.json')).body as OpenApiDocument;
const contract = contractOf(document);

const methods = ['put', 'post', 'patch', 'get', 'delete'];
const operations = methods.flatMap((method) =>
  Object.entries(document.paths).flatMap(([path, item]) =>
    item[method] ? { path, method: method.toUpperCase(), operation: item[method] } : [],
  ),
);

/** What an example names and nothing else makes. */
const agentId = 'agent_01KB3M5T3Q8RXN2M6J4HB7C0DE';
let apiKey: string;
beforeAll(async () => {
  useTargetInThisProcess();
  apiKey = (await apiKeys.get().create(target.uid, { name: 'contract', scopes: Scope.options })).secret;
  const createdAt = '2026-03-01T10:00:00.000Z';
  const agent = { uid: target.uid, agentId, name: 'Front desk', configuration: {}, createdAt, updatedAt: createdAt };
  await agents.get().create(agent);
  // The example of a deletion names another one, so that this one remains.
  await agents.get().create({ ...agent, agentId: 'agent_01KB3N0W7C5M9Y2D4S6V8X1Z3T' });
  await blockListImports.get().add({ uid: target.uid, importId: 'import_01KB3P8V4N6T0R2X5Z7B9D1F3H', mode: 'add' });
});

const endpointId = 'endpoint_01KB3R0W1P6T8X2Z4B6D8F0H2K';

const { uid } = target;
const at = { createdAt: '2026-03-01T10:00:00.000Z' };
const changes = { lastUpdatedBy: uid, lastUpdatedAt: at.createdAt };
const makeEndpoint = async () => {
  for (const endpoint of await webhookEndpoints.get().list(uid)) {
    await webhookEndpoints.get().remove(uid, endpoint.endpointId);
  }
  const receiver = { url: 'https://crm.example.com/webhooks', events: ['*'], secrets: [] };
  await webhookEndpoints.get().add(uid, { endpointId, ...receiver, active: true, ...at });
};

const makeCall = () => {
  const facts = { phone: '+14155550100', direction: 'inbound', startedAt: at.createdAt } as const;
  return calls.get().record(agentId, 'demo-call-2', facts);
};

/** What the examples name, by the text that names it: a document to try again, a website to read again, to switch or to delete, a call, and a webhook endpoint with a delivery. */
const examples: Record<string, (id: string) => Promise<unknown>> = {
  [endpointId]: makeEndpoint,
  delivery_01KB3R2C5D7F9H1K3M5P7R9T1V: async (deliveryId) => {
    await makeEndpoint();
    const event = { eventId: 'event_1', type: 'agent.created', timestamp: at.createdAt, ids: {}, subject: { uid } };
    const state = { status: 'failed' as const, attempts: [], sequence: 0, failures: 0 };
    await webhookDeliveries.get().add(uid, { deliveryId, endpointId, ...event, ...at, ...state });
  },
  doc_01KB3P8V4N6T0R2X5Z7B9D1F3H0: (id) => {
    const file = { name: 'Price list.pdf', size: 48_213, type: 'pdf' as const };
    return documents.get().add({ id, agentId, ...file, active: true, status: 'failed', ...changes });
  },
  'demo-call-2': makeCall,
  14155550100: makeCall,
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

type Parameter = { name: string; in: string; example?: unknown; schema: { examples?: unknown[] } };

/** The request that an operation's own examples make. A cursor is an answer's to give. */
const exampleRequest = (path: string, operation: Operation) => {
  let address = path;
  const query: Record<string, string> = {};
  const headers: Record<string, string> = {};
  for (const parameter of (operation.parameters ?? []) as Parameter[]) {
    if ('$ref' in parameter || parameter.name === 'cursor') continue;
    const value = String(parameter.example);
    if (parameter.in === 'path') address = address.replace(`{${parameter.name}}`, encodeURIComponent(value));
    if (parameter.in === 'query') query[parameter.name] = value;
  }
  const [scheme] = Object.keys((operation.security as Record<string, unknown>[])[0] ?? {});
  if (scheme === 'applicationOrigin') headers.origin = target.appOrigin;
  const { 'application/json': json, 'multipart/form-data': form } = operation.requestBody?.content ?? {};
  return {
    address,
    options: {
      query,
      headers,
      ...(scheme === 'apiKey' && { apiKey }),
      ...(json && { body: withOwnNumber(json.example as object) }),
      ...(form && { body: formOf(form.example as Record<string, string | string[]>) }),
    },
    keyed: scheme === 'apiKey',
  };
};

/** No two agents of a user have the same phone number, and other tests need the calls of the demo, which an erasure would delete. */
let agentNumber = 1000;
const withOwnNumber = (body: object) => ({
  ...body,
  ...('phoneNumber' in body && { phoneNumber: `+1415557${agentNumber++}` }),
  ...('number' in body && { number: '+14155550177' }),
});

/** A form of an example: what stands in an array are files. */
const formOf = (example: Record<string, string | string[]>, fileName = 'Price list.txt') => {
  const form = new FormData();
  for (const [name, value] of Object.entries(example)) {
    if (Array.isArray(value)) for (const one of value) form.append(name, new Blob([one]), fileName);
    else form.append(name, value);
  }
  return form;
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
    ...{
      name: 'Another name',
      number: '+14155550199',
      numbers: ['+14155550188'],
      documentId: 'doc_other',
      websiteId: 'web_other',
    },
    ...{
      files: [...files, ...files],
      items: [{ agentId, callIdOrPhone: 'other' }],
      custom_call_outcome: 'other',
      size: 14,
    },
    ...{ url: 'https://crm.example.com/other', deliveryId: 'delivery_other' },
  };
  return Object.fromEntries(Object.entries(body as object).map(([field, value]) => [field, others[field] ?? value]));
};

const described = (path: string, method: string, answer: Awaited<ReturnType<typeof call>>) =>
  expect(contract.faultsOf(path, method, answer), answer.text).toEqual([]);

describe('the service answers as its document says', () => {
  it.each(operations)('$operation.operationId: to its own examples', async ({ path, method, operation }) => {
    const request = exampleRequest(path, operation);
    await makeExamplesOf(request);
    const { address, options } = request;
    const answer = await call(method, address, options);
    expect(answer.status, answer.text).toBe(200);
    described(path, method, answer);
    expect(answer.headers.get('x-request-id')).toMatch(/^[\w-]+$/);
  });

  it.each(operations.filter(({ path, operation }) => exampleRequest(path, operation).keyed))(
    '$operation.operationId: without a key, and with one that is not valid',
    async ({ path, method, operation }) => {
      const { address, options } = exampleRequest(path, operation);
      for (const apiKey of [undefined, 'vap_wrong']) {
        const answer = await call(method, address, { ...options, apiKey });
        expect(answer.status).toBe(401);
        described(path, method, answer);
      }
    },
  );

  it.each(operations.filter(({ path }) => path.includes('{agentId}')))(
    '$operation.operationId: about an agent of somebody else',
    async ({ path, method, operation }) => {
      const { address, options } = exampleRequest(path, operation);
      const answer = await call(method, address.replace(agentId, target.otherAgentId), options);
      expect(answer.status).toBe(401);
      described(path, method, answer);
    },
  );

  it.each(
    // A voice platform's hook takes whatever the platform sends.
    operations.filter(
      ({ path, operation }) => operation.requestBody?.content['application/json'] && !path.startsWith('/hooks'),
    ),
  )('$operation.operationId: to a body that is broken, or too large', async ({ path, method, operation }) => {
    const { address, options } = exampleRequest(path, operation);
    const broken = await call(method, address, { ...options, body: '{"uid":' });
    expect(broken.status).toBe(400);
    described(path, method, broken);
    const large = await call(method, address, { ...options, body: JSON.stringify({ a: 'a'.repeat(1024 * 1024) }) });
    expect(large.status).toBe(413);
    described(path, method, large);
  });

  it.each(
    operations.filter(({ operation }) =>
      operation.parameters?.some(({ $ref }) => $ref === '#/components/parameters/IdempotencyKey'),
    ),
  )('$operation.operationId: repeated with its Idempotency-Key, and with another request', async (one) => {
    const { path, method, operation } = one;
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
    // Where the body names the user alone, another endpoint makes another request.
    const otherAddress = address.replace(endpointId, 'endpoint_other');
    const other = await call(method, otherAddress, { ...options, headers, body: changed(options.body) });
    expect(other.status).toBe(409);
    described(path, method, other);
  });

  it.each(operations.filter(({ operation }) => operation.parameters?.some(({ name }) => name === 'cursor')))(
    '$operation.operationId: page by page, and to a cursor that is none',
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

  it('404 where a call is not there, with a code that is described', async () => {
    for (const method of ['GET', 'PATCH', 'DELETE']) {
      const body = method === 'PATCH' ? { custom_call_outcome: 'none' } : undefined;
      const answer = await call(method, `/calls/${agentId}/absent`, { apiKey: target.apiKey, body });
      expect(answer.status).toBe(404);
      described('/calls/{agentId}/{callIdOrPhone}', method, answer);
    }
  });

  it.each(['PUT', 'DELETE'])('400 to %s where a phone number is given for the id of a call', async (method) => {
    const body = method === 'PUT' ? { direction: 'inbound', startedAt: at.createdAt } : undefined;
    const answer = await call(method, `/calls/${agentId}/+14155550100`, { apiKey: target.apiKey, body });
    expect(answer.status).toBe(400);
    described('/calls/{agentId}/{callIdOrPhone}', method, answer);
  });

  it('and would be caught if it answered with a field or a code that is not described', () => {
    const answer = (status: number, body: object) => ({
      status,
      headers: new Headers({ 'content-type': 'application/json' }),
      text: JSON.stringify(body),
    });
    const check = { number: '+14155550100', blocked: false };
    const faults = (status: number, body: object) =>
      contract.faultsOf('/agent-block-list/check', 'GET', answer(status, body));
    expect(faults(200, check)).toEqual([]);
    expect(faults(200, { ...check, secret: 1 })).toHaveLength(1);
    expect(faults(200, { blocked: false })).toHaveLength(1);
    expect(faults(401, { error: 'call_not_found', message: 'No.' })).toEqual([
      'the code call_not_found is not described',
    ]);
    expect(faults(418, {})).toHaveLength(1);
  });
});
