import * as z from 'zod/mini';
import { files } from '../clients/files.ts';
import { documentOfFileKey, fileKeyOf, filesFolder, refusalReasons } from '../domain/documents.ts';
import { newUlid } from '../domain/identifiers.ts';
import { jobMessages } from '../domain/job-messages.ts';
import { limits } from '../domain/limits.ts';
import { proseText } from '../domain/sources.ts';
import { kindOf } from '../extraction/document-kind.ts';
import { readDocument } from '../extraction/document-texts.ts';
import { formatOf } from '../extraction/file-formats.ts';
import { indexOf } from '../search/source-index.ts';
import type { ServicesOf } from '../service.ts';
import { agents } from '../store/agents.ts';
import { documents, extractionSeconds } from '../store/documents.ts';
import { job, worker } from './job.ts';

/** What S3 tells of each file that comes into the bucket, by whichever way. */
const Notification = z.object({
  Records: z.array(z.object({ s3: z.object({ object: z.object({ key: z.string() }) }) })),
});

/** What S3 sends first, once its notifications are set up. */
const TestEvent = z.object({ Event: z.literal('s3:TestEvent') });

const Message = z.union([jobMessages.extractDocument, Notification, TestEvent]);
type Message = z.infer<typeof Message>;

const services = {
  documents: documents.for('find', 'restart', 'start', 'finish', 'fail', 'sweep'),
  files: files.for('read', 'delete'),
  agents: agents.for('languageOf'),
};

/** Brings the text of a document whose file has come, or of which another attempt is asked for. */
export const extractDocument = job({
  name: 'extractDocument',
  message: Message,
  services,
  timeoutSeconds: 90,
  // As much as makes one whole processor; the memory itself is bounded well below.
  memoryMegabytes: 1769,
  startedByFilesUnder: filesFolder,

  async handle(message, services, _until, lastEndsBy) {
    for (const { document, retry } of namedBy(message)) await extract(document, services, retry, lastEndsBy);
  },

  async giveUp(message, { documents }) {
    for (const { document, retry } of namedBy(message)) {
      const record = await documents.find(document.agentId, document.id);
      if (!record) continue;
      const attempt = retry ?? record.attempt ?? newUlid();
      if (!record.attempt) await documents.restart(document, newAttempt(attempt, record.lastUpdatedBy), () => true);
      await documents.fail(document, attempt, 'The document could not be read. Try again.');
    }
  },
});

/** The documents that a message is about: the one to be tried again, or those whose files came. */
const namedBy = (message: Message): { document: { agentId: string; id: string }; retry?: string }[] => {
  if ('job' in message) {
    const { agentId, documentId: id, attempt: retry } = message;
    return [{ document: { agentId, id }, retry }];
  }
  if ('Event' in message) return [];
  return message.Records.flatMap(({ s3 }) => {
    const document = documentOfFileKey(decodeURIComponent(s3.object.key.replaceAll('+', ' ')));
    return document ? [{ document }] : [];
  });
};

const extract = async (
  document: { agentId: string; id: string },
  { documents, files, agents }: ServicesOf<typeof services>,
  retry?: string,
  lastEndsBy?: number,
): Promise<void> => {
  const key = fileKeyOf(document);
  const record = await documents.find(document.agentId, document.id);
  if (!record) {
    // Deleted, or no longer waited for: nothing of it stays, whatever an earlier run or a form still brought.
    await documents.sweep(document);
    return files.delete(key);
  }
  const file = await files.read(key, limits.fileBytes);
  if (!file) {
    if (retry) await documents.fail(document, retry, 'The file is gone. Upload it again.');
    return;
  }
  // The attempt is named after the file's content, so that a form used again, or a notification told twice, is known.
  const attempt = retry ?? (isAttemptAt(file.etag, record.attempt) ? record.attempt : file.etag);
  if (retry === undefined && attempt !== record.attempt) {
    await documents.restart(document, newAttempt(attempt, record.lastUpdatedBy), () => true);
  }
  const run = await documents.start(document, attempt, lastEndsBy);
  if (!run) return;
  if ('tooLarge' in file) return void (await documents.fail(document, attempt, refusalReasons.file_too_large));
  const size = file.bytes.length;
  const kind = await kindOf(file.bytes, record.name, formatOf);
  if ('unsupported' in kind) return void (await documents.fail(document, attempt, kind.unsupported, { size }));
  const { type } = kind;
  const text = await readDocument(file.bytes, type);
  if ('failure' in text) return void (await documents.fail(document, attempt, text.failure, { size, type }));
  const texts = { content: proseText(text.content), contentMD: proseText(text.contentMD) };
  const language = await agents.languageOf(document.agentId);
  const index = await indexOf('document', texts.content.whole, texts.contentMD.whole, language);
  await documents.finish(document, { attempt, revision: run.revision }, { ...texts, index }, { size, type });
};

const newAttempt = (attempt: string, uid: string) => ({ attempt, uid, dueBy: Date.now() + extractionSeconds * 1000 });

const isAttemptAt = (etag: string, attempt: string | undefined): attempt is string =>
  attempt === etag || (attempt?.startsWith(`${etag}:`) ?? false);

export const handler = worker(extractDocument);
