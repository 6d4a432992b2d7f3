import { blockListImports } from '../../functions/block-list-import/block-list-imports.ts';
import { callExports } from '../../functions/call-exports/call-exports.ts';
import { now } from '../../functions/domain/date-time.ts';
import { newIdentifier, newUlid } from '../../functions/domain/identifiers.ts';
import { toStoredTranscript } from '../../functions/domain/transcripts.ts';
import { erasures } from '../../functions/erasure/erasures.ts';
import { hookSecrets } from '../../functions/hooks/secrets/hook-secrets.ts';
import type { AnyEndpoint } from '../../functions/http/endpoint.ts';
import { personExports } from '../../functions/person-exports/person-exports.ts';
import { platformKeys } from '../../functions/reconciliation/platform-keys.ts';
import { reconciliations } from '../../functions/reconciliation/reconciliations.ts';
import { agentChanges } from '../../functions/store/agents/agent-changes.ts';
import { agents } from '../../functions/store/agents/agents.ts';
import { apiKeys } from '../../functions/store/api-keys.ts';
import { calls } from '../../functions/store/calls/calls.ts';
import { accessKey, runningExportKey, runningReconciliationKey } from '../../functions/store/keys.ts';
import { documents } from '../../functions/store/sources/documents.ts';
import { websites } from '../../functions/store/sources/websites.ts';
import { table } from '../../functions/store/table.ts';
import { users } from '../../functions/store/users.ts';
import { webhookDeliveries } from '../../functions/webhooks/webhook-deliveries.ts';
import { webhookEndpoints } from '../../functions/webhooks/webhook-endpoints.ts';
import { newAgentRecord } from './records.ts';

/** A valid request for one operation, without the user and the agent. */
export type Sample = {
  params?: Record<string, string>;
  query?: Record<string, string>;
  body?: Record<string, unknown>;
  /** Files of a multipart form. The fields of the body are then those of the form. */
  files?: Record<string, Blob>;
};

/** A document of an agent, by its id. */
const document = async (agentId: string, status: 'pending' | 'failed') => {
  const id = newIdentifier('doc');
  const changed = { lastUpdatedBy: 'somebody', lastUpdatedAt: new Date().toISOString() };
  await documents.get().add({ id, agentId, name: 'notes.txt', size: 5, active: true, status, ...changed });
  return id;
};

/** A website of an agent, by its id. */
const website = async (agentId: string, status: 'pending' | 'ready' = 'ready') => {
  const id = newIdentifier('web');
  const crawl = {
    url: 'https://example.com/',
    limit: 5,
    maxDepth: 1,
    pages: 0,
    failedPages: [],
    includePaths: [],
    excludePaths: [],
  };
  const changed = { lastUpdatedBy: 'somebody', lastUpdatedAt: new Date().toISOString() };
  await websites.get().add({ id, agentId, name: 'example.com', ...crawl, active: true, status, ...changed });
  return id;
};

/** Another agent of the same owner, by its id. For an agent that does not exist, its own id. */
const agentBeside = async (existingId: string) => {
  const access = await agents.get().access(existingId);
  if (!access) return existingId;
  const agent = newAgentRecord(access.owner);
  await agentChanges.get().create(agent);
  return agent.agentId;
};

/** An erasure of a user, by its id. */
const erasure = async (uid: string) => {
  const erasureId = newIdentifier('erasure');
  await erasures.get().add({ uid, erasureId, number: '+14155550177', numberHash: 'hash', blockList: 'keep' });
  return erasureId;
};

/** Records of users that requests at the same time share, since one of its kind runs at a time. */
const shared = new Map<string, Promise<string>>();
const share = (name: string, make: () => Promise<string>): Promise<string> => {
  const made = shared.get(name) ?? make();
  shared.set(name, made);
  return made;
};

/** Forgets the export of a person that another request of the user has begun. */
const forgetRunningPersonExport = (uid: string) => table.get().delete(runningExportKey('PERSON', uid));

/** An export of a person that is over, by its id. */
const personExport = (uid: string) =>
  share(`person export of ${uid}`, async () => {
    const exportId = newIdentifier('export');
    await forgetRunningPersonExport(uid);
    await personExports.get().add({ uid, exportId, number: '+14155550177', numberHash: 'hash' });
    const added = await personExports.get().find(uid, exportId);
    if (added) await personExports.get().finish(added, { number: null });
    return exportId;
  });

/** An import of a user, by its id. */
const blockListImport = async (uid: string) => {
  const importId = newIdentifier('import');
  await blockListImports.get().add({ uid, importId, keyId: 'key_sample', mode: 'add' });
  return importId;
};

/** A call of an agent, by its id. */
const recordedCall = async (agentId: string) => {
  const callId = `call-${newUlid()}`;
  await calls.get().record(agentId, callId, { direction: 'inbound', startedAt: '2026-03-01T10:00:00.000Z' });
  return callId;
};

/** A call of an agent that keeps transcripts, with one. */
const callWithTranscript = async (agentId: string) => {
  const callId = `call-${newUlid()}`;
  const settings = { keepDays: 30 };
  await table.get().change(accessKey(agentId), { set: { transcripts: settings } });
  const transcript = toStoredTranscript([{ role: 'caller', text: 'Hello?' }], 'api', settings);
  const facts = { direction: 'inbound' as const, startedAt: new Date().toISOString() };
  await calls.get().record(agentId, callId, facts, { transcript });
  return callId;
};

/** A client of a user, by its id. */
const createClient = async (uid: string) => {
  const client = newIdentifier('user');
  await users.get().createClient(uid, { uid: client });
  return client;
};

/** A key of a client of a user, with that client. */
const clientKey = async (uid: string) => {
  const client = await createClient(uid);
  const { keyId } = await apiKeys.get().create(client, { name: 'sample' });
  return { uid: client, keyId };
};

/** The secret of a platform of a user, by the platform. */
const hookSecret = async (uid: string) => {
  const secret = { sealed: '', createdAt: new Date().toISOString(), keyId: 'key_1' };
  await hookSecrets.get().set(uid, 'vapi', secret, async () => false);
  return 'vapi';
};

/** The key of a platform of a user, by the platform. */
const platformKey = async (uid: string) => {
  await platformKeys.get().set(uid, { platform: 'vapi', sealed: '', createdAt: now(), keyId: 'key_1' });
  return 'vapi';
};

/** An agent that names a platform of its owner, which has a key. */
const agentAtPlatform = async (agentId: string, uid: string) => {
  await platformKey(uid);
  await agentChanges.get().change(uid, agentId, (agent) => ({
    ...agent,
    configuration: { ...agent.configuration, platform: { name: 'vapi', assistantIds: ['assistant-1'] } },
  }));
};

/** Forgets the reconciliation that another request of the agent has begun, which a deployment may not have ended. */
const forgetRunning = (agentId: string) => table.get().delete(runningReconciliationKey(agentId));

/** Forgets the export that another request of the user has begun. */
const forgetRunningExport = (uid: string) => table.get().delete(runningExportKey('CALL', uid));

/** An export of calls of a user that is over, by its id. */
const callExport = (uid: string) =>
  share(`call export of ${uid}`, async () => {
    const exportId = newIdentifier('export');
    await forgetRunningExport(uid);
    await callExports.get().add({ uid, exportId, from: '2026-03-01', to: '2026-03-02', format: 'parquet' });
    const added = await callExports.get().find(uid, exportId);
    if (added) await callExports.get().finish(added, { files: [] });
    return exportId;
  });

/** A reconciliation of an agent that is over, by its id. Requests at the same time share it, since one runs at a time. */
const reconciliation = (agentId: string, uid: string): Promise<string> => {
  const made = reconciled.get(agentId) ?? reconcile(agentId, uid);
  reconciled.set(agentId, made);
  return made;
};
const reconciled = new Map<string, Promise<string>>();

const reconcile = async (agentId: string, uid: string) => {
  const reconciliationId = newIdentifier('reconciliation');
  const time = { from: '2026-03-01T00:00:00.000Z', to: '2026-03-02T00:00:00.000Z' };
  const about = { platform: 'vapi' as const, assistantIds: ['assistant-1'], dryRun: false };
  await forgetRunning(agentId);
  const added = await reconciliations.get().add({ reconciliationId, agentId, uid, ...about, ...time });
  await reconciliations.get().finish(added, added.progress);
  return reconciliationId;
};

/** No two endpoints of a user have the same address. */
const newWebhookUrl = () => `https://crm.example.com/webhooks/${newUlid()}`;

/** A webhook endpoint of a user that is switched off, by its id. There is never more than one. */
const webhookEndpoint = async (uid: string) => {
  const store = webhookEndpoints.get();
  for (const { endpointId } of await store.list(uid)) await store.remove(uid, endpointId);
  const endpointId = newIdentifier('endpoint');
  const fields = {
    url: newWebhookUrl(),
    events: ['*'],
    active: false,
    createdAt: new Date().toISOString(),
    confirmedAt: new Date().toISOString(),
    secrets: [],
  };
  await store.add(uid, { endpointId, ...fields });
  return endpointId;
};

/** A delivery to it, by its id. */
const webhookDelivery = async (uid: string) => {
  const endpointId = await webhookEndpoint(uid);
  const deliveryId = newIdentifier('delivery');
  const at = new Date().toISOString();
  const event = {
    eventId: newIdentifier('event'),
    type: 'agent.created',
    timestamp: at,
    ids: { uid },
    subject: { uid },
  };
  const state = { createdAt: at, status: 'failed' as const, attempts: [], sequence: 0, failures: 0 };
  const delivery = { deliveryId, endpointId, ...event, ...state };
  await webhookDeliveries.get().addAll([{ uid, delivery }], Date.now() + 10_000);
  return deliveryId;
};

const onEndpoint = (more: Sample) => async (_: string, uid: string) => ({
  params: { endpointId: await webhookEndpoint(uid) },
  ...more,
});

/**
 * One valid request for every operation, for the tests that cover all operations. Records that a request names are created
 * first.
 */
export const samples: Record<string, Sample | ((agentId: string, uid: string) => Promise<Sample>)> = {
  addBlockedNumbers: { body: { numbers: ['+14155550100'] } },
  removeBlockedNumbers: { body: { numbers: ['+14155550100'] } },
  listBlockedNumbers: {},
  checkBlockedNumber: { query: { number: '+14155550100' } },
  checkBlockedNumbers: { body: { numbers: ['+14155550100'] } },
  addUserBlockedNumbers: { body: { numbers: ['+14155550100'] } },
  removeUserBlockedNumbers: { body: { numbers: ['+14155550100'] } },
  listUserBlockedNumbers: {},
  checkUserBlockedNumber: { query: { number: '+14155550100' } },
  recordConsents: { body: { consents: [{ number: '+14155550100', purpose: 'marketing', state: 'given' }] } },
  listConsents: { query: { number: '+14155550100' } },
  checkConsent: { query: { number: '+14155550100', purpose: 'marketing' } },
  getBlockListRules: {},
  setBlockListRules: { body: { prefixes: [{ prefix: '+882' }], allow: ['+14155550100'] } },
  getKey: {},
  serveMcp: { body: { jsonrpc: '2.0', id: 1, method: 'ping' } },
  createUser: { body: { uid: undefined } },
  listUsers: {},
  getUser: async (_, uid) => ({ params: { uid: await createClient(uid) } }),
  updateUser: async (_, uid) => ({ params: { uid: await createClient(uid) }, body: { name: 'Acme Inc.' } }),
  deleteUser: async (_, uid) => {
    const client = await createClient(uid);
    return { params: { uid: client }, query: { confirm: client } };
  },
  listChanges: {},
  getUserFigures: { query: { from: '2026-03-01', to: '2026-04-01' } },
  listAgentAccess: {},
  grantAgentAccess: async (_, uid) => ({ params: { guestUid: await createClient(uid) } }),
  endAgentAccess: async (_, uid) => ({ params: { guestUid: await createClient(uid) } }),
  createKey: async (_, uid) => ({ body: { uid: await createClient(uid), name: 'sample' } }),
  listKeys: async (_, uid) => ({ query: { uid: await createClient(uid) } }),
  updateKey: async (_, uid) => {
    const { uid: client, keyId } = await clientKey(uid);
    return { params: { keyId }, body: { uid: client, requestsPerMinute: 600 } };
  },
  rotateKey: async (_, uid) => {
    const { uid: client, keyId } = await clientKey(uid);
    return { params: { keyId }, body: { uid: client } };
  },
  revokeKey: async (_, uid) => {
    const { uid: client, keyId } = await clientKey(uid);
    return { params: { keyId }, query: { uid: client } };
  },
  createBlockListImport: { body: { size: 13 } },
  listBlockListImports: {},
  getBlockListImport: async (_, uid) => ({ params: { importId: await blockListImport(uid) } }),
  decideCallStart: { body: { from: '+14155550100' } },
  checkCallStarts: { body: { numbers: ['+14155550100'] } },
  receiveHook: { params: { platform: 'retell' }, body: { event: 'call_inbound', call_inbound: {} } },
  setHookSecret: { params: { platform: 'twilio' }, body: { secret: 'the-secret-of-a-sample' } },
  listHookSecrets: {},
  deleteHookSecret: async (_, uid) => ({ params: { platform: await hookSecret(uid) } }),
  createReconciliation: async (agentId, uid) => {
    await agentAtPlatform(agentId, uid);
    await forgetRunning(agentId);
    return { body: { from: '2026-03-01T00:00:00.000Z', to: '2026-03-02T00:00:00.000Z', dryRun: true } };
  },
  createCallExport: async (_, uid) => {
    await forgetRunningExport(uid);
    return { body: { from: '2026-03-01', to: '2026-03-02' } };
  },
  getCallExport: async (_, uid) => ({ params: { exportId: await callExport(uid) } }),
  listReconciliations: {},
  getReconciliation: async (agentId, uid) => ({ params: { reconciliationId: await reconciliation(agentId, uid) } }),
  setPlatformKey: { params: { platform: 'vapi' }, body: { apiKey: 'the-key-of-a-sample' } },
  listPlatformKeys: {},
  deletePlatformKey: async (_, uid) => ({ params: { platform: await platformKey(uid) } }),
  duplicateAgent: { body: {} },
  listAgents: {},
  createAgent: { body: { name: 'Agent' } },
  getAgent: {},
  updateAgent: { body: { name: 'Renamed' } },
  listAgentVersions: {},
  getAgentVersion: { params: { version: '1' } },
  restoreAgent: { body: { version: 1 } },
  setAgentTraffic: { body: { split: [] } },
  recordCall: {
    params: { callIdOrPhone: 'call-1' },
    body: { phone: '+14155550100', direction: 'inbound', startedAt: '2026-03-01T10:00:00Z' },
  },
  deleteAgent: async (agentId) => ({ params: { agentId: await agentBeside(agentId) } }),
  deleteCall: async (agentId) => ({ params: { callIdOrPhone: await recordedCall(agentId) } }),
  getCallTranscript: async (agentId) => ({ params: { callId: await callWithTranscript(agentId) } }),
  deleteCallTranscript: async (agentId) => ({ params: { callId: await callWithTranscript(agentId) } }),
  getCall: { params: { callIdOrPhone: 'call-1' } },
  listCalls: {},
  listAllCalls: {},
  getCallFigures: { query: { from: '2026-03-01', to: '2026-04-01', by: 'day,outcome' } },
  updateCallOutcome: { params: { callIdOrPhone: 'call-1' }, body: { custom_call_outcome: 'booked' } },
  searchKnowledge: { body: { query: 'opening hours' } },
  listDocuments: {},
  uploadDocuments: { files: { 'notes.txt': new Blob(['Notes']) } },
  addDocumentText: { body: { name: 'notes.txt', content: 'Notes' } },
  createDocumentUploads: { body: { files: [{ name: 'notes.txt', size: 5 }] } },
  getDocumentContent: async (agentId) => ({ query: { documentId: await document(agentId, 'pending') } }),
  updateDocument: async (agentId) => ({ body: { documentId: await document(agentId, 'pending'), active: false } }),
  retryDocument: async (agentId) => ({ body: { documentId: await document(agentId, 'failed') } }),
  deleteDocument: async (agentId) => ({ query: { documentId: await document(agentId, 'pending') } }),
  createPersonExport: async (_, uid) => {
    await forgetRunningPersonExport(uid);
    return { body: { number: '+14155550177' } };
  },
  getPersonExport: async (_, uid) => ({ params: { exportId: await personExport(uid) } }),
  createErasure: { body: { number: '+14155550177', dryRun: true } },
  getErasure: async (_, uid) => ({ params: { erasureId: await erasure(uid) } }),
  listWebsites: {},
  addWebsite: { body: { url: 'https://example.com/' } },
  getWebsiteContent: async (agentId) => ({ query: { websiteId: await website(agentId) } }),
  updateWebsite: async (agentId) => ({ body: { websiteId: await website(agentId), active: false } }),
  refreshWebsite: async (agentId) => ({ body: { websiteId: await website(agentId) } }),
  deleteWebsite: async (agentId) => ({ query: { websiteId: await website(agentId, 'pending') } }),
  createWebhookEndpoint: async (_, uid) => {
    await webhookEndpoint(uid);
    return { body: { url: newWebhookUrl() } };
  },
  listWebhookEndpoints: {},
  getWebhookEndpoint: onEndpoint({}),
  updateWebhookEndpoint: onEndpoint({ body: { description: 'Other' } }),
  deleteWebhookEndpoint: onEndpoint({}),
  rotateWebhookSecret: onEndpoint({ body: {} }),
  testWebhookEndpoint: onEndpoint({ body: {} }),
  listWebhookDeliveries: {},
  redeliverWebhook: async (_, uid) => ({ body: { deliveryId: await webhookDelivery(uid) } }),
  recordCalls: {
    body: {
      items: [
        {
          agentId: 'agent',
          callId: 'call-1',
          direction: 'inbound',
          startedAt: '2026-03-01T10:00:00Z',
          custom_call_outcome: 'booked',
        },
      ],
    },
  },
  updateCallOutcomes: { body: { items: [{ agentId: 'agent', callIdOrPhone: 'call-1' }] } },
};

export type Named = { uid: string; agentId: string };

/** Returns a valid request for an operation, of a user about an agent. */
export const makeSample = async ({ name }: AnyEndpoint, { uid, agentId }: Named): Promise<Sample> => {
  const sample = samples[name] ?? {};
  return typeof sample === 'function' ? sample(agentId, uid) : sample;
};
