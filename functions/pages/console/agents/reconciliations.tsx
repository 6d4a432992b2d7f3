import { useState } from 'react';
import { formatLimit } from '../../../domain/format-limit.ts';
import { limits } from '../../../domain/limits.ts';
import type { Reconciliation } from '../../../openapi/client/client.ts';
import { Link } from '../address.tsx';
import { Choice } from '../components/fields.tsx';
import { type Column, Table } from '../components/paged-table.tsx';
import { Details, Empty, Failed, Loaded } from '../components/parts.tsx';
import { Facts, Status, Time, type Tone } from '../components/values.tsx';
import { formatDuration, formatNumber } from '../formats.ts';
import { useChange, useRead, useReadAgain } from '../service.tsx';

const dayMilliseconds = 24 * 60 * 60 * 1000;
const periods = [
  { value: '1', label: 'The last day' },
  { value: '7', label: 'The last 7 days' },
  { value: String(limits.reconciliationDays), label: `The last ${formatLimit('reconciliationDays')} days` },
];
const pollMilliseconds = 1000;

const states: Record<Reconciliation['status'], { tone: Tone; label: string }> = {
  pending: { tone: 'working', label: 'Starting' },
  running: { tone: 'working', label: 'In progress' },
  done: { tone: 'good', label: 'Done' },
  failed: { tone: 'bad', label: 'Failed' },
};
const isUnderWay = ({ status }: Reconciliation) => status === 'pending' || status === 'running';

/** The last reconciliation of an agent, and another one on demand. */
export const Reconciliations = ({ agentId }: { agentId: string }) => {
  const [days, setDays] = useState('7');
  const name = ['reconciliations', agentId];
  const list = useRead(name, (api, options) => api.reconciliations.list({ agentId, limit: 1 }, options), {
    refetchInterval: (data) => (data?.reconciliations.some(isUnderWay) ? pollMilliseconds : false),
  });
  const last = list.data?.reconciliations[0];
  useReadAgain([['calls'], ['figures'], ['platformKeys']], last?.finishedAt !== undefined);
  const check = useChange(
    (api, options) => {
      const to = Date.now();
      const from = new Date(to - Number(days) * dayMilliseconds).toISOString();
      return api.reconciliations.create({ agentId, from, to: new Date(to).toISOString() }, options);
    },
    { changes: [name], done: () => 'The check has started.' },
  );
  const isBusy = check.isPending || (last !== undefined && isUnderWay(last));
  return (
    <>
      <div className="inline-form">
        <Choice label="Calls that started in" options={periods} value={days} onChange={setDays} />
        <button type="button" disabled={isBusy} onClick={() => check.mutate(undefined)}>
          {isBusy ? 'Checking …' : 'Check now'}
        </button>
        {check.error && <Failed error={check.error} />}
      </div>
      <Loaded query={list}>
        {() =>
          last ? <Last key={last.reconciliationId} agentId={agentId} last={last} /> : <Empty title="No recent check" />
        }
      </Loaded>
    </>
  );
};

const Last = ({ agentId, last }: { agentId: string; last: Reconciliation }) => {
  const { status, from, to, createdAt, error, listed, known, recovered, completed, skipped, differing } = last;
  return (
    <div className="stack" aria-live="polite">
      {error && (
        <div className="failed">
          <p>{error}</p>
        </div>
      )}
      <Facts
        facts={{
          'Last check': (
            <>
              <Status {...states[status]} /> <Time at={createdAt} />
            </>
          ),
          'Calls from': <Time at={from} />,
          'Calls until': <Time at={to} />,
          Listed: `${formatNumber(listed)} at the platform`,
          Known: `${formatNumber(known)} were recorded before`,
          Recovered: `${formatNumber(recovered)} were missing and are now recorded`,
          Completed: `${formatNumber(completed)} were recorded without their end, which is now recorded`,
          Skipped: `${formatNumber(skipped)} are in progress, were deleted, or cannot be recorded`,
          Differing: `${formatNumber(differing)} have another duration or cost at the platform`,
        }}
      />
      {recovered + completed > 0 && (
        <p>
          <Link view="calls" filters={{ agentId }}>
            Calls of the agent
          </Link>
        </p>
      )}
      {last.differences.length > 0 && (
        <Details title={`Calls with another duration or cost (${formatNumber(last.differences.length)})`}>
          <Table
            caption="Differences"
            items={last.differences}
            keyOf={({ callId, field }) => `${callId} ${field}`}
            columns={columns}
          />
        </Details>
      )}
    </div>
  );
};

type Difference = Reconciliation['differences'][number];

const formatMeasure = (value: Difference['here']) =>
  typeof value === 'number' ? formatDuration(value) : `${formatNumber(value.amount)} ${value.currency}`;

const columns: Column<Difference>[] = [
  {
    heading: 'Call',
    cell: ({ callId }) => (
      <Link filters={{ callId }} view="calls">
        {callId}
      </Link>
    ),
  },
  { heading: 'What', cell: ({ field }) => (field === 'cost' ? 'Cost' : 'Duration') },
  { heading: 'Here', isNumber: true, cell: ({ here }) => formatMeasure(here) },
  { heading: 'At the platform', isNumber: true, cell: ({ there }) => formatMeasure(there) },
];
