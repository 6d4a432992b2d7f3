import { limits } from '../../../domain/limits.ts';
import type { BlockListImportSummary } from '../../../openapi/client/client.ts';
import { Link, setFilters, useAddress } from '../address.tsx';
import { AgentName } from '../components/agent-filter.tsx';
import { DialogButton } from '../components/dialog.tsx';
import { type Column, PagedTable } from '../components/paged-table.tsx';
import { Empty, Section } from '../components/parts.tsx';
import { Status, Time } from '../components/values.tsx';
import { formatNumber } from '../formats.ts';
import { usePages } from '../service.tsx';
import { ImportDialog, importStates, isUnderWay } from './import-dialog.tsx';
import { ImportFileDialog } from './import-file-dialog.tsx';

/** The imports of files into block lists, and one of them with the lines that failed. */
export const Imports = () => {
  const { importId, agentId } = useAddress().filters;
  const pages = usePages(
    ['imports'],
    (api, options, cursor) => api.blockList.listImports({ limit: 10, cursor }, options),
    {
      isUnderWay: ({ imports }) => imports.some(isUnderWay),
    },
  );
  return (
    <Section
      title="Imports"
      actions={
        <DialogButton label="Import a file" className="quiet">
          {(onClose) => (
            <ImportFileDialog agentId={agentId} onImport={(importId) => setFilters({ importId })} onClose={onClose} />
          )}
        </DialogButton>
      }
    >
      <PagedTable
        caption="Imports"
        pages={pages}
        itemsOf={({ imports }) => imports}
        keyOf={({ importId }) => importId}
        columns={columns}
        empty={
          <Empty title={`No file was imported in the last ${limits.importDays} days`}>
            A file of up to a million numbers, one on each line, is imported in the background.
          </Empty>
        }
      />
      {importId && <ImportDialog importId={importId} />}
    </Section>
  );
};

const columns: Column<BlockListImportSummary>[] = [
  {
    heading: 'Started',
    cell: ({ importId, createdAt }) => (
      <Link filters={{ importId }}>
        <Time at={createdAt} />
      </Link>
    ),
  },
  { heading: 'Blocked for', cell: ({ agentId }) => <AgentName agentId={agentId} /> },
  { heading: 'Reason', cell: ({ reason }) => reason && <bdi>{reason}</bdi> },
  { heading: 'State', cell: ({ status }) => <Status {...importStates[status]} /> },
  { heading: 'Lines', isNumber: true, cell: ({ lines }) => formatNumber(lines) },
  { heading: 'Added', isNumber: true, cell: ({ added }) => formatNumber(added) },
  { heading: 'Failed', isNumber: true, cell: ({ failed }) => formatNumber(failed) },
];
