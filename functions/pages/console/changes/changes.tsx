import type { Change } from '../../../openapi/client/client.ts';
import { type Filters, Link, useAddress } from '../address.tsx';
import { labelOfPath } from '../agents/agent-fields.ts';
import { AgentFilter, AgentName } from '../components/agent-filter.tsx';
import { FilterBar, MoreFilters, SelectFilter, TextFilter } from '../components/fields.tsx';
import { DateChips, FilterChip, useSearchedTimes } from '../components/filter-chip.tsx';
import { type Column, PagedTable } from '../components/paged-table.tsx';
import { Empty } from '../components/parts.tsx';
import { Time, Who } from '../components/values.tsx';
import { formatNumber, formatTime } from '../formats.ts';
import { useAllPages, usePages, useRead, useService } from '../service.tsx';

const kinds: Record<Change['kind'], string> = {
  agent: 'Agents',
  access: 'Access to agents',
  website: 'Websites',
  document: 'Documents',
  block_list: 'Block lists',
  consent: 'Consents',
  import: 'Imports',
  webhook_endpoint: 'Webhook endpoints',
  hook_secret: 'Secrets of voice platforms',
  platform_key: 'Keys of voice platforms',
  key: 'Keys',
  user: 'Users',
  erasure: 'Erasures',
  person_export: 'Exports of people',
  call: 'Deleted calls',
};

const ways: Record<Change['via'], string> = {
  api: 'API',
  mcp: 'AI client',
  chat: 'Build chat',
  operator: 'Command line',
  platform: 'Voice platform',
  job: 'The service',
};

/** The view Changes: who changed what, newest first. */
const Changes = () => {
  const { agentId, kind, keyId } = useAddress().filters;
  const search = {
    ...{ agentId, keyId, kind: kind as Change['kind'] | undefined },
    ...useSearchedTimes(),
  };
  const pages = usePages(['changes', search], (api, options, cursor) =>
    api.changes.list({ ...search, limit: 200, cursor }, options),
  );
  return (
    <>
      <h1>Changes</h1>
      <FilterBar>
        <AgentFilter all="All agents" />
        <MoreFilters>
          <FilterChip label="What changed" names={['kind']} format={(kind) => kinds[kind as Change['kind']] ?? kind}>
            <SelectFilter
              name="kind"
              label="What changed"
              options={[
                { value: '', label: 'Everything' },
                ...Object.entries(kinds).map(([value, label]) => ({ value, label })),
              ]}
            />
          </FilterChip>
          <FilterChip label="Key ID" names={['keyId']}>
            <TextFilter name="keyId" label="Key ID" placeholder="key_…" />
          </FilterChip>
          <DateChips />
        </MoreFilters>
      </FilterBar>
      <PagedTable
        caption="Changes"
        pages={pages}
        itemsOf={({ changes }) => joinEntries(changes)}
        keyOf={({ changeId }) => changeId}
        groupOf={({ at }, timeZone) => formatTime(at, timeZone, { dateStyle: 'full', timeStyle: undefined })}
        columns={columns}
        empty={<Empty title="No change matches these filters">A change is listed within two minutes.</Empty>}
      />
    </>
  );
};

/** Joins the entries of one request to a block list or the consents, which add up. */
const joinEntries = (changes: Change[]): Change[] => {
  const joined: Change[] = [];
  for (const change of changes) {
    const last = joined.at(-1);
    const isContinued = last && isCounted(last) && last.kind === change.kind && last.requestId === change.requestId;
    if (isContinued && last.requestId && last.agentId === change.agentId)
      joined[joined.length - 1] = { ...last, counts: addCounts(last.counts, change.counts) };
    else joined.push(change);
  }
  return joined;
};

const isCounted = ({ kind }: Change) => kind === 'block_list' || kind === 'consent';

const addCounts = (one: Change['counts'], other: Change['counts']): Change['counts'] =>
  Object.fromEntries(
    countNames.flatMap((name) => {
      const counts = [one?.[name], other?.[name]].filter((count) => count !== undefined);
      return counts.length === 0 ? [] : [[name, counts.reduce((sum, count) => sum + count)]];
    }),
  );

const countNames = ['added', 'removed', 'given', 'revoked'] as const;
const describeCounts = (counts: NonNullable<Change['counts']>) => {
  const words = countNames.flatMap((name) => {
    const count = counts[name];
    return count === undefined ? [] : `${name} ${formatNumber(count)}`;
  });
  const text = words.join(', ');
  return text.charAt(0).toUpperCase() + text.slice(1);
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

const What = ({ change }: { change: Change }) => {
  const name = change.action.replace(/[._]/g, ' ');
  const words = name.charAt(0).toUpperCase() + name.slice(1);
  const target = findTarget(change);
  return target ? <Link {...target}>{words}</Link> : words;
};

const describeDetails = ({ kind, id, changed = [], counts, version }: Change, names: Map<string, string>) =>
  [
    counts && describeCounts(counts),
    version && `Version ${version}`,
    changed.map(labelOfPath).join(', '),
    kind !== 'agent' && (names.get(id ?? '') ?? id),
  ]
    .filter(Boolean)
    .join(' · ');

/** Returns the names of keys, endpoints and clients by their ids, as far as the key may read them. */
const useNames = (): Map<string, string> => {
  const { uid, scopes } = useService();
  const keys = useAllPages(['keys', uid, 'all'], (api, options) => api.keys.list({ uid, limit: 200 }, options), {
    enabled: scopes.includes('keys'),
  }).data;
  const endpoints = useRead(['webhooks', 'endpoints'], (api, options) => api.webhooks.listEndpoints({}, options), {
    enabled: scopes.includes('webhooks'),
  }).data?.endpoints;
  const clients = useAllPages(['clients', 'all'], (api, options) => api.users.list({ limit: 500 }, options), {
    enabled: scopes.includes('users'),
  }).data;
  return new Map([
    ...(keys ?? []).map(({ keyId, name }) => [keyId, name] as const),
    ...(endpoints ?? []).map(({ endpointId, url }) => [endpointId, url] as const),
    ...(clients ?? []).map(({ uid, name = uid }) => [uid, name] as const),
  ]);
};

const ChangeDetails = ({ change }: { change: Change }) => {
  const details = describeDetails(change, useNames());
  return <span title={change.id}>{details}</span>;
};

const columns: Column<Change>[] = [
  { heading: 'What', cell: (change) => <What change={change} /> },
  { heading: 'Time', cell: ({ at }) => <Time at={at} isShort /> },
  { heading: 'Agent', isLong: true, cell: ({ agentId }) => agentId && <AgentName agentId={agentId} /> },
  { heading: 'Details', isLong: true, cell: (change) => <ChangeDetails change={change} /> },
  { heading: 'By', isLong: true, cell: (change) => <Who {...change} /> },
  { heading: 'How', cell: ({ via }) => ways[via] },
];

export default Changes;
