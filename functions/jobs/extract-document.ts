import * as z from 'zod/mini';
import { noteRequestId } from '../cause.ts';
import { files } from '../clients/files.ts';
import { queueSender } from '../clients/job-queue.ts';
import {
  fileKey,
  filesFolder,
  largerThanAnnounced,
  parseFileKey,
  rejectionReasons,
  uploadKey,
} from '../domain/documents.ts';
import { jobMessages } from '../domain/job-messages.ts';
import { limits } from '../domain/limits.ts';
import { attemptAtFile } from '../domain/source-state.ts';
import { proseText } from '../domain/sources.ts';
import { suspendedDelaySeconds } from '../domain/timeouts.ts';
import { detectKind } from '../extraction/document-kind.ts';
import { readDocument } from '../extraction/document-texts.ts';
import { detectFormat } from '../extraction/file-formats.ts';
import { indexNewText } from '../search/source-index.ts';
import type { ServicesOf } from '../service.ts';
import { agents } from '../store/agents/agents.ts';
import { credentials } from '../store/credentials.ts';
import { type DocumentRecord, documentReads, documents } from '../store/sources/documents.ts';
import { websiteReads } from '../store/sources/website-reads.ts';
import { createdKeys, FileNotification } from './file-notification.ts';
import { queueJob, queueWorker } from './job.ts';

const Message = z.union([jobMessages.extractDocument, FileNotification]);

const services = {
  documents: documents.for('findForJob', 'endWait', 'receive', 'start', 'finish', 'fail', 'deleteOrphans'),
  documentReads: documentReads.for('list'),
  websiteReads: websiteReads.for('list'),
  credentials: credentials.for('readAccess', 'getKeyState'),
  files: files.for('read', 'copy', 'delete'),
  agents: agents.for('findLanguage'),
  jobQueue: queueSender('extractDocument'),
};
type Services = ServicesOf<typeof services>;

/** Extracts a document's text. S3's notifications are sent again for the agent's owner, to wait in turn. */
export const extractDocument = queueJob({
  name: 'extractDocument',
  message: Message,
  services,
  // Reading the file and indexing its text take at most 60 seconds each.
  timeoutSeconds: 180,
  // Lambda gives one whole vCPU at this size. The job itself needs far less memory.
  memoryMegabytes: 1769,
  startedByFilesUnder: filesFolder,
  isAwaited: true,

  async handle(message, services, { lastDeliveryEndsAt }) {
    if ('job' in message) {
      const { uid, agentId, documentId: id, attempt } = message;
      return extract({ agentId, id, uid }, services, { requestedAttempt: attempt, lastDeliveryEndsAt });
    }
    const arrived = createdKeys(message).flatMap((key) => ({ ...parseFileKey(key), key }));
    const access = await services.credentials.readAccess(arrived.flatMap(({ agentId }) => agentId ?? []));
    for (const { agentId, id, key } of arrived) {
      if (agentId === undefined || id === undefined) continue;
      const document = { agentId, id };
      // An agent without access is an unfinished copy.
      const uid = access.get(agentId)?.owner ?? agentId;
      // S3 does not know the request that made the form.
      const record = await services.documents.findForJob(document);
      noteRequestId(record?.requestId);
      if (key === uploadKey(document)) await takeUpload(document, record, services);
      else {
        await services.documents.endWait(document);
        await services.jobQueue.send({ job: 'extractDocument', uid, agentId, documentId: id });
      }
    }
  },
});

type DocumentKey = { agentId: string; id: string };

/** Makes the uploaded file the document's file, unless it has one. S3 reports the copy as a new file. */
const takeUpload = async (
  document: DocumentKey,
  record: DocumentRecord | undefined,
  { documents, files }: Pick<Services, 'documents' | 'files'>,
): Promise<void> => {
  if (record?.fileDeadlineAt !== undefined) {
    await files.copy(uploadKey(document), fileKey(document));
    await documents.endWait(document);
  }
  await files.delete(uploadKey(document));
};

/** `requestedAttempt` is that of a user who wants the file read again, whatever its key may do. */
type Delivery = { requestedAttempt: string | undefined; lastDeliveryEndsAt: number | undefined };

const extract = async (
  { uid, ...document }: DocumentKey & { uid?: string },
  services: Services,
  delivery: Delivery,
): Promise<void> => {
  const { documents, files, agents } = services;
  const admission = await admit(document, services, delivery);
  if (admission === 'gone') return documents.deleteOrphans(document, () => files.delete(fileKey(document)));
  if (admission === 'suspended') {
    const message = { job: 'extractDocument', uid: uid ?? document.agentId, agentId: document.agentId } as const;
    return services.jobQueue.send({ ...message, documentId: document.id }, suspendedDelaySeconds);
  }
  if (admission === 'without a file') return;
  const { record, file, attempt, revision, refusal } = admission;
  const fail = async (reason: string, fields?: Partial<DocumentRecord>) => {
    await documents.fail(document, attempt, reason, fields);
  };
  if (refusal !== undefined) return fail(`${refusal} Try again to read it all the same.`);
  if ('tooLarge' in file) return fail(rejectionReasons.file_too_large);
  const size = file.bytes.length;
  const kind = await detectKind(file.bytes, record.name, detectFormat);
  if ('unsupported' in kind) return fail(kind.unsupported, { size });
  const { type } = kind;
  // S3 refuses a larger file by the form. The size stays the announced one, so that another attempt is refused, too.
  if (size > record.size) return fail(largerThanAnnounced(record.size), { type });
  const text = await readDocument(file.bytes, type);
  if ('failure' in text) return fail(text.failure, { size, type });
  const { warnings } = text;
  const texts = { content: proseText(text.content), contentMD: proseText(text.contentMD) };
  // A change of the language after this read finds the document in progress, and indexes it again.
  const language = await agents.findLanguage(document.agentId, uid);
  const reads = [services.websiteReads, services.documentReads];
  const index = await indexNewText(document, 'document', texts, language, reads);
  if ('failure' in index) return fail(index.failure, { size, type });
  await documents.finish(document, { attempt, revision }, { ...texts, index }, { size, type, warnings });
};

/** Starts an attempt at a document's file, or returns why there is none. */
const admit = async (document: DocumentKey, services: Services, { requestedAttempt, lastDeliveryEndsAt }: Delivery) => {
  const { documents, files, credentials } = services;
  const record = await documents.findForJob(document);
  if (!record) return 'gone';
  const { formIssuedTo } = record;
  const keyState = requestedAttempt || !formIssuedTo ? 'usable' : await credentials.getKeyState(formIssuedTo);
  if (keyState === 'suspended') return 'suspended';
  const file = await files.read(fileKey(document), limits.fileBytes);
  if (!file) {
    if (requestedAttempt) await documents.fail(document, requestedAttempt, 'The file is gone. Upload it again.');
    return 'without a file';
  }
  const attempt = requestedAttempt ?? attemptAtFile(file.etag, record.attempt);
  if (!requestedAttempt && attempt !== record.attempt) await documents.receive(document, attempt);
  const run = await documents.start(document, attempt, lastDeliveryEndsAt);
  if (!run) return 'gone';
  const refusal = requestedAttempt ? undefined : await refusalOfForm(record, keyState, services);
  return { record, file, attempt, revision: run.revision, refusal };
};

/** Returns why a form's file is refused: S3 accepts it even when the key has ended. */
const refusalOfForm = async (
  { agentId, formIssuedTo }: DocumentRecord,
  keyState: Awaited<ReturnType<Services['credentials']['getKeyState']>>,
  { credentials }: Pick<Services, 'credentials'>,
): Promise<string | undefined> => {
  if (formIssuedTo === undefined) return undefined;
  const access = (await credentials.readAccess([agentId])).get(agentId);
  if (access && !access.has(formIssuedTo.uid)) {
    return 'The user whose upload form brought the file may no longer use the agent.';
  }
  if (keyState === 'usable') return undefined;
  return 'The API key whose upload form brought the file is no longer valid.';
};

export const handler = queueWorker(extractDocument);
