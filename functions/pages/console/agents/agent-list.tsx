import type { Agent } from '../../../openapi/client/client.ts';
import { Link, useAddress } from '../address.tsx';
import { FilterBar, TextFilter } from '../components/fields.tsx';
import { type Column, PagedTable } from '../components/paged-table.tsx';
import { Empty } from '../components/states.tsx';
import { Time } from '../components/time.tsx';
import { usePages, useService } from '../service.tsx';

/** The agents that the key may use. */
export const AgentList = () => {
  const { api } = useService();
  const { phoneNumber } = useAddress().filters;
  const pages = usePages(['agents', 'list', phoneNumber], (cursor, options) =>
    api.agents.list({ phoneNumber, limit: 50, cursor }, options),
  );
  return (
    <>
      <div className="heading">
        <h1>Agents</h1>
        <Link className="button" view="agents" filters={{ form: 'new' }}>
          New agent
        </Link>
      </div>
      <FilterBar>
        <TextFilter name="phoneNumber" label="Phone number" type="tel" placeholder="+14155550123" />
      </FilterBar>
      <PagedTable
        caption="Agents"
        pages={pages}
        itemsOf={({ agents }) => agents}
        keyOf={({ agentId }) => agentId}
        columns={columns}
        empty={
          phoneNumber ? (
            <Empty title="No agent has this phone number">
              <Link view="agents">Show all agents</Link>
            </Empty>
          ) : (
            <Empty title="There are no agents yet">
              <p>An agent is a greeting, instructions and the knowledge to answer from.</p>
              <Link className="button" view="agents" filters={{ form: 'new' }}>
                Create the first agent
              </Link>
            </Empty>
          )
        }
      />
    </>
  );
};

const columns: Column<Agent>[] = [
  {
    heading: 'Name',
    cell: ({ agentId, name }) => (
      <Link view="agents" filters={{ agentId }}>
        <bdi>{name}</bdi>
      </Link>
    ),
  },
  { heading: 'Phone number', cell: ({ phoneNumber }) => phoneNumber },
  { heading: 'Language', cell: ({ configuration: { language } }) => language, isMinor: true },
  { heading: 'Version', cell: ({ version }) => version, isNumber: true },
  { heading: 'Updated', cell: ({ updatedAt }) => <Time at={updatedAt} />, isMinor: true },
];
