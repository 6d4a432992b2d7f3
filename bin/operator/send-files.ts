import { randomUUID } from 'node:crypto';
import { openAsBlob } from 'node:fs';
import { stat } from 'node:fs/promises';
import { basename } from 'node:path';
import pMap from 'p-map';
import type { RefusedFile } from '../../functions/domain/documents.ts';
import { limits } from '../../functions/domain/limits.ts';
import { pathOf } from './read.ts';
import { patiently, refusedBy, type Service, Unreachable } from './service.ts';
import { sentenceOf } from './usage-error.ts';

/**
 * What became of one file: it was sent; it was not, for a reason; or it is not known, because the answer never came.
 * Where a document was made for it, `documentId` is that one.
 */
export type Sent =
  | { status: 'sent'; documentId: string; way: 'request' | 'form' }
  | { status: 'not sent' | 'refused' | 'unknown'; documentId?: string; error: string };

type LocalFile = { path: string; name: string; size: number };
type Batch = { way: 'request' | 'form'; files: LocalFile[] };

/** What a part of a multipart body takes beside its file: its boundary and its headers, with the name in them. */
const partBytes = 2048;
const formsAtOnce = 3;

/** Sends files, small ones together in one request, large ones each by a form of its own. `onSent` is told of each as it goes. */
export const sendFiles = async (
  service: Service,
  paths: string[],
  signal: AbortSignal,
  onSent: (path: string, sent: Sent) => void,
): Promise<void> => {
  const files: LocalFile[] = [];
  for (const path of paths) {
    try {
      files.push({ path, name: basename(path), size: await sizeOf(path) });
    } catch (error) {
      onSent(path, { status: 'not sent', error: sentenceOf(error) });
    }
  }
  for (const batch of batchesOf(files)) {
    const told = new Set<LocalFile>();
    const tell = (file: LocalFile, sent: Sent) => {
      told.add(file);
      onSent(file.path, sent);
    };
    try {
      signal.throwIfAborted();
      await (batch.way === 'request' ? sendTogether : sendByForms)(service, batch.files, signal, tell);
    } catch (error) {
      for (const file of batch.files)
        if (!told.has(file)) tell(file, { status: 'not sent', error: faultOf(error, signal) });
    }
  }
};

const sizeOf = async (path: string) => {
  const found = await stat(pathOf(path));
  if (found.isDirectory()) throw Object.assign(new Error('EISDIR'), { code: 'EISDIR', path });
  return found.size;
};

const faultOf = (error: unknown, signal: AbortSignal) => (signal.aborted ? stoppedBefore : sentenceOf(error));

const stoppedBefore = 'This was stopped before it was sent.';

/** As few requests as there can be. No two files of one name go into one: an answer tells files by their names. */
const batchesOf = (files: LocalFile[]): Batch[] => {
  const batches: Batch[] = [];
  for (const file of files) {
    const weight = (list: LocalFile[]) => list.reduce((sum, { size }) => sum + size + partBytes, 4 * partBytes);
    const way = weight([file]) > limits.uploadBodyBytes ? 'form' : 'request';
    const batch = batches.find(
      ({ way: other, files: those }) =>
        other === way &&
        those.length < limits.filesPerUpload &&
        !those.some(({ name }) => name === file.name) &&
        (way === 'form' || weight([...those, file]) <= limits.uploadBodyBytes),
    );
    if (batch) batch.files.push(file);
    else batches.push({ way, files: [file] });
  }
  return batches;
};

type Tell = (file: LocalFile, sent: Sent) => void;

const sendTogether = async ({ api, uid, agentId }: Service, files: LocalFile[], signal: AbortSignal, tell: Tell) => {
  const form = new FormData();
  form.set('uid', uid);
  form.set('agentId', agentId);
  const readable: LocalFile[] = [];
  for (const file of files) {
    try {
      form.append('files', new Blob([await (await openAsBlob(pathOf(file.path))).arrayBuffer()]), file.name);
      readable.push(file);
    } catch (error) {
      tell(file, { status: 'not sent', error: sentenceOf(error) });
    }
  }
  if (readable.length === 0) return;
  const answer = await api
    .POST('/agent-documents', {
      params: { header: { 'Idempotency-Key': randomUUID() } },
      body: { uid, agentId, files: [] },
      bodySerializer: () => form,
    })
    .catch((error: unknown) => {
      if (!signal.aborted && !(error instanceof Unreachable)) throw error;
      const cause = signal.aborted ? 'This was stopped while it was sent.' : sentenceOf(error);
      const unknown = `${cause} It may have been taken: "knowledge list" tells.`;
      for (const file of readable) tell(file, { status: 'unknown', error: unknown });
    });
  if (!answer) return;
  const { data, error, response } = answer;
  const failed = data?.failed ?? refusalsOf(error, readable);
  if (!failed) throw refusedBy(response, error);
  for (const file of readable) {
    const taken = data?.documents.find(({ name }) => name === file.name);
    const refused = failed.find(({ name }) => name === file.name);
    if (taken) tell(file, { status: 'sent', documentId: taken.documentId, way: 'request' });
    else tell(file, { status: 'refused', error: refused?.reason ?? 'The service does not tell what became of it.' });
  }
};

const sendByForms = async ({ api, uid, agentId }: Service, files: LocalFile[], signal: AbortSignal, tell: Tell) => {
  const { data, error, response } = await api.POST('/agent-documents/uploads', {
    params: { header: { 'Idempotency-Key': randomUUID() } },
    body: { uid, agentId, files: files.map(({ name, size }) => ({ name, size })) },
  });
  const failed = data?.failed ?? refusalsOf(error, files);
  if (!failed) throw refusedBy(response, error);
  await pMap(
    files,
    async (file) => {
      const upload = data?.uploads.find(({ name }) => name === file.name);
      const refused = failed.find(({ name }) => name === file.name);
      if (upload) tell(file, await sendByForm(file, upload, signal));
      else tell(file, { status: 'refused', error: refused?.reason ?? 'The service gave no form for it.' });
    },
    { concurrency: formsAtOnce },
  );
};

/** A form that stores one file may be sent again: it stores the same file. */
const sendByForm = async (
  { path, name }: LocalFile,
  { documentId, url, fields }: { documentId: string; url: string; fields: Record<string, string> },
  signal: AbortSignal,
): Promise<Sent> => {
  const unused = 'Its document is gone within an hour.';
  if (signal.aborted) return { status: 'not sent', documentId, error: `${stoppedBefore} ${unused}` };
  try {
    const blob = await openAsBlob(pathOf(path));
    const form = new FormData();
    for (const [field, value] of Object.entries(fields)) form.set(field, value);
    form.set('file', blob, name);
    const response = await patiently(
      { origin: new URL(url).origin, seconds: limits.linkSeconds, stop: signal },
      (either) => fetch(url, { method: 'POST', body: form, signal: either }),
    );
    if (response.ok) return { status: 'sent', documentId, way: 'form' };
    const reason = /<Message>([^<]*)<\/Message>/.exec(await response.text())?.[1] ?? response.statusText;
    return { status: 'not sent', documentId, error: `The storage answered ${response.status}: ${reason}. ${unused}` };
  } catch (error) {
    if (!signal.aborted && !(error instanceof Unreachable)) {
      return { status: 'not sent', documentId, error: `${sentenceOf(error)} ${unused}` };
    }
    const cause = signal.aborted ? 'This was stopped while it was sent.' : sentenceOf(error);
    return {
      status: 'unknown',
      documentId,
      error: `${cause} Unless it arrived whole, its document is gone within an hour.`,
    };
  }
};

/** Of a request of which no file was taken, the reason for each; nothing when it was refused for something else. */
const refusalsOf = (
  error: { details?: { path: string; message: string }[] } | undefined,
  files: LocalFile[],
): Pick<RefusedFile, 'name' | 'reason'>[] | undefined => {
  const details = error?.details ?? [];
  if (details.length === 0 || !details.every(({ path }) => files.some(({ name }) => name === path))) return undefined;
  return details.map(({ path, message }) => ({ name: path, reason: message }));
};
