import type { Call } from '../../../openapi/client/client.ts';
import { addressNow, Link, useAddress } from '../address.tsx';
import { AgentFilter } from '../components/agent-filter.tsx';
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

/** The calls of an agent, newest first, and one of them with its details. */
const Calls = () => {
  const { filters } = useAddress();
  const { agentId } = filters;
  return (
    <>
      <h1>Calls</h1>
      <FilterBar>
        <AgentFilter />
        <TextFilter name="phone" label="Phone number" type="tel" placeholder="+14155550100" />
        <DateFilter name="from" label="From" />
        <DateFilter name="to" label="To" />
        <SelectFilter name="direction" label="Direction" options={directions} />
        <StatusFilter />
        <OutcomeFilter />
      </FilterBar>
      {agentId ? (
        <CallTable agentId={agentId} />
      ) : (
        <Empty title="Choose an agent">
          <p>Calls are listed for one agent.</p>
        </Empty>
      )}
    </>
  );
};

const CallTable = ({ agentId }: { agentId: string }) => {
  const { api } = useService();
  const { callId, callOf = agentId, timeZone: _, ...filters } = useAddress().filters;
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
    cell: ({ custom_call_outcome: outcome }) => outcome !== undefined && <OutcomeBadge outcome={outcome} />,
  },
  {
    heading: 'Value',
    cell: ({ custom_call_outcome_value: value }) => value !== undefined && formatValue(value),
    isNumber: true,
  },
];

export default Calls;
