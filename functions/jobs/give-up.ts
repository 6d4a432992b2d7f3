import * as z from 'zod/mini';
import { blockListImports } from '../block-list-import/block-list-imports.ts';
import { failImport } from '../block-list-import/run-import.ts';
import { callExports } from '../call-exports/call-exports.ts';
import { importFiles } from '../clients/files.ts';
import { queueSender } from '../clients/job-queue.ts';
import { importOfFileKey } from '../domain/block-list-imports.ts';
import { parseFileKey } from '../domain/documents.ts';
import { newUlid } from '../domain/identifiers.ts';
import { jobMessages } from '../domain/job-messages.ts';
import { dayMilliseconds } from '../domain/refresh-plan.ts';
import { jobRescueDelaySeconds } from '../domain/timeouts.ts';
import { erasures, incompleteErasure, isOverdue } from '../erasure/erasures.ts';
import { personExports } from '../person-exports/person-exports.ts';
import { reconciliations } from '../reconciliation/reconciliations.ts';
import type { ServicesOf } from '../service.ts';
import { type Exports, isFinished, type StoredExport } from '../store/exports.ts';
import { documents } from '../store/sources/documents.ts';
import { websites } from '../store/sources/websites.ts';
import { createdKeys, FileNotification } from './file-notification.ts';
import { queueJob, queueWorker } from './job.ts';

const services = {
  websites: websites.for('giveUp'),
  documents: documents.for('findForJob', 'receive', 'giveUp'),
  imports: blockListImports.for('find', 'finish'),
  files: importFiles.for('delete'),
  reconciliations: reconciliations.for('find', 'finish'),
  erasures: erasures.for('find', 'fail'),
  callExports: callExports.for('find', 'finish'),
  personExports: personExports.for('find', 'finish'),
  jobQueue: queueSender(
    'crawlWebsite',
    'createDeliveries',
    'erasePerson',
    'exportCalls',
    'exportPerson',
    'finishDeletion',
  ),
};
type Services = ServicesOf<typeof services>;

/** Ends or continues the work of a message that no delivery completed: a dead letter of an `awaited` job. */
export const giveUp = queueJob({
  name: 'giveUp',
  message: z.union([
    jobMessages.crawlWebsite,
    jobMessages.createDeliveries,
    jobMessages.extractDocument,
    jobMessages.importBlockList,
    jobMessages.erasePerson,
    jobMessages.finishDeletion,
    jobMessages.reconcileCalls,
    jobMessages.exportCalls,
    jobMessages.exportPerson,
    FileNotification,
  ]),
  services,
  timeoutSeconds: 30,
  // SQS also counts the deliveries before a message became a dead letter.
  maxDeliveries: 1000,

  async handle(message, services) {
    if (!('job' in message)) return giveUpFiles(createdKeys(message), services);
    switch (message.job) {
      case 'crawlWebsite':
        return giveUpWebsite(message, services);
      case 'extractDocument':
        return giveUpDocument({ agentId: message.agentId, id: message.documentId }, message.attempt, services);
      case 'importBlockList':
        return giveUpImport(message, services);
      case 'erasePerson':
        return giveUpErasure(message, services);
      case 'reconcileCalls':
        return giveUpReconciliation(message, services);
      case 'exportCalls':
        return giveUpExport(message, services.callExports, { position: null }, services);
      case 'exportPerson':
        return giveUpExport(message, services.personExports, { number: null }, services);
      case 'createDeliveries':
      case 'finishDeletion':
        // Events are delivered, and the data of a deleted agent are deleted, as soon as the cause is gone.
        return services.jobQueue.send(message, jobRescueDelaySeconds);
    }
  },
});

const giveUpFiles = async (keys: string[], services: Services): Promise<void> => {
  for (const key of keys) {
    const document = parseFileKey(key);
    if (document) await giveUpDocument(document, undefined, services);
    const reference = importOfFileKey(key);
    if (reference) await giveUpImport(reference, services);
  }
};

const giveUpWebsite = async (
  message: z.infer<typeof jobMessages.crawlWebsite>,
  { websites, jobQueue }: Pick<Services, 'websites' | 'jobQueue'>,
): Promise<void> => {
  const { agentId, websiteId, attempt, dueAt } = message;
  // Nobody waits for a crawl that was due: it is tried for a day, and else when the website is due again.
  if (dueAt !== undefined && dueAt > Date.now() - dayMilliseconds) return jobQueue.send(message, jobRescueDelaySeconds);
  const reason = 'The crawl failed because of a problem in the service. Refresh the website.';
  await websites.giveUp({ agentId, id: websiteId }, attempt, reason);
};

const giveUpDocument = async (
  document: { agentId: string; id: string },
  retry: string | undefined,
  { documents }: Pick<Services, 'documents'>,
): Promise<void> => {
  const record = await documents.findForJob(document);
  if (!record) return;
  const attempt = retry ?? record.attempt ?? newUlid();
  if (!record.attempt) await documents.receive(document, attempt);
  await documents.giveUp(document, attempt, 'The document could not be read. Try again.');
};

const giveUpImport = async (
  reference: { uid: string; importId: string },
  services: Pick<Services, 'imports' | 'files'>,
): Promise<void> => {
  const record = await services.imports.find(reference);
  if (!record || record.finishedAt !== undefined) return;
  const reason = 'The import could not be completed because of a problem in the service. Import the file again.';
  await failImport(record, services, reason);
};

/** An erasure goes on until it is done, or until an operator must intervene. */
const giveUpErasure = async (
  message: z.infer<typeof jobMessages.erasePerson>,
  { erasures, jobQueue }: Pick<Services, 'erasures' | 'jobQueue'>,
): Promise<void> => {
  const { uid, erasureId } = message;
  const erasure = await erasures.find(uid, erasureId);
  if (!erasure || erasure.finishedAt !== undefined) return;
  if (isOverdue(erasure)) return erasures.fail(uid, erasureId, incompleteErasure);
  await jobQueue.send(message, jobRescueDelaySeconds);
};

const giveUpReconciliation = async (
  { agentId, reconciliationId }: z.infer<typeof jobMessages.reconcileCalls>,
  { reconciliations }: Pick<Services, 'reconciliations'>,
): Promise<void> => {
  const found = await reconciliations.find(agentId, reconciliationId);
  if (!found || found.finishedAt !== undefined) return;
  const error = 'The reconciliation could not be completed because of a problem in the service. Request it again.';
  await reconciliations.finish(found, found.progress, { error });
};

const giveUpExport = async <Stored extends StoredExport>(
  { job, uid, exportId }: z.infer<typeof jobMessages.exportCalls | typeof jobMessages.exportPerson>,
  exports: Pick<Exports<Stored>, 'find' | 'finish'>,
  cleared: Parameters<Exports<Stored>['finish']>[1],
  { jobQueue }: Pick<Services, 'jobQueue'>,
): Promise<void> => {
  const found = await exports.find(uid, exportId);
  if (!found) return;
  const error = 'The export could not be completed because of a problem in the service. Request it again.';
  if (!isFinished(found)) await exports.finish(found, { ...cleared, error });
  // The job still deletes the files after a day.
  await jobQueue.send({ job, uid, exportId }, jobRescueDelaySeconds);
};

export const handler = queueWorker(giveUp);
