import { jobQueueFor } from '../clients/job-queue.ts';
import { jobMessages } from '../domain/job-messages.ts';
import { indexSources } from '../search/source-index.ts';
import { agents } from '../store/agents.ts';
import { documentReads, documents } from '../store/sources/documents.ts';
import { websiteReads, websites } from '../store/sources/websites.ts';
import { job, worker } from './job.ts';

/** A source that is being read is looked at again after a while: a crawl takes up to five minutes. */
const secondsUntilRead = 20;

/** Indexes an agent's knowledge again after its language was changed. Until then it is found by words as they are written. */
export const indexKnowledge = job({
  name: 'indexKnowledge',
  message: jobMessages.indexKnowledge,
  services: {
    agents: agents.for('languageOf'),
    websites: websites.for('reindex', 'deleteUnusedIndexes'),
    websiteReads: websiteReads.for('list', 'wholeTexts'),
    documents: documents.for('reindex', 'deleteUnusedIndexes'),
    documentReads: documentReads.for('list', 'wholeTexts'),
    jobQueue: jobQueueFor('indexKnowledge'),
  },
  timeoutSeconds: 300,
  memoryMegabytes: 1769,

  async handle({ agentId, uid }, services, until) {
    const { agents, websites, websiteReads, documents, documentReads, jobQueue } = services;
    const stores = {
      website: { reads: websiteReads, writes: websites },
      document: { reads: documentReads, writes: documents },
    };
    const { isDone, areRead } = await indexSources(agentId, stores, agents, until);
    if (isDone && !areRead) return;
    await jobQueue.send({ job: 'indexKnowledge', uid, agentId }, isDone ? secondsUntilRead : 0);
  },
});

export const handler = worker(indexKnowledge);
