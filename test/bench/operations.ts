import { setTimeout as sleep } from 'node:timers/promises';
import { sealedSecrets } from '../../functions/clients/sealed-secrets.ts';
import { consents } from '../../functions/consents/consents.ts';
import { now } from '../../functions/domain/date-time.ts';
import { newUlid } from '../../functions/domain/identifiers.ts';
import { limits } from '../../functions/domain/limits.ts';
import type { PlatformName } from '../../functions/domain/voice-platforms.ts';
import { type HookSecretItem, hookSecretOwner, hookSecrets } from '../../functions/hooks/secrets/hook-secrets.ts';
import type { AnyEndpoint } from '../../functions/http/endpoint.ts';
import { agentChanges } from '../../functions/store/agents/agent-changes.ts';
import { blockListRules } from '../../functions/store/block-list/block-list-rules.ts';
import { hookSecretKey } from '../../functions/store/keys.ts';
import { table } from '../../functions/store/table.ts';
import { newHookSecret, signers } from '../support/hook-signers.ts';
import { makeSample } from '../support/samples.ts';
import { newDocument, newWebsite } from './knowledge.ts';
import { makeLimitedKey } from './limited-key.ts';
import {
  registration,
  requestForEnd,
  requestForPage,
  requestForPermission,
  requestForRefresh,
  requestForTokens,
} from './sign-in.ts';
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

const call = { phone: '+14155550188', direction: 'inbound' as const, startedAt: '2026-03-01T10:00:00Z' };
let sent = 0;
/** An outcome that differs each time: the same values again are not written. */
const newOutcome = () => ({ custom_call_outcome: 'booked', custom_call_outcome_value: ++sent });

/** A text is read after the record that points to it: a third round trip. */
const withTexts = 3;
/** A call is read after the entry that points to it. */
const byEntry = 3;

const makeUpload = ({ uid, agentId }: World): Request => {
  const fields = Object.entries({ uid, agentId }).map(
    ([name, value]) => `--x\r\ncontent-disposition: form-data; name="${name}"\r\n\r\n${value}\r\n`,
  );
  const file = '--x\r\ncontent-disposition: form-data; name="files"; filename="notes.txt"\r\n\r\nNotes\r\n--x--\r\n';
  return { headers: { 'content-type': 'multipart/form-data; boundary=x' }, body: fields.join('') + file };
};

let sources: ReturnType<typeof makeSources> | undefined;
const makeSources = async ({ uid, newAgent }: World) => {
  const agentId = await newAgent();
  const [websiteId, documentId] = [await newWebsite(agentId), await newDocument(agentId)];
  return { agent: { uid, agentId }, website: { uid, agentId, websiteId }, document: { uid, agentId, documentId } };
};
/** An agent with one website and one document: what is read or copied must not grow from one measurement to the next. */
const listSources = (world: World) => {
  sources ??= makeSources(world);
  return sources;
};

const listOfSources: [Sample, Sample] = [
  {
    request: async (world) => ({ query: (await listSources(world)).agent }),
    maxRoundTrips: withTexts,
  },
  {
    what: 'without content',
    request: async (world) => ({ query: { ...(await listSources(world)).agent, content: 'false' } }),
  },
];

/** Returns a function that creates an agent once, for all samples. */
const once = (prepare: (agentId: string, world: World) => Promise<unknown>) => {
  let made: Promise<string> | undefined;
  const make = async (world: World) => {
    const agentId = await world.newAgent();
    await prepare(agentId, world);
    return agentId;
  };
  return (world: World) => (made ??= make(world));
};

const configure = (uid: string, agentId: string, configuration: Record<string, unknown>) =>
  agentChanges.get().change(uid, agentId, (agent) => ({ ...agent, configuration }));

const agentWithRules = once((agentId, { phone }) =>
  blockListRules.get().set({ agentId }, { prefixes: [{ prefix: '+8838' }], allow: [phone] }),
);

/** More calls are before than are counted, with summaries of some length. */
const agentWithHistory = once(async (agentId, { uid, phone, directly }) => {
  await configure(uid, agentId, { callerHistory: { summaries: true } });
  for (let n = 0; n < limits.historyCounted + 5; n++) {
    const startedAt = new Date(Date.now() - (n + 1) * 60 * 60 * 1000).toISOString();
    const details = { summary: `Asked for an appointment. ${'The caller prefers mornings. '.repeat(8)}` };
    const facts = { phone, direction: 'inbound' as const, startedAt, details };
    await directly.calls.record(agentId, newUlid(), facts, { hasHistory: true });
  }
});

const toConsent = (number: string) => ({
  ...{ number, purpose: 'marketing', state: 'given' as const, at: '2026-03-01T10:00:00.000Z' },
});
/** Consents of people, which are new if their numbers are. */
export const freshConsents = (numbers: string[]) => numbers.map(toConsent);
const agentWithConsent = once(async (agentId, { uid, phone: number }) => {
  await configure(uid, agentId, { calling: { consent: { purpose: 'marketing' } } });
  await consents.get().record(uid, [toConsent(number)], { recordedBy: 'bench/1', until: Number.POSITIVE_INFINITY });
});

const agentWithTranscripts = once((agentId, { uid }) =>
  configure(uid, agentId, { transcripts: { keepDays: limits.transcriptDays } }),
);

const endedCall = (phone: string) => {
  const start_timestamp = Date.now() - 120_000;
  const times = { start_timestamp, end_timestamp: start_timestamp + 60_000 };
  return { call_id: newUlid(), call_type: 'phone_call', direction: 'inbound', from_number: phone, ...times };
};

const keyPairs = new Map<string, ReturnType<typeof newHookSecret>>();

/** Stores a secret of a voice platform, and returns that with which it signs. It was used within the hour, so that no use is noted. */
export const storeHookSecret = async (uid: string, platform: PlatformName): Promise<string> => {
  const made = keyPairs.get(platform) ?? newHookSecret(platform);
  keyPairs.set(platform, made);
  const { secret = '', publicKey = secret } = made.fields;
  const sealed = await sealedSecrets.get().seal(hookSecretOwner(uid, platform), publicKey);
  const stored = { sealed, createdAt: now(), keyId: 'key_1' };
  // Another sample may have set a secret of its own.
  await hookSecrets.get().remove(uid, platform);
  await hookSecrets.get().set(uid, platform, stored, async () => false);
  const item = await table.get().get<HookSecretItem>(hookSecretKey(uid, platform));
  if (item) await hookSecrets.get().noteUse(item);
  return made.secret;
};

/** Keyed reads whose later requests name what an earlier one found. */
const dependentReads: Record<string, number> = {
  // The key, the agents of the user in two reads, their lists.
  checkUserBlockedNumber: 4,
  // The key, the owner, the names of the guests.
  listAgentAccess: 3,
  // The key, the agents in two reads, the entries of their calls, the calls.
  listAllCalls: 5,
  // The key, the currency of the agent, what is not counted yet, the days.
  getCallFigures: 4,
  // The key, the clients in two reads, their agents in two reads, their days.
  getUserFigures: 6,
  // The key, the ids of the keys, their records.
  listKeys: 3,
};

/** Returns the requests for an operation: those below, or the one that tests of all operations send. */
export const listSamples = (endpoint: AnyEndpoint): [Sample, ...Sample[]] =>
  samples[endpoint.name] ?? [
    {
      async request({ uid, agentId }) {
        const { params, query, body } = await makeSample(endpoint, { uid, agentId });
        return {
          params: { agentId, ...params },
          query: { uid, agentId, ...query },
          ...(endpoint.body && { body: { uid, agentId, ...body } }),
        };
      },
      maxRoundTrips: dependentReads[endpoint.name],
    },
  ];

let split: Promise<string> | undefined;
/** An agent whose callers get two versions. */
const splitAgent = ({ uid, newAgent, directly: { agentChanges } }: Pick<World, 'uid' | 'newAgent' | 'directly'>) => {
  split ??= (async () => {
    const agentId = await newAgent();
    await agentChanges.change(uid, agentId, (agent) => ({ ...agent, configuration: { variables: { offer: 'new' } } }));
    const shares = [
      { version: 1, percent: 90 },
      { version: 2, percent: 10 },
    ];
    await agentChanges.setTraffic(uid, agentId, shares);
    return agentId;
  })();
  return split;
};

/**
 * Operations with variants, with bounds of their own, or whose sample must be new each time. Lists that other samples
 * add to have a limit: they read the same amount, however many requests came before.
 */
const samples: Record<string, [Sample, ...Sample[]]> = {
  addBlockedNumbers: [{ request: ({ uid, agentId }) => ({ body: { uid, agentId, numbers: freshNumbers(25) } }) }],
  removeBlockedNumbers: [{ request: ({ uid, agentId }) => ({ body: { uid, agentId, numbers: freshNumbers(25) } }) }],
  checkBlockedNumbers: [{ request: ({ uid, agentId }) => ({ body: { uid, agentId, numbers: freshNumbers(25) } }) }],
  checkCallStarts: [
    { request: ({ uid, agentId }) => ({ body: { uid, agentId, numbers: freshNumbers(25) } }), maxRoundTrips: 2 },
  ],
  addUserBlockedNumbers: [{ request: ({ uid }) => ({ body: { uid, numbers: freshNumbers(25) } }) }],
  removeUserBlockedNumbers: [{ request: ({ uid }) => ({ body: { uid, numbers: freshNumbers(25) } }) }],
  decideCallStart: [
    { request: ({ uid, agentId, phone }) => ({ body: { uid, agentId, from: phone } }), maxRoundTrips: 1 },
    {
      what: 'with variables',
      request: ({ uid, agentId, phone }) => ({ body: { uid, agentId, from: phone, include: ['variables'] } }),
      maxRoundTrips: 1,
    },
    {
      what: 'with rules',
      request: async (world) => ({ body: { uid: world.uid, agentId: await agentWithRules(world), from: world.phone } }),
      maxRoundTrips: 1,
    },
    {
      what: 'with a history of the caller',
      request: async (world) => {
        const [from, include] = [world.phone, ['variables']];
        return { body: { uid: world.uid, agentId: await agentWithHistory(world), from, include } };
      },
      maxRoundTrips: 2,
    },
    {
      what: 'with a split of two versions, and variables',
      request: async ({ phone, ...world }) => {
        const [from, include] = [phone, ['variables']];
        return { body: { uid: world.uid, agentId: await splitAgent(world), from, include } };
      },
      maxRoundTrips: 1,
    },
    {
      what: 'outbound, without a call id',
      request: ({ uid, agentId, phone }) => ({ body: { uid, agentId, to: phone, direction: 'outbound' } }),
      maxRoundTrips: 1,
    },
    {
      what: 'outbound, with a consent',
      request: async (world) => {
        const [agentId, to] = [await agentWithConsent(world), world.phone];
        return { body: { uid: world.uid, agentId, to, direction: 'outbound' } };
      },
      maxRoundTrips: 1,
    },
    {
      what: 'outbound, counted as an attempt',
      request: async ({ uid, agentId, phone }) => {
        const configuration = { calling: { attempts: [{ max: 100, hours: 1 }] } };
        await agentChanges.get().change(uid, agentId, (agent) => ({ ...agent, configuration }));
        return { body: { uid, agentId, to: phone, direction: 'outbound', callId: newUlid() } };
      },
      maxRoundTrips: 2,
    },
  ],
  checkConsent: [
    {
      request: ({ uid, phone }) => ({ query: { uid, number: phone, purpose: 'marketing' } }),
      // The records are read together with the key.
      maxRoundTrips: 1,
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
    {
      what: 'a call that ended',
      request: ({ uid, agentId, phone }) => ({
        params: { platform: 'retell' },
        query: { uid, agentId },
        body: { event: 'call_ended', call: endedCall(phone) },
      }),
    },
    {
      what: 'a call that ended, with its transcript',
      request: async (world) => {
        const transcript_object = Array.from({ length: 20 }, (_, n) => ({
          role: n % 2 ? 'user' : 'agent',
          content: 'When do you open on Saturday?',
          words: [],
        }));
        return {
          params: { platform: 'retell' },
          query: { uid: world.uid, agentId: await agentWithTranscripts(world) },
          body: { event: 'call_ended', call: { ...endedCall(world.phone), transcript_object } },
        };
      },
    },
    {
      what: 'signed',
      request: async ({ otherUid, otherAgentId, phone }) => {
        const body = JSON.stringify({ event: 'call_inbound', call_inbound: { from_number: phone } });
        const secret = await storeHookSecret(otherUid, 'retell');
        return {
          apiKey: undefined,
          params: { platform: 'retell' },
          query: { uid: otherUid, agentId: otherAgentId },
          headers: signers.retell?.({ address: '', body }, secret) ?? {},
          body,
        };
      },
    },
  ],
  // The samples of other operations leave clients behind.
  // The ids of the clients, then their records.
  listUsers: [{ request: () => ({ query: { limit: '10' } }), maxRoundTrips: 3 }],
  duplicateAgent: [
    { request: async (world) => ({ body: (await listSources(world)).agent }) },
    {
      what: 'with an Idempotency-Key',
      request: async (world) => ({
        body: (await listSources(world)).agent,
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
  updateAgent: [
    { request: async ({ newAgent }) => ({ params: { agentId: await newAgent() }, body: { name: 'Renamed' } }) },
    {
      what: 'with If-Match',
      request: async ({ newAgent }) => ({
        params: { agentId: await newAgent() },
        headers: { 'if-match': '"1"' },
        body: { name: 'Renamed' },
      }),
    },
  ],
  getAgent: [
    { request: ({ uid, agentId }) => ({ params: { agentId }, query: { uid } }) },
    {
      what: 'of a limited key, once a second',
      async request(world) {
        // An instance writes the count of a key at most once a second.
        await sleep(1000);
        return { apiKey: await makeLimitedKey(world), params: { agentId: world.agentId }, query: { uid: world.uid } };
      },
    },
  ],
  getAgentVersion: [
    {
      request: ({ agentId, uid }) => ({ params: { agentId, version: '1' }, query: { uid, against: '1' } }),
      // The version is read together with the key.
      maxRoundTrips: 1,
    },
  ],
  restoreAgent: [
    {
      request: async ({ newAgent, uid, directly }) => {
        const agentId = await newAgent();
        await directly.agentChanges.change(uid, agentId, (agent) => ({ ...agent, name: 'Renamed' }));
        return { params: { agentId }, body: { uid, version: 1 } };
      },
    },
  ],
  recordCall: [
    {
      request: ({ agentId }) => ({ params: { agentId, callIdOrPhone: `call-${crypto.randomUUID()}` }, body: call }),
      maxRoundTrips: 2,
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
  // The samples of other operations add imports: a page does not grow with them.
  listBlockListImports: [{ request: ({ uid }) => ({ query: { uid, limit: '10' } }) }],
  listCalls: [
    {
      // Other samples delete calls of the shared agent, in whose place a page reads more.
      request: async ({ newAgent, directly }) => {
        const agentId = await newAgent();
        await directly.calls.record(agentId, 'call-1', { ...call, status: 'completed' });
        return { params: { agentId }, query: { limit: '10' } };
      },
      maxRoundTrips: byEntry,
    },
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
      maxRoundTrips: 2,
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
  listWebsites: listOfSources,
  getWebsiteContent: [
    {
      request: async (world) => ({ query: (await listSources(world)).website }),
      maxRoundTrips: withTexts,
    },
  ],
  listDocuments: listOfSources,
  uploadDocuments: [{ what: 'one file', request: makeUpload }],
  getDocumentContent: [
    {
      request: async (world) => ({ query: (await listSources(world)).document }),
      maxRoundTrips: withTexts,
    },
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
  registerClient: [{ request: () => registration }],
  revokeToken: [{ request: requestForEnd, maxRoundTrips: 3 }],
  showAuthorization: [{ request: requestForPage }],
  authorizeClient: [{ what: 'a key that counts', request: requestForPermission, maxRoundTrips: 1 }],
  issueToken: [
    { what: 'for a code', request: requestForTokens, maxRoundTrips: 3 },
    { what: 'for a refresh token', request: requestForRefresh, maxRoundTrips: 3 },
  ],
  serveMcp: [
    // A tool call is a request to another function as well.
    { what: 'without a tool', request: () => ({ body: { jsonrpc: '2.0', id: 1, method: 'resources/list' } }) },
  ],
  createErasure: [
    {
      what: 'a dry run',
      request: ({ uid, phone }) => ({ body: { uid, number: phone, dryRun: true } }),
      // The user's list beside the consents, the agents, the access to them, their calls beside their lists.
      maxRoundTrips: 6,
    },
  ],
  listWebhookDeliveries: [{ request: ({ uid }) => ({ query: { uid, limit: '10' } }) }],
  getInvoices: [
    {
      request: ({ customerId }) => ({
        headers: { origin: 'https://app.example.com' },
        body: { customerId },
      }),
    },
  ],
};
