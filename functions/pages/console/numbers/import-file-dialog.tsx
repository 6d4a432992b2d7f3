import { useMemo, useState } from 'react';
import { AgentChoice } from '../components/agent-filter.tsx';
import { FormDialog } from '../components/dialog.tsx';
import { Choice, Field, LastDayField, TextField, useEndOfDay } from '../components/fields.tsx';
import type { Texts } from '../components/form.tsx';
import { Table } from '../components/paged-table.tsx';
import { Picker } from '../components/picker.tsx';
import { Progress, useUpload } from '../components/upload.tsx';
import { formatBytes } from '../formats.ts';
import { useChange } from '../service.tsx';
import { type Columns, countries, likelyColumns, type Preview, readPreview } from './preview.ts';

const maxBytes = 64 * 1024 * 1024;

type Props = { agentId: string | undefined; onImport(importId: string): void; onClose(): void };

const noColumns: Columns = { number: '', reason: '', expiresAt: '' };

/** Returns the columns of an import. One that is not chosen is left out. */
const namedColumns = ({ number, reason, expiresAt }: Columns) => ({
  number,
  reason: reason || undefined,
  expiresAt: expiresAt || undefined,
});

/** Uploads a file of numbers to block. */
export const ImportFileDialog = ({ agentId, onImport, onClose }: Props) => {
  const { progress, setProgress, stopping } = useUpload();
  const [file, setFile] = useState<File>();
  const [list, setList] = useState(agentId ?? '');
  const [country, setCountry] = useState('');
  const [preview, setPreview] = useState<Preview>();
  const [columns, setColumns] = useState(noColumns);
  const countryOptions = useMemo(() => [{ value: '', label: 'None' }, ...countries()], []);
  const endOf = useEndOfDay();
  const change = useChange(
    (api, options, { file, texts: { reason, expiresAt } }: { file: File; texts: Texts }) =>
      api.blockList.importFile(
        {
          agentId: list || undefined,
          reason: reason || undefined,
          expiresAt: endOf(expiresAt),
          country: country || undefined,
          columns: columns.number ? namedColumns(columns) : undefined,
        },
        file,
        { ...options, onProgress: setProgress, signal: stopping.current.signal },
      ),
    { changes: [['imports'], ['numbers']] },
  );
  const choose = async (chosen: File | undefined) => {
    const read = chosen && (await readPreview(chosen));
    setFile(chosen);
    setPreview(read);
    setColumns(read ? likelyColumns(read) : noColumns);
  };
  const close = () => {
    stopping.current.abort();
    onClose();
  };
  const problem = !file
    ? undefined
    : file.size === 0
      ? 'The file is empty.'
      : file.size > maxBytes
        ? `The file is larger than ${formatBytes(maxBytes)}.`
        : undefined;
  const submit = (texts: Texts) => {
    if (!file || problem) return;
    change.mutate(
      { file, texts },
      {
        onSuccess({ importId }) {
          onClose();
          onImport(importId);
        },
        onError: () => setProgress(undefined),
      },
    );
  };
  return (
    <FormDialog
      title="Import a file"
      isWide
      change={change}
      submit="Import"
      pending="Uploading …"
      isDisabled={!file || problem !== undefined}
      onSubmit={submit}
      onClose={close}
    >
      <Field
        label="File"
        problem={problem}
        note="Text with one number on each line, or a sheet in CSV. It is shown here before it is uploaded."
      >
        {(ids) => (
          <input
            {...ids}
            type="file"
            required
            accept=".txt,.csv,text/plain,text/csv"
            onChange={(event) => void choose(event.target.files?.[0])}
          />
        )}
      </Field>
      {preview && <FirstRows preview={preview} columns={columns} onChange={setColumns} />}
      <Picker
        label="Country"
        name="country"
        note="The country of numbers that begin with neither + nor a country code."
        placeholder="None"
        options={countryOptions}
        value={country}
        onChange={setCountry}
      />
      <AgentChoice label="Blocked for" none="All agents" value={list} onChange={setList} />
      <TextField label="Reason" name="reason" note="For lines without a reason." maxLength={256} />
      <LastDayField note="For lines without an end. Without it, the numbers stay blocked." />
      <p className="faint">
        The numbers are added to those that are blocked. To replace a whole list,{' '}
        <a href="/docs/block-lists#import-a-file">use the API</a>.
      </p>
      {progress && <Progress label="Upload of the file" progress={progress} />}
    </FormDialog>
  );
};

const columnLabels = {
  number: 'Column of numbers',
  reason: 'Column of reasons',
  expiresAt: 'Column of end times',
} as const;

type FirstRowsProps = { preview: Preview; columns: Columns; onChange(columns: Columns): void };

/** The first rows of a file, and the choice of the columns to read if the file names its columns. */
const FirstRows = ({ preview: { headings, rows }, columns, onChange }: FirstRowsProps) => (
  <>
    <Table
      caption="The first rows of the file"
      items={rows}
      keyOf={(_, index) => String(index)}
      columns={(headings.length > 0 ? headings : (rows[0] ?? [])).map((heading, index) => ({
        heading: headings.length > 0 ? heading : `Column ${index + 1}`,
        cell: (cells: string[]) => cells[index] && <bdi>{cells[index]}</bdi>,
      }))}
    />
    {headings.length > 0 && (
      <div className="group">
        {(['number', 'reason', 'expiresAt'] as const).map((name) => (
          <Choice
            key={name}
            label={columnLabels[name]}
            options={[
              ...(name === 'number' ? [] : [{ value: '', label: 'None' }]),
              ...headings.filter(Boolean).map((heading) => ({ value: heading, label: heading })),
            ]}
            value={columns[name]}
            onChange={(heading) => onChange({ ...columns, [name]: heading })}
          />
        ))}
      </div>
    )}
  </>
);
