import * as z from 'zod/mini';
import { type Files, files } from '../clients/files.ts';
import { jobQueueFor } from '../clients/job-queue.ts';
import { documentOfFileKey, fileKeyOf, filesFolder, rejectionReasons } from '../domain/documents.ts';
import { newUlid } from '../domain/identifiers.ts';
import { jobMessages } from '../domain/job-messages.ts';
import { limits } from '../domain/limits.ts';
import { attemptAtFile } from '../domain/source-state.ts';
import { proseText, type SourceText } from '../domain/sources.ts';
import { kindOf } from '../extraction/document-kind.ts';
import { readDocument } from '../extraction/document-texts.ts';
import { formatOf } from '../extraction/file-formats.ts';
import { indexOf } from '../search/source-index.ts';
import type { ServicesOf } from '../service.ts';
import { agents } from '../store/agents.ts';
import { credentials } from '../store/credentials.ts';
import { type DocumentRecord, documents } from '../store/sources/documents.ts';
import type { SourceIndex } from '../store/sources/source-texts.ts';
import { FileNotification, keysIn } from './file-notification.ts';
import { job, worker } from './job.ts';

const Message = z.union([jobMessages.extractDocument, FileNotification]);
type Message = z.infer<typeof Message>;

const services = {
  documents: documents.for('findForJob', 'endWait', 'receive', 'start', 'finish', 'fail', 'giveUp', 'deleteOrphans'),
  credentials: credentials.for('accessTo'),
  files: files.for('read', 'delete'),
  agents: agents.for('languageOf'),
  jobQueue: jobQueueFor('extractDocument'),
};
type Services = ServicesOf<typeof services>;

/**
 * Extracts the text of a document whose file has come, or for which another attempt is requested. S3 cannot name a user
 * in its notifications: each is sent again as a message of the agent's owner, and waits for its turn with that user's work.
 */
export const extractDocument = job({
  name: 'extractDocument',
  message: Message,
  services,
  timeoutSeconds: 90,
  // As much as makes one whole processor; the memory itself is bounded well below.
  memoryMegabytes: 1769,
  startedByFilesUnder: filesFolder,

  async handle(message, services, _deadline, endsBy) {
    if ('job' in message) {
      const { uid, agentId, documentId: id, attempt } = message;
      return extract({ agentId, id, uid }, services, attempt, endsBy);
    }
    const documents = documentsIn(message);
    const access = await services.credentials.accessTo(documents.map(({ agentId }) => agentId));
    for (const { agentId, id: documentId } of documents) {
      // An agent without access is a copy that is not finished.
      const uid = access.get(agentId)?.owner ?? agentId;
      await services.documents.endWait({ agentId, id: documentId });
      await services.jobQueue.send({ job: 'extractDocument', uid, agentId, documentId });
    }
  },

  async giveUp(message, { documents }) {
    const given = 'job' in message ? message.attempt : undefined;
    for (const document of documentsIn(message)) {
      const record = await documents.findForJob(document);
      if (!record) continue;
      const attempt = given ?? record.attempt ?? newUlid();
      if (!record.attempt) await documents.receive(document, attempt);
      await documents.giveUp(document, attempt, 'The document could not be read. Try again.');
    }
  },
});

type DocumentKey = { agentId: string; id: string };

/** The documents that a message is about: one, or those whose files have come. */
const documentsIn = (message: Message): DocumentKey[] => {
  if ('job' in message) return [{ agentId: message.agentId, id: message.documentId }];
  return keysIn(message).flatMap((key) => documentOfFileKey(key) ?? []);
};

const extract = async (
  { uid, ...document }: DocumentKey & { uid?: string | undefined },
  services: Services,
  retry?: string,
  endsBy?: number,
): Promise<void> => {
  const { documents, files, agents } = services;
  const key = fileKeyOf(document);
  const deleteOrphans = () => documents.deleteOrphans(document, () => files.delete(key));
  const languageNow = () => agents.languageOf(document.agentId, uid);
  const record = await documents.findForJob(document);
  if (!record) return deleteOrphans();
  const [file, language] = await Promise.all([files.read(key, limits.fileBytes), languageNow()]);
  if (!file) {
    if (retry) await documents.fail(document, retry, 'The file is gone. Upload it again.');
    return;
  }
  const attempt = retry ?? attemptAtFile(file.etag, record.attempt);
  const begin = async () => {
    if (attempt !== record.attempt && !retry) await documents.receive(document, attempt);
    return documents.start(document, attempt, endsBy);
  };
  const begun = begin();
  // A change of the language after this read finds the document in progress, and indexes it again.
  const languageOfRun = begun.then(languageNow);
  languageOfRun.catch(() => {});
  // The text of a short file is extracted and indexed by the time the attempt has begun.
  const [run, isAllowed, { fields, ...read }] = await Promise.all([
    begun,
    retry !== undefined || mayBringFile(record, services),
    readFile(file, record.name, language),
  ]);
  if (!run) return deleteOrphans();
  if (!isAllowed) {
    return void (await documents.fail(
      document,
      attempt,
      'The user whose upload form brought the file may no longer use the agent. Try again to read it all the same.',
    ));
  }
  if ('failure' in read) return void (await documents.fail(document, attempt, read.failure, fields));
  const { texts, index, indexFor } = read;
  const indexInstead = async () => {
    const current = await languageOfRun;
    return current === language ? undefined : indexFor(current);
  };
  await documents.finish(
    document,
    { attempt, revision: run.revision },
    { ...texts, index: () => index, indexInstead },
    fields,
  );
};

type Read = { fields: Partial<DocumentRecord> } & (
  | { failure: string }
  | {
      texts: { content: SourceText; contentMD: SourceText };
      /** Still being made when the texts are there. */
      index: Promise<SourceIndex>;
      indexFor(language: string | undefined): Promise<SourceIndex>;
    }
);

/** The texts of a file and their index, or why it has none, and what its record says of it. */
const readFile = async (
  file: NonNullable<Awaited<ReturnType<Files['read']>>>,
  name: string,
  language: string | undefined,
): Promise<Read> => {
  if ('tooLarge' in file) return { failure: rejectionReasons.file_too_large, fields: {} };
  const size = file.bytes.length;
  const kind = await kindOf(file.bytes, name, formatOf);
  if ('unsupported' in kind) return { failure: kind.unsupported, fields: { size } };
  const fields = { size, type: kind.type };
  const text = await readDocument(file.bytes, kind.type);
  if ('failure' in text) return { failure: text.failure, fields };
  const texts = { content: proseText(text.content), contentMD: proseText(text.contentMD) };
  const indexFor = (language: string | undefined) =>
    indexOf('document', texts.content.whole, texts.contentMD.whole, language);
  const index = indexFor(language);
  // An attempt that does not begin leaves the index, also one that cannot be made.
  index.catch(() => {});
  return { texts, index, indexFor, fields };
};

/**
 * An upload form stays valid when the access of the user it was issued to ends. An agent without an access record is a
 * copy that is not finished: its files come from the service itself.
 */
const mayBringFile = async (
  { agentId, formIssuedTo }: DocumentRecord,
  { credentials }: Pick<Services, 'credentials'>,
) => {
  if (formIssuedTo === undefined) return true;
  const access = (await credentials.accessTo([agentId])).get(agentId);
  return access === undefined || access.has(formIssuedTo);
};

export const handler = worker(extractDocument);
