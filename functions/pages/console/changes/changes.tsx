import { useMemo } from 'react';
import type { Change } from '../../../openapi/client/client.ts';
import { useAddress } from '../address.tsx';
import { AgentFilter, useAgentChoices } from '../components/agent-filter.tsx';
import { FilterBar, MoreFilters, SelectFilter, TextFilter } from '../components/fields.tsx';
import { DateChips, FilterChip, useSearchedTimes } from '../components/filter-chip.tsx';
import { type Column, PagedTable } from '../components/paged-table.tsx';
import { Empty } from '../components/parts.tsx';
import { Time } from '../components/values.tsx';
import { formatTime } from '../formats.ts';
import { useAllPages, usePages, useRead, useService } from '../service.tsx';
import { Names, Sentence } from './sentence.tsx';

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
  const listed = pages.data?.pages.flatMap(({ changes }) => changes) ?? [];
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
      <Names value={useNames(listed)}>
        <PagedTable
          caption="Changes"
          pages={pages}
          itemsOf={({ changes }) => joinEntries(changes)}
          keyOf={({ changeId }) => changeId}
          groupOf={({ at }, timeZone) => formatTime(at, timeZone, { dateStyle: 'full', timeStyle: undefined })}
          columns={columns}
          empty={<Empty title="No change matches these filters">A change is listed within two minutes.</Empty>}
        />
      </Names>
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

/** The maximum number of agents whose sources are read for their names. */
const maxAgents = 10;

/** Returns the names of agents, sources, keys, endpoints and clients by their ids, as far as the key may read them. */
const useNames = (changes: Change[]): Map<string, string> => {
  const { uid, scopes } = useService();
  const agents = useAgentChoices().data;
  const keys = useAllPages(['keys', uid, 'all'], (api, options) => api.keys.list({ uid, limit: 200 }, options), {
    enabled: scopes.includes('keys'),
  }).data;
  const endpoints = useRead(['webhooks', 'endpoints'], (api, options) => api.webhooks.listEndpoints({}, options), {
    enabled: scopes.includes('webhooks'),
  }).data?.endpoints;
  const clients = useAllPages(['clients', 'all'], (api, options) => api.users.list({ limit: 500 }, options), {
    enabled: scopes.includes('users'),
  }).data;
  const ofSources = changes.filter(({ kind, action }) => isSource(kind) && !action.endsWith('.deleted'));
  const agentIds = [...new Set(ofSources.map(({ agentId = '' }) => agentId))].slice(0, maxAgents);
  const sources = useAllPages(
    ['knowledge', 'names', agentIds],
    async function* (api, options) {
      for (const agentId of agentIds) {
        const search = { agentId, content: false, limit: 200 };
        // An agent may be deleted.
        const [websites, documents] = await Promise.all([
          api.websites.list(search, options),
          api.documents.list(search, options),
        ]);
        yield* websites.data?.websites ?? [];
        yield* documents.data?.documents ?? [];
      }
    },
    { enabled: scopes.includes('knowledge') && agentIds.length > 0 },
  ).data;
  return useMemo(
    () =>
      new Map([
        ...(agents ?? []).map(({ agentId, name }) => [agentId, name] as const),
        ...(sources ?? []).map(({ id, name }) => [id, name] as const),
        ...(keys ?? []).map(({ keyId, name }) => [keyId, name] as const),
        ...(endpoints ?? []).map(({ endpointId, url }) => [endpointId, url] as const),
        ...(clients ?? []).map(({ uid, name = uid }) => [uid, name] as const),
      ]),
    [agents, sources, keys, endpoints, clients],
  );
};

const isSource = (kind: Change['kind']) => kind === 'website' || kind === 'document';

const columns: Column<Change>[] = [
  { heading: 'What happened', isSentence: true, cell: (change) => <Sentence change={change} /> },
  { heading: 'Time', cell: ({ at }) => <Time at={at} isShort /> },
  { heading: 'How', cell: ({ via }) => <span className="unbroken">{ways[via]}</span> },
];

export default Changes;
