import { type Agent, dataOf } from '../../../openapi/client/client.ts';
import { Link, NameLink, useAddress } from '../address.tsx';
import { choicesName, NewAgentLink, readAgents, useAgentChoices } from '../components/agent-filter.tsx';
import { FilterBar, TextFilter } from '../components/fields.tsx';
import { useFigures } from '../components/figures.tsx';
import { News } from '../components/news.tsx';
import { type Column, Table } from '../components/paged-table.tsx';
import { Empty, Loaded, Section } from '../components/parts.tsx';
import { Time, useTimeZone } from '../components/values.tsx';
import { addDays, formatNumber, formatPhone, toDateInZone } from '../formats.ts';
import { useService } from '../service.tsx';

/** With more agents, their states are read less often, since each has its whole configuration. */
const maxOften = 50;
const rareMilliseconds = 60_000;

const keyOf = ({ agentId }: Agent) => agentId;

/** The agents that the key may use. They are found by a part of their name or of their number. */
export const AgentList = () => {
  const { search = '' } = useAddress().filters;
  const withCalls = useRecentCalls();
  const text = search.toLowerCase();
  const digits = search.replace(/[^\d]/g, '');
  const choices = useAgentChoices();
  const isFound = ({ name, phoneNumber = '' }: Agent) =>
    name.toLowerCase().includes(text) || (digits !== '' && phoneNumber.includes(digits));
  return (
    <Section
      title="Agents"
      isView
      actions={
        <>
          <News
            list={choicesName}
            keyOf={keyOf}
            one="new agent"
            several="new agents"
            isEnabled={choices.isSuccess}
            shown={choices.data ?? []}
            read={async (api, options) => dataOf(await readAgents(api, options)).agents}
            intervalMilliseconds={choices.data && choices.data.length > maxOften ? rareMilliseconds : undefined}
          />
          <NewAgentLink label="New agent" />
        </>
      }
    >
      <FilterBar>
        <TextFilter name="search" label="Name or phone number" type="search" isLive />
      </FilterBar>
      <Loaded query={choices} rows={8}>
        {(agents) => (
          <Table
            caption="Agents"
            items={agents.filter(isFound).map(withCalls)}
            keyOf={keyOf}
            columns={columns}
            empty={
              search ? (
                <Empty title="No agent has this name or phone number">
                  <Link view="agents">Show all agents</Link>
                </Empty>
              ) : (
                <Empty title="There are no agents yet">
                  <p>An agent is a greeting, instructions and the knowledge to answer from.</p>
                  <NewAgentLink label="Create the first agent" />
                </Empty>
              )
            }
          />
        )}
      </Loaded>
    </Section>
  );
};

/** An agent, and its calls since a day: undefined until they are known. */
type Listed = Agent & { since: string; calls: number | undefined };

/** Counts the calls of each agent in the last seven days, once for all rows. */
const useRecentCalls = () => {
  const { scopes } = useService();
  const timeZone = useTimeZone();
  const tomorrow = addDays(toDateInZone(timeZone), 1);
  const week = { from: addDays(tomorrow, -7), to: tomorrow, timeZone };
  const { data } = useFigures(week, 'agent', scopes.includes('calls'));
  const counts = data && new Map(data.rows.map(({ agent, calls }) => [agent, calls]));
  return (agent: Agent): Listed => ({
    ...agent,
    since: week.from,
    calls: counts && (counts.get(agent.agentId) ?? 0),
  });
};

const RecentCalls = ({ agentId, since, calls }: Listed) =>
  calls !== undefined && (
    <Link view="calls" filters={{ agentId, from: since }}>
      {formatNumber(calls)}
    </Link>
  );

/** Which callers get which version. */
const Traffic = ({ agentId, split = [] }: Listed) =>
  split.length > 0 && (
    <Link view="agents" filters={{ agentId, section: 'traffic' }}>
      {split.map(({ percent, version }) => `${percent}% version ${version}`).join(', ')}
    </Link>
  );

const columns: Column<Listed>[] = [
  { heading: 'Name', cell: ({ agentId, name }) => <NameLink view="agents" filters={{ agentId }} name={name} /> },
  { heading: 'Phone number', cell: ({ phoneNumber }) => phoneNumber && formatPhone(phoneNumber) },
  { heading: 'Calls in 7 days', cell: (agent) => <RecentCalls {...agent} />, isNumber: true },
  { heading: 'Language', cell: ({ configuration: { language } }) => language },
  { heading: 'Traffic', cell: (agent) => <Traffic {...agent} /> },
  { heading: 'Version', cell: ({ version }) => version, isNumber: true },
  { heading: 'Updated', cell: ({ updatedAt }) => <Time at={updatedAt} /> },
];
