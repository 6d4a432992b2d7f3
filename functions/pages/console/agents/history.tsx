import type { Agent, AgentVersion } from '../../../openapi/client/client.ts';
import { Link, useAddress } from '../address.tsx';
import { type Column, PagedTable } from '../components/paged-table.tsx';
import { Empty } from '../components/parts.tsx';
import { Time, Who } from '../components/values.tsx';
import { usePages } from '../service.tsx';
import { labelOfPath } from './agent-fields.ts';
import { VersionDialog } from './version-dialog.tsx';

/** The versions of an agent, newest first: who changed what, when and why. */
export const History = ({ agent }: { agent: Agent }) => {
  const { agentId } = agent;
  const { version } = useAddress().filters;
  const pages = usePages(['agent', agentId, 'versions'], (api, options, cursor) =>
    api.agents.listVersions({ agentId, limit: 50, cursor }, options),
  );
  return (
    <>
      <PagedTable
        caption="Versions"
        pages={pages}
        itemsOf={({ versions }) => versions}
        keyOf={({ version }) => String(version)}
        columns={columns}
        empty={<Empty title="This agent has no versions" />}
      />
      {version && <VersionDialog key={version} agent={agent} version={version} />}
    </>
  );
};

const columns: Column<AgentVersion>[] = [
  {
    heading: 'Version',
    cell: ({ version }) => <Link filters={{ version: String(version) }}>Version {version}</Link>,
  },
  { heading: 'Created', cell: ({ createdAt }) => <Time at={createdAt} /> },
  {
    heading: 'Changed',
    cell: ({ version, changed, restoredFrom }) => (
      <>
        {changed.map(labelOfPath).join(', ') || (version === 1 && 'Created')}
        {restoredFrom !== undefined && ` (version ${restoredFrom} restored)`}
      </>
    ),
  },
  { heading: 'Note', cell: ({ note }) => <bdi>{note}</bdi> },
  { heading: 'By', cell: (version) => <Who {...version} /> },
];
