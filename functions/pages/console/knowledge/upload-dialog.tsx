import { useState } from 'react';
import type { UploadResult } from '../../../openapi/client/client.ts';
import { FormDialog } from '../components/dialog.tsx';
import { Field } from '../components/fields.tsx';
import { Report } from '../components/report.tsx';
import { Progress, useUpload } from '../components/upload.tsx';
import { formatBytes, formatNumber } from '../formats.ts';
import { useChange } from '../service.tsx';

const maxFiles = 10;
const maxBytes = 10 * 1024 * 1024;

/** Uploads documents to the knowledge of an agent. */
export const UploadDialog = ({ agentId, onClose }: { agentId: string; onClose(): void }) => {
  const { progress, setProgress, stopping } = useUpload();
  const [files, setFiles] = useState<File[]>([]);
  const upload = useChange(
    async (api, options) => {
      const { signal } = stopping.current;
      const { error, ...data } = await api.documents.uploadFiles({ agentId }, files, {
        ...options,
        onProgress: setProgress,
        signal,
      });
      // Files that were uploaded before an error are kept.
      const response = new Response();
      return error && data.documents.length === 0 ? { error, response } : { data: { ...data, error }, response };
    },
    { changes: [['knowledge', agentId]], done: ({ documents }) => `Documents uploaded: ${documents.length}.` },
  );
  const close = () => {
    stopping.current.abort();
    onClose();
  };
  const submit = () =>
    upload.mutate(undefined, {
      onSuccess: ({ failed, error }) => failed.length === 0 && !error && onClose(),
      onError: () => setProgress(undefined),
    });
  const tooLarge = files.find(({ size }) => size > maxBytes);
  const problem =
    files.length > maxFiles
      ? `Choose at most ${maxFiles} files at once.`
      : tooLarge && `${tooLarge.name} is larger than ${formatBytes(maxBytes)}.`;
  return (
    <FormDialog
      title="Upload documents"
      result={upload.data && <Result result={upload.data} onDone={onClose} />}
      change={upload}
      submit="Upload"
      pending="Uploading …"
      isDisabled={files.length === 0 || problem !== undefined}
      onSubmit={submit}
      onClose={close}
    >
      <Field
        label="Files"
        problem={problem}
        note={`PDF, Word (.docx) and text files, up to ${maxFiles} of ${formatBytes(maxBytes)} each.`}
      >
        {(ids) => (
          <input
            {...ids}
            type="file"
            required
            multiple
            accept=".pdf,.docx,.txt,.md"
            onChange={(event) => setFiles([...(event.target.files ?? [])])}
          />
        )}
      </Field>
      {progress && <Progress label="Upload of the documents" progress={progress} />}
    </FormDialog>
  );
};

const Result = ({ result: { documents, failed, error }, onDone }: { result: UploadResult; onDone(): void }) => (
  <Report
    text={`Documents uploaded: ${formatNumber(documents.length)}. Refused: ${formatNumber(failed.length)}.`}
    problem={error && `The rest was not uploaded: ${error.message}`}
    caption="Files that were refused"
    what="File"
    failures={failed.map(({ name, reason }) => ({ what: name, why: reason }))}
    onDone={onDone}
  />
);
