import { useDeferredValue } from 'react';
import type { Call } from '../../../openapi/client/client.ts';
import { Link, useAddress } from '../address.tsx';
import { AgentFilter, ForAgents, HowToRecord, useAgentChoices } from '../components/agent-filter.tsx';
import { announce } from '../components/announcements.tsx';
import { DialogButton } from '../components/dialog.tsx';
import { FilterBar, SelectFilter, TextFilter } from '../components/fields.tsx';
import { DateChips, FilterChip, useSearchedTimes } from '../components/filter-chip.tsx';
import { OutcomeColors } from '../components/outcome.tsx';
import { type Column, PagedTable } from '../components/paged-table.tsx';
import { Empty } from '../components/parts.tsx';
import { saveFile } from '../components/save-file.ts';
import { formatNumber, formatPhone, formatTime } from '../formats.ts';
import { usePages } from '../service.tsx';
import { formatDirection, listColumns, toCsv } from './call-columns.tsx';
import { CallDialog } from './call-dialog.tsx';
import { ExportDialog } from './export-dialog.tsx';
import { ChooseHeld, HeldCalls } from './held-calls.tsx';
import { formatOutcomeFilter, OutcomeFilter, StatusFilter } from './outcome-filter.tsx';

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
      <FilterChip label="Phone number" names={['phone']} format={formatPhone}>
        <TextFilter name="phone" label="Phone number" type="tel" placeholder="+14155550100" />
      </FilterChip>
      <DateChips />
      <FilterChip label="Direction" names={['direction']} format={formatDirection}>
        <SelectFilter name="direction" label="Direction" options={directions} />
      </FilterChip>
      <FilterChip label="Status" names={['status']}>
        <StatusFilter />
      </FilterChip>
      <FilterChip label="Outcome" names={['outcome', 'hasOutcome', 'held']} format={formatOutcomeFilter}>
        <OutcomeFilter />
      </FilterChip>
    </FilterBar>
    <ForAgents>
      <OutcomeColors>
        <CallTable />
      </OutcomeColors>
    </ForAgents>
  </>
);

const CallTable = () => {
  const { agentId, callId, callOf = agentId, timeZone: _, ...filters } = useAddress().filters;
  const { phone, direction, status, outcome, hasOutcome, held } = filters;
  const search = {
    phone,
    status,
    outcome,
    ...useSearchedTimes(),
    direction: direction as Call['direction'] | undefined,
    held: held === 'true' || undefined,
    hasOutcome: hasOutcome === undefined ? undefined : hasOutcome === 'true',
  };
  const pages = usePages(['calls', agentId, search], (api, options, cursor) => {
    const page = { ...search, limit: 50, cursor };
    return agentId ? api.calls.list({ agentId, ...page }, options) : api.calls.listAll(page, options);
  });
  // A panel makes the page beside it inert. The row is marked before that takes its time.
  const openId = useDeferredValue(callId);
  const openOf = useDeferredValue(callOf);
  const isFiltered = Object.values(filters).some(Boolean);
  const loaded = pages.data?.pages.flatMap(({ calls }) => calls) ?? [];
  const place = loaded.findIndex((call) => call.callId === openId);
  const neighbors = place < 0 ? [] : [loaded[place - 1], loaded[place + 1]];
  const ofList = agentId ? listColumns.filter(({ name }) => name !== 'agentId') : listColumns;
  const columns = search.held ? [...ofList, chooseColumn] : ofList;
  return (
    <>
      <HeldCalls calls={search.held ? loaded : []}>
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
                  Show all calls
                </Link>
              </Empty>
            ) : (
              <Empty title="There are no calls yet">
                <HowToRecord />
              </Empty>
            )
          }
        />
      </HeldCalls>
      {loaded.length > 0 && <Downloads calls={loaded} agentId={agentId} />}
      {openId && openOf && (
        <CallDialog
          agentId={openOf}
          callId={openId}
          neighbors={neighbors}
          next={search.held && (neighbors[1] ?? neighbors[0])}
        />
      )}
    </>
  );
};

const chooseColumn: Column<Call> = { heading: 'Choose', isHidden: true, cell: (call) => <ChooseHeld call={call} /> };

/** Downloads the calls that the list shows as CSV, or exports those of a period. */
const Downloads = ({ calls, agentId }: { calls: Call[]; agentId: string | undefined }) => {
  const agents = useAgentChoices().data ?? [];
  const names = new Map(agents.map(({ agentId, name }) => [agentId, name]));
  const save = () => {
    saveFile(toCsv(calls, names), 'calls.csv');
    announce(`Calls downloaded as CSV: ${formatNumber(calls.length)}.`);
  };
  return (
    <div className="buttons">
      <button type="button" className="quiet" onClick={save}>
        Download these calls as CSV
      </button>
      <DialogButton label="Export calls" className="quiet">
        {(onClose) => <ExportDialog agentId={agentId} onClose={onClose} />}
      </DialogButton>
    </div>
  );
};

export default Calls;
