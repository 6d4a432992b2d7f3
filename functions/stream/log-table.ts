import type { ChangeToLog } from '../changes/log-changes.ts';
import type { StoredMaker } from '../domain/change-maker.ts';
import type { ChangeAction } from '../domain/changes.ts';
import type { Item } from '../store/table.ts';
import type { TableChange } from '../store/table-changes.ts';
import { type ChangeTable, type DomainChange, type DomainChangeOf, ignoreKinds, lookUp } from './domain-change.ts';

type Entry = Omit<ChangeToLog, 'requestId' | 'maker'> & Pick<Partial<ChangeToLog>, 'requestId' | 'maker'>;
type Made = Item & { madeBy?: StoredMaker; requestId?: string };

/** Returns what the log says about a change. The numbers of block lists and consents are logged by request: see `logNumbers`. */
export const toLogEntries = (what: DomainChange, change: TableChange): ChangeToLog[] => {
  const { requestId, after } = change as TableChange<Made>;
  return lookUp(entries, what, change).map((entry) => ({ requestId, maker: after?.madeBy, ...entry }));
};

type AgentChange = DomainChangeOf<'agentCreated' | 'agentUpdated' | 'agentTrafficUpdated'>;
const ofAgent = (action: ChangeAction, { agent: { uid, agentId, version } }: AgentChange) => {
  return { action, id: agentId, agentId, version, record: { uid } };
};

type AccessChange = DomainChangeOf<'accessGranted' | 'accessEnded'>;
const ofAccess =
  (action: ChangeAction) =>
  ({ agentId, owner, guest }: AccessChange): Entry[] => [
    { action, id: guest, agentId, record: { uid: owner }, discriminator: guest },
  ];

type SourceChange = Extract<DomainChange, { source: unknown }>;
/** What jobs do to a source, such as reading it, is not logged. */
const ofSource =
  (verb: 'created' | 'updated' | 'restarted' | 'deleted') =>
  (what: SourceChange, change: TableChange): Entry[] => {
    const { type, id, agentId } = what.source;
    const maker = (change as TableChange<Made>).after?.madeBy;
    if (!maker || maker.via === 'job') return [];
    const about = { id, agentId, record: { agentId }, changed: 'changed' in what ? what.changed : undefined };
    if (verb !== 'restarted') return [{ action: `${type}.${verb}`, ...about }];
    return [{ action: type === 'website' ? 'website.refreshed' : 'document.retried', ...about }];
  };

type EndpointChange = Extract<DomainChange, { place: unknown }>;
/** Endpoints of `webhooks listen`, which live as long as a command, are not logged. */
const ofEndpoint =
  (action: ChangeAction) =>
  (what: EndpointChange): Entry[] => {
    const { uid, endpoint } = what.place;
    if (endpoint.listeningUntil !== undefined) return [];
    const id = endpoint.endpointId;
    const changed = 'changed' in what ? what.changed : undefined;
    return [{ action, id, record: { uid }, discriminator: id, changed }];
  };

/** Who deletes a secret or key of a platform is noted in its item just before. */
const ofDeletedSecret =
  (action: ChangeAction) =>
  ({ uid, platform }: DomainChangeOf<'hookSecretDeleted' | 'platformKeyDeleted'>, { before }: TableChange): Entry[] => {
    const { madeBy: maker, requestId } = before as Made;
    return [{ action, id: platform, record: { uid }, maker, requestId }];
  };

const ofKey =
  (action: ChangeAction) =>
  (what: Extract<DomainChange, { keyId: string }>): Entry[] => {
    const changed = 'changed' in what ? what.changed : undefined;
    return [{ action, id: what.keyId, record: { uid: what.uid }, changed }];
  };

type UserChange = DomainChangeOf<'userCreated' | 'userUpdated' | 'userSuspended' | 'userResumed'>;
const ofUser =
  (action: ChangeAction, discriminator?: string) =>
  (what: UserChange): Entry[] => {
    const changed = 'changed' in what ? what.changed : undefined;
    return [{ action, id: what.uid, record: { uid: what.uid }, discriminator, changed }];
  };

const entries = {
  agentCreated: (what) => [ofAgent('agent.created', what)],
  agentTrafficUpdated: (what) => [ofAgent('agent.traffic_updated', what)],
  agentUpdated: (what) => [{ ...ofAgent('agent.updated', what), changed: listFieldNames(what.changed) }],
  agentDeleted: ({ agentId, owner }) => [{ action: 'agent.deleted', id: agentId, agentId, record: { uid: owner } }],
  accessGranted: ofAccess('access.granted'),
  accessEnded: ofAccess('access.ended'),
  sourceCreated: ofSource('created'),
  sourceUpdated: ofSource('updated'),
  sourceRestarted: ofSource('restarted'),
  sourceDeleted: ofSource('deleted'),
  callDeletedByRequest: ({ agentId, callId, maker }) => [
    { action: 'call.deleted', id: callId, agentId, maker, record: { agentId } },
  ],
  transcriptDeleted: ({ agentId, callId, maker }) => [
    { action: 'call.transcript_deleted', id: callId, agentId, maker, record: { agentId } },
  ],
  importFinished: ({ uid, importId, list, record: { finishedAt, added, removed, madeBy } }) => {
    const maker: StoredMaker = { uid, via: 'job', ...madeBy, at: Date.parse(finishedAt) };
    const agentId = 'agentId' in list ? list.agentId : undefined;
    return [{ action: 'import.finished', id: importId, agentId, counts: { added, removed }, record: list, maker }];
  },
  rulesUpdated: ({ list }) => [
    { action: 'block_list.rules_updated', agentId: 'agentId' in list ? list.agentId : undefined, record: list },
  ],
  endpointCreated: ofEndpoint('webhook_endpoint.created'),
  endpointUpdated: ofEndpoint('webhook_endpoint.updated'),
  endpointDisabled: ofEndpoint('webhook_endpoint.disabled'),
  endpointDeleted: ofEndpoint('webhook_endpoint.deleted'),
  hookSecretSet: ({ uid, platform }) => [{ action: 'hook_secret.set', id: platform, record: { uid } }],
  hookSecretDeleted: ofDeletedSecret('hook_secret.deleted'),
  platformKeySet: ({ uid, platform }) => [{ action: 'platform_key.set', id: platform, record: { uid } }],
  platformKeyDeleted: ofDeletedSecret('platform_key.deleted'),
  keyCreated: ofKey('key.created'),
  keyUpdated: ofKey('key.updated'),
  keyRevoked: ofKey('key.revoked'),
  userCreated: ofUser('user.created'),
  userUpdated: ofUser('user.updated'),
  userSuspended: ofUser('user.suspended', 'suspended'),
  userResumed: ofUser('user.resumed', 'suspended'),
  userBudgetReached: ({ uid, period, share }) => [
    { action: 'user.budget_reached', id: uid, record: { uid }, discriminator: `budget ${period} ${share}` },
  ],
  // The log of a user ends with the user: a deletion is in the log of the user who created it.
  userDeletionBegun: ({ uid, creator }) =>
    creator === undefined ? [] : [{ action: 'user.deleted', id: uid, record: { uid: creator } }],
  personExportRequested: ({ uid, exportId }) => [{ action: 'person_export.created', id: exportId, record: { uid } }],
  erasureRequested: ({ uid, erasureId }) => [{ action: 'erasure.requested', id: erasureId, record: { uid } }],
  ...ignoreKinds([], 'sourceReady', 'sourceFailed', 'numberChanged', 'numberErased', 'deliveriesResumed'),
  ...ignoreKinds([], 'consentRecorded'),
  ...ignoreKinds([], 'callRecorded', 'callOutcomeUpdated', 'callOutcomeHeld', 'callOutcomeRefused', 'callDeleted'),
} satisfies ChangeTable<Entry[]>;

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
