import { blockListImports } from '../../functions/block-list-import/block-list-imports.ts';
import { now } from '../../functions/domain/date-time.ts';
import { newIdentifier, newUlid } from '../../functions/domain/identifiers.ts';
import { erasures } from '../../functions/erasure/erasures.ts';
import { agents } from '../../functions/store/agents.ts';
import { type StoredDelivery, webhookDeliveries } from '../../functions/webhooks/webhook-deliveries.ts';
import { webhookEndpoints } from '../../functions/webhooks/webhook-endpoints.ts';
import { newDocument, newWebsite } from './knowledge.ts';
import type { Request, World } from './world.ts';

/** A request for one operation, in one of its variants. */
export type Sample = {
  what?: string;
  /** Creates the records that the request needs, and returns the request. */
  request(world: World): Request | Promise<Request>;
  /** The bound on its sequential round trips, where it differs from that of all keyed reads. */
  maxRoundTrips?: number;
};

let next = 0;
/** Phone numbers that were not used before. */
export const freshNumbers = (count: number) => Array.from({ length: count }, () => `+1${2_000_000_000 + next++}`);

const call = { phone: '+14155550188', direction: 'inbound', startedAt: '2026-03-01T10:00:00Z' };
let sent = 0;
/** An outcome that differs each time: what is set already is not written. */
const newOutcome = () => ({ custom_call_outcome: 'booked', custom_call_outcome_value: ++sent });

/** A text is read after the record that points to it: a third round trip. */
const withTexts = 3;
/** A call is read after the entry that points to it. */
const byEntry = 3;

const uploadOf = ({ uid, agentId }: World): Request => {
  const fields = Object.entries({ uid, agentId }).map(
    ([name, value]) => `--x\r\ncontent-disposition: form-data; name="${name}"\r\n\r\n${value}\r\n`,
  );
  const file = '--x\r\ncontent-disposition: form-data; name="files"; filename="notes.txt"\r\n\r\nNotes\r\n--x--\r\n';
  return { headers: { 'content-type': 'multipart/form-data; boundary=x' }, body: fields.join('') + file };
};

/** Nobody answers there, and nobody is asked before a delivery: it is a trusted origin. */
const webhookUrl = 'https://crm.example.com/events';

const removeWebhookEndpoints = async (uid: string): Promise<void> => {
  const store = webhookEndpoints.get();
  for (const { endpointId } of await store.list(uid)) await store.remove(uid, endpointId);
};

/** The only webhook endpoint of the user, made by the service, which encrypts its secret. */
const newWebhookEndpoint = async ({ uid, apiKey }: World): Promise<string> => {
  await removeWebhookEndpoints(uid);
  const response = await fetch(`${process.env.API_URL}/webhook-endpoints`, {
    method: 'POST',
    headers: { 'x-authorization': apiKey, 'content-type': 'application/json' },
    body: JSON.stringify({ uid, url: webhookUrl }),
  });
  if (!response.ok) throw new Error(`A webhook endpoint could not be made: ${await response.text()}`);
  return ((await response.json()) as { endpointId: string }).endpointId;
};

const newWebhookDelivery = async (world: World): Promise<string> => {
  const deliveryId = newIdentifier('delivery');
  const createdAt = now();
  const delivery: StoredDelivery = {
    ...{ deliveryId, endpointId: await newWebhookEndpoint(world), eventId: newIdentifier('event') },
    ...{ type: 'agent.updated', createdAt, timestamp: createdAt, status: 'failed', attempts: [] },
    ...{ ids: { uid: world.uid, agentId: world.agentId }, subject: { agentId: world.agentId } },
    ...{ sequence: 1, failures: 1 },
  };
  await webhookDeliveries.get().addAll([{ uid: world.uid, delivery }], Date.now() + 10_000);
  return deliveryId;
};

let sources: ReturnType<typeof makeSources> | undefined;
const makeSources = async ({ uid, newAgent }: World) => {
  const agentId = await newAgent();
  const [websiteId, documentId] = [await newWebsite(agentId), await newDocument(agentId)];
  return { agent: { uid, agentId }, website: { uid, agentId, websiteId }, document: { uid, agentId, documentId } };
};
/** An agent with one website and one document: what is read or copied must not grow from one measurement to the next. */
const sourcesIn = (world: World) => {
  sources ??= makeSources(world);
  return sources;
};

/**
 * The requests whose round trips and costs are measured. Lists that other samples add to have a limit: they
 * read the same amount, however many requests came before.
 */
export const samples: Record<string, Sample[]> = {
  addBlockedNumbers: [{ request: ({ uid, agentId }) => ({ body: { uid, agentId, numbers: freshNumbers(25) } }) }],
  removeBlockedNumbers: [{ request: ({ uid, agentId }) => ({ body: { uid, agentId, numbers: freshNumbers(25) } }) }],
  listBlockedNumbers: [{ request: ({ uid, agentId }) => ({ query: { uid, agentId } }) }],
  checkBlockedNumber: [{ request: ({ uid, agentId, phone }) => ({ query: { uid, agentId, number: phone } }) }],
  checkBlockedNumbers: [{ request: ({ uid, agentId }) => ({ body: { uid, agentId, numbers: freshNumbers(25) } }) }],
  checkCallStarts: [
    { request: ({ uid, agentId }) => ({ body: { uid, agentId, numbers: freshNumbers(25) } }), maxRoundTrips: 2 },
  ],
  addUserBlockedNumbers: [{ request: ({ uid }) => ({ body: { uid, numbers: freshNumbers(25) } }) }],
  removeUserBlockedNumbers: [{ request: ({ uid }) => ({ body: { uid, numbers: freshNumbers(25) } }) }],
  listUserBlockedNumbers: [{ request: ({ uid }) => ({ query: { uid } }) }],
  createBlockListImport: [{ request: ({ uid }) => ({ body: { uid, size: 1000 } }) }],
  getBlockListImport: [
    {
      request: async ({ uid }) => {
        const importId = newIdentifier('import');
        await blockListImports.get().add({ uid, importId, mode: 'add' });
        return { params: { importId }, query: { uid } };
      },
    },
  ],
  decideCallStart: [
    { request: ({ uid, agentId, phone }) => ({ body: { uid, agentId, from: phone } }), maxRoundTrips: 1 },
    {
      what: 'with variables',
      request: ({ uid, agentId, phone }) => ({ body: { uid, agentId, from: phone, include: ['variables'] } }),
    },
    {
      what: 'outbound, without a call id',
      request: ({ uid, agentId, phone }) => ({ body: { uid, agentId, to: phone, direction: 'outbound' } }),
      maxRoundTrips: 1,
    },
    {
      what: 'outbound, counted as an attempt',
      request: async ({ uid, agentId, phone }) => {
        const configuration = { calling: { attempts: [{ max: 100, hours: 1 }] } };
        await agents.get().change(uid, agentId, (agent) => ({ ...agent, configuration }));
        return { body: { uid, agentId, to: phone, direction: 'outbound', callId: newUlid() } };
      },
      maxRoundTrips: 2,
    },
  ],
  receiveHook: [
    {
      request: ({ uid, agentId, phone }) => ({
        params: { platform: 'retell' },
        query: { uid, agentId },
        body: { event: 'call_inbound', call_inbound: { from_number: phone } },
      }),
    },
  ],
  duplicateAgent: [
    { request: async (world) => ({ body: (await sourcesIn(world)).agent }) },
    {
      what: 'with an Idempotency-Key',
      request: async (world) => ({
        body: (await sourcesIn(world)).agent,
        headers: { 'idempotency-key': crypto.randomUUID() },
      }),
    },
  ],
  listAgents: [
    { request: ({ uid }) => ({ query: { uid, limit: '10' } }) },
    {
      what: 'and one of somebody else',
      request: ({ otherUid, otherApiKey }) => ({ apiKey: otherApiKey, query: { uid: otherUid } }),
      // The records of others’ agents are in their owners’ collections.
      maxRoundTrips: 3,
    },
  ],
  createAgent: [{ request: ({ uid }) => ({ body: { uid, name: 'Agent' } }) }],
  getAgent: [{ request: ({ agentId }) => ({ params: { agentId } }) }],
  updateAgent: [{ request: ({ agentId }) => ({ params: { agentId }, body: { name: 'Renamed' } }) }],
  recordCall: [
    {
      request: ({ agentId }) => ({ params: { agentId, callIdOrPhone: `call-${crypto.randomUUID()}` }, body: call }),
    },
  ],
  deleteAgent: [{ request: async ({ newAgent }) => ({ params: { agentId: await newAgent() } }) }],
  deleteCall: [
    {
      request: async ({ agentId, directly }) => {
        const callId = newUlid();
        await directly.calls.record(agentId, callId, { ...call, direction: 'inbound' });
        return { params: { agentId, callIdOrPhone: callId } };
      },
    },
  ],
  getCall: [
    {
      what: 'by id',
      request: ({ agentId, callId }) => ({ params: { agentId, callIdOrPhone: callId } }),
      // The record is read together with the key.
      maxRoundTrips: 1,
    },
    {
      what: 'by phone',
      request: ({ agentId, phone }) => ({ params: { agentId, callIdOrPhone: phone } }),
      maxRoundTrips: byEntry,
    },
  ],
  listCalls: [
    { request: ({ agentId }) => ({ params: { agentId }, query: { limit: '10' } }), maxRoundTrips: byEntry },
    {
      what: 'with one phone',
      request: ({ agentId, phone }) => ({ params: { agentId }, query: { phone } }),
      maxRoundTrips: byEntry,
    },
  ],
  recordCalls: [
    {
      what: 'two items',
      request: ({ agentId }) => ({
        body: {
          items: ['one', 'two'].map((callId) => ({
            agentId,
            callId: `${callId}-${++sent}`,
            phone: '+14155550100',
            direction: 'inbound',
            startedAt: '2026-03-01T10:00:00Z',
          })),
        },
      }),
    },
  ],
  updateCallOutcome: [
    {
      what: 'by id',
      request: ({ agentId, callId }) => ({ params: { agentId, callIdOrPhone: callId }, body: newOutcome() }),
    },
    {
      what: 'by phone',
      request: ({ agentId, phone }) => ({ params: { agentId, callIdOrPhone: phone }, body: newOutcome() }),
    },
  ],
  updateCallOutcomes: [
    {
      what: 'two items',
      request: ({ agentId, callId }) => ({
        body: {
          items: [
            { agentId, callIdOrPhone: callId, ...newOutcome() },
            { agentId, callIdOrPhone: 'demo-call-1', ...newOutcome() },
          ],
        },
      }),
    },
  ],
  searchKnowledge: [
    {
      request: async ({ uid, agentId }) => {
        await newDocument(agentId);
        return { body: { uid, agentId, query: 'page of text' } };
      },
    },
  ],
  listWebsites: [
    {
      request: async (world) => ({ query: (await sourcesIn(world)).agent }),
      maxRoundTrips: withTexts,
    },
    {
      what: 'without content',
      request: async (world) => ({ query: { ...(await sourcesIn(world)).agent, content: 'false' } }),
    },
  ],
  addWebsite: [{ request: ({ uid, agentId }) => ({ body: { uid, agentId, url: 'https://example.com/' } }) }],
  getWebsiteContent: [
    {
      request: async (world) => ({ query: (await sourcesIn(world)).website }),
      maxRoundTrips: withTexts,
    },
  ],
  updateWebsite: [
    {
      request: async ({ uid, agentId }) => ({
        body: { uid, agentId, websiteId: await newWebsite(agentId), active: false },
      }),
    },
  ],
  refreshWebsite: [
    { request: async ({ uid, agentId }) => ({ body: { uid, agentId, websiteId: await newWebsite(agentId) } }) },
  ],
  deleteWebsite: [
    { request: async ({ uid, agentId }) => ({ query: { uid, agentId, websiteId: await newWebsite(agentId) } }) },
  ],
  listDocuments: [
    {
      request: async (world) => ({ query: (await sourcesIn(world)).agent }),
      maxRoundTrips: withTexts,
    },
    {
      what: 'without content',
      request: async (world) => ({ query: { ...(await sourcesIn(world)).agent, content: 'false' } }),
    },
  ],
  addDocumentText: [
    { request: ({ uid, agentId }) => ({ body: { uid, agentId, name: 'notes.txt', content: 'Notes' } }) },
  ],
  uploadDocuments: [{ what: 'one file', request: uploadOf }],
  createDocumentUploads: [
    {
      what: 'one file',
      request: ({ uid, agentId }) => ({ body: { uid, agentId, files: [{ name: 'notes.txt', size: 5 }] } }),
    },
  ],
  getDocumentContent: [
    {
      request: async (world) => ({ query: (await sourcesIn(world)).document }),
      maxRoundTrips: withTexts,
    },
  ],
  updateDocument: [
    {
      request: async ({ uid, agentId }) => ({
        body: { uid, agentId, documentId: await newDocument(agentId), active: false },
      }),
    },
  ],
  retryDocument: [
    {
      request: async ({ uid, agentId }) => ({
        body: { uid, agentId, documentId: await newDocument(agentId, 'failed') },
      }),
    },
  ],
  deleteDocument: [
    { request: async ({ uid, agentId }) => ({ query: { uid, agentId, documentId: await newDocument(agentId) } }) },
  ],
  buildChat: [
    {
      what: 'one turn',
      request: () => ({
        apiKey: undefined,
        body: { id: 'chat', messages: [{ id: 'm1', role: 'user', parts: [{ type: 'text', text: 'Hello' }] }] },
      }),
    },
  ],
  getKey: [{ request: () => ({}) }],
  serveMcp: [
    // A tool call is a request to another function as well: see the benchmark mcp.
    { what: 'without a tool', request: () => ({ body: { jsonrpc: '2.0', id: 1, method: 'resources/list' } }) },
  ],
  getOpenapiDocument: [{ request: () => ({}) }],
  createErasure: [
    {
      what: 'a dry run',
      request: ({ uid, phone }) => ({ body: { uid, number: phone, dryRun: true } }),
      // The user's list, the agents, the access to them, their calls, their lists.
      maxRoundTrips: 6,
    },
  ],
  getErasure: [
    {
      request: async ({ uid }) => {
        const erasureId = newIdentifier('erasure');
        const person = { number: '+14155550188', numberHash: 'hash', blockList: 'keep' } as const;
        await erasures.get().add({ uid, erasureId, ...person });
        return { params: { erasureId }, query: { uid } };
      },
    },
  ],
  createWebhookEndpoint: [
    {
      request: async ({ uid }) => {
        await removeWebhookEndpoints(uid);
        return { body: { uid, url: webhookUrl } };
      },
    },
  ],
  listWebhookEndpoints: [{ request: ({ uid }) => ({ query: { uid } }) }],
  getWebhookEndpoint: [
    {
      request: async (world) => ({
        params: { endpointId: await newWebhookEndpoint(world) },
        query: { uid: world.uid },
      }),
    },
  ],
  updateWebhookEndpoint: [
    {
      request: async (world) => ({
        params: { endpointId: await newWebhookEndpoint(world) },
        body: { uid: world.uid, description: 'The CRM' },
      }),
    },
  ],
  deleteWebhookEndpoint: [
    {
      request: async (world) => ({
        params: { endpointId: await newWebhookEndpoint(world) },
        query: { uid: world.uid },
      }),
    },
  ],
  rotateWebhookSecret: [
    {
      request: async (world) => ({ params: { endpointId: await newWebhookEndpoint(world) }, body: { uid: world.uid } }),
    },
  ],
  testWebhookEndpoint: [
    {
      request: async (world) => ({ params: { endpointId: await newWebhookEndpoint(world) }, body: { uid: world.uid } }),
    },
  ],
  listWebhookDeliveries: [{ request: ({ uid }) => ({ query: { uid, limit: '10' } }) }],
  redeliverWebhook: [
    { request: async (world) => ({ body: { uid: world.uid, deliveryId: await newWebhookDelivery(world) } }) },
  ],
  getInvoices: [
    {
      request: ({ customerId }) => ({
        headers: { origin: 'https://app.example.com' },
        body: { customerId },
      }),
    },
  ],
};
