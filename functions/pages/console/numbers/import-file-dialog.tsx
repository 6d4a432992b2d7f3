import { type FormEvent, useState } from 'react';
import { Dialog } from '../components/dialog.tsx';
import { Field } from '../components/fields.tsx';
import { Failed } from '../components/states.tsx';
import { Progress, useUpload } from '../components/upload.tsx';
import { formatBytes } from '../formats.ts';
import { useChange, useService } from '../service.tsx';
import { ListChoice } from './list-choice.tsx';

const maxBytes = 64 * 1024 * 1024;

type Props = { agentId: string | undefined; onImport(importId: string): void; onClose(): void };

/** Uploads a file of numbers to block. */
export const ImportFileDialog = ({ agentId, onImport, onClose }: Props) => {
  const { api } = useService();
  const { progress, setProgress, stopping } = useUpload();
  const [file, setFile] = useState<File>();
  const [list, setList] = useState(agentId ?? '');
  const [reason, setReason] = useState('');
  const { mutate, isPending, error } = useChange(
    (chosen: File) =>
      api.blockList.importFile({ agentId: list || undefined, reason: reason.trim() || undefined }, chosen, {
        onProgress: setProgress,
        signal: stopping.current.signal,
      }),
    { changes: [['imports'], ['numbers']] },
  );
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
  const submit = (event: FormEvent) => {
    event.preventDefault();
    if (!file || problem) return;
    mutate(file, {
      onSuccess({ importId }) {
        onClose();
        onImport(importId);
      },
      onError: () => setProgress(undefined),
    });
  };
  return (
    <Dialog title="Import a file" onClose={close}>
      <form className="stack" onSubmit={submit}>
        <Field
          label="File"
          problem={problem}
          note="Text with one number on each line, or CSV with the columns number, reason and expiresAt."
        >
          {(ids) => (
            <input
              {...ids}
              type="file"
              required
              accept=".txt,.csv,text/plain,text/csv"
              onChange={(event) => setFile(event.target.files?.[0])}
            />
          )}
        </Field>
        <ListChoice value={list} onChange={setList} />
        <Field label="Reason" note="For lines that have none of their own.">
          {(ids) => (
            <input {...ids} maxLength={256} value={reason} onChange={(event) => setReason(event.target.value)} />
          )}
        </Field>
        <p className="faint">
          The numbers are added to those that are blocked. To replace a whole list,{' '}
          <a href="/docs/block-lists#import-a-file">use the API</a>.
        </p>
        {progress && <Progress label="Upload of the file" progress={progress} />}
        {error && <Failed error={error} />}
        <div className="buttons">
          <button type="submit" disabled={isPending || !file || problem !== undefined}>
            {isPending ? 'Uploading …' : 'Import'}
          </button>
          <button type="button" className="quiet" onClick={close}>
            Cancel
          </button>
        </div>
      </form>
    </Dialog>
  );
};
