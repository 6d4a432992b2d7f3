import { useEffect, useMemo, useState } from 'react';
import { AgentChoice } from '../components/agent-filter.tsx';
import { FormDialog } from '../components/dialog.tsx';
import { Choice, Field, LastDayField, TextField, useEndOfDay } from '../components/fields.tsx';
import type { Texts } from '../components/form.tsx';
import { Table } from '../components/paged-table.tsx';
import { Picker } from '../components/picker.tsx';
import { Progress, useUpload } from '../components/upload.tsx';
import { formatBytes, formatNumber } from '../formats.ts';
import { useChange } from '../service.tsx';
import {
  type Columns,
  type Count,
  countNumbers,
  countries,
  type FileStart,
  findColumns,
  findHeadings,
  firstRows,
  type Layout,
  layOut,
  listHeadings,
  type Row,
  readStart,
} from './preview.ts';

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
  const [start, setStart] = useState<FileStart>();
  const [headings, setHeadings] = useState<Row>();
  const [columns, setColumns] = useState(noColumns);
  const layout = useMemo(() => start && layOut(start, headings), [start, headings]);
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
  const chooseHeadings = (start: FileStart | undefined, row: Row | undefined) => {
    setHeadings(row);
    setColumns(start ? findColumns(layOut(start, row)) : noColumns);
  };
  const choose = async (chosen: File | undefined) => {
    const read = chosen && (await readStart(chosen));
    setFile(chosen);
    setStart(read);
    chooseHeadings(read, read && findHeadings(read));
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
      {start && layout && (
        <>
          <FirstRows
            start={start}
            layout={layout}
            columns={columns}
            onHeadings={(row) => chooseHeadings(start, row)}
            onChange={setColumns}
          />
          <Readable layout={layout} column={columns.number} country={country} isWhole={start.isWhole} />
        </>
      )}
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

type FirstRowsProps = {
  start: FileStart;
  layout: Layout;
  columns: Columns;
  onHeadings(row: Row | undefined): void;
  onChange(columns: Columns): void;
};

/** The first rows of a file, and the choice of the line with the headings and of the columns to read if the file names its columns. */
const FirstRows = ({ start, layout, columns, onHeadings, onChange }: FirstRowsProps) => {
  const { headings, below } = layout;
  const choices = listHeadings(start);
  const names = headings?.cells ?? [];
  return (
    <>
      <Table
        caption="The first rows of the file"
        items={firstRows(layout)}
        keyOf={({ line }) => String(line)}
        columns={
          (headings ?? below[0])?.cells.map((heading, index) => ({
            heading: headings ? heading : `Column ${index + 1}`,
            cell: ({ cells }: Row) => cells[index] && <bdi>{cells[index]}</bdi>,
          })) ?? []
        }
      />
      {choices.length > 0 && (
        <Choice
          label="The headings are in"
          options={[
            { value: '', label: 'No line: there are only numbers' },
            ...choices.map(({ line, cells }) => ({
              value: String(line),
              label: `Line ${line}: ${cells.filter(Boolean).join(', ').slice(0, 60)}`,
            })),
          ]}
          value={headings ? String(headings.line) : ''}
          onChange={(line) => onHeadings(choices.find((row) => String(row.line) === line))}
        />
      )}
      {headings && (
        <div className="group">
          {(['number', 'reason', 'expiresAt'] as const).map((name) => (
            <Choice
              key={name}
              label={columnLabels[name]}
              options={[
                ...(name === 'number' ? [] : [{ value: '', label: 'None' }]),
                ...names.filter(Boolean).map((heading) => ({ value: heading, label: heading })),
              ]}
              value={columns[name]}
              onChange={(heading) => onChange({ ...columns, [name]: heading })}
            />
          ))}
        </div>
      )}
    </>
  );
};

type ReadableProps = { layout: Layout; column: string; country: string; isWhole: boolean };

/** How many lines an import can read, and the first of those that it cannot. */
const Readable = ({ layout, column, country, isWhole }: ReadableProps) => {
  const [count, setCount] = useState<Count>();
  useEffect(() => {
    let isOver = false;
    const run = async () => {
      for await (const next of countNumbers(layout, column, country !== '')) {
        if (isOver) return;
        setCount(next);
      }
    };
    void run();
    return () => {
      isOver = true;
    };
  }, [layout, column, country]);
  if (!count) return null;
  const { readable, unreadable, problems } = count;
  const lines = (number: number) => (number === 1 ? '1 line' : `${formatNumber(number)} lines`);
  return (
    <div className="stack">
      <p role="status">
        {!isWhole && 'In the first part of the file, '}
        {country ? `${lines(readable)} may be numbers` : `${lines(readable)} can be read`}
        {unreadable > 0 && `, ${formatNumber(unreadable)} cannot`}.
      </p>
      {problems.length > 0 && (
        <Table
          caption="Lines that cannot be read"
          items={problems}
          keyOf={({ line }) => String(line)}
          columns={[
            { heading: 'Line', isNumber: true, cell: ({ line }) => formatNumber(line) },
            { heading: 'Text', isLong: true, cell: ({ text }) => <bdi>{text || '(empty)'}</bdi> },
            { heading: 'Why', isLong: true, cell: ({ why }) => why },
          ]}
        />
      )}
    </div>
  );
};
