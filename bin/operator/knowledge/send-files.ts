import { randomUUID } from 'node:crypto';
import { openAsBlob } from 'node:fs';
import { stat } from 'node:fs/promises';
import { basename } from 'node:path';
import pMap from 'p-map';
import { hasNoResponse } from '../../../functions/openapi/client/fetch.ts';
import { maxFormBytes } from '../../../functions/openapi/client/uploads.ts';
import { resolvePath } from '../../command-line/arguments.ts';
import { describeError, describeFailure } from '../../command-line/describe-error.ts';
import { say } from '../../command-line/output.ts';
import { ProgressFile } from '../../command-line/progress-file.ts';
import type { Service } from '../service.ts';

/** The result of sending one file. It is `unknown` when there was no response. */
export type SendResult =
  | { status: 'sent'; documentId: string }
  | { status: 'not sent' | 'rejected' | 'unknown'; error: string };

/** The id of a run, from which its idempotency keys follow, and the files as they were when they were sent. */
type Progress = { id: string; sent: SentFile[] };
type SentFile = { file: string; size: number; mtimeMs: number; documentId: string };

const concurrency = 3;

/**
 * Sends files, except those that an earlier run with the same files has sent. The progress file is beside the first one. The
 * caller removes it when the run is complete.
 */
export const sendFiles = async (
  service: Service,
  files: string[],
  signal: AbortSignal,
  onSent: (file: string, sent: SendResult) => void,
): Promise<{ results: SendResult[]; progress: ProgressFile<unknown> }> => {
  const { baseUrl, uid, agentId } = service;
  const progress = new ProgressFile<Progress>(`${files[0]}.progress.json`, { baseUrl, uid, agentId, files });
  const left = await progress.read();
  const { id, sent } = left?.isSameRun ? left.state : { id: randomUUID(), sent: [] };
  const before = [...sent];
  let saving = Promise.resolve();
  const save = () => {
    saving = saving.then(() => progress.write({ id, sent })).catch((error) => say(describeError(error)));
  };
  save();
  const results = await pMap(
    files,
    async (file, index) => {
      const add = (one: SentFile) => {
        sent.push(one);
        save();
      };
      const result = await send(service, file, { signal, before, add, key: `${id}.${index}` });
      onSent(file, result);
      return result;
    },
    { concurrency },
  );
  await saving;
  return { results, progress };
};

type Run = { signal: AbortSignal; before: SentFile[]; add: (sent: SentFile) => void; key: string };

const send = async (service: Service, file: string, { signal, before, add, key }: Run): Promise<SendResult> => {
  if (signal.aborted) return { status: 'not sent', error: 'Stopped before it was sent.' };
  const { uid, agentId } = service;
  const path = resolvePath(file);
  try {
    const found = await stat(path);
    if (found.isDirectory()) throw Object.assign(new Error('EISDIR'), { code: 'EISDIR', path: file });
    const { size, mtimeMs } = found;
    // Two files of one list may be the same file.
    const index = before.findIndex((one) => one.file === file && one.size === size && one.mtimeMs === mtimeMs);
    const [sentBefore] = index < 0 ? [] : before.splice(index, 1);
    if (sentBefore) return { status: 'sent', documentId: sentBefore.documentId };
    // A larger file is sent by a form, whose key must be valid until the file is read.
    const isByForm = size > maxFormBytes;
    service.hasFilesUnderWay ||= isByForm;
    const content = new File([await openAsBlob(path)], basename(file));
    const uploaded = await service.api.documents
      // A request whose response was lost creates no second document when the command is run again.
      .uploadFiles({ uid, agentId }, [content], { signal, idempotencyKey: `${key}.${size}.${mtimeMs}` })
      .catch((error: unknown) => {
        if (!signal.aborted) throw error;
      });
    if (!uploaded) {
      return { status: 'unknown', error: `Stopped while it was sent. ${isByForm ? unlessComplete : maybeAccepted}` };
    }
    const { documents, failed, error } = uploaded;
    const [document] = documents;
    if (document) {
      const { documentId } = document;
      add({ file, size, mtimeMs, documentId });
      return { status: 'sent', documentId };
    }
    const reason = failed[0]?.reason ?? error?.details?.find((one) => one.path === content.name)?.message;
    if (reason !== undefined) return { status: 'rejected', error: reason };
    if (!hasNoResponse(error)) return { status: 'not sent', error: error?.message ?? 'The response has no document.' };
    return { status: 'unknown', error: `${error.message} ${isByForm ? unlessComplete : maybeAccepted}` };
  } catch (error) {
    return { status: 'not sent', error: describeFailure(error) };
  }
};

const maybeAccepted = 'It may have been accepted: see "knowledge list".';
const unlessComplete = 'Unless it arrived completely, its document is deleted within an hour.';
