import { createContext, Fragment, type ReactNode, use } from 'react';
import type { Change } from '../../../openapi/client/client.ts';
import { type Filters, Link } from '../address.tsx';
import { labelOfPath } from '../agents/agent-fields.ts';
import { voicePlatforms } from '../agents/voice-platforms.ts';
import { AgentName } from '../components/agent-filter.tsx';
import { Who } from '../components/values.tsx';
import { formatNumber } from '../formats.ts';

/** The names of what changed, by their ids, as far as they are known. */
export const Names = createContext<Map<string, string>>(new Map());

/** The predicates of the sentences. `{what}` names what changed, `{agent}` its agent; `{fields}` and `{counts}` list its details. */
const predicates: Partial<Record<Change['action'], string>> = {
  'agent.traffic_updated': 'split the traffic of {what}',
  'access.granted': 'shared {agent} with {what}',
  'access.ended': 'ended the access of {what} to {agent}',
  'website.created': 'added {what} to {agent}',
  'website.updated': 'changed {fields} of {what} of {agent}',
  'website.refreshed': 'had {what} of {agent} read again',
  'website.deleted': 'deleted {what} of {agent}',
  'document.created': 'added {what} to {agent}',
  'document.updated': 'changed {fields} of {what} of {agent}',
  'document.retried': 'had {what} of {agent} read again',
  'document.deleted': 'deleted {what} of {agent}',
  'block_list.updated': '{counts} for {agent}',
  'block_list.rules_updated': 'changed the rules of the block list for {agent}',
  'consent.recorded': '{counts} for {agent}',
  'import.finished': 'imported {what}, which {counts} for {agent}',
  'webhook_endpoint.disabled': 'switched {what} off',
  'hook_secret.set': 'set the secret of {what}',
  'hook_secret.deleted': 'deleted the secret of {what}',
  'platform_key.set': 'set the key of {what}',
  'platform_key.deleted': 'deleted the key of {what}',
  'key.revoked': 'set the end of {what}',
  'user.suspended': 'suspended {what}',
  'user.resumed': 'ended the suspension of {what}',
  'user.budget_reached': 'found that {what} has spent most or all of its budget',
  'user.deleted': 'began to delete {what}',
  'erasure.requested': 'requested the erasure of a person',
  'person_export.created': 'requested an export of the data of a person',
  'call.deleted': 'deleted a call of {agent}',
  'call.transcript_deleted': 'deleted the transcript of a call of {agent}',
};

/** The same for actions that have no sentence of their own, by their verbs. */
const usual: Record<string, string> = {
  created: 'created {what}',
  updated: 'changed {fields} of {what}',
  deleted: 'deleted {what}',
};

/** What something without a known name is called, and the noun before a name that does not say what it is. */
const nouns: Partial<Record<Change['kind'], { unnamed: string; noun?: string }>> = {
  agent: { unnamed: 'an agent' },
  access: { unnamed: 'another user' },
  website: { unnamed: 'a website', noun: 'the website' },
  document: { unnamed: 'a document', noun: 'the document' },
  import: { unnamed: 'a file of numbers' },
  webhook_endpoint: { unnamed: 'a webhook endpoint', noun: 'the endpoint' },
  hook_secret: { unnamed: 'a voice platform' },
  platform_key: { unnamed: 'a voice platform' },
  key: { unnamed: 'an API key', noun: 'the key' },
  user: { unnamed: 'a user', noun: 'the client' },
};

const list = new Intl.ListFormat('en');
const maxFields = 4;

const describeFields = ({ changed = [] }: Change): string => {
  const named = changed.slice(0, maxFields).map(labelOfPath);
  const others = changed.length - named.length;
  return list.format([...named, ...(others > 0 ? [`${formatNumber(others)} more fields`] : [])]) || 'the settings';
};

const counted = {
  added: 'blocked',
  removed: 'unblocked',
  given: 'recorded consent of',
  revoked: 'recorded that consent ended of',
};

const describeCounts = ({ counts = {} }: Change): string => {
  const parts = Object.entries(counted).flatMap(([name, verb]) => {
    const count = counts[name as keyof typeof counted];
    return count ? [`${verb} ${formatNumber(count)} ${count === 1 ? 'number' : 'numbers'}`] : [];
  });
  return list.format(parts) || 'changed nothing';
};

/** The address of what changed, if there is a view of it. */
const findTarget = ({ kind, action, id, agentId, version }: Change): { view: string; filters: Filters } | undefined => {
  if (action.endsWith('.deleted')) return undefined;
  switch (kind) {
    case 'agent':
      return { view: 'agents', filters: { agentId: id, section: 'history', version: version?.toString() } };
    case 'access':
      return { view: 'agents', filters: { agentId, section: 'access' } };
    case 'website':
    case 'document':
      return { view: 'knowledge', filters: { agentId, sourceId: id } };
    case 'block_list':
    case 'consent':
      return { view: 'numbers', filters: { agentId } };
    case 'import':
      return { view: 'numbers', filters: { importId: id } };
    case 'webhook_endpoint':
      return { view: 'webhooks', filters: { open: id } };
    case 'key':
      return { view: 'keys', filters: { keyId: id } };
    default:
      return undefined;
  }
};

const What = ({ change: { kind, id = '' } }: { change: Change }) => {
  const names = use(Names);
  const { unnamed, noun } = nouns[kind] ?? { unnamed: 'something' };
  const name = names.get(id) ?? voicePlatforms[id as keyof typeof voicePlatforms]?.title;
  if (!name) return <span title={id}>{unnamed}</span>;
  return (
    <span title={id}>
      {noun} <bdi>{name}</bdi>
    </span>
  );
};

const Maker = ({ change }: { change: Change }) => {
  const { keyId, via } = change;
  if (keyId === undefined && via === 'job') return 'The service';
  const platform = keyId?.split('signature:')[1] as keyof typeof voicePlatforms | undefined;
  return (platform && voicePlatforms[platform]?.title) ?? <Who {...change} />;
};

/** Who did what, as a sentence that leads to what changed. */
export const Sentence = ({ change }: { change: Change }) => {
  const { action, agentId, version } = change;
  const parts: Record<string, () => ReactNode> = {
    what: () => <What change={change} />,
    agent: () => (agentId ? <AgentName agentId={agentId} /> : 'all agents'),
    fields: () => describeFields(change),
    counts: () => describeCounts(change),
  };
  const words = (predicates[action] ?? usual[action.split('.')[1] ?? ''] ?? action).split(/[{}]/).map((text, place) => (
    // biome-ignore lint/suspicious/noArrayIndexKey: the parts of a sentence keep their places
    <Fragment key={place}>{parts[text]?.() ?? text}</Fragment>
  ));
  const target = findTarget(change);
  return (
    <>
      <Maker change={change} /> {target ? <Link {...target}>{words}</Link> : words}
      {version !== undefined && <span className="faint"> · version {version}</span>}
    </>
  );
};
