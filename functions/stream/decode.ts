import { isDeepStrictEqual } from 'node:util';
import type { ImportRecord } from '../block-list-import/block-list-imports.ts';
import type { ApiKey } from '../domain/api-keys.ts';
import { findNewShares } from '../domain/budgets.ts';
import type { StoredMaker } from '../domain/change-maker.ts';
import { deleting } from '../domain/source-state.ts';
import type { SourceKindName } from '../domain/sources.ts';
import type { HookSecretItem } from '../hooks/secrets/hook-secrets.ts';
import type { SealedPlatformKey } from '../reconciliation/platform-keys.ts';
import { type AgentItem, changedAgentFields } from '../store/agents/agent-items.ts';
import type { RulesItem } from '../store/block-list/block-list-rules.ts';
import { type BlockedItem, decodeSize, readNumberChange } from '../store/block-list/blocked-number.ts';
import { hasRecord } from '../store/consents/consent-items.ts';
import type { AccessItem } from '../store/credentials.ts';
import { type BlockListOwner, changedItem, parseDeletedCall } from '../store/keys.ts';
import type { Item } from '../store/table.ts';
import type { TableChange } from '../store/table-changes.ts';
import type { UserItem } from '../store/users.ts';
import type { EndpointsItem } from '../webhooks/webhook-endpoints.ts';
import { decodeCall } from './decode-call.ts';
import type { DomainChange, SourceItem } from './domain-change.ts';

/** Returns what a change of the table means, which depends on it alone. The log, events and figures follow from it. */
export const decode = (change: TableChange): DomainChange[] => {
  const item = changedItem(change.key);
  switch (item?.kind) {
    case 'agent':
      return agentChanged(change as TableChange<AgentItem>);
    case 'access':
      return accessChanged(item.agentId, change as TableChange<AccessItem>);
    case 'call':
      return decodeCall(item.agentId, item.id, change);
    case 'deleted call':
      return callDeleted(item.agentId, change as TableChange<Item & { deletedBy?: StoredMaker }>);
    case 'website':
    case 'document':
      return sourceChanged({ type: item.kind, agentId: item.agentId, id: item.id }, change);
    case 'number':
      return numberChanged(item.list, change as TableChange<BlockedItem>);
    case 'consent':
      return consentChanged(item.uid, change);
    case 'rules':
      return rulesChanged(item.list, change as TableChange<RulesItem>);
    case 'import':
      return importChanged(item.uid, item.id, change as TableChange<Item & ImportRecord>);
    case 'person export':
      return change.before ? [] : [{ kind: 'personExportRequested', uid: item.uid, exportId: item.id }];
    case 'erasure':
      return change.before ? [] : [{ kind: 'erasureRequested', uid: item.uid, erasureId: item.id }];
    case 'endpoints':
      return endpointsChanged(item.uid, change as TableChange<EndpointsItem>);
    case 'hook secret':
      return hookSecretChanged(item.uid, item.id, change as TableChange<HookSecretItem>);
    case 'platform key':
      return platformKeyChanged(item.uid, item.id, change as TableChange<Item & SealedPlatformKey>);
    case 'key':
      return keyChanged(change as TableChange<Item & ApiKey>);
    case 'user':
      return userChanged(item.uid, change as TableChange<UserItem>);
    default:
      return [];
  }
};

/** Returns the fields that differ between two records. */
const differing = <T extends object>(before: T, after: T, fields: readonly (keyof T & string)[]): string[] =>
  fields.filter((field) => !isDeepStrictEqual(before[field], after[field]));

const agentChanged = ({ before, after: agent }: TableChange<AgentItem>): DomainChange[] => {
  // The entry of a shared agent in a guest's list is not a record.
  if (!agent?.configuration) return [];
  if (!before) return [{ kind: 'agentCreated', agent }];
  if (!isDeepStrictEqual(before.split ?? [], agent.split ?? [])) return [{ kind: 'agentTrafficUpdated', agent }];
  const changed = changedAgentFields(before, agent);
  return changed.length === 0 ? [] : [{ kind: 'agentUpdated', before, agent, changed }];
};

/** An agent is deleted when its access item loses its owner. */
const accessChanged = (agentId: string, { before, after }: TableChange<AccessItem>): DomainChange[] => {
  if (before?.uid === undefined) return [];
  const { uid: owner, guests: former = new Set<string>() } = before;
  if (after?.uid === undefined) return [{ kind: 'agentDeleted', agentId, owner, guests: [...former] }];
  const { guests = new Set<string>() } = after;
  return [
    ...[...guests.difference(former)].map((guest) => ({ kind: 'accessGranted' as const, agentId, owner, guest })),
    ...[...former.difference(guests)].map((guest) => ({ kind: 'accessEnded' as const, agentId, owner, guest })),
  ];
};

/** The entry of a call by time stays for a while after a request has deleted the call, with who did it. */
const callDeleted = (
  agentId: string,
  { key, before, after }: TableChange<Item & { deletedBy?: StoredMaker }>,
): DomainChange[] => {
  const maker = after?.deletedBy;
  if (!maker || before?.deletedBy) return [];
  return [{ kind: 'callDeletedByRequest', agentId, callId: parseDeletedCall(key), maker }];
};

const settingsOfSources = [
  ...['name', 'active', 'limit', 'maxDepth', 'includePaths', 'excludePaths', 'refreshEvery'],
] as (keyof SourceItem)[];

const sourceChanged = (
  source: { type: SourceKindName; agentId: string; id: string },
  change: TableChange,
): DomainChange[] => {
  const { before, after: record } = change as TableChange<Item & SourceItem>;
  if (!record) return [];
  // A source that begins as ready is part of a copied agent.
  if (!before) return [{ kind: 'sourceCreated', source }];
  const hasNewStatus = before.status !== record.status;
  if (isDeleting(record)) return hasNewStatus ? [{ kind: 'sourceDeleted', source, record }] : [];
  const changed = differing(before, record, settingsOfSources);
  // The first attempt at a document follows its file.
  const isFirst = source.type === 'document' && before.attempt === undefined;
  const isRestarted = before.attempt !== record.attempt && !isFirst;
  const isSameText = record.text !== undefined && record.text.revision === before.text?.revision;
  const isReady = record.status === 'ready' && !(isSameText && !before.failedCrawls);
  return [
    ...(changed.length > 0 ? [{ kind: 'sourceUpdated' as const, source, changed }] : []),
    ...(changed.length === 0 && isRestarted ? [{ kind: 'sourceRestarted' as const, source }] : []),
    ...(hasNewStatus && isReady ? [{ kind: 'sourceReady' as const, source, record }] : []),
    ...(hasNewStatus && record.status === 'failed' ? [{ kind: 'sourceFailed' as const, source, record }] : []),
  ];
};

const isDeleting = ({ status }: { status?: string }) => status === deleting;

const numberChanged = (
  list: BlockListOwner,
  { key, before, after, isExpiry }: TableChange<BlockedItem>,
): DomainChange[] => {
  const number = readNumberChange(list, before, after);
  // A request marks an entry as removed. An erasure deletes or marks it.
  const isErased = after ? after.erasedAt !== undefined && after.erasedAt !== before?.erasedAt : !isExpiry;
  return [
    ...(number ? [{ kind: 'numberChanged' as const, number }] : []),
    ...(isErased ? [{ kind: 'numberErased' as const, list, number: key.sk }] : []),
  ];
};

/** The item of a person has the first record, or none. It changes with each record that is added. */
const consentChanged = (uid: string, { before, after }: TableChange): DomainChange[] => {
  const [former, consent] = [before, after].map((item) => (item && hasRecord(item) ? item : undefined));
  const list = { uid };
  if (!former && consent) {
    const { number, state: kind, recordedBy: by } = consent;
    const change = { list, number, kind, by, size: decodeSize(by) };
    return [{ kind: 'consentRecorded', uid, consent, number: change }];
  }
  // An erasure deletes or marks it.
  return !former || (consent && former.erasedAt === consent.erasedAt)
    ? []
    : [{ kind: 'numberErased', list, number: former.number }];
};

/** Rules that came with the copy of an agent are no change. */
const rulesChanged = (list: BlockListOwner, { before, after }: TableChange<RulesItem>): DomainChange[] =>
  !after || after.isCopy || after.version === before?.version
    ? []
    : [{ kind: 'rulesUpdated', list, version: after.version }];

const importChanged = (
  uid: string,
  importId: string,
  { before, after }: TableChange<Item & ImportRecord>,
): DomainChange[] => {
  if (!after?.finishedAt) return [];
  const { agentId, finishedAt, madeBy, added = 0, removed = 0, addedNumbers = [], removedNumbers = [] } = after;
  const list = agentId === undefined ? { uid } : { agentId };
  if (before?.finishedAt) {
    // After its end, an import loses numbers only by an erasure.
    const kept = new Set([...addedNumbers, ...removedNumbers]);
    const former = [...(before.addedNumbers ?? []), ...(before.removedNumbers ?? [])];
    const number = former.find((one) => !kept.has(one));
    return number === undefined ? [] : [{ kind: 'numberErased', list, number }];
  }
  if (added + removed === 0) return [];
  const record = { finishedAt, added, removed, addedNumbers, removedNumbers, madeBy };
  return [{ kind: 'importFinished', uid, importId, list, record }];
};

const settingsOfEndpoints = ['url', 'events', 'agentIds', 'description', 'active'] as const;

const endpointsChanged = (uid: string, { before, after }: TableChange<EndpointsItem>): DomainChange[] => {
  const [former, endpoints] = [before?.endpoints ?? {}, after?.endpoints ?? {}];
  const written = Object.entries(endpoints).flatMap(([id, endpoint]): DomainChange[] => {
    const [found, place] = [former[id], { uid, endpoint }];
    if (!found) return [{ kind: 'endpointCreated', place }];
    if (endpoint.disabledAt !== undefined && endpoint.disabledAt !== found.disabledAt)
      return [{ kind: 'endpointDisabled', place }];
    const changed = [
      ...differing(found, endpoint, settingsOfEndpoints),
      ...(found.secrets?.[0]?.sealed === endpoint.secrets?.[0]?.sealed ? [] : ['secret']),
    ];
    return changed.length === 0 ? [] : [{ kind: 'endpointUpdated', place, changed }];
  });
  const deleted = after ? Object.entries(former).filter(([id]) => !(id in endpoints)) : [];
  const isResumed = before?.suspended && !after?.suspended;
  return [
    ...written,
    ...deleted.map(([, endpoint]) => ({ kind: 'endpointDeleted' as const, place: { uid, endpoint } })),
    ...(isResumed ? [{ kind: 'deliveriesResumed' as const, uid, endpointIds: Object.keys(endpoints) }] : []),
  ];
};

const hookSecretChanged = (
  uid: string,
  platform: string,
  { before, after }: TableChange<HookSecretItem>,
): DomainChange[] => {
  if (!after) return [{ kind: 'hookSecretDeleted', uid, platform }];
  const isSame = before?.secrets?.[0]?.sealed === after.secrets?.[0]?.sealed;
  return isSame ? [] : [{ kind: 'hookSecretSet', uid, platform }];
};

const platformKeyChanged = (
  uid: string,
  platform: string,
  { before, after }: TableChange<Item & SealedPlatformKey>,
): DomainChange[] => {
  if (!after) return [{ kind: 'platformKeyDeleted', uid, platform }];
  return before?.sealed === after.sealed ? [] : [{ kind: 'platformKeySet', uid, platform }];
};

const keyChanged = ({ before, after }: TableChange<Item & ApiKey>): DomainChange[] => {
  if (!after || after.isOperators) return [];
  const { uid, keyId } = after;
  if (!before) return [{ kind: 'keyCreated', uid, keyId }];
  if (after.revokedAt !== before.revokedAt) return [{ kind: 'keyRevoked', uid, keyId }];
  const changed = differing<ApiKey>(before, after, ['name', 'scopes', 'expiresAt', 'requestsPerMinute']);
  return changed.length === 0 ? [] : [{ kind: 'keyUpdated', uid, keyId, changed }];
};

/** The fields of a user, by the names that callers know. */
const namesOfUserFields = {
  name: 'name',
  agentQuota: 'quotas.agents',
  sourceQuota: 'quotas.sources',
  budget: 'budget',
} as const;

const userChanged = (uid: string, { before, after }: TableChange<UserItem>): DomainChange[] => {
  if (!after) return [];
  if (!before) return [{ kind: 'userCreated', uid }];
  if (after.deletingAt !== undefined)
    return before.deletingAt === undefined ? [{ kind: 'userDeletionBegun', uid, creator: after.maker }] : [];
  const isSuspended = after.suspended ?? false;
  const isOtherState = isSuspended !== (before.suspended ?? false);
  const fields = Object.entries(namesOfUserFields) as [keyof typeof namesOfUserFields, string][];
  const changed = fields.filter(([field]) => !isDeepStrictEqual(before[field], after[field])).map(([, name]) => name);
  const { amount = 0, currency = '' } = after.budget ?? {};
  const reached = findNewShares(before.told, after.told).map((one) => ({ ...one, amount, currency }));
  return [
    ...(isOtherState ? [{ kind: isSuspended ? ('userSuspended' as const) : ('userResumed' as const), uid }] : []),
    ...(changed.length > 0 ? [{ kind: 'userUpdated' as const, uid, changed }] : []),
    ...reached.map((one) => ({ kind: 'userBudgetReached' as const, uid, creator: after.maker, ...one })),
  ];
};
