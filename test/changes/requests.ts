import { makeStores, type Stores } from '../../bin/operator/stores.ts';
import { runImport } from '../../functions/block-list-import/run-import.ts';
import { currentRequestId, withCause } from '../../functions/cause.ts';
import { Files } from '../../functions/clients/files.ts';
import { importFileKey } from '../../functions/domain/block-list-imports.ts';
import type { Change } from '../../functions/domain/changes.ts';
import { newIdentifier, newUlid } from '../../functions/domain/identifiers.ts';
import {
  hasEnded,
  hasFailed,
  newAttempt,
  retryAttempt,
  waitingForFile,
  websiteStates,
} from '../../functions/domain/source-state.ts';
import { toStoredTranscript } from '../../functions/domain/transcripts.ts';
import { environment } from '../../functions/environment.ts';
import { Erasures } from '../../functions/erasure/erasures.ts';
import type { StoredPersonExport } from '../../functions/person-exports/person-exports.ts';
import { AgentDeletions } from '../../functions/store/agents/agent-deletions.ts';
import { BlockListRulesStore } from '../../functions/store/block-list/block-list-rules.ts';
import { Credentials } from '../../functions/store/credentials.ts';
import { Exports } from '../../functions/store/exports.ts';
import type { BlockListOwner } from '../../functions/store/keys.ts';
import { type DocumentRecord, documentKind } from '../../functions/store/sources/documents.ts';
import { Sources } from '../../functions/store/sources/sources.ts';
import { type WebsiteRecord, websiteKind } from '../../functions/store/sources/website-reads.ts';
import type { Table } from '../../functions/store/table.ts';
import { WriteQuota } from '../../functions/store/write-quota.ts';
import { chance, injectFaultsInto } from '../support/faults.ts';
import { newAgentRecord, newEndpointRecord } from '../support/records.ts';
import { emulatorHeaders, target, unique } from '../support/world.ts';

/** The chance that a writer's response is lost. */
const lostChance = 0.1;
/** The chance that the job of an import dies at a request, and the maximum number of its deliveries. */
const [killChance, maxDeliveries] = [0.03, 100];

/** What must not be in the log. */
export const text = 'Nobody reads this sentence in the log';
export const numbers = Array.from({ length: 100 }, (_, index) => `+1415555${1000 + index}`);
const createdAt = '2026-03-01T10:00:00.000Z';

/** An entry without what the maker and the request say in each. */
export type Made = Pick<Change, 'action'> & Partial<Pick<Change, 'id' | 'agentId' | 'counts'>>;

/** Creates a bucket without notifications: imports run in this process. */
export const createBucket = async (): Promise<Files> => {
  const bucket = unique('imports');
  await fetch(`${target.endpoints.s3}/${bucket}`, { method: 'PUT', headers: emulatorHeaders });
  return new Files({ ...environment.s3, bucket });
};

/** A user with an agent, and a guest. */
export class World {
  readonly uid = unique('user');
  readonly guest = unique('guest');
  agentId = unique('agent');
  isShared = false;
  isSplit = false;
  /** The blocked numbers of each list. */
  readonly #blocked = new Map<string, Set<string>>();
  readonly files: Files;
  readonly #open: () => Table;
  readonly #next: () => number;
  readonly stores: Stores;
  readonly websites: Sources<WebsiteRecord>;
  readonly documents: Sources<DocumentRecord>;
  readonly erasures: Erasures;

  constructor(open: () => Table, files: Files, seed: number) {
    this.files = files;
    this.#open = open;
    this.#next = chance(seed);
    const table = this.openTable();
    this.stores = makeStores(table);
    this.websites = new Sources<WebsiteRecord>(table, websiteKind);
    this.documents = new Sources<DocumentRecord>(table, documentKind);
    this.erasures = new Erasures(table);
  }

  /** Opens a table for a process, which dies at a request with this chance. Responses are lost. */
  openTable(killChance = 0): Table {
    const table = this.#open();
    let isDead = false;
    // Not two in a row: after three attempts, a request fails.
    let isLost = false;
    injectFaultsInto(table.client, () => {
      isDead ||= this.#next() < killChance;
      isLost = !isLost && this.#next() < lostChance;
      if (isDead) return 'kill';
      return isLost ? 'lost response' : undefined;
    });
    return table;
  }

  /** Changes which numbers of a list are blocked, and returns how many that were not blocked before, or no longer are. */
  block(list: BlockListOwner, phones: string[]): number {
    const blocked = this.#blockedOn(list);
    const former = blocked.size;
    for (const phone of phones) blocked.add(phone);
    return blocked.size - former;
  }

  unblock(list: BlockListOwner, isOther: (phone: string) => boolean): number {
    const blocked = this.#blockedOn(list);
    return [...blocked].filter(isOther).filter((phone) => blocked.delete(phone)).length;
  }

  #blockedOn(list: BlockListOwner): Set<string> {
    const name = JSON.stringify(list);
    const found = this.#blocked.get(name) ?? new Set();
    this.#blocked.set(name, found);
    return found;
  }

  async createAgent(): Promise<Made> {
    const { uid, agentId } = this;
    await this.stores.agentChanges.create({ ...newAgentRecord(uid, { agentId, createdAt }), name: text });
    return { action: 'agent.created', id: agentId, agentId };
  }
}

export type Step = { onAgent: boolean; phones: string[]; isRepeated: boolean };

const changeList = async (world: World, isBlock: boolean, { onAgent, phones, isRepeated }: Step): Promise<Made[]> => {
  const { uid, agentId, stores } = world;
  const list: BlockListOwner = onAgent ? { agentId } : { uid };
  const request = `${unique('request')}/${phones.length}`;
  // A caller whose response was lost asks again.
  for (const _ of isRepeated ? [1, 2] : [1]) {
    if (isBlock) await stores.blockList.add(list, phones, { reason: text }, request);
    else await stores.blockList.remove(list, phones, request);
  }
  const added = isBlock ? world.block(list, phones) : 0;
  const removed = isBlock ? 0 : world.unblock(list, (phone) => phones.includes(phone));
  if (added + removed === 0) return [];
  return [{ action: 'block_list.updated', agentId: onAgent ? agentId : undefined, counts: { added, removed } }];
};

const asJob = <T>(work: () => Promise<T>): Promise<T> =>
  withCause({ maker: { via: 'job' }, requestId: currentRequestId() }, work);

/** Runs the job of an import, whose message is delivered again as often as it dies. */
const deliverImport = async (world: World, reference: { uid: string; importId: string }): Promise<void> => {
  let cause: unknown;
  for (let delivery = 1; delivery < maxDeliveries; delivery++) {
    const table = world.openTable(killChance);
    const { blockList, blockListImports: imports } = makeStores(table);
    const services = {
      ...{ blockList, imports, files: world.files, credentials: new Credentials(table) },
      writeQuota: new WriteQuota(table, 1_000_000),
      jobQueue: { send: () => Promise.reject(new Error('The import waits for another one.')) },
    };
    try {
      return await asJob(() => runImport(reference, services, Number.POSITIVE_INFINITY, { rowsPerStep: 3 }));
    } catch (error) {
      cause = error;
    }
  }
  throw new Error('The import did not end.', { cause });
};

/** What a request may do. Each returns the entries that it makes. */
export const requests: Record<string, (world: World, step: Step) => Promise<Made[]>> = {
  block: (world, step) => changeList(world, true, step),
  unblock: (world, step) => changeList(world, false, step),
  async recordConsents({ uid, stores }, { onAgent, phones, isRepeated }) {
    const [state, at] = [onAgent ? ('given' as const) : ('revoked' as const), new Date().toISOString()];
    const proof = { channel: 'web' as const, text };
    const consents = phones.map((number) => ({ number, purpose: unique('purpose'), state, at, proof }));
    const options = { recordedBy: `${unique('request')}/${phones.length}`, until: Date.now() + 30_000 };
    for (const _ of isRepeated ? [1, 2] : [1]) await stores.consents.record(uid, consents, options);
    const [given, revoked] = onAgent ? [phones.length, 0] : [0, phones.length];
    return [{ action: 'consent.recorded', counts: { given, revoked } }];
  },
  async setRules({ uid, agentId, stores }, { onAgent, phones, isRepeated }) {
    const list: BlockListOwner = onAgent ? { agentId } : { uid };
    const rules = { prefixes: [{ prefix: unique('prefix'), reason: text }], allow: phones };
    const store = new BlockListRulesStore(stores.table);
    for (const _ of isRepeated ? [1, 2] : [1]) await store.set(list, rules);
    return [{ action: 'block_list.rules_updated', agentId: onAgent ? agentId : undefined }];
  },
  async replaceAgent(world) {
    const { uid, agentId, stores } = world;
    await new AgentDeletions(stores.table).remove(uid, agentId);
    Object.assign(world, { agentId: unique('agent'), isShared: false, isSplit: false });
    return [{ action: 'agent.deleted', id: agentId, agentId }, await world.createAgent()];
  },
  async renameAgent({ uid, agentId, stores }) {
    await stores.agentChanges.change(uid, agentId, (agent) => ({ ...agent, name: `${text} ${unique('name')}` }));
    return [{ action: 'agent.updated', id: agentId, agentId }];
  },
  async splitTraffic(world) {
    const { uid, agentId, stores, isSplit } = world;
    await stores.agentChanges.setTraffic(uid, agentId, isSplit ? [] : [{ version: 1, percent: 100 }]);
    world.isSplit = !isSplit;
    return [{ action: 'agent.traffic_updated', id: agentId, agentId }];
  },
  async shareAgent(world) {
    const { uid, guest, agentId, stores, isShared } = world;
    await stores.agentSharing[isShared ? 'revoke' : 'share'](agentId, uid, guest);
    world.isShared = !isShared;
    return [{ action: isShared ? 'access.ended' : 'access.granted', id: guest, agentId }];
  },
  async recordAndDeleteTranscript({ agentId, stores }, { phones: [phone = ''] }) {
    const id = unique('call');
    const facts = { phone, direction: 'inbound' as const, startedAt: createdAt, endedAt: new Date().toISOString() };
    const transcript = toStoredTranscript([{ role: 'caller', text }], 'api', { keepDays: 30, redact: [] });
    await stores.calls.record(agentId, id, facts, { transcript });
    await stores.calls.removeTranscript(agentId, id, { isLogged: true });
    return [{ action: 'call.transcript_deleted', id, agentId }];
  },
  async recordAndDeleteCall({ agentId, stores }, { phones: [phone = ''], isRepeated }) {
    const id = unique('call');
    await stores.calls.record(agentId, id, { phone, direction: 'inbound', startedAt: createdAt });
    if (isRepeated) return [];
    await stores.calls.remove(agentId, id);
    return [{ action: 'call.deleted', id, agentId }];
  },
  async addAndDeleteWebsite({ uid, agentId, websites }) {
    const [id, attempt] = [newIdentifier('web'), newUlid()];
    const website = { agentId, id };
    await websites.add({
      ...{ ...website, name: text, url: 'https://example.com/', active: true, pages: 0, failedPages: [] },
      ...newAttempt(websiteStates, attempt),
      ...{ limit: 5, maxDepth: 1, includePaths: [], excludePaths: [], lastUpdatedBy: uid, lastUpdatedAt: createdAt },
    });
    await asJob(() => websites.fail(website, attempt, text));
    await websites.restart(website, { attempt: newUlid(), uid }, hasEnded);
    await websites.edit(website, { name: `${text}.` }, uid);
    await websites.remove(website);
    const steps = ['created', 'refreshed', 'updated', 'deleted'] as const;
    return steps.map((step) => ({ action: `website.${step}`, id, agentId }));
  },
  async addAndDeleteDocument({ uid, agentId, documents }, { isRepeated: isOverdue }) {
    const [id, attempt] = [newIdentifier('doc'), unique('etag')];
    const document = { agentId, id };
    await documents.add({
      ...{ ...document, name: text, size: 1, active: true, ...waitingForFile() },
      ...{ lastUpdatedBy: uid, lastUpdatedAt: createdAt },
    });
    await documents.receive(document, attempt);
    await asJob(async () => {
      await documents.start(document, attempt, isOverdue ? Date.now() : undefined);
      if (!isOverdue) await documents.fail(document, attempt, text);
    });
    await documents.restart(document, { attempt: retryAttempt(attempt, newUlid()), uid }, hasFailed);
    await documents.edit(document, { active: false }, uid);
    await documents.remove(document);
    const steps = ['created', 'retried', 'updated', 'deleted'] as const;
    return steps.map((step) => ({ action: `document.${step}`, id, agentId }));
  },
  async importFile(world, { onAgent, phones, isRepeated: replaces }) {
    const { uid, stores, files } = world;
    const agentId = onAgent ? world.agentId : undefined;
    const list: BlockListOwner = agentId === undefined ? { uid } : { agentId };
    const { keyId } = await stores.apiKeys.create(uid, { name: text });
    const reference = { uid, importId: newIdentifier('import') };
    const mode = replaces ? 'replace' : 'add';
    await stores.blockListImports.add({ ...reference, agentId, keyId, mode, reason: text });
    await files.put(importFileKey(reference), Buffer.from(phones.join('\n')));
    await deliverImport(world, reference);
    const counts = {
      added: world.block(list, phones),
      removed: replaces ? world.unblock(list, (phone) => !phones.includes(phone)) : 0,
    };
    const imported: Made = { action: 'import.finished', id: reference.importId, agentId, counts };
    const created: Made = { action: 'key.created', id: keyId };
    return counts.added + counts.removed === 0 ? [created] : [created, imported];
  },
  async addAndDeleteEndpoint({ uid, stores: { webhookEndpoints } }) {
    const endpoint = newEndpointRecord('https://crm.example.com/', { createdAt });
    const id = endpoint.endpointId;
    const added = await webhookEndpoints.add(uid, endpoint);
    await webhookEndpoints.change(uid, id, (found) => ({ ...found, description: text }));
    await webhookEndpoints.note(uid, added, { kind: 'gone' });
    await webhookEndpoints.remove(uid, id);
    const steps = ['created', 'updated', 'disabled', 'deleted'] as const;
    return steps.map((step) => ({ action: `webhook_endpoint.${step}`, id }));
  },
  async setAndDeleteHookSecret({ uid, stores: { hookSecrets } }) {
    await hookSecrets.set(uid, 'vapi', { sealed: unique('sealed'), createdAt, keyId: 'key_test' }, async () => false);
    await hookSecrets.remove(uid, 'vapi');
    return (['set', 'deleted'] as const).map((done) => ({ action: `hook_secret.${done}`, id: 'vapi' }));
  },
  async setAndDeletePlatformKey({ uid, stores: { platformKeys } }) {
    const key = { platform: 'vapi' as const, createdAt, keyId: 'key_test' };
    await platformKeys.set(uid, { ...key, sealed: unique('sealed') });
    await platformKeys.noteUse(uid, { ...key, sealed: 'another' });
    await platformKeys.remove(uid, 'vapi');
    return (['set', 'deleted'] as const).map((done) => ({ action: `platform_key.${done}`, id: 'vapi' }));
  },
  async createAndRevokeKey({ uid, stores: { apiKeys } }) {
    const { keyId: id } = await apiKeys.create(uid, { name: text });
    await apiKeys.change(uid, id, { name: `${text}.` });
    await apiKeys.revoke(uid, id);
    return (['created', 'updated', 'revoked'] as const).map((done) => ({ action: `key.${done}`, id }));
  },
  async suspendUser({ uid, stores: { users } }) {
    await users.change(uid, { name: `${text} ${unique('name')}`, suspended: true });
    await users.change(uid, { suspended: false });
    return (['updated', 'suspended', 'resumed'] as const).map((done) => ({ action: `user.${done}`, id: uid }));
  },
  async createAndDeleteClient({ uid, stores: { users } }) {
    const id = unique('client');
    await users.createClient(uid, { uid: id, name: text });
    await users.beginDeletion(uid, id);
    // The log of the client ends with the client.
    return [{ action: 'user.deleted', id }];
  },
  async exportPerson({ uid, stores }, { phones: [number = ''] }) {
    const noFiles = { async delete() {} };
    const exports = new Exports<StoredPersonExport>(stores.table, 'PERSON');
    for await (const found of exports.list(uid)) await exports.remove(found, noFiles);
    const exportId = newIdentifier('export');
    await exports.add({ uid, exportId, number, numberHash: '' });
    return [{ action: 'person_export.created', id: exportId }];
  },
  async requestErasure({ uid, erasures }, { phones: [number = ''] }) {
    const erasureId = newIdentifier('erasure');
    await erasures.add({ uid, erasureId, number, numberHash: '', blockList: 'remove' });
    return [{ action: 'erasure.requested', id: erasureId }];
  },
};
