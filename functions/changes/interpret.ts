import { isDeepStrictEqual } from 'node:util';
import type { ApiKey } from '../domain/api-keys.ts';
import type { StoredMaker } from '../domain/change-maker.ts';
import type { ChangeAction, LoggedChange } from '../domain/changes.ts';
import { deleting } from '../domain/source-state.ts';
import type { SourceKindName } from '../domain/sources.ts';
import type { WebhookEndpoint } from '../domain/webhooks.ts';
import { type AgentItem, changedAgentFields } from '../store/agents/agent-items.ts';
import type { AccessItem } from '../store/credentials.ts';
import { type BlockListOwner, changedItem, deletedCallAt } from '../store/keys.ts';
import type { Item } from '../store/table.ts';
import type { TableChange } from '../store/table-changes.ts';
import type { UserItem } from '../store/users.ts';

/** A change for the log, before its owner is known. `discriminator` distinguishes several entries of one change. */
export type ChangeToLog = LoggedChange & { record: BlockListOwner; maker?: StoredMaker; discriminator?: string };

type Made<I> = I & { madeBy?: StoredMaker };

/** Returns what the log says about a change of an item. Numbers of block lists are logged by request: see `logNumbers`. */
export const interpretForLog = (change: TableChange): ChangeToLog[] => {
  const item = changedItem(change.key);
  const { after } = change as TableChange<Made<Item>>;
  const common = { requestId: change.requestId, maker: after?.madeBy };
  const entries = (found: Found[]) => found.map((entry) => ({ ...common, ...entry }));
  switch (item?.kind) {
    case 'agent':
      return entries(agentChanged(change as TableChange<AgentItem>));
    case 'access':
      return entries(accessChanged(item.agentId, change as TableChange<AccessItem>));
    case 'website':
    case 'document':
      return entries(sourceChanged({ kind: item.kind, agentId: item.agentId, id: item.id }, change));
    case 'import':
      return entries(importChanged(item, change as TableChange<ImportItem>));
    case 'erasure':
      return change.before ? [] : entries([{ action: 'erasure.requested', id: item.id, record: { uid: item.uid } }]);
    case 'endpoints':
      return entries(endpointsChanged(item.uid, change as TableChange<EndpointsItem>));
    case 'hook secret':
      return entries(hookSecretChanged(item, change as TableChange<Made<HookSecretItem>>));
    case 'key':
      return entries(keyChanged(change as TableChange<Item & ApiKey>));
    case 'user':
      return entries(userChanged(item.uid, change as TableChange<UserItem>));
    case 'deleted call':
      return callDeleted(item.agentId, change as TableChange<Item & { deletedBy?: StoredMaker }>);
    default:
      return [];
  }
};

type Found = Omit<ChangeToLog, 'requestId' | 'maker'> & Pick<Partial<ChangeToLog>, 'requestId' | 'maker'>;

/** Returns the fields that differ between two records. */
const differing = <T extends object>(before: T, after: T, fields: (keyof T & string)[]): string[] =>
  fields.filter((field) => !isDeepStrictEqual(before[field], after[field]));

const agentChanged = ({ before, after }: TableChange<AgentItem>): Found[] => {
  // The entry of a shared agent in a guest's list is not a record.
  if (!after?.configuration) return [];
  const { uid, agentId, version, split = [] } = after;
  const about = { id: agentId, agentId, version, record: { uid } };
  if (!before) return [{ action: 'agent.created', ...about }];
  if (!isDeepStrictEqual(before.split ?? [], split)) return [{ action: 'agent.traffic_updated', ...about }];
  const changed = listFieldNames(changedAgentFields(before, after));
  return changed.length === 0 ? [] : [{ action: 'agent.updated', ...about, changed }];
};

/** A field of a configuration that is neither a number nor a text. */
const plainName = /^(configuration\.)?[A-Za-z_][\w-]{0,39}$/;
/** An entry is one write unit. */
const maxNamesLength = 400;

/** Returns the names of fields as the log has them. Callers choose those in a configuration: it stands for a name that may say something. */
const listFieldNames = (fields: string[]): string[] => {
  const names = new Set(fields.map((field) => (plainName.test(field) ? field : 'configuration')));
  const isShort = [...names].join().length <= maxNamesLength;
  return [...(isShort ? names : new Set(fields.map((field) => field.split('.')[0] as string)))];
};

/** An agent is deleted when its access item loses its owner. */
const accessChanged = (agentId: string, { before, after }: TableChange<AccessItem>): Found[] => {
  if (before?.uid === undefined) return [];
  const record = { uid: before.uid };
  if (after?.uid === undefined) return [{ action: 'agent.deleted', id: agentId, agentId, record }];
  const [former, guests] = [new Set(before.guests), new Set(after.guests)];
  const toFound = (action: ChangeAction) => (guest: string) => ({
    action,
    id: guest,
    agentId,
    record,
    discriminator: guest,
  });
  return [
    ...[...guests.difference(former)].map(toFound('access.granted')),
    ...[...former.difference(guests)].map(toFound('access.ended')),
  ];
};

type SourceItem = Made<Item> & Partial<Record<(typeof sourceFields)[number] | 'status' | 'attempt', unknown>>;
const sourceFields = ['name', 'active', 'limit', 'maxDepth', 'includePaths', 'excludePaths', 'refreshEvery'] as const;

/** What jobs do to a source, such as reading it, is not logged. */
const sourceChanged = (
  { kind, agentId, id }: { kind: SourceKindName; agentId: string; id: string },
  change: TableChange,
): Found[] => {
  const { before, after } = change as TableChange<SourceItem>;
  if (!after?.madeBy || after.madeBy.via === 'job') return [];
  const about = { id, agentId, record: { agentId } };
  if (!before) return [{ action: `${kind}.created`, ...about }];
  if (after.status === deleting) return before.status === deleting ? [] : [{ action: `${kind}.deleted`, ...about }];
  const changed = differing(before, after, [...sourceFields]);
  if (changed.length > 0) return [{ action: `${kind}.updated`, ...about, changed }];
  if (before.attempt === after.attempt) return [];
  if (kind === 'website') return [{ action: 'website.refreshed', ...about }];
  // The first attempt follows the file.
  return before.attempt === undefined ? [] : [{ action: 'document.retried', ...about }];
};

type ImportItem = Made<Item> & {
  agentId?: string;
  finishedAt?: string;
  added?: number;
  removed?: number;
};

const importChanged = (
  { uid, id }: { uid: string; id: string },
  { before, after }: TableChange<ImportItem>,
): Found[] => {
  if (!after?.finishedAt || before?.finishedAt) return [];
  const { agentId, madeBy, finishedAt, added = 0, removed = 0 } = after;
  if (added + removed === 0) return [];
  const maker: StoredMaker = { uid, via: 'job', ...madeBy, at: Date.parse(finishedAt) };
  const record = agentId === undefined ? { uid } : { agentId };
  return [{ action: 'import.finished', id, agentId, counts: { added, removed }, record, maker }];
};

type EndpointsItem = Made<Item> & {
  endpoints?: Record<string, WebhookEndpoint & { secrets: { sealed: string }[]; listeningUntil?: number }>;
};

/** Endpoints of `webhooks listen`, which live as long as a command, are not logged. */
const endpointsChanged = (uid: string, { before, after }: TableChange<EndpointsItem>): Found[] => {
  const kept = (item: EndpointsItem | undefined) =>
    new Map(Object.entries(item?.endpoints ?? {}).filter(([, { listeningUntil }]) => listeningUntil === undefined));
  const [former, endpoints] = [kept(before), kept(after)];
  const toFound = (id: string, action: ChangeAction, changed?: string[]): Found => ({
    action,
    id,
    record: { uid },
    discriminator: id,
    changed,
  });
  const updated = [...endpoints].flatMap(([id, endpoint]): Found[] => {
    const found = former.get(id);
    if (!found) return [toFound(id, 'webhook_endpoint.created')];
    if (endpoint.disabledAt !== undefined && endpoint.disabledAt !== found.disabledAt)
      return [toFound(id, 'webhook_endpoint.disabled')];
    const changed = [
      ...differing(found, endpoint, ['url', 'events', 'agentIds', 'description', 'active']),
      ...(found.secrets?.[0]?.sealed === endpoint.secrets?.[0]?.sealed ? [] : ['secret']),
    ];
    return changed.length === 0 ? [] : [toFound(id, 'webhook_endpoint.updated', changed)];
  });
  const deleted = after ? [...former.keys()].filter((id) => !endpoints.has(id)) : [];
  return [...updated, ...deleted.map((id) => toFound(id, 'webhook_endpoint.deleted'))];
};

type HookSecretItem = Item & { requestId?: string; secrets?: { sealed: string }[] };

/** Who deletes a secret is noted in its item just before. */
const hookSecretChanged = (
  { uid, id }: { uid: string; id: string },
  { before, after }: TableChange<Made<HookSecretItem>>,
): Found[] => {
  const about = { id, record: { uid } };
  if (!after) return [{ action: 'hook_secret.deleted', ...about, maker: before?.madeBy, requestId: before?.requestId }];
  const isSame = before?.secrets?.[0]?.sealed === after.secrets?.[0]?.sealed;
  return isSame ? [] : [{ action: 'hook_secret.set', ...about }];
};

const keyChanged = ({ before, after }: TableChange<Item & ApiKey>): Found[] => {
  if (!after || after.isOperators) return [];
  const { uid, keyId } = after;
  const about = { id: keyId, record: { uid } };
  if (!before) return [{ action: 'key.created', ...about }];
  if (after.revokedAt !== before.revokedAt) return [{ action: 'key.revoked', ...about }];
  const changed = differing<ApiKey>(before, after, ['name', 'scopes', 'expiresAt']);
  return changed.length === 0 ? [] : [{ action: 'key.updated', ...about, changed }];
};

/** The log of a user ends with the user: a deletion is in the log of the user who created it. */
const userChanged = (uid: string, { before, after }: TableChange<UserItem>): Found[] => {
  if (!after) return [];
  const about = { id: uid, record: { uid } };
  if (!before) return [{ action: 'user.created', ...about }];
  if (after.deletingAt !== undefined) {
    const isFirst = before.deletingAt === undefined;
    return isFirst && after.maker !== undefined
      ? [{ action: 'user.deleted', id: uid, record: { uid: after.maker } }]
      : [];
  }
  const isSuspended = after.suspended ?? false;
  const suspension: Found[] =
    isSuspended === (before.suspended ?? false)
      ? []
      : [{ action: isSuspended ? 'user.suspended' : 'user.resumed', ...about, discriminator: 'suspended' }];
  const names = { name: 'name', agentQuota: 'quotas.agents', sourceQuota: 'quotas.sources' };
  const fields = differing<UserItem>(before, after, Object.keys(names) as (keyof typeof names)[]);
  const changed = fields.map((field) => names[field as keyof typeof names]);
  return [...suspension, ...(changed.length === 0 ? [] : [{ action: 'user.updated' as const, ...about, changed }])];
};

/** The entry of a call by time stays for a while after a request has deleted the call, with who did it. */
const callDeleted = (
  agentId: string,
  { key, before, after, requestId }: TableChange<Item & { deletedBy?: StoredMaker }>,
): ChangeToLog[] => {
  const maker = after?.deletedBy;
  if (!maker || before?.deletedBy) return [];
  return [{ action: 'call.deleted', id: deletedCallAt(key), agentId, requestId, maker, record: { agentId } }];
};
