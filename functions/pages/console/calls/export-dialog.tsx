import { useState } from 'react';
import type { CallExport } from '../../../openapi/client/client.ts';
import { AgentChoice } from '../components/agent-filter.tsx';
import { Dialog, FormDialog } from '../components/dialog.tsx';
import { Choice, TextField } from '../components/fields.tsx';
import type { Texts } from '../components/form.tsx';
import { Loaded } from '../components/parts.tsx';
import { Facts, Status, Time, useTimeZone } from '../components/values.tsx';
import { addDays, formatNumber, toDateInZone } from '../formats.ts';
import { useChange, useRead } from '../service.tsx';

const pollMilliseconds = 1000;

const formats = [
  { value: 'parquet', label: 'Parquet, for warehouses and notebooks' },
  { value: 'csv', label: 'CSV, for spreadsheets' },
  { value: 'jsonl', label: 'JSON Lines, with all details' },
];

const states = {
  pending: { tone: 'working', label: 'Waiting' },
  running: { tone: 'working', label: 'Running' },
  done: { tone: 'good', label: 'Done' },
  failed: { tone: 'bad', label: 'Failed' },
} as const;

/** Exports calls of a period to files, and shows the progress and the files. */
export const ExportDialog = ({ agentId, onClose }: { agentId: string | undefined; onClose(): void }) => {
  const today = toDateInZone(useTimeZone());
  const [agent, setAgent] = useState(agentId ?? '');
  const [format, setFormat] = useState('parquet');
  const beginning = useChange(
    (api, options, { from = '', to = '' }: Texts) =>
      api.calls.createExport(
        { from, to: addDays(to, 1), format: format as CallExport['format'], agentIds: agent ? [agent] : undefined },
        options,
      ),
    { changes: [] },
  );
  if (beginning.data) return <Progress exportId={beginning.data.exportId} onClose={onClose} />;
  return (
    <FormDialog title="Export calls" change={beginning} submit="Export" pending="Starting …" onClose={onClose}>
      <AgentChoice label="Calls of" none="All agents" value={agent} onChange={setAgent} />
      <TextField label="First day" name="from" type="date" required defaultValue={addDays(today, -30)} />
      <TextField
        label="Last day"
        name="to"
        type="date"
        required
        defaultValue={today}
        note="A day is that of UTC, from midnight to midnight."
      />
      <Choice label="Format" options={formats} value={format} onChange={setFormat} />
    </FormDialog>
  );
};

const Progress = ({ exportId, onClose }: { exportId: string; onClose(): void }) => {
  const found = useRead(['exports', exportId], (api, options) => api.calls.getExport({ exportId }, options), {
    refetchInterval: (data) => (data === undefined || data.finishedAt === undefined) && pollMilliseconds,
  });
  return (
    <Dialog title="Export" onClose={onClose}>
      <Loaded query={found} rows={4}>
        {({ status, calls, files, error, expiresAt }) => (
          <div className="stack">
            <p role="status">
              <Status {...states[status]} />
            </p>
            {error && <p className="problem">{error}</p>}
            <Facts facts={{ Calls: formatNumber(calls), 'Kept until': expiresAt && <Time at={expiresAt} /> }} />
            {status === 'done' && <Files files={files} />}
          </div>
        )}
      </Loaded>
    </Dialog>
  );
};

const Files = ({ files }: Pick<CallExport, 'files'>) =>
  files.length === 0 ? (
    <p>There are no calls in these days.</p>
  ) : (
    files.map(({ url, bytes, calls }, index) => (
      <p key={url}>
        <a href={url} download>
          File {index + 1}
        </a>
        : {calls === 1 ? '1 call' : `${formatNumber(calls)} calls`}, {formatNumber(Math.ceil(bytes / 1024))} KB
      </p>
    ))
  );
