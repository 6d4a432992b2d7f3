import type { CallFiguresRow } from '../../../openapi/client/client.ts';
import { useAddress } from '../address.tsx';
import { FilterBar } from '../components/fields.tsx';
import { listFigureColumns, PeriodFilter, readPeriod, useFigures } from '../components/figures.tsx';
import { type Column, Table } from '../components/paged-table.tsx';
import { Empty, Loaded } from '../components/parts.tsx';
import { useTimeZone } from '../components/values.tsx';

/** Compares the call figures of an agent’s versions. */
export const VersionFigures = ({ agentId }: { agentId: string }) => {
  const { filters } = useAddress();
  const timeZone = useTimeZone();
  const figures = useFigures({ agentId, timeZone, ...readPeriod(filters, timeZone) }, 'version');
  return (
    <>
      <FilterBar>
        <PeriodFilter />
      </FilterBar>
      <Loaded query={figures}>
        {({ rows, totals }) =>
          totals.calls === 0 ? (
            <Empty title="No calls in this period" />
          ) : (
            <Table
              caption="Figures by version"
              items={rows.toSorted((a, b) => (b.version ?? 0) - (a.version ?? 0))}
              keyOf={({ version }) => String(version)}
              columns={[versionColumn, ...listFigureColumns(totals)]}
            />
          )
        }
      </Loaded>
    </>
  );
};

const versionColumn: Column<CallFiguresRow> = {
  heading: 'Version',
  cell: ({ version }) => (version ? `Version ${version}` : 'Not known'),
};
