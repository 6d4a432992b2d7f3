import { type ApiClient, type Call, dataOf, type RequestOptions } from '../../../openapi/client/client.ts';
import { Link, useAddress } from '../address.tsx';
import { AgentFilter, ForAgents, HowToRecord, useAgentChoices } from '../components/agent-filter.tsx';
import { announce } from '../components/announcements.tsx';
import { DialogButton } from '../components/dialog.tsx';
import { FilterBar, MoreFilters, SelectFilter, TextFilter } from '../components/fields.tsx';
import { DateChips, FilterChip, useSearchedTimes } from '../components/filter-chip.tsx';
import { useLater } from '../components/later.tsx';
import { News } from '../components/news.tsx';
import { OutcomeColors } from '../components/outcome.tsx';
import { PagedTable } from '../components/paged-table.tsx';
import { Empty } from '../components/parts.tsx';
import { saveFile } from '../components/save-file.ts';
import { useTypedNumber } from '../components/typed-number.ts';
import { useTimeZone } from '../components/values.tsx';
import { formatNumber, formatPhone, formatTime } from '../formats.ts';
import { usePages } from '../service.tsx';
import { formatDirection, listColumns, toCsv } from './call-columns.tsx';
import { CallDialog } from './call-dialog.tsx';
import { ExportDialog } from './export-dialog.tsx';
import { buildCallKey, HeldCalls } from './held-calls.tsx';
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
      <MoreFilters>
        <FilterChip label="Phone number" names={['phone']} format={formatPhone}>
          <NumberFilter />
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
      </MoreFilters>
    </FilterBar>
    <ForAgents>
      <OutcomeColors>
        <CallTable />
      </OutcomeColors>
    </ForAgents>
  </>
);

/** A number as people type it. */
const NumberFilter = () => {
  const parse = useTypedNumber(useAddress().filters.agentId);
  return <TextFilter name="phone" label="Phone number" type="tel" placeholder="+14155550100" parse={parse} />;
};

/** The maximum number of new calls that are counted. */
const maxNew = 100;

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
  const read = (
    api: ApiClient,
    page: typeof search & { limit: number; cursor?: string | undefined },
    options: RequestOptions,
  ) => (agentId ? api.calls.list({ agentId, ...page }, options) : api.calls.listAll(page, options));
  const list = ['calls', agentId, search];
  const pages = usePages(list, (api, options, cursor) => read(api, { ...search, limit: 50, cursor }, options));
  // A panel makes the page beside it inert. The row is marked before that takes its time.
  const openId = useLater(callId);
  const openOf = useLater(callOf);
  const isFiltered = Object.values(filters).some(Boolean);
  const loaded = pages.data?.pages.flatMap(({ calls }) => calls) ?? [];
  const place = loaded.findIndex((call) => call.callId === openId && call.agentId === openOf);
  const neighbors = place < 0 ? [] : [loaded[place - 1], loaded[place + 1]];
  const columns = agentId ? listColumns.filter(({ name }) => name !== 'agentId') : listColumns;
  const newest = loaded[0];
  const readNew = async (api: ApiClient, options: RequestOptions) => {
    const from = newest ? newest.startedAt : search.from;
    return dataOf(await read(api, { ...search, from, limit: maxNew }, options)).calls;
  };
  return (
    <>
      <div className="heading">
        <p className="faint">
          {loaded.length > 0 && `${formatNumber(loaded.length)} calls${pages.hasNextPage ? ', and older ones' : ''}`}
        </p>
        <News
          list={[...list, 'pages']}
          keyOf={buildCallKey}
          one="new call"
          several="new calls"
          isEnabled={pages.isSuccess && !search.to}
          shown={loaded}
          read={readNew}
          max={maxNew}
        />
      </div>
      <HeldCalls calls={search.held ? loaded : []}>
        <PagedTable
          caption="Calls"
          pages={pages}
          itemsOf={({ calls }) => calls}
          keyOf={buildCallKey}
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

/** Downloads the calls that the list shows as CSV, or exports those of a period. */
const Downloads = ({ calls, agentId }: { calls: Call[]; agentId: string | undefined }) => {
  const agents = useAgentChoices().data ?? [];
  const timeZone = useTimeZone();
  const names = new Map(agents.map(({ agentId, name }) => [agentId, name]));
  const save = () => {
    saveFile(toCsv(calls, names, timeZone), 'calls.csv');
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
