import type { Call } from '../../../openapi/client/client.ts';
import { addressNow, Link, useAddress } from '../address.tsx';
import { AgentFilter } from '../components/agent-filter.tsx';
import { DateFilter, FilterBar, SelectFilter, TextFilter } from '../components/fields.tsx';
import { type Column, PagedTable } from '../components/paged-table.tsx';
import { Empty } from '../components/states.tsx';
import { Time, useTimeZone } from '../components/time.tsx';
import { addDays, formatDuration, formatValue, startOfDay } from '../formats.ts';
import { usePages, useService } from '../service.tsx';
import { CallDialog } from './call-dialog.tsx';

const directions = [
  { value: '', label: 'Both' },
  { value: 'inbound', label: 'Inbound' },
  { value: 'outbound', label: 'Outbound' },
];
const withOrWithout = [
  { value: '', label: 'All calls' },
  { value: 'true', label: 'With an outcome' },
  { value: 'false', label: 'Without an outcome' },
];

/** The calls of an agent, newest first, and one of them with its details. */
const Calls = () => {
  const { filters } = useAddress();
  const { agentId, callId } = filters;
  return (
    <>
      <h1>Calls</h1>
      <FilterBar>
        <AgentFilter />
        <TextFilter name="phone" label="Phone number" type="tel" placeholder="+14155550100" />
        <DateFilter name="from" label="From" />
        <DateFilter name="to" label="To" />
        <SelectFilter name="direction" label="Direction" options={directions} />
        <TextFilter name="status" label="Status" />
        <TextFilter name="outcome" label="Outcome" />
        <SelectFilter name="hasOutcome" label="Has an outcome" options={withOrWithout} />
      </FilterBar>
      {agentId ? (
        <CallTable agentId={agentId} />
      ) : (
        <Empty title="Choose an agent">
          <p>Calls are listed for one agent.</p>
        </Empty>
      )}
      {agentId && callId && <CallDialog agentId={agentId} callId={callId} />}
    </>
  );
};

const CallTable = ({ agentId }: { agentId: string }) => {
  const { api } = useService();
  const { callId: _, timeZone: __, ...filters } = useAddress().filters;
  const timeZone = useTimeZone();
  const { phone, from, to, direction, status, outcome, hasOutcome } = filters;
  const search = {
    ...{ agentId, phone, status, outcome },
    // The search includes the day `to`.
    from: from && startOfDay(from, timeZone),
    to: to && startOfDay(addDays(to, 1), timeZone),
    direction: direction as Call['direction'] | undefined,
    hasOutcome: hasOutcome === undefined ? undefined : hasOutcome === 'true',
  };
  const pages = usePages(['calls', search], (cursor, options) =>
    api.calls.list({ ...search, limit: 50, cursor }, options),
  );
  const isFiltered = Object.entries(filters).some(([name, value]) => name !== 'agentId' && value);
  return (
    <PagedTable
      caption="Calls"
      pages={pages}
      itemsOf={({ calls }) => calls}
      keyOf={({ callId }) => callId}
      columns={columns}
      empty={
        isFiltered ? (
          <Empty title="No call matches these filters">
            <Link view="calls" filters={{ agentId }}>
              Show all calls of the agent
            </Link>
          </Empty>
        ) : (
          <Empty title="This agent has no calls yet">
            <p>
              Calls are recorded by a voice platform, or by your own program:{' '}
              <a href="/docs/voice-platforms">connect a platform</a>.
            </p>
          </Empty>
        )
      }
    />
  );
};

const Started = ({ call: { callId, startedAt } }: { call: Call }) => (
  <Link view="calls" filters={{ ...addressNow().filters, callId }}>
    <Time at={startedAt} />
  </Link>
);

const columns: Column<Call>[] = [
  { heading: 'Started', cell: (call) => <Started call={call} /> },
  { heading: 'Phone number', cell: ({ phone }) => phone ?? <span className="faint">Withheld</span> },
  { heading: 'Direction', cell: ({ direction }) => (direction === 'inbound' ? 'Inbound' : 'Outbound'), isMinor: true },
  { heading: 'Status', cell: ({ status }) => <bdi>{status}</bdi>, isMinor: true },
  {
    heading: 'Duration',
    cell: ({ durationSeconds }) => durationSeconds !== undefined && formatDuration(durationSeconds),
    isNumber: true,
    isMinor: true,
  },
  { heading: 'Outcome', cell: ({ custom_call_outcome: outcome }) => outcome !== undefined && <bdi>{outcome}</bdi> },
  {
    heading: 'Value',
    cell: ({ custom_call_outcome_value: value }) => value !== undefined && formatValue(value),
    isNumber: true,
  },
];

export default Calls;
