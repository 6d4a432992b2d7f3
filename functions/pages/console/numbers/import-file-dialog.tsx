import { useState } from 'react';
import { AgentChoice } from '../components/agent-filter.tsx';
import { Dialog } from '../components/dialog.tsx';
import { Field, TextField } from '../components/fields.tsx';
import { Form } from '../components/form.tsx';
import { Progress, useUpload } from '../components/upload.tsx';
import { formatBytes } from '../formats.ts';
import { useChange, useService } from '../service.tsx';

const maxBytes = 64 * 1024 * 1024;

type Props = { agentId: string | undefined; onImport(importId: string): void; onClose(): void };

/** Uploads a file of numbers to block. */
export const ImportFileDialog = ({ agentId, onImport, onClose }: Props) => {
  const { api } = useService();
  const { progress, setProgress, stopping } = useUpload();
  const [file, setFile] = useState<File>();
  const [list, setList] = useState(agentId ?? '');
  const [reason, setReason] = useState('');
  const change = useChange(
    (chosen: File, options) =>
      api.blockList.importFile({ agentId: list || undefined, reason: reason.trim() || undefined }, chosen, {
        ...options,
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
  const submit = () => {
    if (!file || problem) return;
    change.mutate(file, {
      onSuccess({ importId }) {
        onClose();
        onImport(importId);
      },
      onError: () => setProgress(undefined),
    });
  };
  return (
    <Dialog title="Import a file" onClose={close}>
      <Form
        change={change}
        submit="Import"
        pending="Uploading …"
        isDisabled={!file || problem !== undefined}
        onSubmit={submit}
        onCancel={close}
      >
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
        <AgentChoice label="Blocked for" none="All agents" value={list} onChange={setList} />
        <TextField
          label="Reason"
          name="reason"
          note="For lines without a reason."
          maxLength={256}
          value={reason}
          onChange={setReason}
        />
        <p className="faint">
          The numbers are added to those that are blocked. To replace a whole list,{' '}
          <a href="/docs/block-lists#import-a-file">use the API</a>.
        </p>
        {progress && <Progress label="Upload of the file" progress={progress} />}
      </Form>
    </Dialog>
  );
};
