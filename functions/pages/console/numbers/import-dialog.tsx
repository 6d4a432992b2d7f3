import type { BlockListImport, BlockListImportSummary } from '../../../openapi/client/client.ts';
import { setFilters } from '../address.tsx';
import { AgentName } from '../components/agent-filter.tsx';
import { Dialog } from '../components/dialog.tsx';
import { Table } from '../components/paged-table.tsx';
import { Loaded } from '../components/parts.tsx';
import { Facts, Status, Time } from '../components/values.tsx';
import { formatNumber } from '../formats.ts';
import { useRead, useReadAgain } from '../service.tsx';

const pollMilliseconds = 1000;

/** An import with its progress and the lines that failed. */
export const ImportDialog = ({ importId }: { importId: string }) => {
  const found = useRead(['imports', importId], (api, options) => api.blockList.getImport({ importId }, options), {
    refetchInterval: (data) => data !== undefined && isUnderWay(data) && pollMilliseconds,
  });
  const { data } = found;
  useReadAgain([['numbers'], ['imports', 'pages']], data !== undefined && !isUnderWay(data));
  return (
    <Dialog title="Import" isWide onClose={() => setFilters({ importId: undefined })}>
      <Loaded query={found} rows={5}>
        {(data) => (
          <div className="stack">
            <p role="status">
              <Status {...importStates[data.status]} />
            </p>
            {data.error && <p className="problem">{data.error}</p>}
            <Facts
              facts={{
                Started: <Time at={data.createdAt} />,
                Ended: data.finishedAt && <Time at={data.finishedAt} />,
                'Blocked for': <AgentName agentId={data.agentId} />,
                Reason: data.reason,
                'Lines read': formatNumber(data.lines),
                Added: formatNumber(data.added),
                'Blocked already': formatNumber(data.alreadyBlocked),
                Removed: data.mode === 'replace' ? formatNumber(data.removed) : undefined,
                Failed: formatNumber(data.failed),
              }}
            />
            <FailedLines data={data} />
          </div>
        )}
      </Loaded>
    </Dialog>
  );
};

const FailedLines = ({ data: { failed, failures, status } }: { data: BlockListImport }) => {
  if (failed === 0) return status === 'done' ? <p className="faint">Every line was imported.</p> : null;
  return (
    <section>
      <h3>Lines that failed</h3>
      {failures.length < failed && (
        <p className="faint">
          The first {formatNumber(failures.length)} of {formatNumber(failed)}.
        </p>
      )}
      <Table
        caption="Lines that failed"
        items={failures}
        keyOf={({ line }) => String(line)}
        columns={[
          { heading: 'Line', isNumber: true, cell: ({ line }) => formatNumber(line) },
          { heading: 'Number', cell: ({ number }) => <bdi>{number}</bdi> },
          { heading: 'Why', cell: ({ reason, message = reason }) => message },
        ]}
      />
      <p className="faint">Correct these lines, and import them in a separate file.</p>
    </section>
  );
};

export const isUnderWay = ({ status }: Pick<BlockListImportSummary, 'status'>) =>
  importStates[status].tone === 'working';

export const importStates = {
  awaiting_upload: { tone: 'working', label: 'Waiting' },
  running: { tone: 'working', label: 'Running' },
  done: { tone: 'good', label: 'Done' },
  failed: { tone: 'bad', label: 'Failed' },
} as const;
