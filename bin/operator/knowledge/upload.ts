import type { Service } from '../service.ts';
import { type SendResult, sendFiles } from './send-files.ts';
import { listDocuments, stoppedWaiting, waitForSources } from './sources.ts';
import type { UploadDisplay } from './upload-display.ts';

/** The result for one file: whether it was sent, or the status of its document. */
export type UploadResult = { file: string; status: string; documentId?: string; type?: string; error?: string };

/** Sends files and, with `wait`, waits for their documents. `problem` says why waiting ended early. */
export const upload = async (
  service: Service,
  files: string[],
  wait: boolean,
  stop: AbortSignal,
  display: UploadDisplay,
): Promise<{ results: UploadResult[]; problem?: string | undefined }> => {
  const results: UploadResult[] = files.map((file) => ({ file, status: 'not sent' }));
  const firstOpen = (file: string) =>
    results.find((result) => result.file === file && result.status === 'not sent' && !result.error);
  await sendFiles(service, files, stop, (file, sent) => {
    const result = firstOpen(file);
    if (result) Object.assign(result, withoutWay(sent));
    display.sent(file, sent);
  });
  const sent = results.filter(({ status }) => status === 'sent');
  if (!wait || sent.length === 0) return { results, problem: stop.aborted ? stoppedWaiting : undefined };
  const ids = sent.map(({ documentId }) => documentId as string);
  const { found, problem } = await waitForSources(
    () => listDocuments(service),
    ids,
    stop,
    (document) => {
      const result = results.find(({ documentId }) => documentId === document.id);
      if (result) display.ended(result.file, document);
    },
  );
  if (!problem) service.hasFilesUnderWay = false;
  for (const result of sent) {
    const document = found.get(result.documentId as string);
    if (!document) {
      if (!problem) Object.assign(result, { status: 'deleted', error: 'The document was deleted in the meantime.' });
      continue;
    }
    const { status, type, error } = document;
    Object.assign(result, { status, ...(type && { type }), ...(error && { error }) });
  }
  return { results, problem };
};

const withoutWay = (sent: SendResult) => {
  const { status, documentId } = sent;
  return { status, ...(documentId && { documentId }), ...('error' in sent && { error: sent.error }) };
};
