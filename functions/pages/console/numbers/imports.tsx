import { useState } from 'react';
import type { BlockListImportSummary } from '../../../openapi/client/client.ts';
import { Link, setFilters, useAddress } from '../address.tsx';
import { type Column, PagedTable } from '../components/paged-table.tsx';
import { Section } from '../components/section.tsx';
import { Empty } from '../components/states.tsx';
import { Time } from '../components/time.tsx';
import { formatNumber } from '../formats.ts';
import { usePages, useService } from '../service.tsx';
import { ImportDialog } from './import-dialog.tsx';
import { ImportStatus, isUnderWay, ListName } from './import-facts.tsx';
import { ImportFileDialog } from './import-file-dialog.tsx';

/** The imports of files into block lists, and one of them with the lines that failed. */
export const Imports = () => {
  const { api } = useService();
  const { importId, agentId } = useAddress().filters;
  const [isImporting, setImporting] = useState(false);
  const pages = usePages(['imports'], (cursor, options) => api.blockList.listImports({ limit: 10, cursor }, options), {
    isUnderWay: ({ imports }) => imports.some(isUnderWay),
  });
  return (
    <Section
      title="Imports"
      actions={
        <button type="button" className="quiet" onClick={() => setImporting(true)}>
          Import a file
        </button>
      }
    >
      <PagedTable
        caption="Imports"
        pages={pages}
        itemsOf={({ imports }) => imports}
        keyOf={({ importId }) => importId}
        columns={columns}
        empty={
          <Empty title="No file was imported in the last 30 days">
            <p>A file of up to a million numbers, one on each line, is imported in the background.</p>
          </Empty>
        }
      />
      {importId && <ImportDialog importId={importId} />}
      {isImporting && (
        <ImportFileDialog
          agentId={agentId}
          onImport={(importId) => setFilters({ importId })}
          onClose={() => setImporting(false)}
        />
      )}
    </Section>
  );
};

const Started = ({ item: { importId, createdAt } }: { item: BlockListImportSummary }) => (
  <Link view="numbers" filters={{ ...useAddress().filters, importId }}>
    <Time at={createdAt} />
  </Link>
);

const columns: Column<BlockListImportSummary>[] = [
  { heading: 'Started', cell: (item) => <Started item={item} /> },
  { heading: 'Blocked for', cell: ({ agentId }) => <ListName agentId={agentId} /> },
  { heading: 'Reason', cell: ({ reason }) => reason && <bdi>{reason}</bdi> },
  { heading: 'State', cell: ({ status }) => <ImportStatus status={status} /> },
  { heading: 'Lines', isNumber: true, cell: ({ lines }) => formatNumber(lines) },
  { heading: 'Added', isNumber: true, cell: ({ added }) => formatNumber(added) },
  { heading: 'Failed', isNumber: true, cell: ({ failed }) => formatNumber(failed) },
];
