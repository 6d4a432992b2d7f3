import type { Call } from '../../../openapi/client/client.ts';
import { addressNow, Link, useAddress } from '../address.tsx';
import { AgentFilter, ForAgents, useAgentName } from '../components/agent-filter.tsx';
import { DateFilter, FilterBar, SelectFilter, TextFilter } from '../components/fields.tsx';
import { OutcomeBadge } from '../components/outcome.tsx';
import { type Column, PagedTable } from '../components/paged-table.tsx';
import { Empty } from '../components/states.tsx';
import { Time, useTimeZone } from '../components/time.tsx';
import { addDays, formatDuration, formatPhone, formatTime, formatValue, startOfDay } from '../formats.ts';
import { usePages, useService } from '../service.tsx';
import { CallDialog, filtersOf } from './call-dialog.tsx';
import { CallStatus } from './call-status.tsx';
import { OutcomeFilter, StatusFilter } from './outcome-filter.tsx';

const directions = [
  { value: '', label: 'Both' },
  { value: 'inbound', label: 'Inbound' },
  { value: 'outbound', label: 'Outbound' },
];

/** The calls of all agents or of one, newest first, and one of them with its details. */
const Calls = () => (
  <>
    <h1>Calls</h1>
    <FilterBar>
      <AgentFilter all="All agents" />
      <TextFilter name="phone" label="Phone number" type="tel" placeholder="+14155550100" />
      <DateFilter name="from" label="From" />
      <DateFilter name="to" label="To" />
      <SelectFilter name="direction" label="Direction" options={directions} />
      <StatusFilter />
      <OutcomeFilter />
    </FilterBar>
    <ForAgents>
      <CallTable />
    </ForAgents>
  </>
);

const CallTable = () => {
  const { api } = useService();
  const { agentId, callId, callOf = agentId, timeZone: _, ...filters } = useAddress().filters;
  const timeZone = useTimeZone();
  const { phone, from, to, direction, status, outcome, hasOutcome, held } = filters;
  const search = {
    ...{ phone, status, outcome },
    // The search includes the day `to`.
    from: from && startOfDay(from, timeZone),
    to: to && startOfDay(addDays(to, 1), timeZone),
    direction: direction as Call['direction'] | undefined,
    held: held === 'true' || undefined,
    hasOutcome: hasOutcome === undefined ? undefined : hasOutcome === 'true',
  };
  const pages = usePages(['calls', agentId, search], (cursor, options) => {
    const page = { ...search, limit: 50, cursor };
    return agentId ? api.calls.list({ agentId, ...page }, options) : api.calls.listAll(page, options);
  });
  const isFiltered = Object.values(filters).some(Boolean);
  const loaded = pages.data?.pages.flatMap(({ calls }) => calls) ?? [];
  const place = loaded.findIndex((call) => call.callId === callId);
  return (
    <>
      <PagedTable
        caption="Calls"
        pages={pages}
        itemsOf={({ calls }) => calls}
        keyOf={({ callId }) => callId}
        groupOf={({ startedAt }, timeZone) =>
          formatTime(startedAt, timeZone, { dateStyle: 'full', timeStyle: undefined })
        }
        columns={agentId ? columns : [...columns.slice(0, 2), columnOfAgent, ...columns.slice(2)]}
        empty={
          isFiltered ? (
            <Empty title="No call matches these filters">
              <Link view="calls" filters={{ agentId }}>
                Show all calls
              </Link>
            </Empty>
          ) : (
            <Empty title="There are no calls yet">
              <p>
                Calls are recorded by a voice platform, or by your own program:{' '}
                <a href="/docs/voice-platforms">connect a platform</a>.
              </p>
            </Empty>
          )
        }
      />
      {callId && callOf && (
        <CallDialog
          key={callId}
          agentId={callOf}
          callId={callId}
          neighbors={place < 0 ? [] : [loaded[place - 1], loaded[place + 1]]}
        />
      )}
    </>
  );
};

const Started = ({ call }: { call: Call }) => (
  <Link
    view="calls"
    filters={{ ...addressNow().filters, ...filtersOf(call) }}
    aria-label={formatTime(call.startedAt, useTimeZone())}
  >
    <Time at={call.startedAt} isShort />
  </Link>
);

const AgentName = ({ call: { agentId } }: { call: Call }) => <bdi>{useAgentName(agentId)}</bdi>;

const columnOfAgent: Column<Call> = { heading: 'Agent', isLong: true, cell: (call) => <AgentName call={call} /> };

const columns: Column<Call>[] = [
  { heading: 'Started', cell: (call) => <Started call={call} /> },
  {
    heading: 'Phone number',
    cell: ({ phone }) => (phone ? formatPhone(phone) : <span className="faint">Withheld</span>),
  },
  { heading: 'Direction', cell: ({ direction }) => (direction === 'inbound' ? 'Inbound' : 'Outbound') },
  { heading: 'Status', cell: ({ status }) => status && <CallStatus status={status} /> },
  {
    heading: 'Duration',
    cell: ({ durationSeconds }) => durationSeconds !== undefined && formatDuration(durationSeconds),
    isNumber: true,
  },
  {
    heading: 'Outcome',
    cell: ({ custom_call_outcome: outcome, heldOutcome }) =>
      outcome === undefined ? (
        heldOutcome && <span className="faint">Held: {heldOutcome.custom_call_outcome}</span>
      ) : (
        <OutcomeBadge outcome={outcome} />
      ),
  },
  {
    heading: 'Value',
    cell: ({ custom_call_outcome_value: value }) => value !== undefined && formatValue(value),
    isNumber: true,
  },
];

export default Calls;
