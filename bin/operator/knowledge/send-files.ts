import { openAsBlob } from 'node:fs';
import { stat } from 'node:fs/promises';
import { basename } from 'node:path';
import pMap from 'p-map';
import type { RefusedFile } from '../../../functions/domain/documents.ts';
import { limits } from '../../../functions/domain/limits.ts';
import { hasNoResponse } from '../../../functions/openapi/client/fetch.ts';
import { resolvePath } from '../../command-line/arguments.ts';
import { serviceError } from '../../command-line/data-of.ts';
import { describeFailure } from '../../command-line/describe-error.ts';
import { sendByForm } from '../send-by-form.ts';
import type { Service } from '../service.ts';

/**
 * The result of sending one file. It is `unknown` when there was no response. `documentId` is present when a document
 * was created.
 */
export type SendResult =
  | { status: 'sent'; documentId: string; way: 'request' | 'presigned' }
  | { status: 'not sent' | 'rejected' | 'unknown'; documentId?: string; error: string };

type LocalFile = { path: string; name: string; size: number };
type Batch = { way: 'request' | 'presigned'; files: LocalFile[] };

/** The most that the boundary and headers of one part add to a multipart body. */
const partBytes = 2048;
const presignedConcurrency = 3;

/** Sends small files together in one request, and each large file by a presigned upload. Calls `onSent` for each file. */
export const sendFiles = async (
  service: Service,
  paths: string[],
  signal: AbortSignal,
  onSent: (path: string, sent: SendResult) => void,
): Promise<void> => {
  const files: LocalFile[] = [];
  for (const path of paths) {
    try {
      files.push({ path, name: basename(path), size: await sizeOf(path) });
    } catch (error) {
      onSent(path, { status: 'not sent', error: describeFailure(error) });
    }
  }
  for (const batch of batchesOf(files)) {
    const reported = new Set<LocalFile>();
    const report = (file: LocalFile, sent: SendResult) => {
      reported.add(file);
      onSent(file.path, sent);
    };
    try {
      signal.throwIfAborted();
      await (batch.way === 'request' ? sendTogether : sendPresigned)(service, batch.files, signal, report);
    } catch (error) {
      for (const file of batch.files)
        if (!reported.has(file)) report(file, { status: 'not sent', error: reasonOf(error, signal) });
    }
  }
};

const sizeOf = async (path: string) => {
  const found = await stat(resolvePath(path));
  if (found.isDirectory()) throw Object.assign(new Error('EISDIR'), { code: 'EISDIR', path });
  return found.size;
};

const reasonOf = (error: unknown, signal: AbortSignal) => (signal.aborted ? stoppedBefore : describeFailure(error));

const stoppedBefore = 'Stopped before it was sent.';
const stoppedMeanwhile = 'Stopped while it was sent.';

/** Fills requests one after the other. A response identifies files by name, so the files of a request have different names. */
const batchesOf = (files: LocalFile[]): Batch[] => {
  const batches: Batch[] = [];
  for (const file of files) {
    const bytesOf = (list: LocalFile[]) => list.reduce((sum, { size }) => sum + size + partBytes, 4 * partBytes);
    const way = bytesOf([file]) > limits.uploadBodyBytes ? 'presigned' : 'request';
    const batch = batches.find(
      ({ way: other, files: those }) =>
        other === way &&
        those.length < limits.filesPerUpload &&
        !those.some(({ name }) => name === file.name) &&
        (way === 'presigned' || bytesOf([...those, file]) <= limits.uploadBodyBytes),
    );
    if (batch) batch.files.push(file);
    else batches.push({ way, files: [file] });
  }
  return batches;
};

type Report = (file: LocalFile, sent: SendResult) => void;

const sendTogether = async (
  { api, uid, agentId }: Service,
  files: LocalFile[],
  signal: AbortSignal,
  report: Report,
) => {
  const contents: File[] = [];
  const readable: LocalFile[] = [];
  for (const file of files) {
    try {
      contents.push(new File([new Blob([await (await openAsBlob(resolvePath(file.path))).arrayBuffer()])], file.name));
      readable.push(file);
    } catch (error) {
      report(file, { status: 'not sent', error: describeFailure(error) });
    }
  }
  if (readable.length === 0) return;
  const result = await api.documents.upload({ uid, agentId, files: contents }).catch((error: unknown) => {
    if (!signal.aborted) throw error;
  });
  if (!result || hasNoResponse(result.error)) {
    const error = `${result?.error?.message ?? stoppedMeanwhile} It may have been accepted: see "knowledge list".`;
    for (const file of readable) report(file, { status: 'unknown', error });
    return;
  }
  const { data, error, response } = result;
  const failed = data?.failed ?? rejectedFiles(error, readable);
  if (!failed) throw serviceError(response, error);
  for (const file of readable) {
    const accepted = data?.documents.find(({ name }) => name === file.name);
    const rejected = failed.find(({ name }) => name === file.name);
    if (accepted) report(file, { status: 'sent', documentId: accepted.documentId, way: 'request' });
    else report(file, { status: 'rejected', error: rejected?.reason ?? 'The response does not mention this file.' });
  }
};

const sendPresigned = async (service: Service, files: LocalFile[], signal: AbortSignal, report: Report) => {
  const { api, uid, agentId } = service;
  const sizes = files.map(({ name, size }) => ({ name, size }));
  const { data, error, response } = await api.documents.createUploads({ uid, agentId, files: sizes });
  const failed = data?.failed ?? rejectedFiles(error, files);
  if (!failed) throw serviceError(response, error);
  await pMap(
    files,
    async (file) => {
      const upload = data?.uploads.find(({ name }) => name === file.name);
      const rejected = failed.find(({ name }) => name === file.name);
      if (upload) report(file, await sendOnePresigned(service, file, upload, signal));
      else report(file, { status: 'rejected', error: rejected?.reason ?? 'The response does not mention this file.' });
    },
    { concurrency: presignedConcurrency },
  );
};

/** Uploads one file. Retries are safe: a presigned upload always stores the same file. */
const sendOnePresigned = async (
  service: Service,
  { path, name }: LocalFile,
  { documentId, url, fields }: { documentId: string; url: string; fields: Record<string, string> },
  signal: AbortSignal,
): Promise<SendResult> => {
  if (signal.aborted) return { status: 'not sent', documentId, error: `${stoppedBefore} ${unused}` };
  service.hasFilesUnderWay = true;
  try {
    const error = await sendByForm({ path, name }, { url, fields }, signal);
    if (!error) return { status: 'sent', documentId, way: 'presigned' };
    if (hasNoResponse(error)) return { status: 'unknown', documentId, error: `${error.message} ${unlessComplete}` };
    return { status: 'not sent', documentId, error: `${error.message} ${unused}` };
  } catch (error) {
    return signal.aborted
      ? { status: 'unknown', documentId, error: `${stoppedMeanwhile} ${unlessComplete}` }
      : { status: 'not sent', documentId, error: `${describeFailure(error)} ${unused}` };
  }
};

const unused = 'Its document is deleted within an hour.';
const unlessComplete = 'Unless it arrived completely, its document is deleted within an hour.';

/** Returns the reason for each file if none was accepted, or undefined if the request failed otherwise. */
const rejectedFiles = (
  error: { details?: { path: string; message: string }[] } | undefined,
  files: LocalFile[],
): Pick<RefusedFile, 'name' | 'reason'>[] | undefined => {
  const details = error?.details ?? [];
  if (details.length === 0 || !details.every(({ path }) => files.some(({ name }) => name === path))) return undefined;
  return details.map(({ path, message }) => ({ name: path, reason: message }));
};
