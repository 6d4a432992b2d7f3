import { documentsOf, settled, stoppedMeanwhile } from './knowledge-sources.ts';
import { type Sent, sendFiles } from './send-files.ts';
import type { Service } from './service.ts';
import type { UploadDisplay } from './upload-display.ts';

/** What became of one file: how far it was sent, or how far its document has come. */
export type Outcome = { file: string; status: string; documentId?: string; type?: string; error?: string };

/** Sends files, and waits for their documents if that is wanted. `fault` says why what became of them could not be told to the end. */
export const upload = async (
  service: Service,
  files: string[],
  wait: boolean,
  stop: AbortSignal,
  display: UploadDisplay,
): Promise<{ outcomes: Outcome[]; fault?: string | undefined }> => {
  const outcomes: Outcome[] = files.map((file) => ({ file, status: 'not sent' }));
  const at = (file: string) =>
    outcomes.find((outcome) => outcome.file === file && outcome.status === 'not sent' && !outcome.error);
  await sendFiles(service, files, stop, (file, sent) => {
    const outcome = at(file);
    if (outcome) Object.assign(outcome, told(sent));
    display.sent(file, sent);
  });
  const sent = outcomes.filter(({ status }) => status === 'sent');
  if (!wait || sent.length === 0) return { outcomes, fault: stop.aborted ? stoppedMeanwhile : undefined };
  const ids = sent.map(({ documentId }) => documentId as string);
  const { found, fault } = await settled(
    () => documentsOf(service),
    ids,
    stop,
    (document) => {
      const outcome = outcomes.find(({ documentId }) => documentId === document.id);
      if (outcome) display.ended(outcome.file, document);
    },
  );
  for (const outcome of sent) {
    const document = found.get(outcome.documentId as string);
    if (!document) {
      if (!fault) Object.assign(outcome, { status: 'deleted', error: 'The document was deleted meanwhile.' });
      continue;
    }
    const { status, type, error } = document;
    Object.assign(outcome, { status, ...(type && { type }), ...(error && { error }) });
  }
  return { outcomes, fault };
};

const told = (sent: Sent) => {
  const { status, documentId } = sent;
  return { status, ...(documentId && { documentId }), ...('error' in sent && { error: sent.error }) };
};
