import { say, visible } from '../../command-line/output.ts';
import type { Service } from '../service.ts';
import { sendFiles } from './send-files.ts';
import { stoppedWaiting, waitForDocuments } from './sources.ts';

/** The result for one file: whether it was sent, or the status of its document. */
export type UploadResult = { file: string; status: string; documentId?: string; type?: string; error?: string };

/** Sends files and, with `wait`, waits for their documents. `problem` says why waiting ended early. */
export const upload = async (
  service: Service,
  files: string[],
  wait: boolean,
  stop: AbortSignal,
): Promise<{ results: UploadResult[]; problem?: string | undefined }> => {
  const report = ({ file, status, error }: UploadResult) =>
    say(visible(`${file}: ${status}${error ? `: ${error}` : '.'}`));
  const { progress, ...sends } = await sendFiles(service, files, stop, (file, result) => report({ file, ...result }));
  const results: UploadResult[] = sends.results.map((result, index) => ({ file: files[index] as string, ...result }));
  const sent = results.filter(({ status }) => status === 'sent');
  if (!wait || sent.length === 0) {
    if (!stop.aborted) await progress.remove();
    return { results, problem: stop.aborted ? stoppedWaiting : undefined };
  }
  const { found, problem } = await waitForDocuments(
    service,
    sent.map(({ documentId }) => documentId as string),
    stop,
    ({ id, status, error }) => {
      const result = results.find(({ documentId }) => documentId === id);
      if (result) report({ file: result.file, status, error });
    },
  );
  if (!stop.aborted) await progress.remove();
  if (!problem) service.hasFilesUnderWay = false;
  for (const result of sent) {
    const { status, type, error } = found.get(result.documentId as string) ?? {};
    if (status) Object.assign(result, { status, type, error });
    else if (!problem) Object.assign(result, { status: 'deleted', error: 'The document was deleted in the meantime.' });
  }
  return { results, problem };
};
