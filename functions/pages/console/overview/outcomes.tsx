import type { CallFiguresRow } from '../../../openapi/client/client.ts';
import { Link, useAddress } from '../address.tsx';
import { AgentName } from '../components/agent-filter.tsx';
import { type FigureSearch, listFigureColumns, readPeriod, useFigures } from '../components/figures.tsx';
import { OutcomeBadge } from '../components/outcome.tsx';
import { type Column, Table } from '../components/paged-table.tsx';
import { Loaded } from '../components/parts.tsx';
import { useTimeZone } from '../components/values.tsx';
import { addDays } from '../formats.ts';

/** The outcomes of calls with their figures, the most frequent first. */
export const Outcomes = ({ search }: { search: FigureSearch }) => (
  <section className="stack">
    <h2>Outcomes</h2>
    <Loaded query={useFigures(search, 'outcome')}>
      {({ rows, totals }) => (
        <Table
          caption="Figures by outcome"
          items={rows.toSorted((a, b) => Number(a.outcome === null) - Number(b.outcome === null) || b.calls - a.calls)}
          keyOf={({ outcome }) => JSON.stringify(outcome)}
          columns={[outcomeColumn, ...listFigureColumns(totals, ['With an outcome'])]}
        />
      )}
    </Loaded>
  </section>
);

/** The agents with their figures, those with the most calls first, unless one is chosen. */
export const ByAgent = ({ search }: { search: FigureSearch }) => {
  const { data } = useFigures(search, 'agent', search.agentId === undefined);
  if (!data || data.rows.length < 2) return null;
  return (
    <section className="stack">
      <h2>Agents</h2>
      <Table
        caption="Figures by agent"
        items={data.rows}
        keyOf={({ agent }) => agent ?? ''}
        columns={[agentColumn, ...listFigureColumns(data.totals)]}
        sortedBy="Calls"
      />
    </section>
  );
};

/** Links an agent to the same figures of it alone. */
const agentColumn: Column<CallFiguresRow> = {
  heading: 'Agent',
  isLong: true,
  cell: ({ agent }) => (
    <Link filters={{ agentId: agent ?? undefined }}>
      <AgentName agentId={agent ?? undefined} />
    </Link>
  ),
};

/** Links an outcome to its calls. */
const Outcome = ({ outcome }: CallFiguresRow) => {
  const { filters } = useAddress();
  const { from, to } = readPeriod(filters, useTimeZone());
  const { agentId } = filters;
  const name =
    typeof outcome === 'string' ? <OutcomeBadge outcome={outcome} /> : <span className="badge">No outcome</span>;
  // The list of calls treats an empty outcome as none.
  if (outcome === '') return name;
  const search = { agentId, from, to: addDays(to, -1), ...(outcome ? { outcome } : { hasOutcome: 'false' }) };
  return (
    <Link view="calls" filters={search}>
      {name}
    </Link>
  );
};

const outcomeColumn: Column<CallFiguresRow> = { heading: 'Outcome', cell: (row) => <Outcome {...row} /> };
